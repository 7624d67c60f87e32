"""Time of each ranker on 702 documents × 117 queries (Grep-BiasIR), first and with what it left on the disk.

The documents are read from FAIRVIZ_TEST_DATA or ../shared/data; without them made-up ones of the same size serve.
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.datasets import fetch
from fairviz.evaluation.opening import open_study
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study

RANKERS = ("bm25", "tfidf", "qlm", "w2v_add", "w2v_si", "bi_encoder", "rrf", "perfect", "random")
DATA = Path(os.environ.get("FAIRVIZ_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


def study() -> Study:
    """Grep-BiasIR, or 702 made-up documents of 20 words for 117 queries of 4."""
    if DATA.is_dir():
        fetch("grep-biasir", DATA)
        return open_study("grep-biasir")
    generator = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(3000)])

    def texts(count: int, length: int) -> list[str]:
        return [" ".join(generator.choice(words, length)) for _ in range(count)]

    queries = pd.DataFrame({"query_id": [f"q{n}" for n in range(117)], "text": texts(117, 4)})
    documents = pd.DataFrame({"doc_id": [f"d{n}" for n in range(702)], "text": texts(702, 20)})
    qrels = pd.DataFrame({"query_id": queries["query_id"], "doc_id": documents["doc_id"][:117], "relevance": 1})
    return make_study("made-up", queries=queries, documents=documents, qrels=qrels)


def timed(held: Study, ranker: str) -> tuple[float, Study]:
    """Seconds that the ranker takes, and the study with its run."""
    start = time.perf_counter()
    runs = rank(held, parse_rankers(ranker)).runs
    return time.perf_counter() - start, add_runs(held, runs)


def run() -> list[str]:
    """One line for each ranker: seconds the first time, imports included, and the second time."""
    before = os.environ.get("FAIRVIZ_HOME")
    with tempfile.TemporaryDirectory() as home:
        os.environ["FAIRVIZ_HOME"] = home
        try:
            held = study()
            lines = [f"Ranking {len(held.documents)} documents for {len(held.queries)} queries ({held.name}), seconds"]
            for ranker in RANKERS:
                first, grown = timed(held, ranker)
                second, _ = timed(held, ranker)
                lines.append(f"  {ranker}: {first:.2f} at first (imports and models included), {second:.2f} again")
                held = grown
        finally:
            if before is None:
                del os.environ["FAIRVIZ_HOME"]
            else:
                os.environ["FAIRVIZ_HOME"] = before
    return lines


if __name__ == "__main__":
    print("\n".join(run()))
