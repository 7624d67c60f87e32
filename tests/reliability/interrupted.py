"""Presses Ctrl-C in commands, each in a process forked off one that has imported everything.

`python -m tests.reliability.interrupted ADDRESS few` asks the model server there, presses at some named points, with
`others` at the other ones, and prints one JSON object a point: the status and the messages of the interrupted command,
and of the same command given again.

`python -m tests.reliability.interrupted ADDRESS PRESSES SEED` presses so often at random moments, and prints one JSON
object of counts; `make kill` runs it. Every tenth process is a new one, which imports everything itself. One in four is
pressed twice.
"""

import gc
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import filelock._unix  # noqa: F401
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
from fairviz import interrupts
from fairviz.evaluation import formats
from fairviz.models.answers import Answers, Claims, answers_path
from fairviz.models.asking import Workers, _Job
from fairviz.study.study import save_study
from tests.annotation.annotators.test_annotating import grid
from tests.conftest import ROOT
from tests.extension_rows import rows

MODEL = "llm(model='MODEL',url='ADDRESS')"
ANNOTATE = ("annotate", "STUDY", "--with", MODEL, "--concurrency", "2")
LEVELS = ",".join(f"0.{number:02d}" for number in range(1, 100))
ROBUSTNESS = ("sensitivity", "newswire", "--systems", "bm25,tfidf", "--choice", f"alpha={LEVELS}", "--choice",
              "cutoff=2,3,4,5,6,7,8,9,10", "--choice", "tau", "--choice", "tokenizer")  # fmt: skip
EVALUATE = ("evaluate", "football", "CWEx@4")
Press = tuple[object, str, int, str]  # the owner and name of a function, which call of it, and before or after it


@dataclass(frozen=True)
class Point:
    """Where Ctrl-C is pressed, once or twice, in which command; lengthy: not in `make test`."""

    name: str
    command: Sequence[str]
    presses: Sequence[Press]
    lengthy: bool = False


def _annotate(name: str, *presses: Press, lengthy: bool = False) -> Point:
    return Point(name, ANNOTATE, presses, lengthy)


POINTS = (
    _annotate("while the study is opened", (fairviz.evaluation.opening, "open_study", 1, "before"), lengthy=True),
    _annotate("before the questions are noted", (Answers, "add_requests", 1, "before"), lengthy=True),
    _annotate("while the client is made", (fairviz.models.language_model, "open_address", 1, "before"), lengthy=True),
    _annotate("before the first claim", (Claims, "take", 1, "before"), lengthy=True),
    _annotate("after the first claim", (Claims, "take", 1, "after"), lengthy=True),
    _annotate("before the first submit", (Workers, "submit", 1, "before"), lengthy=True),
    _annotate("after the third submit", (Workers, "submit", 3, "after")),
    _annotate("before the first wait", (Workers, "outcomes", 1, "before"), lengthy=True),
    _annotate("inside a wait, before the request", (_Job, "_try", 1, "before"), lengthy=True),
    _annotate("inside a wait, after the reply", (_Job, "_try", 3, "after")),
    _annotate("after a wait", (Workers, "outcomes", 2, "after"), lengthy=True),
    _annotate("before storing", (Answers, "add", 2, "before"), lengthy=True),
    _annotate("after storing", (Answers, "add", 2, "after")),
    _annotate("after a claim is released", (Claims, "release", 2, "after"), lengthy=True),
    _annotate("while the workers end", (Workers, "close", 1, "before"), lengthy=True),
    _annotate("before the labels are saved", (fairviz.datasets, "save_labels", 1, "before")),
    _annotate("twice: in a wait, and while it ends", (_Job, "_try", 3, "before"), (_Job, "_settle", 1, "before")),
    _annotate("twice: after storing, and in shutdown", (Answers, "add", 2, "after"), (Workers, "close", 1, "before")),
    *(Point(name, *row) for name, row in rows("ASKING").items()),
    Point("robustness, before a piece", ROBUSTNESS, [(fairviz.analyses.sensitivity.work.Work, "_keep", 1, "before")]),
    *(Point(name, *rest, lengthy=True) for name, rest in rows("INTERRUPTED").items()),
    Point("evaluate", EVALUATE, [(fairviz.evaluation.opening, "open_study", 1, "after")]),
)
CHOSEN = {"few": [each for each in POINTS if not each.lengthy], "others": [each for each in POINTS if each.lengthy]}
ASKING = {"annotate", *(command[0] for command, _ in rows("ASKING").values())}  # verbs that ask a language model


