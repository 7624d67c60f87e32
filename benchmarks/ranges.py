"""The table of docs/explanation/chance.md: how wide the range of each measure is over the queries of two studies.

    fairviz fetch grep-biasir && fairviz rank grep-biasir --with bm25,tfidf,qlm,w2v_add,w2v_si
    python -m benchmarks.ranges newswire grep-biasir

Candidates are those of the study, and then the lists of bm25 alone.
"""

import argparse

import pandas as pd

import fairviz
from fairviz.evaluation.questions import MAIN, split_by_data
from fairviz.study.record import Study

OTHERS = ("AWRF", "ExposureGap", "GroupExposureRatio", "FaiRR", "RaB", "ARaB", "nDCG")


def widths(study: Study, candidates: str, system: str = "bm25") -> pd.DataFrame:
    """Return measure, median width, narrow queries, queries, and how sure worst and best are on most queries."""
    settings = fairviz.Settings(systems=(system,))
    questions = split_by_data(study, settings, (*MAIN, *OTHERS)).questions
    table = fairviz.ranges(study, questions, settings, candidates=candidates, per_query=True)
    table = table.dropna(subset=["worst", "best"])
    rows = []
    for question in questions:
        part = table[table["measure"] == question.text]
        exact = int(((part["worst_is"] == "exact") & (part["best_is"] == "exact")).sum())
        rows.append((question.text, part["width"].median(), int(part["narrow"].sum()), len(part), exact))
    return pd.DataFrame(rows, columns=["measure", "median width", "narrow", "queries", "exact"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("studies", nargs="+")
    for name in parser.parse_args().studies:
        for candidates in ("study", "run"):
            print(f"{name}, candidates: {candidates}")
            print(widths(fairviz.open_study(name), candidates).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
