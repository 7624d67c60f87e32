"""Two jobs on the same questions: each question is asked once, and a killed job's questions are asked by the other."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing

import pytest

from fairviz.models import answers as kept
from fairviz.models import asking
from fairviz.models.answers import answers, answers_path
from fairviz.models.asking import Answered, ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.protocol import Question, Reply
from tests.conftest import ROOT
from tests.model_server import ModelServer

CHILD = """
import sys
from fairviz.models.asking import ask_all
from tests.models.test_claims import questions
from fairviz.models.language_model import chosen_model
found = ask_all(chosen_model("m", sys.argv[1]), questions(), lambda *_: None, concurrency=2)
print(found.asked, sum(reply is not None for reply in found.replies))
"""


def questions() -> list[Question]:
    return [Question(f"question {number}", 5) for number in range(12)]


def started(server: ModelServer) -> subprocess.Popen:
    command = [sys.executable, "-c", CHILD, server.address]
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
    children = [started(server), started(server)]
    said = [child.communicate()[0].split() for child in children]
    assert Counter(prompts) == Counter(question.prompt for question in questions())
    assert sum(int(asked) for asked, _ in said) == 12
    assert [answered for _, answered in said] == ["12", "12"]
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
            assert Counter(server.prompts()) == Counter(question.prompt for question in questions())
            child.send_signal(signal.SIGKILL)
            child.wait()

    found = ask_all(chosen_model("m", server.address), questions(), progress)
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
    model, question = chosen_model("m", server.address), questions()[0]
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
