"""Workers kept at work: every input in a process that can be ended, and the count of what became of them.

`python -m tests.fuzz.running SEED` is a worker: it reads numbers of inputs from standard input, and answers each with
one line of JSON: `read`, `refused`, `traceback`, `silent` (something was lost or changed without a word) or `unclear`
(refused in words that do not say what to do), with the peak of memory above the start.
"""

import json
import os
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.judging import FairvizError
from tests.fuzz.kinds import KINDS, Kind, made

ROOT = Path(__file__).parent.parent.parent
GOOD = ("read", "refused")
BAD = ("traceback", "silent", "unclear", "slow", "memory")
MOST_MEMORY = 1024**3
PATIENCE = 5.0  # seconds for an input, where time is limited at all
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Result:
    """What became of one input."""

    number: int
    outcome: str
    words: str
    peak: int = 0
    commands: bool = False

    @property
    def kind(self) -> str:
        return made(0, self.number, self.commands)[0].name


@dataclass
class Report:
    """The results so far."""

    seed: int
    commands: bool = False
    results: list[Result] = field(default_factory=list)

    @property
    def bad(self) -> list[Result]:
        return sorted((result for result in self.results if result.outcome in BAD), key=lambda result: result.number)

    def lines(self) -> list[str]:
        """The counts, over all and by kind."""
        names = {"slow": "out of time", "memory": "over 1 GB", "unclear": "refused unclearly"}
        names |= {"silent": "silent losses", "traceback": "tracebacks"}
        total = Counter(result.outcome for result in self.results)
        lines = [f"seed {self.seed}: {len(self.results):,} {'commands' if self.commands else 'inputs'}"]
        lines += [f"{names.get(outcome, outcome):>18} {total[outcome]:6,}" for outcome in (*GOOD, *BAD)]
        kinds = Counter((result.kind, result.outcome) for result in self.bad)
        return [*lines, *(f"{kind:>18} {names[what]}: {count:,}" for (kind, what), count in sorted(kinds.items()))]


class Worker:
    """One process that reads inputs; a new one takes its place where it dies or takes too long."""

    def __init__(self, seed: int, patience: float | None, commands: bool) -> None:
        self.seed, self.patience, self.commands = seed, patience, commands
        self.process: subprocess.Popen[bytes] | None = None

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.fuzz.running", str(self.seed), *(["commands"] if self.commands else [])]
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | _ENVIRONMENT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if process.stdout is None or process.stdout.readline() != b"ready\n":
            raise RuntimeError("a worker could not start: run python -m tests.fuzz.running 1")
        return process

    def read(self, number: int) -> Result:
        self.process = self.process or self._start()
        streams = self.process.stdin, self.process.stdout
        if streams[0] is None or streams[1] is None:
            raise RuntimeError("the worker has no streams")
        streams[0].write(f"{number}\n".encode())
        streams[0].flush()
        if not select.select([streams[1]], [], [], self.patience)[0]:
            self.close()
            return Result(number, "slow", f"no answer within {self.patience:g} s", commands=self.commands)
        line = streams[1].readline()
        if not line:
            code = self.process.wait()
            self.close()
            return Result(number, "traceback", f"the process ended ({code})", commands=self.commands)
        result = Result(**json.loads(line), commands=self.commands)
        too_much = not self.commands and result.peak > MOST_MEMORY and result.outcome in GOOD
        return Result(number, "memory", f"{result.peak / 1024**2:,.0f} MB", result.peak) if too_much else result

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def run(
    seed: int,
    numbers: Iterable[int],
    *,
    patience: float | None,
    workers: int = 1,
    commands: bool = False,
    progress: Callable[[Result], None] = lambda _: None,
) -> Report:
    """Reads these inputs of the seed. patience None: however long each takes."""
    report, waiting = Report(seed, commands), iter(list(numbers))

    def work() -> None:
        worker = Worker(seed, patience, commands)
        try:
            for number in waiting:  # one list for all: next() of a list's iterator is one step
                result = worker.read(number)
                report.results.append(result)
                progress(result)
        finally:
            worker.close()

    with ThreadPoolExecutor(workers) as pool:
        for task in [pool.submit(work) for _ in range(workers)]:
            task.result()
    return report


def keep(report: Report, folder: Path) -> None:
    """Writes each failing input, and beside it what became of it and how to play it again."""
    for result in report.bad:
        kind, data = made(report.seed, result.number, report.commands)
        target = folder / f"{report.seed}-{result.number}-{kind.name}-{result.outcome}"
        target.mkdir(parents=True, exist_ok=True)
        (target / kind.file).write_bytes(data)
        again = f"python -m tests.fuzz --seed {report.seed} --only {result.number}"
        again += " --commands 1" if report.commands else ""
        (target / "outcome.txt").write_text(f"{result.outcome}\n{result.words}\n{again}\n", "utf-8", "backslashreplace")


# --- A worker: reads numbers of inputs from standard input, and answers each with one line of JSON


MEGABYTE = 1024**2
LONGEST_MESSAGE = 20_000


def outcome(seed: int, number: int, folder: Path, commands: bool = False) -> tuple[str, str]:
    """What became of input, or command, `number`, and the words for it."""
    return outcome_of(*made(seed, number, commands), folder)


def outcome_of(kind: Kind, data: bytes, folder: Path) -> tuple[str, str]:
    """What became of this input, and the words for it."""
    path = folder / kind.file
    path.write_bytes(data)
    try:
        lost = kind.judge(path, data)
    except FairvizError as error:
        clear = error.message.strip() and len(str(error)) < LONGEST_MESSAGE
        return ("refused" if clear else "unclear"), str(error)[:300]
    except MemoryError:
        return "memory", traceback.format_exc(limit=-3)
    except Exception:  # noqa: BLE001  a traceback is what is looked for
        return "traceback", traceback.format_exc(limit=-4)
    return ("silent", lost) if lost else ("read", "")


def memory(name: str) -> int:
    """A figure of /proc/self/status in bytes; 0 where there is no such file."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)


def answer(seed: int, number: int, commands: bool = False) -> dict[str, object]:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    os.environ["FAIRVIZ_HOME"] = str(folder / "home")
    if (switch := Path("/proc/self/clear_refs")).exists():
        switch.write_text("5")  # the peak of memory is counted anew, where the system can
    before = memory("VmRSS")
    try:
        found, words = outcome(seed, number, folder, commands)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"number": number, "outcome": found, "words": words, "peak": max(0, memory("VmHWM") - before)}


def work_off() -> None:
    seed, commands = int(sys.argv[1]), sys.argv[2:] == ["commands"]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a command writes past its streams is no answer
    warnings.simplefilter("ignore")
    if not commands:
        for number in range(len(KINDS)):  # everything slow is imported before memory is counted
            answer(-1, number)
        room = memory("VmSize") + 4096 * MEGABYTE  # addresses: a request beyond it is a MemoryError
        resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(answer(seed, int(line), commands)) + "\n")
        answers.flush()


if __name__ == "__main__":
    work_off()
