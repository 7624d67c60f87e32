"""Questions to a language model: none twice, none lost, every fault one line. The server is a real one, on this
machine."""

import json
import logging
import sqlite3
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
from fairviz.models.asking import Answered, Budget, Estimate, Spent, ask_all, estimate, recalled
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import LARGEST, Ask, PassingError, Question, Reply
from fairviz.models.remote_model import key_for
from tests.conftest import refused
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
    assert (steps[0], steps[-1]) == ((0, 5), (5, 5))
    model = chosen_model("m", server.address)
    found = recalled(model, questions(6))
    assert said(found) == said(first)[:5], "what is recalled is asked of nobody"
    assert (found.asked, found.tokens_in, found.tokens_out, len(server.bodies)) == (0, 500, 10, 5)
    assert estimate(model, [Question("x" * 39, 7)] * 2 + questions(2)) == Estimate(3, 1, 10, 7)
    assert ask(server, questions(6)).asked == 1
    assert sorted(server.prompts()) == [f"question {number}" for number in range(6)]
    assert server.bodies[0] | {"messages": 0} == {"model": "m", "max_tokens": 5, "temperature": 0, "messages": 0}
    elsewhere = server.address.replace("127.0.0.1", "localhost")
    for other in (chosen_model("other", server.address), chosen_model("m", elsewhere)):
        assert ask_all(other, questions(1), lambda *_: None).asked == 1


def test_every_request_is_on_the_disk_before_it_is_sent_and_its_raw_answer_behind_it(server: ModelServer) -> None:
    def stored(columns: str) -> list[tuple]:
        with closing(sqlite3.connect(answers_path())) as store:
            return store.execute(f"SELECT {columns} ORDER BY 1").fetchall()

    noted: list[bool] = []
    server.answer = lambda prompt: noted.append(prompt in str(stored("body FROM requests"))) or "Neutral"
    ask(server, questions(2))
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
    assert said(ask(server, questions(1), patience=1)) == ["Neutral"]
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
    """What was answered before is kept, three in a row end it, one alone does not, and the same call goes on."""
    server.faults = [""] + ["500"] * asking.TRIES
    answered = ask(server, questions(3), concurrency=1)
    assert [reply is None for reply in answered.replies] == [False, True, False]
    server.faults = [""] + ["500"] * 8 * 20
    assert "3 of 20 questions are answered and kept." in failure(server, questions(20), concurrency=2)
    server.faults, before = [], len(server.bodies)
    assert len(said(ask(server, questions(20)))) == 20
    assert len(server.bodies) == before + 17


def test_a_budget_of_requests_or_tokens(server: ModelServer) -> None:
    message = failure(server, questions(9), spent=Spent(Budget(requests=4)), concurrency=2)
    assert message == (
        "the budget of 4 requests is used up: 4 of 9 questions are answered and kept\n"
        "Run it again with a larger budget to resume."
    )
    assert len(server.bodies) == 4
    message = failure(server, questions(9), spent=Spent(Budget(tokens=300)), concurrency=1)
    assert message.startswith("the budget of 300 tokens is used up: 7 of 9 questions are answered and kept\n")
    server.delay = 0.02
    assert ask(server, questions(16), concurrency=3).asked == 9
    assert 1 < server.most <= 3, "no more at a time than was said"


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


def test_no_server_is_asked_that_nobody_named_or_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FAIRVIZ_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with refused(
        "there is no key for https://api.openai.com/v1\n"
        "Set the environment variable OPENAI_API_KEY, or FAIRVIZ_API_KEY, to your key."
    ):
        ask_all(chosen_model("gpt-4o", "openai"), questions(1), lambda *_: None)
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


@pytest.mark.parametrize(
    ("url", "what"),
    [
        (f"http://user:{SECRET}@host/v1", "holds a name, a key or a question mark"),
        (f"https://host/v1?key={SECRET}", "holds a name, a key or a question mark"),
        ("localhost:8000", "is not a web address"),
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


def test_a_model_that_is_none(tmp_path: Path) -> None:
    with refused("no model is named\nName one: model='gpt-4o', model='smollm2' or model='PATH.gguf'."):
        chosen_model(" ")
    with refused("there is no model file nowhere.gguf\nGive the path of a .gguf file."):
        chosen_model("nowhere.gguf")
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
    assert (heard[0], heard[-1]) == (0, 1)
    assert ask(server, questions(2)).asked == 1


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
            assert long in failure(server, questions(1))
        assert tracemalloc.get_traced_memory()[1] < MOST_SENT // 4
    finally:
        tracemalloc.stop()
    assert server.sent < MOST_SENT


def test_half_a_character_is_stored_and_stops_nothing(server: ModelServer) -> None:
    """Servers that cut an emoji at the limit of tokens send `\\ud83d` alone."""
    server.faults = ["reply"]
    server.reply = b'{"choices": [{"message": {"content": "Neutral \\ud83d \\ud83d\\ude00 \\\\ud83d"}}]}'
    for _ in range(2):  # the second is read from the store
        assert said(ask(server, questions(1))) == ["Neutral \ufffd \U0001f600 \\ud83d"]
    assert len(server.bodies) == 1


def test_a_server_that_says_how_long_to_wait(server: ModelServer) -> None:
    server.faults = ["wait"]
    assert None not in ask(server, questions(1)).replies
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
    assert None not in ask_all(model, questions(3), lambda *_: None).replies
    assert lost[0] >= 60
