"""`make bench`: every benchmark, printed as ratios from one run. None of them is a test."""

import platform

from benchmarks import attach, loading, measures, opening, ranking, words

PARTS = (loading, opening, attach, words, ranking)

if __name__ == "__main__":
    print(f"Python {platform.python_version()} on {platform.machine()}")
    for lines in (*(part.run() for part in PARTS), *(measures.run(size) for size in measures.SIZES)):
        print("\n".join(lines), flush=True)
