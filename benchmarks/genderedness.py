"""Genderedness of 200,000 passages: a sparse matrix of counts times a vector, against a Python loop over words."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.synthetic import made_up
from benchmarks.words import quickest
from fairviz.words.genderedness import gender_direction, text_genderedness, vocabulary_genderedness
from fairviz.words.gsr_words import count_words, text_words
from fairviz.words.vectors import Embedding, load_embedding

FREQUENT = 20_000


def passages_of(embedding: Embedding, documents: int, seed: int = 0) -> list[str]:
    """Passages of 40 English words, frequent ones often as in real text (Zipf's law); one in twenty is not ASCII."""
    words = np.array(
        [word for word in sorted(embedding.rows, key=embedding.rows.__getitem__) if _plain(word)][:FREQUENT]
    )
    chances = 1 / np.arange(1, len(words) + 1)
    drawn = np.random.default_rng(seed).choice(words, size=(documents, 40), p=chances / chances.sum())
    return [" ".join(row) + (" …" if place % 20 == 0 else ".") for place, row in enumerate(drawn.tolist())]


def _plain(word: str) -> bool:
    return word.isascii() and word.isalpha() and len(word) > 1


def looped(texts: list[str], g: dict[str, float]) -> list[float]:
    """The mean g of the words of each text, a word at a time."""
    means = []
    for text in texts:
        values = [g[word] for word in text_words(text) if word in g]
        means.append(sum(values) / len(values) if values else float("nan"))
    return means


def averaged(words: list[list[str]], g: dict[str, float]) -> list[float]:
    """The same of texts that are cut into words already: what a new direction costs a loop."""
    means = []
    for listed in words:
        values = [g[word] for word in listed if word in g]
        means.append(sum(values) / len(values) if values else float("nan"))
    return means


def run(documents: int = 200_000) -> list[str]:
    """From text to g, and a new direction once the words are counted; and GSR on a large study."""
    direction = gender_direction(load_embedding("glove"))
    texts = passages_of(direction.embedding, documents)
    count_words(texts[:1000])  # imports what it needs
    of_row = vocabulary_genderedness(direction).tolist()
    g = {word: of_row[row] for word, row in direction.embedding.rows.items()}
    loop, slow = quickest(lambda: looped(texts, g))
    whole, fast = quickest(lambda: text_genderedness(direction, texts)["g"].to_numpy())
    counted, cut = count_words(texts), [text_words(text) for text in texts]
    again, _ = quickest(lambda: averaged(cut, g))

    def product() -> np.ndarray:
        values = direction.of(counted.vocabulary)
        known = ~np.isnan(values)
        total, count = counted.totals(np.column_stack([np.nan_to_num(values), known])).T
        return total / count

    new, second = quickest(product)
    largest = max(np.nanmax(np.abs(fast - slow)), np.nanmax(np.abs(second - slow)))
    lines = [
        f"genderedness of {documents:,} passages of 40 words, {len(counted.vocabulary):,} of them different",
        f"  from text: {documents / whole:,.0f} documents a second, loop {documents / loop:,.0f}: "
        f"{loop / whole:.1f} times (largest difference {largest:.0e})",
        f"  a new direction, words counted: {documents / new:,.0f} documents a second, loop {documents / again:,.0f}: "
        f"{again / new:.0f} times",
    ]
    return [*lines, *_large_study()]


def _large_study() -> list[str]:
    from fairviz.evaluation.choices import align
    from fairviz.evaluation.gsr import direction_of, gsr, gsr_points
    from fairviz.evaluation.settings import Settings

    study, settings = made_up(12, 1765, 1000), Settings()
    texts = passages_of(load_embedding("glove"), 1765, seed=1)
    asked = [" ".join(text.split()[:4]) for text in texts]  # the made-up queries hold no word
    study = replace(study, queries=study.queries.assign(text=pd.Series(asked, dtype="str")))
    rankings, direction = align(study, settings), direction_of(settings)
    times = []
    for cutoff in (10, 10, 100):
        start = time.perf_counter()
        points = gsr_points(study, settings.changed(cutoff=cutoff), rankings=rankings, direction=direction)
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    gsr(points)
    fitted = time.perf_counter() - start
    return [
        f"GSR of 12 systems, 1,765 queries and 200,000 documents: points at 10 {times[0]:.1f} s with counting, "
        f"{times[1]:.2f} s again, at 100 {times[2]:.1f} s; slopes and intervals {fitted:.2f} s"
    ]


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
