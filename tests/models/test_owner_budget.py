"""The owner's budget: how many requests may carry the key, whoever sends them and however often the app starts."""

import subprocess
import sys

import pytest

from fairviz.errors import FairvizError
from fairviz.home import SHARED, data_home
from fairviz.models import owner_budget
from fairviz.models.asking import ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.owner_budget import VARIABLE, OwnerBudget, requests_path, take_request
from fairviz.models.protocol import Question
from tests.conftest import ROOT, refused
from tests.model_server import ModelServer

DAY = (
    "the owner's budget of 2 requests a day is used up\n"
    "Try again after midnight UTC, or set a larger one in FAIRVIZ_MOST_REQUESTS. Answers so far are kept."
)
ALL = (
    "the owner's budget of 3 requests in all is used up\n"
    "Set a larger one in FAIRVIZ_MOST_REQUESTS where fairviz is started. Answers so far are kept."
)


@pytest.fixture
def keyed(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """A server that is asked with a key."""
    monkeypatch.setenv("FAIRVIZ_API_KEY", "sk-very-secret-0123456789")
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    return server


def ask(*texts: str) -> None:
    ask_all(chosen_model("m"), [Question(text, 5) for text in texts], lambda *_: None, concurrency=1)


def refusal(*texts: str) -> str:
    with pytest.raises(FairvizError) as told:
        ask(*texts)
    return str(told.value)


def test_a_budget_is_requests_a_day_or_in_all_or_both(monkeypatch) -> None:
    for text, budget in {
        " ": None,
        "0": OwnerBudget(None, 0),
        "500/day": OwnerBudget(500, None),
        " 5000 , 500/day ": OwnerBudget(500, 5000),
    }.items():
        monkeypatch.setenv(VARIABLE, text)
        assert owner_budget.owner_budget() == budget


def test_another_text_is_refused_and_nothing_is_sent(keyed, monkeypatch) -> None:
    for text in ("many", "-1", "5,5", "5/day,5/day", "5,", "5/week", "1e3", "5 /day", "٣", "9" * 5000):
        monkeypatch.setenv(VARIABLE, text)
        assert refusal("question") == (
            f"the environment variable FAIRVIZ_MOST_REQUESTS holds no budget: {text[:40]!r}\n"
            "Set it as FAIRVIZ_MOST_REQUESTS=500/day,5000: requests a day, requests in all, or both."
        )
    assert not keyed.bodies


def test_a_visitor_spends_nothing_unless_the_owner_allows_it(keyed, monkeypatch) -> None:
    monkeypatch.setenv(SHARED, "1")
    assert refusal("question") == (
        "others can open this page, and FAIRVIZ_MOST_REQUESTS is not set: no request may carry the owner's key\n"
        "Set a budget where the page is started, as FAIRVIZ_MOST_REQUESTS=500/day,5000."
    )
    assert not keyed.bodies
    monkeypatch.delenv("FAIRVIZ_API_KEY")
    ask("question")
    assert (len(keyed.bodies), requests_path().exists()) == (1, False), "without a key there is no budget"
    monkeypatch.setenv("FAIRVIZ_API_KEY", "sk-very-secret-0123456789")
    monkeypatch.setenv(VARIABLE, "1")
    ask("another")
    assert len(keyed.bodies) == 2


def test_what_was_answered_is_kept_and_counted_only_where_a_budget_is_set(keyed, monkeypatch) -> None:
    ask("zero")
    assert not requests_path().exists()
    monkeypatch.setenv(VARIABLE, "2/day")
    assert refusal("zero", "one", "two", "three") == DAY
    assert len(keyed.bodies) == 3
    ask("one", "two")
    assert refusal("three") == DAY
    monkeypatch.setenv(VARIABLE, "0")
    assert refusal("three") == ALL.replace("3", "0")
    assert len(keyed.bodies) == 3


def test_a_day_ends_and_the_whole_does_not(monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, "2/day,3")
    for day, taken, told in (("2026-01-01", 2, DAY), ("2026-01-02", 1, ALL)):
        monkeypatch.setattr(owner_budget, "today", lambda day=day: day)
        for _ in range(taken):
            take_request()
        for _ in range(2):
            with refused(told):
                take_request()


def test_processes_and_threads_share_one_budget(monkeypatch) -> None:
    """Each process that starts is a restart: it finds the count of those before."""
    monkeypatch.setenv(VARIABLE, "15/day,1000")
    code = """
from concurrent.futures import ThreadPoolExecutor
from fairviz.errors import FairvizError
from fairviz.models.owner_budget import take_request
def taken(_):
    try:
        take_request()
    except FairvizError:
        return 0
    return 1
with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(taken, range(10))))
"""
    running = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE) for _ in range(2)]
    counts = [int(process.communicate()[0]) for process in running]
    assert sum(counts) == 15
    assert max(counts) <= 10


def test_what_cannot_be_counted_is_not_sent(keyed, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, "5")
    requests_path().mkdir(parents=True)
    assert refusal("question") == (
        f"a request could not be counted in {data_home() / 'requests.sqlite'} (unable to open database file), "
        "so it was not sent\nMake it a file that you can write, with room, or set FAIRVIZ_HOME to another folder."
    )
    assert not keyed.bodies
