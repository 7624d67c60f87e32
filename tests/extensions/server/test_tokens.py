"""Tokens of language models: each person's limit of a day on a server, and demos that ask none."""

import json
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest

from fairviz.errors import FairvizError
from fairviz.extensions.server import tokens
from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.extensions.server.tokens import reserved_tokens
from fairviz.home.permissions import VARIABLE, Limits, Visitor, visiting
from fairviz.models import asking
from fairviz.models.asking import ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.owner_budget import requests_path
from fairviz.models.protocol import Question
from fairviz.models.remote_model import open_address
from tests.conftest import refused
from tests.model_server import ModelServer

ADA, BOB = Visitor("ada@x.org"), Visitor("bob@x.org")
CONFIG = ServerConfig(login=Login(header="X-User"), roles={"owner": ("*",)}, limits=Limits(tokens=100))
MOST = 40  # tokens of a reply
TEXT = "abcdefgh"  # 3 tokens by characters / 4
BODY = {"messages": [{"content": TEXT}], "max_tokens": MOST}


@pytest.fixture(autouse=True)
def _served(serve: Callable, monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    serve(CONFIG)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    monkeypatch.setattr(asking, "FIRST_TRIES", 1)


def ask(*texts: str, person: Visitor = ADA, patience: float = asking.PATIENCE) -> None:
    with visiting(person):
        questions = [Question(text, MOST) for text in texts]
        ask_all(chosen_model("m"), questions, lambda *_: None, concurrency=1, patience=patience)


def used(person: Visitor = ADA) -> int:
    with closing(sqlite3.connect(requests_path())) as database:
        row = database.execute("SELECT SUM(tokens) FROM tokens WHERE person = ?", (person.name,)).fetchone()
    return row[0] or 0


def reply_with(server: ModelServer, **facts: object) -> None:
    content = {"choices": [{"message": {"content": "Neutral"}}], **facts}
    server.faults, server.reply = ["reply"], json.dumps(content).encode()


def test_tokens_are_counted_for_each_person_until_she_is_over_the_limit(server: ModelServer) -> None:
    reply_with(server, usage={"prompt_tokens": 50, "completion_tokens": 10})
    ask(TEXT)
    assert (used(ADA), used(BOB)) == (60, 0)
    with refused(
        "ada@x.org has used 60 of 100 tokens of language models today, and a question of up to 43 is over the limit\n"
        "Try again after midnight UTC, or ask whoever runs the server to raise tokens under [limits]. Answers so far "
        "are kept."
    ):
        ask("ABCDEFGH")
    assert (len(server.bodies), used()) == (1, 60)
    ask(TEXT)  # is answered already
    assert len(server.bodies) == 1
    reply_with(server)
    ask("ABCDEFGH", person=BOB)
    assert len(server.bodies) == 2
    assert used(BOB) == 3 + len(server.reply) // 4 + 1, "without a report, by characters"


def test_the_next_day_begins_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for day in ("2026-01-01", "2026-01-02"):
        monkeypatch.setattr(tokens, "today", lambda day=day: day)
        with reserved_tokens("ada", BODY), reserved_tokens("ada", BODY):
            pass
        with pytest.raises(FairvizError, match="ada has used 86 of 100"), reserved_tokens("ada", BODY):
            pytest.fail("it was sent")


def test_requests_at_once_reserve_before_they_are_sent() -> None:
    def taken(_: int) -> bool:
        try:
            with reserved_tokens("ada", BODY):
                return True
        except FairvizError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(taken, range(16))) == 2


def test_a_refused_request_uses_none_and_one_without_a_whole_reply_counts_in_full(server: ModelServer) -> None:
    for number, fault in enumerate(("500", "429", "unknown model"), start=1):
        server.faults = [fault]
        with pytest.raises(FairvizError):
            ask(TEXT)
        assert (len(server.bodies), used()) == (number, 0)
    server.faults = ["silence"]
    with pytest.raises(FairvizError):
        ask(TEXT, patience=0.1)
    assert used() == 3 + MOST


def test_without_a_configuration_nothing_is_counted(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    ask(TEXT, "x" * 1000)
    assert len(server.bodies) == 2
    assert not requests_path().exists()


def test_a_demo_sends_nothing(server: ModelServer, serve: Callable) -> None:
    serve(replace(CONFIG, login=None, demo=True))
    refusal = pytest.raises(FairvizError, match="this demo sends nothing to language models")
    with refusal, open_address(server.address, asking.PATIENCE, threading.Event()) as ask_now:
        ask_now(BODY)
    assert not server.bodies
