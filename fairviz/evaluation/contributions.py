"""Decomposition of a value: by rank of a list, by query of a system, and of the difference of two systems.

GSR is taken apart by queries, documents and words, each with what it adds to the slope. The slope is Σ over queries of
lever · (g(list) − mean), lever = (g(query) − mean) / Σ (g(query) − mean)². The levers sum to 0, and g of a list is a
weighted mean of its documents', which are means of their words': so every word has its share, and the shares of all
words of all queries sum to the slope.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.errors import UsageError, expect, use_one_of
from fairviz.evaluation.choices import Selection, aligned, chosen_queries, positions, refuse_missing
from fairviz.evaluation.gsr import direction_of, list_depths, list_genderedness, list_words
from fairviz.evaluation.questions import A_MEASURE, as_asked, ask, chosen_settings, wants_collection
from fairviz.evaluation.scores import bias_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Question
from fairviz.measures.contributions import OneList, Parts, by_rank
from fairviz.measures.gsr import FLAT, list_weights
from fairviz.measures.sums import AlignedRankings
from fairviz.normal_form import normal_form
from fairviz.statistics.orders import largest_first
from fairviz.study.record import Study
from fairviz.words.sentences import decimal, significant

Array = np.ndarray
MEAN = "0 less the mean of all lists"
GSR_OF_WORDS = "Σ lever(q) · weight(rank) · g(word) · its share of the document's words, less what the mean takes away"
GSR_OF_QUERIES = "Σ lever(q) · (g(list) − mean of lists), lever = (g(q) − mean) / Σ (g(q) − mean)²"
A_NAME = "Give the name of one, such as 'bm25'."


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
    study: Study, rankings: AlignedRankings, settings: Settings, queries: Sequence[str]
) -> tuple[Array, Array, Array]:
    """g of each of these queries (Q,), of the lists of the settings' systems (S, Q), and the levers (Q,)."""
    query, lists, _ = list_genderedness(study, rankings, settings, direction_of(settings))
    query = query[positions(rankings.lists.queries, queries)]
    lists = Selection(study, rankings, settings.systems, tuple(queries)).take(lists)
    return query, lists, _levers(query, lists)


def gsr_by_query(
    study: Study, rankings: AlignedRankings, question: Question, settings: Settings, queries: Sequence[str]
) -> pd.DataFrame:
    """query_id, query, value, [value_against,] contribution: g of the query and of the lists, and what the query adds
    to the slope of the settings' first system, or to its difference to the second's."""
    query, lists, levers = _points(study, rankings, as_asked(question, settings), queries)
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
    study: Study, rankings: AlignedRankings, question: Question, settings: Settings, system: str, query: str
) -> pd.DataFrame:
    """rank, doc_id, word, weight, contribution, value, formula: what each word of each document adds to what the query
    adds to the slope. weight: the lever times the document's weight in its list; contribution: the word's g times its
    share of the document's words. The first row is what the mean of all lists takes away."""
    own_settings, orders = as_asked(question, settings), rankings.lists
    queries = chosen_queries(study, settings)
    queries = queries if query in queries else (*queries, query)
    _, lists, levers = _points(study, rankings, own_settings, queries)
    row, column = own_settings.systems.index(system), list(queries).index(query)
    lever, mean = levers[column], lists[row][~np.isnan(levers)].mean() if (~np.isnan(levers)).any() else np.nan

    at = orders.row_of(system), orders.queries.index(query)
    reach = int(list_depths(study, [query], own_settings.cutoff, own_settings.gsr_depth)[0])
    documents = orders.documents[: min(reach, int(orders.lengths[at])), at[0], at[1]]
    words = list_words(study, rankings, own_settings, direction_of(own_settings))
    word_counts = [words.of_pair(at[1], int(document)) for document in documents]
    weights = list_weights(np.arange(1, len(documents) + 1), own_settings.list_weights)
    weights = weights * [len(columns) > 0 for columns, _ in word_counts]
    rows: list[tuple] = []
    for rank, (document, (columns, counts)) in enumerate(zip(documents.tolist(), word_counts, strict=True), start=1):
        doc_id = orders.doc_ids[document]
        if not len(columns):
            rows.append((rank, doc_id, None, 0.0, 0.0, 0.0, "0 (no word that has a vector)"))
            continue
        weight = lever * weights[rank - 1] / weights.sum()
        for place, count in zip(columns.tolist(), counts.tolist(), strict=True):
            g, word = float(words.values[place, 0]), words.counts.vocabulary[place]
            formula = f"{significant(weight)} · {significant(g)} · {count:g} / {counts.sum():g}"
            share = g * count / counts.sum()
            rows.append((rank, doc_id, word, weight, share, weight * share, formula))
    kinds = {"rank": "Int64", "doc_id": "str", "word": "str", "weight": "float64", "contribution": "float64"}
    kinds |= {"value": "float64", "formula": "str"}
    table = with_constant(pd.DataFrame(rows, columns=list(kinds)).astype(kinds), float(-lever * mean), MEAN)
    if np.isnan(lever):
        undefined = "undefined: the query or a list has no g, or all queries have equal g"
        return table.assign(value=np.nan, formula=undefined)
    return table


