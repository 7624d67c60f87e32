"""`make bench`: every benchmark, printed as ratios from one run. None of them is a test."""

import platform

from benchmarks import (
    annotate,
    attach,
    backpack,
    comparing,
    effects,
    genderedness,
    loading,
    measures,
    opening,
    ranking,
    robustness,
    words,
)

PARTS = (words, genderedness, loading, opening, attach, ranking, backpack, effects, comparing, robustness, annotate)

if __name__ == "__main__":
    print(f"Python {platform.python_version()} on {platform.machine()}")
    for size in measures.SIZES:  # first, so that the peak of memory is theirs
        print("\n".join(measures.run(size)), flush=True)
    for part in PARTS:
        print("\n".join(part.run()), flush=True)
