"""Questions to a language model: none twice, none lost, every fault one line; none of two jobs twice, and none beyond
the owner's budget. The server is a real one, on this machine."""

import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.home import SHARED, data_home
from fairviz.models import answers as kept
from fairviz.models import asking, owner_budget
from fairviz.models.addresses import OPENAI
from fairviz.models.answers import answers, answers_path
from fairviz.models.asking import Answered, Budget, Estimate, Spent, ask_all, estimate, recalled
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.owner_budget import VARIABLE, OwnerBudget, requests_path, take_request
from fairviz.models.protocol import LARGEST, Ask, PassingError, Question, Reply
from fairviz.models.remote_model import key_for
from tests.conftest import ROOT, refused
from tests.model_server import MOST_SENT, ModelServer, bomb

SECRET = "sk-very-secret-0123456789"


def questions(count: int) -> list[Question]:
    return [Question(f"question {number}", 5) for number in range(count)]


def silent(*_: int) -> None:
    """No progress is shown."""


def ask(server: ModelServer, asked: int = 1, **options) -> Answered:
    return ask_all(chosen_model("m", server.address), questions(asked), silent, **options)


def said(answered: Answered) -> list[str]:
    return [reply.content()["choices"][0]["message"]["content"] for reply in answered.replies if reply is not None]


def failure(server: ModelServer, asked: int, **options) -> str:
    with pytest.raises(FairvizError) as caught:
        ask(server, asked, **options)
    return str(caught.value)


def test_nothing_is_asked_twice(server: ModelServer) -> None:
    server.answer = lambda prompt: f"to {prompt}"
    steps: list[tuple[int, int]] = []
    model = chosen_model("m", server.address)
    first = ask_all(model, questions(5) + questions(2), lambda *step: steps.append(step))
    assert said(first) == [f"to question {number}" for number in (0, 1, 2, 3, 4, 0, 1)]
    assert (first.asked, first.tokens_in, first.tokens_out) == (5, 500, 10)
    assert (steps[0], steps[-1]) == ((0, 5), (5, 5))
    found = recalled(model, questions(6))
    assert said(found) == said(first)[:5], "what is recalled is asked of nobody"
    assert (found.asked, found.tokens_in, found.tokens_out, len(server.bodies)) == (0, 500, 10, 5)
    assert estimate(model, [Question("x" * 39, 7)] * 2 + questions(2)) == Estimate(3, 1, 10, 7)
    assert ask(server, 6).asked == 1
    assert sorted(server.prompts()) == [f"question {number}" for number in range(6)]
    assert server.bodies[0] | {"messages": 0} == {"model": "m", "max_tokens": 5, "temperature": 0, "messages": 0}
    elsewhere = server.address.replace("127.0.0.1", "localhost")
    for other in (chosen_model("other", server.address), chosen_model("m", elsewhere)):
        assert ask_all(other, questions(1), silent).asked == 1


def test_every_request_is_on_the_disk_before_it_is_sent_and_its_raw_answer_behind_it(server: ModelServer) -> None:
    def stored(columns: str) -> list[tuple]:
        with closing(sqlite3.connect(answers_path())) as store:
            return store.execute(f"SELECT {columns} ORDER BY 1").fetchall()

    noted: list[bool] = []
    server.answer = lambda prompt: noted.append(prompt in str(stored("body FROM requests"))) or "Neutral"
    ask(server, 2)
    assert noted == [True, True]
    assert [json.loads(body)["messages"][0]["content"] for (body,) in stored("body FROM requests")] == [
        "question 0", "question 1",
    ]  # fmt: skip
    assert set(stored("model FROM requests")) == {(f"m at {server.address}",)}
    assert [(status, json.loads(raw)["choices"][0]["message"]["content"])
            for status, raw in stored("status, raw FROM answers")] == [(200, "Neutral")] * 2  # fmt: skip


@pytest.mark.parametrize("fault", ["429", "500", "cut", "nonsense", "silence"])
def test_what_passes_is_asked_again(server: ModelServer, fault: str) -> None:
    server.faults = [fault, fault]
    assert said(ask(server, 1, patience=1)) == ["Neutral"]
    assert len(server.bodies) == 3


NO_ANSWER = "m at ADDRESS does not answer: "
RESUME = "\n0 of 4 questions are answered and kept. Check the address and the network, and run it again to resume."