def with_constant(table: pd.DataFrame, value: float, text: str) -> pd.DataFrame:
    """The table with a first row for the part that no document holds."""
    first = {name: [None] for name in table.columns} | {"value": [value], "formula": [f"{significant(value)} ({text})"]}
    row = pd.DataFrame(first).astype({name: str(kind) for name, kind in table.dtypes.items()})
    return pd.concat([row, table], ignore_index=True)


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A value taken apart. table: as `contributions` gives it; column: the one that sums to the value. measure: its
    canonical text. formula: the sum in symbols; terms: the numbers of the whole list in the formula, by symbol."""

    table: pd.DataFrame
    column: str
    measure: str
    systems: tuple[str, ...]
    query: str | None
    formula: str
    terms: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The value, or the difference of two; NaN where it is undefined."""
        return float(self.table[self.column].sum(skipna=self.query is None, min_count=1))

    @property
    def heading(self) -> str:
        """`CWEx(alpha=0.5)@10 of bm25 for q1`, `… of bm25 minus tfidf, query by query`."""
        where = "query by query" if self.query is None else f"for {self.query}"
        comma = "," if self.query is None else ""
        return f"{self.measure} of {' minus '.join(self.systems)}{comma} {where}"

    @property
    def sentence(self) -> str:
        """The sum of the table and its formula, in one sentence."""
        terms = "".join(f"; {name} = {significant(value)}" for name, value in self.terms.items() if not np.isnan(value))
        total_text = decimal(self.total, 4)
        return f"{self.heading}: {total_text}, the sum of the column {self.column}. {self.formula}{terms}"


def contributions(
    study: Study,
    measure: str,
    system: str,
    query: str | None = None,
    settings: Settings | None = None,
    *,
    against: str | None = None,
    rankings: AlignedRankings | None = None,
    **choices: object,
) -> pd.DataFrame:
    """Return the part of each rank in a measure of one list; without a query, of each query in the system's mean.

    The decomposition of each measure is in the docstring of its `parts`, and on the Methods page. A measure without one
    is decomposed by the change of its value with each rank.

    Parameters
    ----------
    study : Study
        With a run of the system.
    measure : str
        As for `fairviz.evaluate`; also settings, rankings and choices.
    system : str
        The name of a system.
    query : str, optional
        The id of a query; None for all of them.
    settings : Settings, optional
        The choices behind the value; the defaults if None.
    against : str, optional
        Another system. Adds doc_id_against and value_against, and `difference`, or without a query `contribution`, sums
        to the difference of the two over the queries where both are defined.
    rankings : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        With a query, a row a rank: rank, doc_id, weight (the position bias, or the measure's own weight), contribution,
        value (weight · contribution, which sums to the measure) and formula (with the numbers put in). A row without
        rank is a part of the formula that no document has, as max(TED) in TExFAIR. For GSR a row is a word (column
        word), and the rows sum to what the query adds to the slope. Without a query, a row a query: query_id, value,
        contribution (NaN where undefined), the largest first; they sum to the mean, or to the slope that GSR is.

    Raises
    ------
    UsageError
        For a measure that is not decomposed, and an unknown system or query.
    FairvizError
        If the study lacks what the measure needs.

    Examples
    --------
    >>> import fairviz
    >>> table = fairviz.contributions(fairviz.open_study("football"), "CWEx@4", "left", "best-player")
    >>> table[["rank", "value"]].round(3).values.tolist()
    [[1, -0.195], [2, 0.123], [3, 0.098], [4, -0.084]]
    """
    settings = chosen_settings(study, settings, choices)
    return anatomy(study, measure, system, query, settings, against=against, rankings=rankings).table