def _forked(command: Sequence[str], messages: Path, prepare: Callable[[], object]) -> int:
    """Run the command in a process of its own, which waits with Ctrl-C until it is prepared."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    child = os.fork()
    if not child:
        os.setsid()
        os.dup2(os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["fairviz", *command]
        prepare()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        os._exit(_status(fairviz.__main__.run))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    return child


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


def _filled(command: Sequence[str], address: str, folder: Path, number: int) -> list[str]:
    """The command with the places of its run: the study that lies in the folder, and a model of its own."""
    places = {"STUDY": str(folder / "mine"), "MODEL": f"m{number}", "ADDRESS": address, "FOLDER": str(folder)}
    filled = list(command)
    for name, value in places.items():
        filled = [part.replace(name, value) for part in filled]
    return filled


# --- At named points.


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


def _prepared(presses: Sequence[Press]) -> None:
    fairviz.analyses.sensitivity.work.cores = lambda: 1  # type: ignore[assignment] - a map of many pieces, one at a time
    fairviz.analyses.sensitivity.work.TOGETHER = 1
    for press in presses:
        _press_at(*press)


def _run(command: Sequence[str], folder: Path, presses: Sequence[Press]) -> dict:
    """The status of the command, its messages, and whether its group is left empty."""
    child = _forked(command, folder / "messages", partial(_prepared, presses))
    _, ended = os.waitpid(child, 0)
    alone = False
    try:
        os.killpg(child, 0)
    except ProcessLookupError:
        alone = True
    said = (folder / "messages").read_text(encoding="utf-8")
    return {"status": os.waitstatus_to_exitcode(ended), "said": said, "alone": alone}


def at(point: Point, number: int, address: str, study: Path) -> dict:
    """Interrupt the point's command there, on a copy of the study, and give it again where it keeps something."""
    home = Path(tempfile.mkdtemp(prefix="fairviz-interrupted-"))
    os.environ["FAIRVIZ_HOME"] = str(home)
    try:
        shutil.copytree(study, home / "mine")
        command = _filled(point.command, address, home, number)
        first = _run(command, home, point.presses)
        kept, _ = stored()
        again = _run(command, home, ()) if point.command[0] in ASKING else None
        return {"name": point.name, "first": first, "kept": kept, "again": again, "stored": stored()[0]}
    finally:
        shutil.rmtree(home)


# --- At random moments.

NAMES = ("hanging", "slower than 5 seconds", "done all the same", "another status than 130", "tracebacks",
         "without its line", "processes left", "answers lost", "stores damaged")  # fmt: skip
COMMANDS: tuple[Sequence[str], ...] = (
    ("annotate", "STUDY", "--with", MODEL, "--replace"),
    *dict.fromkeys(command for command, _ in rows("ASKING").values()),
    ROBUSTNESS,
    ("gender-swap", "football", "--ranker", "bm25"),
    *dict.fromkeys(command for command, _ in rows("INTERRUPTED").values()),
    ("annotate", "STUDY", "--with", f"{MODEL},classifier", "--concurrency", "2", "--replace"),
    ("rank", "STUDY", "--with", "bm25", "--replace"),
    ("report", "football", "-o", "FOLDER/report.html"),
    ("compare", "newswire", "CWEx", "--test", "randomisation"),
)
MOST = 120.0  # seconds after the press, after which a process counts as hanging
SLOW = 5.0
TWICE = 0.25  # share of the processes that are pressed a second time
TOLD = "asked"  # the file of a child with the number of answers that it reported as done
Ended = dict[str, object]


def _telling(folder: Path) -> None:
    """Have this process write how many answers it reports as done."""
    shown = formats.ProgressLine.__call__

    def told(self: formats.ProgressLine, done: int, total: int) -> None:
        if self.what == "asking":
            (folder / TOLD).write_text(str(done), encoding="utf-8")
        shown(self, done, total)

    formats.ProgressLine.__call__ = told  # type: ignore[method-assign]
    interrupts.install()