@pytest.mark.parametrize(
    ("fault", "message", "requests"),
    [
        # asked three times: the first question goes alone, and not for ever
        ("429", f"{NO_ANSWER}the server answered 429{RESUME}", 3),
        ("500", f"{NO_ANSWER}the server answered 500{RESUME}", 3),
        ("nonsense",
         f"{NO_ANSWER}the reply is not an answer of a language model: '<html>welcome to the proxy</html>'{RESUME}", 3),
        # one deadline for a whole answer
        *((fault, f"{NO_ANSWER}no whole answer within 0.3 seconds{RESUME}", 3)
          for fault in ("silence", "drip", "drip headers")),
        # what no question will get stops at once
        ("unknown model", "ADDRESS has no model 'm' (status 404: \"The model 'm' does not exist model_not_found\")\n"
         "Check the model's name, and that the address ends as the server has it, often in /v1.", 1),
        ("odd", "ADDRESS does not take the question (status 400: 'Unsupported parameter: max_tokens')\n"
         "Use another model or server.", 1),
        ("wrong key", "ADDRESS does not take the key (status 401)\n"
         "Set the environment variable FAIRVIZ_API_KEY to a right one.", 1),
    ],
)  # fmt: skip
def test_what_comes_to_nothing_is_one_line(server: ModelServer, fault: str, message: str, requests: int) -> None:
    server.faults = [fault] * 3
    held = fault in ("silence", "drip", "drip headers")
    told = failure(server, 4, **({"patience": 0.3} if held else {}))
    assert told == message.replace("ADDRESS", server.address)
    assert held or len(server.bodies) == requests


def test_a_server_that_is_not_there(server: ModelServer) -> None:
    address = server.address.replace("127.0.0.1", "127.0.0.2")
    with pytest.raises(FairvizError, match=r"^m at http://127.0.0.2:\d+/v1 does not answer: .*[Cc]onnection refused"):
        ask_all(chosen_model("m", address), questions(1), silent)


@pytest.mark.parametrize("fault", ["context", "filter", "refusal", "empty", "huge"])
def test_what_concerns_one_document_is_kept_and_stops_nothing(server: ModelServer, fault: str) -> None:
    server.faults = ["", fault]
    answered = ask(server, 3, concurrency=1)
    assert None not in answered.replies
    assert max(len(reply.raw) for reply in answered.replies if reply) <= LARGEST
    assert ask(server, 3).asked == 0


def test_the_network_is_lost(server: ModelServer) -> None:
    """What was answered before is kept, three in a row end it, one alone does not, and the same call goes on."""
    server.faults = [""] + ["500"] * asking.TRIES
    answered = ask(server, 3, concurrency=1)
    assert [reply is None for reply in answered.replies] == [False, True, False]
    server.faults = [""] + ["500"] * 8 * 20
    assert "3 of 20 questions are answered and kept." in failure(server, 20, concurrency=2)
    server.faults, before = [], len(server.bodies)
    assert len(said(ask(server, 20))) == 20
    assert len(server.bodies) == before + 17


def test_a_budget_of_requests_or_tokens(server: ModelServer) -> None:
    message = failure(server, 9, spent=Spent(Budget(requests=4)), concurrency=2)
    assert message == (
        "the budget of 4 requests is used up: 4 of 9 questions are answered and kept\n"
        "Run it again with a larger budget to resume."
    )
    assert len(server.bodies) == 4
    message = failure(server, 9, spent=Spent(Budget(tokens=300)), concurrency=1)
    assert message.startswith("the budget of 300 tokens is used up: 7 of 9 questions are answered and kept\n")
    server.delay = 0.02
    assert ask(server, 16, concurrency=3).asked == 9
    assert 1 < server.most <= 3, "no more at a time than was said"


