"""A ranker's scores of the documents of pairs, and the spread of all its scores for that query."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import check_parts, queries_of, texts_of
from fairviz.rankers.record import Collection, Found
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform

CANDIDATES = "audit"  # the run that a ranker of another run's top is given
BACKGROUND = 20  # documents in it beside those of the pairs, so that scores have a spread
Progress = Callable[[int, int], None]
Array = np.ndarray


def scored(
    study: Study,
    choice: Choice,
    pairs: pd.DataFrame,
    say: Callable[[str], None],
    progress: Progress,
    encoding: Progress,
) -> pd.DataFrame:
    """Return a row for each pair: score and other_score of its two documents, NaN for one that the ranker does not
    find, and spread, the standard deviation of the ranker's scores over all that it finds for the query (NaN where
    these are equal).

    A ranker that reads the top of another run, as cross_encoder does, is given the documents of the query's pairs and
    BACKGROUND others. Raises FairvizError where the study lacks what the ranker needs.
    """
    names_by_query = {
        str(query): set(part["doc_id"]) | set(part["other_doc_id"])
        for query, part in pairs.groupby("query_id", sort=False)
    }
    scores: dict[tuple[str, str], float] = {}
    spreads: dict[str, float] = {}
    for query, hits in scored_lists(study, choice, names_by_query, say, progress, encoding):
        scores |= _of_pairs(hits, query, names_by_query[query])
        spreads[query] = spread_of(hits.scores)
    table = {
        name: [scores.get(key, np.nan) for key in zip(pairs["query_id"], pairs[column], strict=True)]
        for name, column in (("score", "doc_id"), ("other_score", "other_doc_id"))
    }
    return pd.DataFrame(table | {"spread": [spreads.get(query, np.nan) for query in pairs["query_id"]]})


def scored_lists(
    study: Study,
    choice: Choice,
    names_by_query: Mapping[str, set[str]],
    say: Callable[[str], None],
    progress: Progress,
    encoding: Progress,
    versions: frozenset[str] = frozenset(),
) -> Iterator[tuple[str, Found]]:
    """Yield each query that has names with all documents that the ranker finds for it, and their scores.

    A ranker that reads the top of another run is given these names and BACKGROUND others. versions: documents that are
    in no background. Raises FairvizError where the study lacks what the ranker needs.
    """
    check_parts(study, choice)
    texts = texts_of(study, [choice], [])
    runs, parameters = study.runs, choice.parameters
    if {"run", "n"} <= set(parameters):  # whole lists of the run of candidates
        longest = max(map(len, names_by_query.values())) + BACKGROUND
        others = texts.names[~np.isin(texts.names.astype(str), list(versions))] if versions else texts.names
        runs, parameters = (
            _candidates(others, names_by_query),
            {**parameters, "run": CANDIDATES, "n": float(longest)},
        )
    find = choice.ranker.prepare(Collection(study, texts, runs, say, encoding), parameters)
    queries = [query for query in queries_of(study) if query.query_id in names_by_query]
    for done, query in enumerate(queries, start=1):
        yield query.query_id, find(query)
        progress(done, len(queries))


def _candidates(names: Array, names_by_query: Mapping[str, set[str]]) -> pd.DataFrame:
    """Return a run of the documents of each query's pairs, and of others spread evenly over the collection."""
    others = names[:: max(len(names) // BACKGROUND, 1)][:BACKGROUND].tolist()
    rows = [
        (CANDIDATES, query, name, place, -float(place))
        for query, query_names in names_by_query.items()
        for place, name in enumerate(dict.fromkeys([*sorted(query_names), *others]), start=1)
    ]
    return conform(pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]), RUNS)


def _of_pairs(hits: Found, query: str, names: set[str]) -> dict[tuple[str, str], float]:
    rows = np.flatnonzero(np.isin(hits.documents.astype(str), list(names)))
    return {(query, str(hits.documents[row])): float(hits.scores[row]) for row in rows.tolist()}


def spread_of(scores: Array) -> float:
    """Return the standard deviation of scores; NaN where they are equal, or fewer than two."""
    if len(scores) < 2:
        return float("nan")
    spread = float(np.std(scores.astype(np.float64)))
    return spread if spread > 1e-9 * max(float(np.abs(scores).max()), 1e-9) else float("nan")
