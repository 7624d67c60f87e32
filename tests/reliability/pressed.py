"""Presses Ctrl-C at random moments of commands, each in a process forked off one that has imported most of it.

`python -m tests.reliability.pressed ADDRESS PRESSES SEED` asks the model server there, and prints one JSON object of
counts; `make kill` runs it. Every tenth process is a new one, which imports everything itself. One in four is pressed
twice.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import torch  # noqa: F401

import fairviz.__main__
import fairviz.cli.main
from fairviz import interrupts
from fairviz.evaluation import formats
from fairviz.study.study import save_study
from tests.annotation.annotators.test_annotating import grid
from tests.conftest import ROOT
from tests.extension_rows import rows
from tests.reliability.interrupted import ROBUSTNESS, filled, stored

NAMES = ("hanging", "slower than 5 seconds", "done all the same", "another status than 130", "tracebacks",
         "without its line", "processes left", "answers lost", "stores damaged")  # fmt: skip
MODEL = "llm(model='MODEL',url='ADDRESS')"
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


def _child(command: Sequence[str], folder: Path) -> None:
    """Run the command in this process, which was forked with SIGINT blocked; write what it reports as answered."""
    os.setsid()
    messages = os.open(folder / "messages", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(messages, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    shown = formats.ProgressLine.__call__

    def told(self: formats.ProgressLine, done: int, total: int) -> None:
        if self.what == "asking":
            (folder / TOLD).write_text(str(done), encoding="utf-8")
        shown(self, done, total)

    formats.ProgressLine.__call__ = told  # type: ignore[method-assign]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["fairviz", *command]
    interrupts.install()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    os._exit(fairviz.__main__.run())


def _forked(command: Sequence[str], folder: Path) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    child = os.fork()
    if not child:
        _child(command, folder)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    return child


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


def _pressed(start: Callable[[], int], first: float, second: float | None) -> Ended | None:
    """Press Ctrl-C in the process after so many seconds, and a second time where that is asked for; None where it
    ended before."""
    child = start()
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


def run(address: str, presses: int, seed: int) -> Counter[str]:
    """Interrupt commands in turn until so many processes were interrupted before they ended."""
    chance, counts, number = random.Random(seed), Counter[str](), 0
    spans: dict[tuple[int, bool], float] = {}
    while counts["interrupted"] < presses:
        place, new = number % len(COMMANDS), number % 10 == 9
        number += 1
        folder = Path(tempfile.mkdtemp(prefix="fairviz-pressed-"))
        os.environ["FAIRVIZ_HOME"] = str(folder / "home")
        try:
            save_study(grid(6), folder / "mine")
            places = {"STUDY": str(folder / "mine"), "MODEL": f"m{number}", "ADDRESS": address, "FOLDER": str(folder)}
            command = [filled(part, places) for part in COMMANDS[place]]
            start = lambda: (_new if new else _forked)(command, folder)  # noqa: E731, B023
            first = chance.uniform(0.5 if new else 0, spans.setdefault((place, new), 4.0))
            second = chance.uniform(0, 0.2) if chance.random() < TWICE else None
            found = _pressed(start, first, second)
            if found is None:
                spans[place, new] = max(0.9 * spans[place, new], 0.6)
                continue
            _count(counts, found, folder, f"{command} at {first:.3f} s{f' and {second:.3f} s' if second else ''}")
        finally:
            shutil.rmtree(folder)
    return counts


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))) + "\n")
