"""A worker: reads numbers of inputs from standard input, and answers each with one line of JSON.

An answer says what became of the input: `read`, `refused`, `traceback`, `silent` (something was lost or changed
without a word) or `unclear` (refused in words that do not say what to do), with the peak of memory above the start.
"""

import json
import os
import shutil
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

from tests.fuzz.kinds import KINDS, Kind, made
from tests.fuzz.program import FairvizError

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


def reset_peak() -> None:
    """Lets the peak of memory be counted anew, where the system can."""
    switch = Path("/proc/self/clear_refs")
    if switch.exists():
        switch.write_text("5")


def limit_memory(room: int) -> None:
    """No more than `room` bytes of addresses above what is taken now: a request beyond it is a MemoryError."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory("VmSize") + room, resource.RLIM_INFINITY))


def answer(seed: int, number: int, commands: bool = False) -> dict[str, object]:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    os.environ["FAIRVIZ_HOME"] = str(folder / "home")
    reset_peak()
    before = memory("VmRSS")
    try:
        found, words = outcome(seed, number, folder, commands)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"number": number, "outcome": found, "words": words, "peak": max(0, memory("VmHWM") - before)}


def main() -> None:
    seed, commands = int(sys.argv[1]), sys.argv[2:] == ["commands"]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a command writes past its streams is no answer
    warnings.simplefilter("ignore")
    if not commands:
        for number in range(len(KINDS)):  # everything slow is imported before memory is counted
            answer(-1, number)
        limit_memory(4096 * MEGABYTE)
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(answer(seed, int(line), commands)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
