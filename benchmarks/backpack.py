"""The Backpack ranker on Grep-BiasIR and newswire: loading, documents a second beside MiniLM, a move of the weight.

Training takes minutes and is measured where it is asked for: `python -m benchmarks.backpack --train`.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from benchmarks.ranking import study as grep_biasir
from fairviz.evaluation.opening import open_study
from fairviz.extensions.backpack import loading
from fairviz.extensions.backpack.encoding import cosines, own_sensitivity, sense_vectors
from fairviz.extensions.backpack.training import Recipe, train
from fairviz.extensions.backpack.words import SENSITIVE, policy
from fairviz.models.sentence_encoder import MINILM, sentence_vectors
from fairviz.rankers.record import silent
from fairviz.study.record import Study
from fairviz.words.counting import document_text

MOVES = 50


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _loading() -> str:
    import torch

    torch.zeros(1)
    seconds = _seconds(loading.loaded)
    return f"  loading, after torch: {seconds:.2f} s; again {1000 * _seconds(loading.loaded):.1f} ms"


def _encoding(texts: list[str]) -> str:
    """Documents a second of texts that nobody has read before; both load MiniLM, which is imported already."""
    model = loading.loaded()
    sentence_vectors(["warm"], MINILM, silent)
    own = _seconds(lambda: sense_vectors(texts, model, silent))
    theirs = _seconds(lambda: sentence_vectors(texts, MINILM, silent))
    stored = _seconds(lambda: sense_vectors(texts, model, silent))
    return (
        f"  {len(texts)} documents: {len(texts) / own:.0f} a second, MiniLM {len(texts) / theirs:.0f}; "
        f"from the disk {len(texts) / stored:,.0f}"
    )


def _moves(held: Study) -> str:
    """The time from a weight to all scores of the study."""
    model = loading.loaded()
    documents = sense_vectors(document_text(held.documents).dropna().tolist(), model, silent)
    queries = sense_vectors(held.queries["text"].tolist(), model, silent)
    scores = own_sensitivity(model)
    taken = [
        _seconds(lambda weight=weight: cosines(queries, documents, policy(SENSITIVE, scores, 2, weight)))  # type: ignore[misc]
        for weight in np.linspace(0, 2, MOVES)
    ]
    size = f"{len(queries)} queries × {len(documents)} documents"
    times = f"{1000 * median(taken):.1f} ms ({1000 * max(taken):.1f} at most)"
    return f"  a move of the weight on {held.name}, {size}: {times}"


def _training() -> str:
    seconds = _seconds(lambda: train([open_study("newswire")], Recipe(minutes=60, name="benchmark")))
    return f"  training as the shipped model: {seconds:.0f} s"


def run(*, training: bool = False) -> list[str]:
    """The lines of the report."""
    before = os.environ.get("FAIRVIZ_HOME")
    with tempfile.TemporaryDirectory() as home:
        os.environ["FAIRVIZ_HOME"] = home
        try:
            lines = ["The Backpack ranker", _loading()]
            grep = grep_biasir()
            lines.append(_encoding(document_text(grep.documents).dropna().tolist()))
            lines += [_moves(grep), _moves(open_study("newswire"))]
            lines += [_training()] if training else []
        finally:
            if before is None:
                del os.environ["FAIRVIZ_HOME"]
            else:
                os.environ["FAIRVIZ_HOME"] = before
    return lines


if __name__ == "__main__":
    print("\n".join(run(training="--train" in sys.argv)))