def test_the_key_is_nowhere(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in files, logs, addresses or errors, also where the server repeats it."""
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    caplog.set_level(logging.DEBUG)
    server.faults = ["echo key", "wrong key"]
    answered = ask(server, 1)
    assert said(answered) == ["Your key is Bearer [key]"]
    message = failure(server, 2)
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    kept = b"".join(path.read_bytes() for path in data_home().rglob("*") if path.is_file())
    assert b"question 0" in kept
    for text in (message, caplog.text, "".join(server.paths), kept.decode("utf-8", "replace")):
        assert SECRET not in text


def test_no_server_is_asked_that_nobody_named_or_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FAIRVIZ_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with refused(
        "there is no key for https://api.openai.com/v1\n"
        "Set the environment variable OPENAI_API_KEY, or FAIRVIZ_API_KEY, to your key."
    ):
        ask_all(chosen_model("gpt-4o", "openai"), questions(1), silent)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with refused(
        "no server is named for the language model 'gpt-4o'\nWrite url='openai' for OpenAI's own or "
        "url='http://localhost:8000/v1', or set FAIRVIZ_BASE_URL."
    ):
        chosen_model("gpt-4o")
    assert chosen_model("gpt-4o", "openai").address == OPENAI
    assert chosen_model("gpt-4o", OPENAI).identity == chosen_model("gpt-4o", "openai").identity
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "openai")
    assert chosen_model("gpt-4o").address == OPENAI
    monkeypatch.setenv("FAIRVIZ_API_KEY", "sk-ünsafe\nsecond line")
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "http://localhost:1/v1")
    with refused("the key in the environment has characters that no key has\nSet FAIRVIZ_API_KEY again."):
        key_for("http://localhost:1/v1")


def test_an_address_that_is_none() -> None:
    for url, what in (
        (f"http://user:{SECRET}@host/v1", "holds a name, a key or a question mark"),
        (f"https://host/v1?key={SECRET}", "holds a name, a key or a question mark"),
        ("localhost:8000", "is not a web address"),
        ("http://host:99999/v1", "is not a web address"),
        ("http://[::1/v1", "is not a web address"),
    ):
        with refused(
            f"the address of the model {what}\nWrite it as url='http://localhost:8000/v1'; a key goes into the "
            "environment variable FAIRVIZ_API_KEY.",
            UsageError,
        ):
            chosen_model("m", url)


def test_a_model_that_is_none(tmp_path: Path) -> None:
    with refused("no model is named\nName one: model='gpt-4o', model='smollm2' or model='PATH.gguf'."):
        chosen_model(" ")
    with refused("there is no model file nowhere.gguf\nGive the path of a .gguf file."):
        chosen_model("nowhere.gguf")
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed, so no local model was tried")
    path = tmp_path / "m.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(FairvizError, match=r"m\.gguf is not a GGUF file\nGive a model in the format of llama\.cpp\.$"):
        ask_all(chosen_model(str(path)), questions(1), silent)


def test_a_folder_that_cannot_be_written(server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "file"))
    assert failure(server, 1).startswith(f"could not keep the model's answers in {tmp_path}/file/answers")
    assert not server.bodies, "nothing is asked that could not be kept"


def test_who_hears_of_a_silent_server_can_end_the_job(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told how far the job is while nothing comes back; what is in flight then is kept."""
    monkeypatch.setattr(asking, "LOOK", 0.01)
    server.faults = ["", "silence"]
    heard: list[int] = []

    def progress(done: int, total: int) -> None:
        heard.append(done)
        if server.held.is_set():
            server.release.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_all(chosen_model("m", server.address), questions(2), progress, patience=60)
    assert (heard[0], heard[-1]) == (0, 1)
    assert ask(server, 2).asked == 1


ANSWER = Reply(200, '{"choices": [{"message": {"content": "Neutral"}}]}')


@pytest.mark.parametrize("fault", ["silence", "drip", "drip headers"])
def test_an_event_ends_the_wait(server: ModelServer, fault: str) -> None:
    server.faults, stop = [fault], threading.Event()
    waiting = threading.Thread(target=lambda: (server.held.wait(), stop.set()))
    waiting.start()
    with chosen_model("m", server.address).open(60.0, stop) as send, pytest.raises(PassingError) as caught:
        send(questions(1)[0].body("m"))
    waiting.join()
    assert caught.value.reason == "it was stopped"
    assert not server.release.is_set()


@pytest.mark.parametrize(("seconds", "is_ended"), [(60, True), (0.2, False)])
def test_a_person_ends_requests_and_a_used_up_budget_does_not(seconds: float, is_ended: bool) -> None:
    """The model answers once its event is set, or so many seconds have passed. What still arrives was paid for, so that
    it is waited for and kept."""
    heard: list[bool] = []
    steps: list[int] = []

    @contextmanager
    def opened(_: float, stop: threading.Event) -> Iterator[Ask]:
        def send(_: Mapping[str, Any]) -> Reply:
            heard.append(stop.wait(seconds))
            return ANSWER

        yield send

    def progress(done: int, _: int) -> None:
        steps.append(done)
        if is_ended and len(steps) > 1:
            raise KeyboardInterrupt

    model, budget = LanguageModel("m", "", "m", 0, 0, opened), Spent(Budget(requests=3))
    with pytest.raises(KeyboardInterrupt if is_ended else FairvizError):
        ask_all(model, questions(1 if is_ended else 9), progress, spent=budget)
    assert heard == ([True] if is_ended else [False] * 3)
    assert sum(reply is not None for reply in recalled(model, questions(9)).replies) == len(heard)


def test_neither_an_endless_body_nor_a_bomb_is_read_further_than_an_answer_may_be(server: ModelServer) -> None:
    assert len(bomb()) < MOST_SENT // 500
    tracemalloc.start()
    try:
        for fault in ("endless", "bomb"):
            server.faults = [fault] * 3
            long = "the reply is longer than 1,000,000 bytes, and not an answer of a language model"
            assert long in failure(server, 1)
        assert tracemalloc.get_traced_memory()[1] < MOST_SENT // 4
    finally:
        tracemalloc.stop()
    assert server.sent < MOST_SENT


def test_half_a_character_is_stored_and_a_server_may_say_how_long_to_wait(server: ModelServer) -> None:
    """Servers that cut an emoji at the limit of tokens send `\\ud83d` alone."""
    server.faults = ["wait", "reply"]
    server.reply = b'{"choices": [{"message": {"content": "Neutral \\ud83d \\ud83d\\ude00 \\\\ud83d"}}]}'
    for _ in range(2):  # the second is read from the store
        assert said(ask(server)) == ["Neutral \ufffd \U0001f600 \\ud83d"]
    first, second = server.times
    assert second - first >= 0.2


def test_the_network_is_lost_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question is asked again for so long that a minute does it no harm."""
    lost = [0.0]

    class Clock(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            lost[0] += timeout or 0
            return False

    def answer(body: Mapping[str, Any]) -> Reply:
        if body["messages"][0]["content"] == "question 1" and lost[0] < 60:
            raise PassingError("network is unreachable")
        return ANSWER

    monkeypatch.setattr(asking, "threading", SimpleNamespace(Event=Clock, Lock=threading.Lock))
    model = LanguageModel("m", "", "m", 1, 0, lambda *_: nullcontext(answer))
    assert None not in ask_all(model, questions(3), silent).replies
    assert lost[0] >= 60


# --- two jobs on the same questions


JOB = """
import sys
from fairviz.models.asking import ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.protocol import Question
asked = [Question(f"question {number}", 5) for number in range(12)]
found = ask_all(chosen_model("m", sys.argv[1]), asked, lambda *_: None, concurrency=2)
print(found.asked, sum(reply is not None for reply in found.replies))
"""
TWELVE = Counter(f"question {number}" for number in range(12))


def started(server: ModelServer) -> subprocess.Popen:
    """Another process that asks twelve questions."""
    command = [sys.executable, "-c", JOB, server.address]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ))


def counts() -> tuple[int, int]:
    """How many claims and how many folders of jobs are left."""
    with closing(sqlite3.connect(answers_path())) as database:
        left = database.execute("SELECT COUNT(*) FROM claims").fetchone()[0]
    return left, sum(path.is_dir() for path in (answers_path().parent / kept.FOLDER).iterdir())


def test_two_processes_ask_each_question_once(server: ModelServer) -> None:
    """The first answer is held back until both processes have asked something, so that they work at the same time."""
    lock, prompts, both = threading.Lock(), [], threading.Event()

    def answer(prompt: str) -> str:
        with lock:
            prompts.append(prompt)
            if len(prompts) == 2:  # one question alone is asked first by each
                both.set()
        both.wait()
        return "Neutral"

    server.answer = answer
    child = started(server)
    found = ask(server, 12, concurrency=2)
    asked, answered = child.communicate()[0].split()
    assert Counter(prompts) == TWELVE
    assert found.asked + int(asked) == 12
    assert (len(said(found)), answered) == (12, "12")
    assert counts() == (0, 0)


def test_a_killed_jobs_questions_are_asked_by_another(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other job waits for the answer while the first process lives, and asks when that is killed."""
    monkeypatch.setattr(asking, "LOOK", 0.01)
    server.faults = ["silence"]
    child = started(server)
    server.held.wait()
    seen: list[int] = []

    def progress(done: int, _: int) -> None:
        seen.append(done)
        if done == 11 and seen.count(11) == 5 and child.poll() is None:  # all but the claimed one: it waits
            assert Counter(server.prompts()) == TWELVE
            child.send_signal(signal.SIGKILL)
            child.wait()

    found = ask_all(chosen_model("m", server.address), questions(12), progress)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert None not in found.replies
    assert found.asked == 12
    first, *others = Counter(server.prompts()).most_common()
    assert first == ("question 0", 2)
    assert {count for _, count in others} == {1}
    assert counts() == (0, 1)
    with answers() as store, kept.claims(store, []):
        assert counts() == (0, 1), "what the killed job left is removed, and this job's folder is there"


def test_a_question_that_another_job_answers_is_not_asked(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LOOK", 0.01)
    model, question = chosen_model("m", server.address), questions(1)[0]
    key = asking.request_key(model.identity, question.body("m"))
    with answers() as store, kept.claims(store, [key]) as other:
        assert other.take(5) == [key]

        def progress(done: int, _: int) -> None:
            if not done:
                store.add([(key, Reply(200, "{}"), 1.0)])

        assert ask_all(model, [question], progress) == Answered((Reply(200, "{}"),), 0, 0, 0, 1.0)
    assert not server.bodies


def test_a_claim_is_void_once_its_job_ends_or_releases_it_or_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of an old one may be suspended."""
    with answers() as store:
        with kept.claims(store, ["a"]) as ended:
            assert ended.take(1) == ["a"]
        with kept.claims(store, ["a", "b"]) as first, kept.claims(store, ["a", "b"]) as second:
            assert first.take(1) == ["a"]
            assert second.take(2) == ["b"]
            assert (second.take(2), second.elsewhere) == ([], ["a"])
            second.release(["b"])
            assert first.take(1) == ["b"]
            monkeypatch.setattr(kept, "MOST_AGE", -1.0)
            assert (second.take(2), second.elsewhere) == (["a"], [])


# --- the owner's budget: how many requests may carry the key, whoever sends them and however often the app starts


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
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    return server


def spend(*texts: str) -> None:
    ask_all(chosen_model("m"), [Question(text, 5) for text in texts], silent, concurrency=1)


def test_a_budget_is_requests_a_day_or_in_all_or_both_and_nothing_else(keyed, monkeypatch) -> None:
    for text, budget in {
        " ": None,
        "0": OwnerBudget(None, 0),
        "500/day": OwnerBudget(500, None),
        " 5000 , 500/day ": OwnerBudget(500, 5000),
    }.items():
        monkeypatch.setenv(VARIABLE, text)
        assert owner_budget.owner_budget() == budget

    for text in ("many", "-1", "5,5", "5/day,5/day", "5,", "5/week", "1e3", "5 /day", "٣", "9" * 5000):
        monkeypatch.setenv(VARIABLE, text)
        with refused(
            f"the environment variable FAIRVIZ_MOST_REQUESTS holds no budget: {text[:40]!r}\n"
            "Set it as FAIRVIZ_MOST_REQUESTS=500/day,5000: requests a day, requests in all, or both."
        ):
            owner_budget.owner_budget()
    with pytest.raises(FairvizError, match="holds no budget"):
        spend("question")
    assert not keyed.bodies


def test_a_visitor_spends_nothing_unless_the_owner_allows_it(keyed, monkeypatch) -> None:
    monkeypatch.setenv(SHARED, "1")
    with refused(
        "others can open this page, and FAIRVIZ_MOST_REQUESTS is not set: no request may carry the owner's key\n"
        "Set a budget where the page is started, as FAIRVIZ_MOST_REQUESTS=500/day,5000."
    ):
        spend("question")
    assert not keyed.bodies
    monkeypatch.delenv("FAIRVIZ_API_KEY")
    spend("question")
    assert (len(keyed.bodies), requests_path().exists()) == (1, False), "without a key there is no budget"
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    monkeypatch.setenv(VARIABLE, "1")
    spend("another")
    assert len(keyed.bodies) == 2


def test_what_was_answered_is_kept_and_counted_only_where_a_budget_is_set(keyed, monkeypatch) -> None:
    spend("zero")
    assert not requests_path().exists()
    monkeypatch.setenv(VARIABLE, "2/day")
    with refused(DAY):
        spend("zero", "one", "two", "three")
    assert len(keyed.bodies) == 3
    spend("one", "two")
    with refused(DAY):
        spend("three")
    monkeypatch.setenv(VARIABLE, "0")
    with refused(ALL.replace("3", "0")):
        spend("three")
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
    with refused(
        f"a request could not be counted in {data_home() / 'requests.sqlite'} (unable to open database file), "
        "so it was not sent\nMake it a file that you can write, with room, or set FAIRVIZ_HOME to another folder."
    ):
        spend("question")
    assert not keyed.bodies
