"""Ranking a study's documents for its queries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.rankers.analysis import analyser
from fairviz.rankers.grammar import Choice
from fairviz.rankers.record import Scorer, Tokens
from fairviz.study import Study
from fairviz.tables import RUNS, conform
from fairviz.text import document_text

DEPTH = 100
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Ranked:
    """Runs of one or more systems, and sentences on what did not go as one might think."""

    runs: pd.DataFrame
    messages: tuple[str, ...]


def rank(study: Study, choices: Sequence[Choice], depth: int = DEPTH, progress: Progress | None = None) -> Ranked:
    """Ranks every document that has text for every query, by title and text.

    depth: the longest list. Documents that share no word with a query are not in its list, so a list may be short or
    absent. progress(queries done, queries in all) counts over all systems. Equal scores stand by doc_id.
    Raises FairvizError where the study lacks queries, documents or their text.
    """
    if depth < 1:
        raise UsageError(f"depth is {depth}", "Use a whole number of 1 or more.")
    _check_parts(study)
    texts = document_text(study.documents)
    known = texts.notna()
    terms = analyser()
    documents = [terms(text) for text in texts[known]]
    if not any(documents):
        raise FairvizError(f"no document of {study.name} holds a word to search for", "Give the documents' text.")
    queries = dict(zip(study.queries["query_id"], map(terms, study.queries["text"]), strict=True))
    names = study.documents["doc_id"][known].to_numpy(dtype=object)
    messages = [] if known.all() else [f"{(~known).sum():,} documents without text were not ranked."]
    frames = []
    for number, choice in enumerate(choices):
        report = _offset(progress, number * len(queries), len(choices) * len(queries))
        lists = _lists(choice.ranker.scorer(documents, choice.parameters), queries, names, depth, report)
        empty = len(queries) - lists["query_id"].nunique()
        if empty:
            messages.append(
                f"{choice.system}: {empty:,} of {len(queries):,} queries match no document; their lists are empty."
            )
        frames.append(lists.assign(system=choice.system))
    return Ranked(conform(pd.concat(frames, ignore_index=True), RUNS), tuple(messages))


def _check_parts(study: Study) -> None:
    for part in ("queries", "documents"):
        if not study.has(part):
            raise FairvizError(
                f"{study.name} has no {part} to rank", f"Add {part}.csv (or .tsv, .jsonl, .parquet) to its folder."
            )


def _offset(progress: Progress | None, before: int, total: int) -> Callable[[int], None]:
    return lambda done: progress(before + done, total) if progress else None


def _lists(
    score: Scorer, queries: dict[str, Tokens], names: np.ndarray, depth: int, report: Callable[[int], None]
) -> pd.DataFrame:
    """The list of each query, one below the other: query_id, doc_id, rank, score."""
    parts: dict[str, list] = {"query_id": [], "doc_id": [], "rank": [], "score": []}
    for done, (query_id, terms) in enumerate(queries.items(), start=1):
        scores = score(terms)
        rows = _best(scores, names, depth)
        parts["query_id"] += [query_id] * len(rows)
        parts["doc_id"] += names[rows].tolist()
        parts["rank"] += range(1, len(rows) + 1)
        parts["score"] += scores[rows].tolist()
        report(done)
    return pd.DataFrame(parts)


def _best(scores: np.ndarray, names: np.ndarray, depth: int) -> np.ndarray:
    """Rows of the documents with the highest scores above 0, best first, equal ones by name; at most `depth`."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) > depth:
        least = np.partition(scores[rows], len(rows) - depth)[len(rows) - depth]
        rows = rows[scores[rows] >= least]
    return rows[np.lexsort((names[rows].astype(str), -scores[rows]))][:depth]
