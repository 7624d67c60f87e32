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
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAVING = ("save_over", "save_as_it_is", "rank", "attach_text", "fetch_again")
ENDINGS = ("hanging", "another status than 130", "tracebacks", "without its line", "processes left", "answers lost",
           "stores damaged")  # fmt: skip
MOST_WAIT = 0.3  # seconds after the first acknowledgement, at most, until a process is killed

DECIDER = """
import sys, fairviz
from fairviz.annotation.adjudications import decide
study = fairviz.open_study("mine")
for number in range(1_000_000):
    decide(study, "d1", ("male", "female", "neutral")[number % 3], str(number), sys.argv[1])
    print(number, flush=True)
"""
CHANGER = """
import sys
from tests.reliability import jobs
while True:
    getattr(jobs, sys.argv[1])()
    print("done", flush=True)
"""
LOOKER = """
import json, sys, fairviz
from fairviz.annotation.adjudications import history
from fairviz.errors import FairvizError
from tests.reliability import jobs
try:
    study = fairviz.open_study("mine")
    past = history(study)
    kept = past.groupby("author")["reason"].agg(list).to_dict()
    wrong = [] if jobs.sound(study) else ["the database is not sound"]
except FairvizError as error:
    kept, wrong = {}, [str(error)]
wrong += jobs.left_over() + ([] if jobs.notes_kept() else ["notes.md is gone"])
print(json.dumps({"kept": kept, "wrong": wrong}))
"""
MAKER = "from tests.reliability import jobs; jobs.make()"


def _start(code: str, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)


def _kill(process: subprocess.Popen, wait: float) -> list[str]:
    """Kills the process some time after its first line; its lines, which are what it acknowledged."""
    stream = process.stdout
    if stream is None:
        raise ValueError("the process tells nothing")
    told = stream.readline()
    select.select([], [], [], wait)
    os.kill(process.pid, signal.SIGKILL)
    told += stream.read()
    stream.close()
    process.wait()
    return told.decode().split("\n")[:-1]  # an unfinished line was not acknowledged to anybody


def at_random(kills: int, seed: int) -> Counter[str]:
    """Kills pairs of processes, one that decides and one that changes the study, and looks after each pair."""
    chance, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="fairviz-kill-") as home:
        os.environ["FAIRVIZ_HOME"] = home
        subprocess.run([sys.executable, "-c", MAKER], cwd=ROOT, check=True)
        told: dict[str, list[str]] = {}
        while counts["killed"] < kills:
            name = f"person {counts['killed']}"
            job = SAVING[counts["killed"] // 2 % len(SAVING)]
            decider, changer = _start(DECIDER, name), _start(CHANGER, job)
            told[name] = _kill(decider, chance.uniform(0, MOST_WAIT))
            counts["changes acknowledged"] += len(_kill(changer, chance.uniform(0, MOST_WAIT)))
            counts["killed"] += 2
            _count(name, counts)
        _count_all(told, counts)
    return counts


def _look() -> dict:
    done = subprocess.run([sys.executable, "-c", LOOKER], cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def _count(name: str, counts: Counter[str]) -> None:
    """Counts what is wrong after one pair was killed."""
    found = _look()
    counts["half-written"] += bool(found["wrong"])
    for wrong in found["wrong"]:
        sys.stderr.write(f"after {counts['killed']} kills ({name}): {wrong}\n")


def _count_all(told: dict[str, list[str]], counts: Counter[str]) -> None:
    kept = _look()["kept"]
    for name, numbers in told.items():
        there = set(kept.get(name, ()))
        counts["acknowledged"] += len(numbers)
        counts["found"] += len(there)
        counts["lost"] += len(set(numbers) - there)


def at_every_operation() -> Counter[str]:
    """Ends each job at each of its operations."""
    from tests.reliability.jobs import JOBS

    counts = Counter[str]()
    for job in JOBS:
        command = [sys.executable, "-m", "tests.reliability.injected", job]
        found = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
        counts["ended"] += found["ended"]
        counts["ended while mending"] += found["ended_mending"]
        counts["neither as before nor as after"] += len(found["wrong"])
        sys.stderr.write(f"{job}: ended at {found['ended']} operations and {found['ended_mending']} of mending\n")
    return counts


def at_ctrl_c(presses: int, seed: int) -> Counter[str]:
    """Interrupts commands at random moments, beside a model server."""
    from tests.model_server import model_server

    with model_server() as server:
        server.delay = 0.02
        command = [sys.executable, "-m", "tests.reliability.pressed", server.address, str(presses), str(seed)]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return Counter(json.loads(done.stdout))


def main() -> int:
    """Runs all and prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--presses", type=int, default=200)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--random-only", action="store_true")
    arguments = parser.parse_args()
    counts = at_random(arguments.kills, arguments.seed)
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
