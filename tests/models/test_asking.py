"""Questions to a language model: none twice, none lost, every fault one line. The server is a real one, on this
machine."""

import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.home import data_home
from fairviz.models import asking
from fairviz.models.addresses import OPENAI
from fairviz.models.answers import answers_path
from fairviz.models.asking import Answered, Budget, Spent, ask_all, estimate, recalled
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import LARGEST, Ask, PassingError, Question, Reply
from fairviz.models.remote_model import key_for
from tests.conftest import ROOT, refused
from tests.model_server import MOST_SENT, ModelServer, bomb

SECRET = "sk-very-secret-0123456789"


def questions(count: int) -> list[Question]:
    return [Question(f"question {number}", 5) for number in range(count)]


def ask(server: ModelServer, asked: list[Question] | int = 1, steps: list | None = None, **options) -> Answered:
    note = (lambda *step: steps.append(step)) if steps is not None else (lambda *_: None)
    given = questions(asked) if isinstance(asked, int) else asked
    return ask_all(chosen_model("m", server.address), given, note, **options)


def said(answered: Answered) -> list[str]:
    return [reply.content()["choices"][0]["message"]["content"] for reply in answered.replies if reply is not None]


def failure(server: ModelServer, asked: list[Question], **options) -> str:
    with pytest.raises(FairvizError) as caught:
        ask(server, asked, **options)
    return str(caught.value)


def test_nothing_is_asked_twice(server: ModelServer) -> None:
    server.answer = lambda prompt: f"to {prompt}"
    steps: list[tuple[int, int]] = []
    first = ask(server, questions(5) + questions(2), steps)
    assert said(first) == [f"to question {number}" for number in (0, 1, 2, 3, 4, 0, 1)]
    assert (first.asked, first.tokens_in, first.tokens_out) == (5, 500, 10)
    assert steps[0] == (0, 5)
    assert steps[-1] == (5, 5)
    again = ask(server, questions(6))
    assert again.asked == 1
    assert sorted(server.prompts()) == [f"question {number}" for number in range(6)]
    assert server.bodies[0] | {"messages": 0} == {"model": "m", "max_tokens": 5, "temperature": 0, "messages": 0}


def test_another_model_or_server_is_asked_anew(server: ModelServer) -> None:
    ask(server, questions(1))
    elsewhere = server.address.replace("127.0.0.1", "localhost")
    for model in (chosen_model("other", server.address), chosen_model("m", elsewhere)):
        assert ask_all(model, questions(1), lambda *_: None).asked == 1


def test_every_request_and_raw_answer_is_on_disk(server: ModelServer) -> None:
    ask(server, questions(2))
    with sqlite3.connect(answers_path()) as database:
        asked = database.execute("SELECT model, body FROM requests ORDER BY body").fetchall()
        found = database.execute("SELECT status, raw FROM answers").fetchall()
    database.close()
    assert [json.loads(body)["messages"][0]["content"] for _, body in asked] == ["question 0", "question 1"]
    assert asked[0][0] == f"m at {server.address}"
    assert [(status, json.loads(raw)["choices"][0]["message"]["content"]) for status, raw in found] == [
        (200, "Neutral"), (200, "Neutral"),
    ]  # fmt: skip


@pytest.mark.parametrize("fault", ["429", "500", "cut", "nonsense", "silence"])
def test_what_passes_is_asked_again(server: ModelServer, fault: str) -> None:
    server.faults = [fault, fault]
    assert said(ask(server, questions(1), patience=2)) == ["Neutral"]
    assert len(server.bodies) == 3


NO_ANSWER = "m at ADDRESS does not answer: "
RESUME = "\n0 of 4 questions are answered and kept. Check the address and the network, and run it again to resume."


