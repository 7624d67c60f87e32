"""Servers that misbehave: silent, slow without end, larger than memory, or with half a character in the answer."""

import json
import sqlite3
import threading
import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import pytest

from fairviz.errors import FairvizError
from fairviz.models.answers import answers_path
from fairviz.models.asking import Answered, Budget, Spent, ask_all, recalled
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import Ask, PassingError, Question, Reply
from tests.model_server import MOST_SENT, ModelServer, bomb

KEY = "sk-very/secret+0123456789"
ANSWER = Reply(200, '{"choices": [{"message": {"content": "Neutral"}}]}')


def questions(count: int) -> list[Question]:
    return [Question(f"question {number}", 5) for number in range(count)]


def ask(server: ModelServer, count: int = 1, **options) -> Answered:
    return ask_all(chosen_model("m", server.address), questions(count), lambda *_: None, **options)


def reason(server: ModelServer, fault: str, **options) -> str:
    """Why the server's answer came to nothing."""
    server.faults = [fault] * 3
    with pytest.raises(FairvizError) as caught:
        ask(server, **options)
    return caught.value.message.removeprefix(f"m at {server.address} does not answer: ")


@pytest.mark.parametrize("fault", ["silence", "drip", "drip headers"])
def test_one_deadline_for_a_whole_answer(server: ModelServer, fault: str) -> None:
    assert reason(server, fault, patience=0.3) == "no whole answer within 0.3 seconds"


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


LONG = "the reply is longer than 1,000,000 bytes, and not an answer of a language model"


def test_an_endless_body_is_left(server: ModelServer) -> None:
    assert reason(server, "endless") == LONG
    assert server.sent < MOST_SENT


def test_a_bomb_is_not_unpacked_further_than_an_answer_may_be(server: ModelServer) -> None:
    assert len(bomb()) < MOST_SENT // 500
    tracemalloc.start()
    try:
        assert reason(server, "bomb") == LONG
        assert tracemalloc.get_traced_memory()[1] < MOST_SENT // 4
    finally:
        tracemalloc.stop()


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


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.replace("/", "\\/"),
        "".join(f"\\u{ord(sign):04x}" for sign in KEY),
        "".join(f"\\u{ord(sign):04X}" for sign in KEY),
        json.dumps(json.dumps({"key": KEY}).replace("/", "\\/"))[1:-1],
    ],
)
@pytest.mark.parametrize("status", [200, 400])
def test_no_escape_hides_a_key(server: ModelServer, monkeypatch: pytest.MonkeyPatch, written: str, status: int) -> None:
    monkeypatch.setenv("FAIRVIZ_API_KEY", KEY)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    server.faults, server.status = ["reply"], status
    said = '{"choices": [{"message": {"content": "SAID"}}]}' if status == 200 else '{"error": {"message": "SAID"}}'
    server.reply = said.replace("SAID", written).encode()
    if status == 200:
        (reply,) = ask(server).replies
        assert reply is not None
        shown = reply.content()["choices"][0]["message"]["content"]
        with closing(sqlite3.connect(answers_path())) as store:
            (raw,) = store.execute("SELECT raw FROM answers").fetchone()
        assert "[key]" in raw
    else:
        with pytest.raises(FairvizError) as caught:
            ask(server)
        shown = str(caught.value)
    assert "[key]" in shown
    assert KEY not in shown.replace("\\", "")