def anatomy(
    study: Study,
    measure: str,
    system: str,
    query: str | None,
    settings: Settings,
    *,
    against: str | None = None,
    rankings: AlignedRankings | None = None,
) -> Anatomy:
    """As `contributions`, with what the sum is. Raises as it does."""
    _check_types(measure, system, query, against)
    system, query, against = normal_form(system), query and normal_form(query), against and normal_form(against)
    question = ask(measure, settings)
    if question.measure is None:
        raise UsageError(f"{question.text} is not taken apart", f"Use one of {', '.join(MEASURES)}.")
    refuse_missing(study, [question], settings)
    pair = _checked_pair(study, system, against)
    settings = settings.changed(systems=pair)
    rankings = aligned(study, settings, rankings, collection=wants_collection([question], settings))
    per_query = question.measure.per_query
    if query is None:
        table = _by_query(study, rankings, question, settings)
        formula = "Σ value / the number of queries where it is defined" if per_query else GSR_OF_QUERIES
        return Anatomy(table, "contribution", question.text, pair, None, formula)
    check_lists(study, rankings, pair, query)
    terms: Mapping[str, float] = {}
    formula = GSR_OF_WORDS
    if per_query:
        parts = [parts_of(rankings, question, settings, name, query) for name in pair]
        formula, terms = parts[0].formula, parts[0].terms
        tables = [_by_rank(rankings, one, name, query) for one, name in zip(parts, pair, strict=True)]
    else:
        tables = [gsr_by_word(study, rankings, question, settings, name, query) for name in pair]
    if against is not None:
        return Anatomy(_beside(*tables), "difference", question.text, pair, query, formula)
    return Anatomy(tables[0], "value", question.text, pair, query, formula, terms)


def _check_types(measure: object, system: object, query: object, against: object) -> None:
    expect("measure", measure, str, A_MEASURE)
    expect("system", system, str, A_NAME)
    for name, value, remedy in (("query", query, "Give the id of one, or None."), ("against", against, A_NAME)):
        if value is not None:
            expect(name, value, str, remedy)


def _checked_pair(study: Study, system: str, against: str | None) -> tuple[str, ...]:
    pair = (system,) if against is None else (system, against)
    if len(set(pair)) < len(pair):
        raise UsageError(f"{system!r} is compared with itself", "Choose two systems.")
    if unknown := [name for name in pair if name not in study.systems and name not in study.run_names]:
        remedy = use_one_of(study.systems, unknown[0])
        raise UsageError(f"the study {study.name!r} has no system {unknown[0]!r}", remedy)
    return pair