@pytest.mark.parametrize(
    ("fault", "message", "requests"),
    [
        # asked three times: the first question goes alone, and not for ever
        ("429", f"{NO_ANSWER}the server answered 429{RESUME}", 3),
        ("500", f"{NO_ANSWER}the server answered 500{RESUME}", 3),
        (
            "nonsense",
            f"{NO_ANSWER}the reply is not an answer of a language model: '<html>welcome to the proxy</html>'{RESUME}",
            3,
        ),
        # one deadline for a whole answer
        ("silence", f"{NO_ANSWER}no whole answer within 0.3 seconds{RESUME}", 3),
        ("drip", f"{NO_ANSWER}no whole answer within 0.3 seconds{RESUME}", 3),
        ("drip headers", f"{NO_ANSWER}no whole answer within 0.3 seconds{RESUME}", 3),
        # what no question will get stops at once
        (
            "unknown model",
            "ADDRESS has no model 'm' (status 404: \"The model 'm' does not exist model_not_found\")\n"
            "Check the model's name, and that the address ends as the server has it, often in /v1.",
            1,
        ),
        (
            "odd",
            "ADDRESS does not take the question (status 400: 'Unsupported parameter: max_tokens')\n"
            "Use another model or server.",
            1,
        ),
        (
            "wrong key",
            "ADDRESS does not take the key (status 401)\nSet the environment variable FAIRVIZ_API_KEY to a right one.",
            1,
        ),
    ],
)
def test_what_comes_to_nothing_is_one_line(server: ModelServer, fault: str, message: str, requests: int) -> None:
    server.faults = [fault] * 3
    held = fault in ("silence", "drip", "drip headers")
    told = failure(server, questions(4), **({"patience": 0.3} if held else {}))
    assert told == message.replace("ADDRESS", server.address)
    assert held or len(server.bodies) == requests


def test_a_server_that_is_not_there(server: ModelServer) -> None:
    address = server.address.replace("127.0.0.1", "127.0.0.2")
    with pytest.raises(FairvizError, match=r"^m at http://127.0.0.2:\d+/v1 does not answer: .*[Cc]onnection refused"):
        ask_all(chosen_model("m", address), questions(1), lambda *_: None)


@pytest.mark.parametrize("fault", ["context", "filter", "refusal", "empty", "huge"])
def test_what_concerns_one_document_is_kept_and_stops_nothing(server: ModelServer, fault: str) -> None:
    server.faults = ["", fault]
    answered = ask(server, questions(3), concurrency=1)
    assert None not in answered.replies
    assert max(len(reply.raw) for reply in answered.replies if reply) <= LARGEST
    assert ask(server, questions(3)).asked == 0


def test_the_network_is_lost(server: ModelServer) -> None:
    """What was answered before is kept, three in a row end it, and the same call goes on from there."""
    server.faults = ["", ""] + ["500"] * 8 * 20
    message = failure(server, questions(20), concurrency=2)
    assert "2 of 20 questions are answered and kept." in message
    server.faults = []
    before = len(server.bodies)
    assert len(said(ask(server, questions(20)))) == 20
    assert len(server.bodies) == before + 18


def test_one_question_that_comes_to_nothing_is_told(server: ModelServer) -> None:
    server.faults = [""] + ["500"] * asking.TRIES
    answered = ask(server, questions(3), concurrency=1)
    assert [reply is None for reply in answered.replies] == [False, True, False]
    assert ask(server, questions(3)).asked == 1, "it may be asked again"


def test_the_budget_of_requests(server: ModelServer) -> None:
    message = failure(server, questions(9), spent=Spent(Budget(requests=4)), concurrency=2)
    assert message == (
        "the budget of 4 requests is used up: 4 of 9 questions are answered and kept\n"
        "Run it again with a larger budget to resume."
    )
    assert len(server.bodies) == 4
    assert ask(server, questions(9)).asked == 5


def test_the_budget_of_tokens(server: ModelServer) -> None:
    message = failure(server, questions(9), spent=Spent(Budget(tokens=300)), concurrency=1)
    assert message.startswith("the budget of 300 tokens is used up: 3 of 9 questions are answered and kept\n")


def test_the_estimate_counts_what_is_open_and_asks_nothing(server: ModelServer) -> None:
    model = chosen_model("m", server.address)
    before = estimate(model, [Question("x" * 39, 7)] * 2 + questions(2))
    assert (before.questions, before.open, before.tokens_in, before.tokens_out) == (3, 3, 10 + 3 + 3, 17)
    assert not server.bodies
    ask(server, questions(2))
    assert (estimate(model, questions(3)).questions, estimate(model, questions(3)).open) == (3, 1)


def test_a_person_stops_it(server: ModelServer) -> None:
    """Ctrl-C between two answers: they are kept."""

    def stop(done: int, _: int) -> None:
        if done >= 3:  # on a busy machine two answers may be told at once
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_all(chosen_model("m", server.address), questions(30), stop, concurrency=1)
    asked = len(server.bodies)
    assert asked < 30
    ask(server, questions(30))
    assert sorted(server.prompts()) == sorted(question.prompt for question in questions(30))


