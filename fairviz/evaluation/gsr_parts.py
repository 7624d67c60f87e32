"""GSR taken apart: queries, documents and words, each with what it adds to the slope.

The slope is Σ over queries of lever · (g(list) − mean), lever = (g(query) − mean) / Σ (g(query) − mean)². The levers
sum to 0, and g of a list is a weighted mean of its documents', which are means of their words': so every word has its
share, and the shares of all words of all queries sum to the slope.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import chosen_queries
from fairviz.evaluation.gsr import direction_of, list_depths, list_genderedness, list_words
from fairviz.evaluation.questions import as_asked
from fairviz.evaluation.selection import Selection, positions
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.contributions import number
from fairviz.measures.gsr import FLAT, list_weights
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study

Array = np.ndarray
MEAN = "0 less the mean of all lists"


def _levers(query: Array, lists: Array) -> Array:
    """The lever of each query, (Q,), NaN where it takes no part: its g, or that of one of the lists (S, Q), is NaN.

    >>> _levers(np.array([0.5, 0.1, 0.0]), np.zeros((1, 3))).round(3).tolist()  # 0.3, −0.1 and −0.2 over 0.14
    [2.143, -0.714, -1.429]
    """
    defined = ~(np.isnan(query) | np.isnan(lists).any(axis=0))
    centred = np.where(defined, query - (query[defined].mean() if defined.any() else 0), np.nan)
    spread = np.nansum(centred**2)
    return centred / (spread if defined.any() and spread / defined.sum() > FLAT else np.nan)


def _points(
    study: Study, places: AlignedRankings, settings: Settings, queries: Sequence[str]
) -> tuple[Array, Array, Array]:  # fmt: skip
    """g of each of these queries (Q,), of the lists of the settings' systems (S, Q), and the levers (Q,)."""
    query, lists, _ = list_genderedness(study, places, settings, direction_of(settings))
    query = query[positions(places.rankings.queries, queries)]
    lists = Selection(study, places, settings.systems, tuple(queries)).take(lists)
    return query, lists, _levers(query, lists)


def gsr_by_query(
    study: Study, places: AlignedRankings, question: Question, settings: Settings, queries: Sequence[str]
) -> pd.DataFrame:
    """query_id, query, value, [value_against,] contribution: g of the query and of the lists, and what the query adds
    to the slope of the settings' first system, or to its difference to the second's."""
    query, lists, levers = _points(study, places, as_asked(question, settings), queries)
    total = lists[0] - lists[1] if len(lists) > 1 else lists[0]
    taking = ~np.isnan(levers)
    centred = total - (total[taking].mean() if taking.any() else np.nan)
    beside = {"value_against": lists[1]} if len(lists) > 1 else {}
    return pd.DataFrame(
        {
            "query_id": pd.Series(list(queries), dtype="str"),
            "query": query,
            "value": lists[0],
            **beside,
            "contribution": levers * centred,
        }
    )


def gsr_by_word(
    study: Study, places: AlignedRankings, question: Question, settings: Settings, system: str, query: str
) -> pd.DataFrame:
    """rank, doc_id, word, weight, contribution, value, formula: what each word of each document adds to what the query
    adds to the slope. weight: the lever times the document's weight in its list; contribution: the word's g times its
    share of the document's words. The first row is what the mean of all lists takes away."""
    own_settings = as_asked(question, settings)
    queries = chosen_queries(study, settings)
    queries = queries if query in queries else (*queries, query)
    _, lists, levers = _points(study, places, own_settings, queries)
    row, column = own_settings.systems.index(system), list(queries).index(query)
    lever, mean = levers[column], lists[row][~np.isnan(levers)].mean() if (~np.isnan(levers)).any() else np.nan
    table = _words(study, places, own_settings, system, query, lever)
    table = with_constant(table, float(-lever * mean), MEAN)
    return (
        table.assign(value=np.nan, formula="undefined: the query or a list has no g, or all queries have equal g")
        if np.isnan(lever)
        else table
    )


def _words(
    study: Study, places: AlignedRankings, settings: Settings, system: str, query: str, lever: float
) -> pd.DataFrame:  # fmt: skip
    rankings = places.rankings
    at = rankings.row_of(system), rankings.queries.index(query)
    reach = int(list_depths(study, [query], settings.cutoff, settings.gsr_depth)[0])
    documents = rankings.documents[: min(reach, int(rankings.lengths[at])), at[0], at[1]]
    words = list_words(study, places, settings, direction_of(settings))
    word_counts = [words.of_pair(at[1], int(document)) for document in documents]
    weights = list_weights(np.arange(1, len(documents) + 1), settings.list_weights)
    weights = weights * [len(columns) > 0 for columns, _ in word_counts]
    rows = []
    for rank, (document, (columns, counts)) in enumerate(zip(documents.tolist(), word_counts, strict=True), start=1):
        weight = lever * weights[rank - 1] / weights.sum() if len(columns) else 0.0
        for column, count in zip(columns.tolist(), counts.tolist(), strict=True):
            g, word = float(words.values[column, 0]), words.counts.vocabulary[column]
            formula = f"{number(weight)} · {number(g)} · {count:g} / {counts.sum():g}"
            share = g * count / counts.sum()
            rows.append((rank, rankings.doc_ids[document], word, weight, share, weight * share, formula))
        if not len(columns):
            rows.append((rank, rankings.doc_ids[document], None, 0.0, 0.0, 0.0, "0 (no word that has a vector)"))
    names = ["rank", "doc_id", "word", "weight", "contribution", "value", "formula"]
    return pd.DataFrame(rows, columns=names).astype(
        {"rank": "Int64", **dict.fromkeys(("doc_id", "word", "formula"), "str"), **dict.fromkeys(names[3:6], "float64")}
    )


def with_constant(table: pd.DataFrame, value: float, text: str) -> pd.DataFrame:
    """The table with a first row for the part that no document holds."""
    first = {name: [None] for name in table.columns} | {"value": [value], "formula": [f"{number(value)} ({text})"]}
    row = pd.DataFrame(first).astype({name: str(kind) for name, kind in table.dtypes.items()})
    return pd.concat([row, table], ignore_index=True)
