"""Presses Ctrl-C at named points of commands, each in a process forked off one that has imported everything.

`python -m tests.reliability.interrupted ADDRESS` asks the model server there and prints one JSON object a point: the
status and the messages of the interrupted command, and of the same command given again.
"""

import json
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx2
import scipy.stats  # noqa: F401

import fairviz.__main__
import fairviz.analyses.annotator_accuracy.labellers
import fairviz.analyses.sensitivity.mapping
import fairviz.annotation.annotators.annotating
import fairviz.cli.main
import fairviz.datasets
import fairviz.evaluation.opening
import fairviz.models.language_model
import fairviz.output.report
from fairviz.models.answers import Answers, Claims, answers_path
from fairviz.models.asking import Workers, _Job
from fairviz.study.study import save_study
from tests.annotation.annotators.test_annotating import grid
from tests.extension_rows import rows

ANNOTATE = ("annotate", "STUDY", "--with", "llm(model='MODEL',url='ADDRESS')", "--concurrency", "2")
LEVELS = ",".join(f"0.{number:02d}" for number in range(1, 100))
ROBUSTNESS = ("sensitivity", "newswire", "--systems", "bm25,tfidf", "--choice", f"alpha={LEVELS}", "--choice",
              "cutoff=2,3,4,5,6,7,8,9,10", "--choice", "tau", "--choice", "tokenizer")  # fmt: skip
EVALUATE = ("evaluate", "football", "CWEx@4")
Press = tuple[object, str, int, str]  # the owner and name of a function, which call of it, and before or after it


@dataclass(frozen=True)
class Point:
    """Where Ctrl-C is pressed, once or twice, in which command."""

    name: str
    command: Sequence[str]
    presses: Sequence[Press]


def _annotate(name: str, *presses: Press) -> Point:
    return Point(name, ANNOTATE, presses)


POINTS = (
    _annotate("while the study is opened", (fairviz.evaluation.opening, "open_study", 1, "before")),
    _annotate("before the questions are noted", (Answers, "add_requests", 1, "before")),
    _annotate("while the client is made", (fairviz.models.language_model, "open_address", 1, "before")),
    _annotate("before the first claim", (Claims, "take", 1, "before")),
    _annotate("after the first claim", (Claims, "take", 1, "after")),
    _annotate("before the first submit", (Workers, "submit", 1, "before")),
    _annotate("after the third submit", (Workers, "submit", 3, "after")),
    _annotate("before the first wait", (Workers, "outcomes", 1, "before")),
    _annotate("inside a wait, before the request", (_Job, "_try", 1, "before")),
    _annotate("inside a wait, after the reply", (_Job, "_try", 3, "after")),
    _annotate("after a wait", (Workers, "outcomes", 2, "after")),
    _annotate("before storing", (Answers, "add", 2, "before")),
    _annotate("after storing", (Answers, "add", 2, "after")),
    _annotate("after a claim is released", (Claims, "release", 2, "after")),
    _annotate("while the workers end", (Workers, "close", 1, "before")),
    _annotate("before the labels are saved", (fairviz.datasets, "save_labels", 1, "before")),
    _annotate("twice: in a wait, and while it ends", (_Job, "_try", 3, "before"), (_Job, "_settle", 1, "before")),
    _annotate("twice: after storing, and in shutdown", (Answers, "add", 2, "after"), (Workers, "close", 1, "before")),
    *(Point(name, *row) for name, row in rows("ASKING").items()),
    Point("robustness, before a piece", ROBUSTNESS, [(fairviz.analyses.sensitivity.work.Work, "_keep", 1, "before")]),
    *(Point(name, *rest) for name, rest in rows("INTERRUPTED").items()),
    Point("evaluate", EVALUATE, [(fairviz.evaluation.opening, "open_study", 1, "after")]),
)
ASKING = {"annotate", *(command[0] for command, _ in rows("ASKING").values())}  # verbs that ask a language model


def _press_at(owner: object, name: str, number: int, place: str) -> None:
    """Have SIGINT sent to this process before or after the call of this number."""
    function, calls = getattr(owner, name), []

    def watched(*arguments: object, **named: object) -> object:
        calls.append(1)
        here = len(calls) == number
        if here and place == "before":
            os.kill(os.getpid(), signal.SIGINT)
        value = function(*arguments, **named)
        if here and place == "after":
            os.kill(os.getpid(), signal.SIGINT)
        return value

    setattr(owner, name, watched)


def _run(command: Sequence[str], presses: Sequence[Press]) -> dict:
    """Run the command in a process of its own; its status, its messages, and whether its group is left empty."""
    handle, name = tempfile.mkstemp()
    child = os.fork()
    if not child:
        os.setsid()
        os.dup2(handle, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["fairviz", *command]
        fairviz.analyses.sensitivity.work.cores = lambda: 1  # type: ignore[assignment] - a map of many pieces, one at a time
        fairviz.analyses.sensitivity.work.TOGETHER = 1
        for press in presses:
            _press_at(*press)
        os._exit(_status(fairviz.__main__.run))
    _, ended = os.waitpid(child, 0)
    alone = False
    try:
        os.killpg(child, 0)
    except ProcessLookupError:
        alone = True
    os.close(handle)
    said = Path(name).read_text(encoding="utf-8")
    Path(name).unlink()
    return {"status": os.waitstatus_to_exitcode(ended), "said": said, "alone": alone}


def _status(work: Callable[[], int]) -> int:
    try:
        return work()
    except BaseException as error:  # noqa: BLE001 - the child reports what it died of
        os.write(2, f"{type(error).__name__}: {error}".encode())
        return 1


def stored() -> tuple[int, bool]:
    """How many answers are stored, and whether the store is sound."""
    if not answers_path().is_file():
        return 0, True
    with closing(sqlite3.connect(answers_path())) as database:
        sound = database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = database.execute("SELECT name FROM sqlite_master WHERE name = 'answers'").fetchall()
        return database.execute("SELECT COUNT(*) FROM answers").fetchone()[0] if tables else 0, sound


def at(point: Point, number: int, address: str) -> dict:
    """Interrupt the point's command there, and give the command again where it keeps something."""
    home = Path(tempfile.mkdtemp(prefix="fairviz-interrupted-"))
    os.environ["FAIRVIZ_HOME"] = str(home)
    try:
        save_study(grid(2), home / "mine")
        places = {"STUDY": str(home / "mine"), "MODEL": f"m{number}", "ADDRESS": address}
        command = [filled(part, places) for part in point.command]
        first = _run(command, point.presses)
        kept, _ = stored()
        again = _run(command, ()) if point.command[0] in ASKING else None
        return {"name": point.name, "first": first, "kept": kept, "again": again, "stored": stored()[0]}
    finally:
        shutil.rmtree(home)


def filled(part: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        part = part.replace(name, value)
    return part


def main(address: str) -> None:
    httpx2.Client().close()  # imports what a client needs
    for number, point in enumerate(POINTS):
        sys.stdout.write(json.dumps(at(point, number, address)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