def _new(command: Sequence[str], folder: Path) -> int:
    with (folder / "messages").open("w") as messages:
        return subprocess.Popen(
            [sys.executable, "-m", "fairviz", *command], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=messages,
            start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ).pid  # fmt: skip


def _wait(child: int, seconds: float) -> int | None:
    """The status of the child, once it ends within so many seconds; None where it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


def _pressed(child: int, first: float, second: float | None) -> Ended | None:
    """Press Ctrl-C in the process after so many seconds, and a second time where that is asked for; None where it
    ended before."""
    if _wait(child, first) is not None:
        return None
    began = time.monotonic()
    os.kill(child, signal.SIGINT)
    status = None
    if second is not None and (status := _wait(child, second)) is None:
        os.kill(child, signal.SIGINT)
    status = _wait(child, MOST) if status is None else status
    took = time.monotonic() - began
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
        return {"status": status, "seconds": took, "left": True}
    return {"status": status, "seconds": took, "left": False}


def _count(counts: Counter[str], found: Ended, folder: Path, what: str) -> None:
    said = (folder / "messages").read_text(encoding="utf-8", errors="replace")
    kept, sound = stored()
    told = folder / TOLD
    acknowledged = int(told.read_text(encoding="utf-8") or 0) if told.is_file() else 0
    seconds, status = float(found["seconds"]), found["status"]  # type: ignore[arg-type]
    wrong = (
        status is None,
        seconds > SLOW,
        status == 0,
        status not in (0, 130, None),
        "Traceback" in said or "Exception ignored" in said,
        status == 130 and not any(line.startswith("stopped") for line in said.splitlines()[-1:]),
        bool(found["left"]) and status is not None,
        max(acknowledged - kept, 0),
        not sound,
    )
    counts["interrupted"] += 1
    counts["answers acknowledged at Ctrl-C"] += acknowledged
    counts["slowest, in milliseconds"] = max(counts["slowest, in milliseconds"], round(1000 * seconds))
    for name, number in zip(NAMES, wrong, strict=True):
        counts[name] += int(number)
        if number:
            sys.stderr.write(f"{name}: {what}: status {status} in {seconds:.1f} s: {said[-2000:]}\n")


def at_random(address: str, presses: int, seed: int) -> Counter[str]:
    """Interrupt commands in turn until so many processes were interrupted before they ended."""
    import torch  # noqa: F401

    chance, counts, number = random.Random(seed), Counter[str](), 0
    spans: dict[tuple[int, bool], float] = {}
    while counts["interrupted"] < presses:
        place, new = number % len(COMMANDS), number % 10 == 9
        number += 1
        folder = Path(tempfile.mkdtemp(prefix="fairviz-pressed-"))
        os.environ["FAIRVIZ_HOME"] = str(folder / "home")
        try:
            save_study(grid(6), folder / "mine")
            command = _filled(COMMANDS[place], address, folder, number)
            first = chance.uniform(0.5 if new else 0, spans.setdefault((place, new), 4.0))
            second = chance.uniform(0, 0.2) if chance.random() < TWICE else None
            child = _new(command, folder) if new else _forked(command, folder / "messages", partial(_telling, folder))
            found = _pressed(child, first, second)
            if found is None:
                spans[place, new] = max(0.9 * spans[place, new], 0.6)
                continue
            _count(counts, found, folder, f"{command} at {first:.3f} s{f' and {second:.3f} s' if second else ''}")
        finally:
            shutil.rmtree(folder)
    return counts


def main(address: str, *chosen: str) -> None:
    httpx2.Client().close()  # imports what a client needs
    if chosen[0] not in CHOSEN:
        gc.freeze()  # what is forked shares these objects
        sys.stdout.write(json.dumps(at_random(address, *map(int, chosen))) + "\n")
        return
    with tempfile.TemporaryDirectory(prefix="fairviz-study-") as folder:
        save_study(grid(2), Path(folder, "mine"))
        gc.freeze()
        for number, point in enumerate(CHOSEN[chosen[0]]):
            sys.stdout.write(json.dumps(at(point, number, address, Path(folder, "mine"))) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