CHILD = """
import sys
from fairviz.models.asking import ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.protocol import Question
questions = [Question(f"question {number}", 5) for number in range(6)]
ask_all(chosen_model("m", sys.argv[1]), questions, lambda *step: print(*step, flush=True), concurrency=1)
"""


def test_the_process_is_killed_in_the_middle(server: ModelServer) -> None:
    """What was counted is there, and only the request that was under way is asked again."""
    server.faults = ["", "", "", "silence"]
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, server.address], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as child:
        assert child.stdout is not None
        assert any(line.startswith("3 ") for line in child.stdout)
        server.held.wait()
        child.send_signal(signal.SIGKILL)
    assert ask(server, questions(6)).asked == 3
    assert sorted(server.prompts()) == sorted(["question 3", *(question.prompt for question in questions(6))])


def test_the_key_is_nowhere(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in files, logs, addresses or errors, also where the server repeats it."""
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    caplog.set_level(logging.DEBUG)
    server.faults = ["echo key", "wrong key"]
    answered = ask(server, questions(1))
    assert said(answered) == ["Your key is Bearer [key]"]
    message = failure(server, questions(2))
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    kept = b"".join(path.read_bytes() for path in data_home().rglob("*") if path.is_file())
    assert b"question 0" in kept
    for text in (message, caplog.text, "".join(server.paths), kept.decode("utf-8", "replace")):
        assert SECRET not in text


def test_no_key_for_openai(server: ModelServer) -> None:
    with refused(
        "there is no key for https://api.openai.com/v1\n"
        "Set the environment variable OPENAI_API_KEY, or FAIRVIZ_API_KEY, to your key."
    ):
        ask_all(chosen_model("gpt-4o", "openai"), questions(1), lambda *_: None)


def test_no_server_is_asked_that_nobody_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FAIRVIZ_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    with refused(
        "no server is named for the language model 'gpt-4o'\nWrite url='openai' for OpenAI's own or "
        "url='http://localhost:8000/v1', or set FAIRVIZ_BASE_URL."
    ):
        chosen_model("gpt-4o")
    assert chosen_model("gpt-4o", "openai").address == OPENAI
    assert chosen_model("gpt-4o", OPENAI).identity == chosen_model("gpt-4o", "openai").identity
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "openai")
    assert chosen_model("gpt-4o").address == OPENAI


def test_a_key_that_no_request_can_carry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_API_KEY", "sk-ünsafe\nsecond line")
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "http://localhost:1/v1")
    with refused("the key in the environment has characters that no key has\nSet FAIRVIZ_API_KEY again."):
        key_for("http://localhost:1/v1")


@pytest.mark.parametrize(
    ("url", "what"),
    [
        (f"http://user:{SECRET}@host/v1", "holds a name, a key or a question mark"),
        (f"https://host/v1?key={SECRET}", "holds a name, a key or a question mark"),
        ("localhost:8000", "is not a web address"),
        ("ftp://host/v1", "is not a web address"),
        ("http://host:99999/v1", "is not a web address"),
        ("http://[::1/v1", "is not a web address"),
    ],
)
def test_an_address_that_is_none(url: str, what: str) -> None:
    with refused(
        f"the address of the model {what}\nWrite it as url='http://localhost:8000/v1'; a key goes into the environment "
        "variable FAIRVIZ_API_KEY.",
        UsageError,
    ):
        chosen_model("m", url)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (" ", "no model is named\nName one: model='gpt-4o', model='smollm2' or model='PATH.gguf'."),
        ("nowhere.gguf", "there is no model file nowhere.gguf\nGive the path of a .gguf file."),
    ],
)
def test_a_model_that_is_none(model: str, message: str) -> None:
    with refused(message):
        chosen_model(model)


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed, so no local model was tried")
    path = tmp_path / "m.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(FairvizError, match=r"m\.gguf is not a GGUF file\nGive a model in the format of llama\.cpp\.$"):
        ask_all(chosen_model(str(path)), questions(1), lambda *_: None)


def test_a_folder_that_cannot_be_written(server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "file"))
    assert failure(server, questions(1)).startswith(f"could not keep the model's answers in {tmp_path}/file/answers")
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
    assert heard[0] == 0
    assert heard[-1] == 1
    again = ask(server, questions(2))
    assert again.asked == 1


def test_what_is_recalled_is_asked_of_nobody(server: ModelServer) -> None:
    server.answer = lambda prompt: f"to {prompt}"
    ask(server, questions(2))
    found = recalled(chosen_model("m", server.address), questions(3))
    assert said(found) == ["to question 0", "to question 1"]
    assert found.replies[2] is None
    assert (found.asked, found.tokens_in, found.tokens_out, len(server.bodies)) == (0, 200, 4, 2)


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


def held_model(heard: list[bool], seconds: float) -> LanguageModel:
    """A model that answers once its event is set, or so many seconds have passed; `heard` gets whether it was set."""

    @contextmanager
    def opened(_: float, stop: threading.Event) -> Iterator[Ask]:
        def send(_: Mapping[str, Any]) -> Reply:
            heard.append(stop.wait(seconds))
            return ANSWER

        yield send

    return LanguageModel("m", "", "m", 0, 0, opened)


def test_a_person_who_ends_a_job_ends_its_requests() -> None:
    """What still arrives is kept."""
    heard: list[bool] = []
    steps: list[int] = []

    def progress(done: int, _: int) -> None:
        steps.append(done)
        if len(steps) > 1:
            raise KeyboardInterrupt

    model = held_model(heard, 60)
    with pytest.raises(KeyboardInterrupt):
        ask_all(model, questions(1), progress)
    assert heard == [True]
    assert None not in recalled(model, questions(1)).replies


def test_a_budget_that_is_used_up_ends_no_request() -> None:
    """They were paid for, so that their answers are waited for and kept."""
    heard: list[bool] = []
    with pytest.raises(FairvizError, match="3 of 9 questions are answered and kept"):
        ask_all(held_model(heard, 0.5), questions(9), lambda *_: None, spent=Spent(Budget(requests=3)))
    assert heard == [False] * 3


def test_neither_an_endless_body_nor_a_bomb_is_read_further_than_an_answer_may_be(server: ModelServer) -> None:
    assert len(bomb()) < MOST_SENT // 500
    tracemalloc.start()
    try:
        for fault in ("endless", "bomb"):
            server.faults = [fault] * 3
            long = "the reply is longer than 1,000,000 bytes, and not an answer of a language model"
            assert long in failure(server, questions(1))
        assert tracemalloc.get_traced_memory()[1] < MOST_SENT // 4
    finally:
        tracemalloc.stop()
    assert server.sent < MOST_SENT


def test_half_a_character_is_stored_and_stops_nothing(server: ModelServer) -> None:
    """Servers that cut an emoji at the limit of tokens send `\\ud83d` alone."""
    server.faults = ["reply"]
    server.reply = b'{"choices": [{"message": {"content": "Neutral \\ud83d \\ud83d\\ude00 \\\\ud83d"}}]}'
    for answered in (ask(server), ask(server)):  # the second is read from the store
        (reply,) = answered.replies
        assert reply is not None
        text = reply.content()["choices"][0]["message"]["content"]
        assert text == "Neutral \ufffd \U0001f600 \\ud83d"
    assert len(server.bodies) == 1


def test_a_request_is_on_the_disk_before_it_is_sent(server: ModelServer) -> None:
    noted: list[int] = []

    def answer(prompt: str) -> str:
        with closing(sqlite3.connect(answers_path())) as store:
            noted.append(store.execute("SELECT COUNT(*) FROM requests WHERE instr(body, ?)", (prompt,)).fetchone()[0])
        return "Neutral"

    server.answer = answer
    ask(server, 2)
    assert noted == [1, 1]


def test_no_more_are_asked_at_a_time_than_was_said(server: ModelServer) -> None:
    server.delay = 0.02
    ask(server, 16, concurrency=3)
    assert 1 < server.most <= 3


def test_a_server_that_says_how_long_to_wait(server: ModelServer) -> None:
    server.faults = ["wait"]
    assert None not in ask(server, 1).replies
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
        return Reply(200, '{"choices": [{"message": {"content": "Neutral"}}]}')

    monkeypatch.setattr(asking, "threading", SimpleNamespace(Event=Clock, Lock=threading.Lock))
    model = LanguageModel("m", "", "m", 1, 0, lambda *_: nullcontext(answer))
    assert None not in ask_all(model, questions(3), lambda *_: None).replies
    assert lost[0] >= 60
