"""100 processes are killed while they decide, save, rank, attach and fetch, and one at every operation of each job; 200
commands are interrupted by Ctrl-C.

`python -m tests.reliability.kill [--kills N] [--presses N] [--seed N] [--random-only]` prints what was acknowledged,
found, lost and half-written, and how the interrupted commands ended; its status is 1 where anything was lost or
half-written, or a command did not end as it should. `make kill` runs it.
"""

import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

import fairviz
from fairviz.annotation.adjudications import decide, history
from fairviz.errors import FairvizError
from tests.reliability import jobs
from tests.reliability.injected import in_child

ROOT = Path(__file__).parents[2]
SAVING = ("save_over", "save_as_it_is", "rank", "attach_text", "fetch_again")
ENDINGS = ("hanging", "another status than 130", "tracebacks", "without its line", "processes left", "answers lost",
           "stores damaged")  # fmt: skip
MOST_WAIT = 0.3  # seconds after the first acknowledgement, at most, until a process is killed


@dataclass(frozen=True)
class Child:
    """A process that was forked off this one, and what it writes: a line for each thing that it acknowledges."""

    pid: int
    lines: BinaryIO

    def told(self) -> list[str]:
        """Read to its end. An unfinished line was not acknowledged to anybody."""
        with self.lines:
            told = self.lines.read()
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if status not in (0, -signal.SIGKILL):
            raise RuntimeError(f"a process failed by itself: {told.decode()}")
        return told.decode().split("\n")[:-1]

    def killed(self, wait: float) -> list[str]:
        """Kill it some time after its first line; its lines."""
        first = self.lines.readline().decode()
        select.select([], [], [], wait)
        os.kill(self.pid, signal.SIGKILL)
        return [*first.splitlines(), *self.told()]


def start(work: Iterable[str]) -> Child:
    """Start a process that does the work and writes a line for each text that it yields."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            for text in work:
                os.write(writer, f"{text}\n".encode())
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - the child reports what it died of, whatever it is
            os.write(writer, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    os.close(writer)
    return Child(child, os.fdopen(reader, "rb"))


def deciding(name: str, numbers: Iterable[int]) -> Iterable[str]:
    """Decide on two documents in turn, with the number for a reason."""
    study = fairviz.open_study(jobs.NAME)
    for number in numbers:
        decide(study, ("d1", "d2")[number % 2], ("male", "female", "neutral")[number % 3], str(number), name)
        yield str(number)


def changing(job: str, going: Callable[[], bool] = lambda: True) -> Iterable[str]:
    """Do the job again and again."""
    while going():
        getattr(jobs, job)()
        yield "done"


def found() -> dict:
    """What the next process finds: the reasons of each person's decisions, and what is wrong."""

    def look() -> str:
        try:
            study = fairviz.open_study(jobs.NAME)
            kept = history(study).groupby("author")["reason"].agg(list).to_dict()
            wrong = [] if jobs.sound(study) else ["the database is not sound"]
        except FairvizError as error:
            kept, wrong = {}, [str(error)]
        wrong += jobs.left_over() + ([] if jobs.notes_kept() else ["notes.md is gone"])
        return json.dumps({"kept": kept, "wrong": wrong})

    status, told = in_child(look)
    if status:
        raise RuntimeError(told)
    return json.loads(told)


def at_random(kills: int, seed: int) -> Counter[str]:
    """Kills pairs of processes, one that decides and one that changes the study, and looks after each pair."""
    chance, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="fairviz-kill-") as home:
        os.environ["FAIRVIZ_HOME"] = home
        in_child(lambda: jobs.make() or "")
        told: dict[str, list[str]] = {}
        while counts["killed"] < kills:
            name = f"person {counts['killed']}"
            job = SAVING[counts["killed"] // 2 % len(SAVING)]
            decider, changer = start(deciding(name, count())), start(changing(job))
            told[name] = decider.killed(chance.uniform(0, MOST_WAIT))
            counts["changes acknowledged"] += len(changer.killed(chance.uniform(0, MOST_WAIT)))
            counts["killed"] += 2
            wrongs = found()["wrong"]
            counts["half-written"] += bool(wrongs)
            for wrong in wrongs:
                sys.stderr.write(f"after {counts['killed']} kills ({name}): {wrong}\n")
        kept = found()["kept"]
        for name, numbers in told.items():
            there = set(kept.get(name, ()))
            counts["acknowledged"] += len(numbers)
            counts["found"] += len(there)
            counts["lost"] += len(set(numbers) - there)
    return counts


def meanwhile(job: str, people: int, each: int) -> dict:
    """What people acknowledge who decide so often each while the job is done again and again, and what is found."""
    with tempfile.TemporaryDirectory(prefix="fairviz-meanwhile-") as home:
        os.environ["FAIRVIZ_HOME"] = home
        in_child(lambda: jobs.make() or "")
        going = jobs.home() / "going"
        going.touch()
        changer = start(changing(job, going.exists))
        names = [f"person {number}" for number in range(people)]
        children = {name: start(deciding(name, range(each))) for name in names}
        told = {name: child.told() for name, child in children.items()}
        going.unlink()
        return {"job": job, "told": told, "changes": changer.told(), **found()}


def at_every_operation() -> Counter[str]:
    """Ends each job at each of its operations."""
    counts = Counter[str]()
    command = [sys.executable, "-m", "tests.reliability.injected", "1"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    for row in map(json.loads, done.stdout.splitlines()):
        counts["ended"] += row["ended"]
        counts["ended while mending"] += row["ended_mending"]
        counts["neither as before nor as after"] += len(row["wrong"])
        sys.stderr.write(f"{row['job']}: ended at {row['ended']} operations and {row['ended_mending']} of mending\n")
    return counts


def at_ctrl_c(presses: int, seed: int) -> Counter[str]:
    """Interrupts commands at random moments, beside a model server."""
    from tests.model_server import model_server

    with model_server() as server:
        server.delay = 0.02
        command = [sys.executable, "-m", "tests.reliability.interrupted", server.address, str(presses), str(seed)]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return Counter(json.loads(done.stdout))


def main() -> int:
    """Runs all and prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--presses", type=int, default=200)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--random-only", action="store_true", help="kills at random moments alone")
    arguments = parser.parse_args()
    counts = at_random(arguments.kills, arguments.seed)
    pressed = Counter[str]()
    if not arguments.random_only:
        counts += at_every_operation()
        pressed = at_ctrl_c(arguments.presses, arguments.seed)
    bad = ("lost", "half-written", "neither as before nor as after")
    names = ("killed", "changes acknowledged", "acknowledged", "found", "ended", "ended while mending", *bad)
    sys.stdout.writelines(f"{name}: {counts[name]:,}\n" for name in names)
    sys.stdout.writelines(f"{name}: {number:,}\n" for name, number in pressed.items())
    found = (counts, bad), (pressed, ENDINGS)
    return int(any(counter[name] for counter, names in found for name in names))


if __name__ == "__main__":
    sys.exit(main())
