"""Opening a study of three runs of a million lines each: parsed, and out of the cache. Each in a process of its own."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.loading import write_run

_CODE = """
import sys, time
import pyarrow, pyarrow.csv, pyarrow.parquet, fairviz.study.study
start = time.perf_counter()
fairviz.study.study.open_study_folder(sys.argv[1])
print(time.perf_counter() - start)
"""


def opened(folder: Path, home: Path) -> float:
    """Seconds that opening takes, imports left out."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE, str(folder)],
        capture_output=True, text=True, check=True, env={**os.environ, "FAIRVIZ_HOME": str(home)},
    )  # fmt: skip
    return float(done.stdout)


def run() -> list[str]:
    """Two lines: the first opening, which also fills the cache, and the second."""
    with tempfile.TemporaryDirectory() as temporary:
        runs, home = Path(temporary, "study", "runs"), Path(temporary, "home")
        runs.mkdir(parents=True)
        for name in ("one", "two", "three"):
            write_run(runs / f"{name}.run", "{}")
        time.sleep(2.5)  # a file that was written just now is looked at again
        first, second = (opened(runs.parent, home) for _ in range(2))
    return [
        "Opening a study of three runs of 1,000,000 lines each",
        f"  at first, parsed and put into the cache: {first:.2f} s",
        f"  again, out of the cache: {second:.3f} s, {first / second:.0f} times faster",
    ]


if __name__ == "__main__":
    print("\n".join(run()))
