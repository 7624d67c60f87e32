"""`make bench`: every benchmark, printed as ratios from one run. None of them is a test."""

import platform

from benchmarks import loading, measures, words

if __name__ == "__main__":
    print(f"Python {platform.python_version()} on {platform.machine()}")
    for lines in (loading.run(), words.run(), *(measures.run(size) for size in measures.SIZES)):
        print("\n".join(lines), flush=True)