def _by_query(study: Study, rankings: AlignedRankings, question: Question, settings: Settings) -> pd.DataFrame:
    """Return the part of each query in the mean of the first system, or in its difference from the second."""
    queries = chosen_queries(study, settings)
    if question.measure is not None and not question.measure.per_query:
        table = gsr_by_query(study, rankings, question, settings, queries)
    else:
        values = values_at(rankings, question, settings, np.array([question.cutoff or settings.cutoff]))[0]
        values = Selection(study, rankings, settings.systems, queries).take(values).astype(np.float64)
        table = pd.DataFrame({"query_id": pd.Series(queries, dtype="str"), "value": values[0]})
        total = values[0]
        if len(values) > 1:
            table["value_against"] = values[1]
            total = values[0] - values[1]
        table["contribution"] = total / max(int((~np.isnan(total)).sum()), 1)
    return table.iloc[largest_first(table["contribution"].abs().to_numpy())].reset_index(drop=True)


def check_lists(study: Study, rankings: AlignedRankings, systems: tuple[str, ...], query: str) -> None:
    """Raises UsageError where one of the systems has no list for the query."""
    lists = rankings.lists
    if query not in lists.queries:
        raise UsageError(f"no run of {study.name!r} answers the query {query!r}", "Check the id.")
    for system in systems:
        if not lists.lengths[lists.row_of(system), lists.queries.index(query)]:
            raise UsageError(f"{system!r} has no list for the query {query!r}", "Choose another query or system.")


def parts_of(rankings: AlignedRankings, question: Question, settings: Settings, system: str, query: str) -> Parts:
    """Return the decomposition of one list's value: the measure's own `parts`, or the change with each rank."""
    lists, cutoff = rankings.lists, question.cutoff or settings.cutoff
    at = lists.row_of(system), lists.queries.index(query)
    if question.measure is None:
        raise ValueError(f"{question.text} is not taken apart")
    ranking = OneList(rankings, question.parameters, bias_of(rankings, settings, cutoff), cutoff, *at)
    with np.errstate(divide="ignore", invalid="ignore"):
        return question.measure.parts(ranking) if question.measure.parts else by_rank(ranking, question.measure.compute)


def _by_rank(rankings: AlignedRankings, parts: Parts, system: str, query: str) -> pd.DataFrame:
    lists = rankings.lists
    at = lists.row_of(system), lists.queries.index(query)
    documents = lists.documents[: len(parts.weights), at[0], at[1]]
    table = pd.DataFrame(
        {
            "rank": pd.array(range(1, len(documents) + 1), dtype="Int64"),
            "doc_id": pd.Series(lists.doc_ids[documents], dtype="str"),
            "weight": parts.weights,
            "contribution": parts.contributions,
            "value": parts.values,
            "formula": [
                f"{significant(p)} · {said}" for p, said in zip(parts.weights.tolist(), parts.said, strict=True)
            ],
        }
    )
    if parts.constant_said:
        table = with_constant(table, parts.constant, parts.constant_said)
    if np.isnan(parts.value):
        table = table.assign(value=np.nan, contribution=np.nan, formula=f"undefined: {parts.undefined}")
    return table.astype({"formula": "str"})


def _beside(table: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Rank by rank what two lists add: rank, doc_id, doc_id_against, value, value_against, difference."""

    def by_rank(rows: pd.DataFrame) -> pd.DataFrame:
        groups = rows.assign(rank=rows["rank"].fillna(0)).groupby("rank", sort=True)
        return pd.DataFrame({"doc_id": groups["doc_id"].first(), "value": groups["value"].sum(skipna=False)})

    first, second = by_rank(table), by_rank(other)
    ranks = first.index.union(second.index)
    pairs = pd.DataFrame(index=ranks)
    for name, groups in (("", first), ("_against", second)):
        pairs[f"doc_id{name}"] = groups["doc_id"].reindex(ranks)
        pairs[f"value{name}"] = groups["value"].reindex(ranks, fill_value=0.0)
    pairs["difference"] = pairs["value"] - pairs["value_against"]
    pairs = pairs.reset_index(names="rank")
    pairs["rank"] = pairs["rank"].mask(pairs["rank"] == 0)
    return pairs[["rank", "doc_id", "doc_id_against", "value", "value_against", "difference"]]
