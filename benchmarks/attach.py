"""Peak memory and time of `attach` on a made collection of two million lines, against the size of the file.

Each is a process of its own, so that its peak is its own. A tenth of the collection is attached first: memory that
does not grow with the file is the point.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

LINES = 2_000_000
WANTED = 50_000
_PASSAGE = "a passage of some three hundred and thirty signs, as those of MS MARCO are on average, " * 4
_CODE = """
import resource, sys, time
from pathlib import Path
from fairviz.datasets import attach, open_study
study = open_study(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
attach(study, Path(sys.argv[2]), lambda *_: None, replace=True)
seconds = time.perf_counter() - start
print(seconds, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def write_collection(path: Path, lines: int) -> None:
    """A collection of this many lines, ids from 0."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{number}\t{_PASSAGE}{number}\n" for number in range(lines))


def write_study(folder: Path) -> None:
    """A study whose one run names 50,000 documents, evenly spread over the first tenth and the rest."""
    (folder / "runs").mkdir(parents=True)
    names = [*range(0, LINES // 10, 2 * LINES // 10 // WANTED), *range(LINES // 10, LINES, 18 * LINES // 10 // WANTED)]
    rows = (
        f"q{place // 1000} Q0 {name} {place % 1000 + 1} {1000 - place % 1000} t\n" for place, name in enumerate(names)
    )
    (folder / "runs" / "s.run").write_text("".join(rows), encoding="utf-8")


def attached(folder: Path, collection: Path) -> tuple[float, float, float]:
    """Seconds, and megabytes of memory before and at the peak."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE, str(folder), str(collection)], capture_output=True, text=True, check=True
    )
    seconds, before, peak = map(float, done.stdout.split())
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return seconds, before / unit, peak / unit


def run() -> list[str]:
    """Two lines, for a tenth of the collection and for all of it."""
    found = [f"Attaching {WANTED:,} documents out of a collection"]
    with tempfile.TemporaryDirectory() as temporary:
        folder, collection = Path(temporary, "study"), Path(temporary, "collection.tsv")
        write_study(folder)
        for lines in (LINES // 10, LINES):
            write_collection(collection, lines)
            size = collection.stat().st_size / 1024**2
            seconds, before, peak = attached(folder, collection)
            found.append(
                f"  {lines:,} lines, {size:,.0f} MB: {seconds:.2f} s ({lines / seconds / 1e6:.1f} million lines a "
                f"second), peak memory {peak:,.0f} MB, {peak - before:,.0f} MB above the opened study"
            )
    return found


if __name__ == "__main__":
    print("\n".join(run()))
