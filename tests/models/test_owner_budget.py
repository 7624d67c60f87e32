"""The owner's budget: how many requests may carry the key, whoever sends them and however often the app starts."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from fairviz.errors import FairvizError
from fairviz.home import SHARED, data_home
from fairviz.models import owner_budget
from fairviz.models.asking import ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.owner_budget import VARIABLE, OwnerBudget, requests_path, take_request
from fairviz.models.protocol import Question
from tests.conftest import ROOT
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


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("", None),
        (" ", None),
        ("0", OwnerBudget(None, 0)),
        ("500/day", OwnerBudget(500, None)),
        ("5000", OwnerBudget(None, 5000)),
        ("500/day,5000", OwnerBudget(500, 5000)),
        (" 5000 , 500/day ", OwnerBudget(500, 5000)),
    ],
)
def test_a_budget_is_requests_a_day_or_in_all_or_both(text, budget, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    assert owner_budget.owner_budget() == budget


@pytest.mark.parametrize("text", ["many", "-1", "5,5", "5/day,5/day", "5,", "5/week", "1e3", "5 /day", "٣", "9" * 5000])
def test_another_text_is_refused_and_nothing_is_sent(text, keyed, monkeypatch) -> None:
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
    monkeypatch.setenv(VARIABLE, "1")
    ask("question")
    assert len(keyed.bodies) == 1


def test_without_a_key_there_is_no_budget(keyed, monkeypatch) -> None:
    monkeypatch.setenv(SHARED, "1")
    monkeypatch.delenv("FAIRVIZ_API_KEY")
    ask("question")
    assert len(keyed.bodies) == 1
    assert not requests_path().exists()


def test_on_this_machine_alone_nothing_is_counted_unless_a_budget_is_set(keyed, monkeypatch) -> None:
    ask("one")
    assert not requests_path().exists()
    monkeypatch.setenv(VARIABLE, "0")
    assert refusal("two") == ALL.replace("3", "0")
    assert len(keyed.bodies) == 1


def test_what_was_answered_is_kept_and_asked_for_no_more(keyed, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, "2/day")
    assert refusal("one", "two", "three") == DAY
    assert len(keyed.bodies) == 2
    ask("one", "two")
    assert refusal("three") == DAY
    assert len(keyed.bodies) == 2


def test_a_day_ends_and_the_whole_does_not(monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, "2/day,3")
    taken = []
    for day in ("2026-01-01", "2026-01-02"):
        monkeypatch.setattr(owner_budget, "today", lambda day=day: day)
        for _ in range(3):
            try:
                take_request()
            except FairvizError as error:
                taken.append(str(error))
            else:
                taken.append("")
    assert taken == ["", "", DAY, "", ALL, ALL]


def test_processes_and_threads_share_one_budget(monkeypatch) -> None:
    """Each process that starts is a restart: it finds the count of those before."""
    monkeypatch.setenv(VARIABLE, "25/day,1000")
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

    def started(_: int) -> int:
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        return int(done.stdout)

    with ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(started, range(4)))
    assert sum(counts) == 25
    assert max(counts) == 10


def test_what_cannot_be_counted_is_not_sent(keyed, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, "5")
    requests_path().mkdir(parents=True)
    assert refusal("question") == (
        f"a request could not be counted in {data_home() / 'requests.sqlite'} (unable to open database file), "
        "so it was not sent\nMake it a file that you can write, with room, or set FAIRVIZ_HOME to another folder."
    )
    assert not keyed.bodies
