"""`make fuzz`, or python -m tests.fuzz [--count 5000] [--commands 1300] [--seed 1] [--only I]: exit status 1 where
anything failed."""

import argparse
import os
import sys
from pathlib import Path

from tests.fuzz import commands
from tests.fuzz.kinds import made
from tests.fuzz.running import BAD, PATIENCE, Result, keep, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="how many inputs (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--only", type=int, metavar="I", help="play this one input of the seed, and show it")
    parser.add_argument("--commands", type=int, default=0, help="play this many hostile commands instead")
    given = parser.parse_args()
    count, of_commands = given.commands or given.count, bool(given.commands)
    numbers = range(count) if given.only is None else [given.only]
    patience, workers = commands.PATIENCE if of_commands else PATIENCE, min(2, os.cpu_count() or 1)
    done = 0

    def progress(result: Result) -> None:
        nonlocal done
        done += 1
        if result.outcome in BAD:
            last = (result.words.strip().splitlines() or [""])[-1][:200]
            _say(f"{result.number} {result.kind} {result.outcome}: {last}")
        if done % 500 == 0:
            _say(f"{done:,} of {count:,}")

    report = run(given.seed, numbers, patience=patience, workers=workers, commands=of_commands, progress=progress)
    if given.only is not None:
        kind, data = made(given.seed, given.only, of_commands)
        _say(f"{kind.name}: {data[:2000]!r}\n{report.results[0].outcome}\n{report.results[0].words}")
    keep(report, Path(".fuzz"))
    _say("\n".join(report.lines()))
    return int(bool(report.bad))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
