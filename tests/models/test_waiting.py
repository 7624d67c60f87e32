"""How many questions are under way, how long is waited, and what is on the disk before a question is sent."""

import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from fairviz.models import asking
from fairviz.models.answers import answers_path
from fairviz.models.asking import Answered, ask_all
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import PassingError, Question, Reply
from tests.model_server import ModelServer


def questions(count: int) -> list[Question]:
    return [Question(f"question {number}", 5) for number in range(count)]


def ask(server: ModelServer, count: int, **options) -> Answered:
    return ask_all(chosen_model("m", server.address), questions(count), lambda *_: None, **options)


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
