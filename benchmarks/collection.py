"""A made collection of a million passages counted by `fairviz score`, and a study that reads the counts.

python -m benchmarks.collection [PASSAGES]
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

WORDS_EACH = 56
VOCABULARY = 50_000
GENDERED = ("she", "her", "woman", "mother", "he", "his", "man", "father")
PIECE = 20_000  # passages written at a time


PROGRAM = ("-m", "fairviz")
WITHOUT_NUMBA = (
    "-c",
    "import sys; from fairviz.extensions.collections import counts; counts.has_layer = lambda layer: False; "
    "from fairviz.cli.main import main; sys.exit(main(sys.argv[1:]))",
)


def write_collection(path: Path, passages: int) -> None:
    """Write passages of frequent and rare words, about one in forty gendered."""
    chance = np.random.default_rng(1)
    words = np.array([f"w{number:x}" for number in range(VOCABULARY)], dtype=object)
    words[5:45:5] = GENDERED
    with path.open("w") as stream:
        for start in range(0, passages, PIECE):
            count = min(PIECE, passages - start)
            ranks = np.minimum(chance.zipf(1.2, (count, WORDS_EACH)) - 1, VOCABULARY - 1)
            lines = (f"{start + row}\t{' '.join(words[one])}\n" for row, one in enumerate(ranks))
            stream.writelines(lines)


def run(name: str, *arguments: str, program: Sequence[str] = PROGRAM) -> float:
    """Run a verb, print its elapsed and processor time, and return the elapsed one."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *program, *arguments], check=True, stdout=subprocess.DEVNULL)
    elapsed, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{name}: {elapsed:.1f} s, {spent:.1f} CPU-seconds, largest process so far {after.ru_maxrss / 1e6:.2f} GB")
    return elapsed


def main() -> None:
    passages = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{passages:,} passages of {WORDS_EACH} words; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        collection, queries = Path(folder) / "collection.tsv", Path(folder) / "queries.tsv"
        write_collection(collection, passages)
        print(f"{collection.stat().st_size / 1e6:,.0f} MB")
        queries.write_text("query_id\ttext\n" + "".join(f"{row}\twoman w{row * 7:x} nurse\n" for row in range(6_980)))
        one, two = (
            run(f"{workers} workers", "score", str(collection), "--out", f"{folder}/{workers}", "--workers", workers)
            for workers in ("1", "2")
        )
        print(f"one worker against two: {one / two:.2f}; {passages / two:,.0f} passages a second")
        plain = ("--out", f"{folder}/plain", "--workers", "1")
        run("1 worker, without numba", "score", str(collection), *plain, program=WITHOUT_NUMBA)
        options = ("--out", f"{folder}/g", "--queries", str(queries), "--workers", "2")
        run("2 workers, with g and the words of 6,980 queries", "score", str(collection), *options)
        sizes = {name: sum(part.stat().st_size for part in Path(folder, name).iterdir()) for name in ("2", "g")}
        print(f"counts: {sizes['2'] / 1e6:.1f} MB; with g: {sizes['g'] / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
