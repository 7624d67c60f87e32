"""Gender Stereotype Reinforcement of a study's systems: the points behind each slope, the slope, and what carries it.

Fabris, Purpura, Silvello, Susto (2020), sections 3.2 and 3.3. Axis letters: S systems, Q queries, K ranks,
D documents, V words, N (query, document) pairs.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairviz import declared
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align, aligned, missing_for_gsr, selection_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.gsr import FLAT, list_weights
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import Line, fitted_line
from fairviz.study.collection_counts import QueryWords
from fairviz.study.record import Study
from fairviz.words.counting import document_text
from fairviz.words.genderedness import PAIRS, GenderDirection, gender_direction, parse_pairs, text_genderedness
from fairviz.words.genderedness import unknown_words as unknown_in
from fairviz.words.gsr_words import WordCounts, by_form, columns_of, count_words, text_words, word_values
from fairviz.words.vectors import load_embedding

Array = np.ndarray
_CHUNK = 500_000  # pairs at a time
Summary = Callable[[pd.DataFrame, float], pd.DataFrame]
PERFECT = "perfect"
_PART = re.compile(r"^GSR\.(query|list)(?=[(@]|$)")


def direction_of(settings: Settings) -> GenderDirection:
    """The gender direction of the settings' word vectors, from their pairs: the ten, unless they name others."""
    return gender_direction(load_embedding(settings.embedding), parse_pairs(settings.pairs) or PAIRS)


def gsr_points(
    study: Study,
    settings: Settings,
    *,
    rankings: AlignedRankings | None = None,
    direction: GenderDirection | None = None,
) -> pd.DataFrame:
    """One point for each system and query: system, query_id, query, list, documents.

    query: g of the query; list: g of the ranked list, the mean of its documents' g with the weights of the settings'
    list_weights; NaN where no word, or no document, has one. documents: how many of the list have one. The list is the
    top k of the settings, or as many documents as are relevant to the query (gsr_depth `relevant`; NaN where none is).
    Documents are taken without the query's words, or without all words that share a noun's lemma with one of them
    (query_terms `lemma`). All chosen queries are included, regardless of `left_out`: see `leave_out`. direction: of
    other vectors or pairs than the settings'. Raises FairvizError where the study lacks what it needs.
    """
    lacking = missing_for_gsr(study, settings.gsr_depth)
    if lacking:
        raise FairvizError(f"GSR cannot be computed for the study {study.name!r}: {lacking}")
    rankings = aligned(study, settings, rankings)
    selection = selection_of(study, settings, rankings)
    query, lists, documents = list_genderedness(study, rankings, settings, direction or direction_of(settings))
    columns = {"query": np.broadcast_to(query, lists.shape), "list": lists, "documents": documents}
    values = {name: selection.take(table).ravel() for name, table in columns.items()}
    return pd.DataFrame({**selection.columns, **values})


def list_genderedness(
    study: Study, rankings: AlignedRankings, settings: Settings, direction: GenderDirection
) -> tuple[Array, Array, Array]:
    """g of each query (Q,), of each ranked list (S, Q), and how many documents of it have one (S, Q)."""
    lists, words = rankings.lists, list_words(study, rankings, settings, direction)
    reach = list_depths(study, lists.queries, settings.cutoff, settings.gsr_depth)  # (Q,)
    documents = lists.documents[: int(reach.max(initial=0))]  # (K, S, Q)
    ranks = np.arange(1, len(documents) + 1)
    inside = (documents >= 0) & (ranks[:, None, None] <= reach)

    # g of each pair of a query and a document is computed once, however many systems rank the document
    query = np.broadcast_to(np.arange(len(lists.queries)), documents.shape)[inside]  # (N,)
    pairs, place = np.unique(query * np.int64(len(lists.doc_ids)) + documents[inside], return_inverse=True)
    g_of_pairs = words.pairs(pairs // len(lists.doc_ids), pairs % len(lists.doc_ids))[:, 0]
    g = np.full(documents.shape, np.nan)
    g[inside] = g_of_pairs[place]

    defined = ~np.isnan(g)
    weights = np.where(defined, list_weights(ranks, settings.list_weights)[:, None, None], 0)
    weighted, total = (weights * np.nan_to_num(g)).sum(axis=0), weights.sum(axis=0)  # (S, Q)
    means = np.divide(weighted, total, out=np.full(total.shape, np.nan), where=total > 0)
    return words.query, means, defined.sum(axis=0)


def document_points(
    study: Study, settings: Settings, system: str, query_id: str, direction: GenderDirection | None = None
) -> pd.DataFrame:
    """Return the documents of one point: rank, doc_id, g, words, known, for the documents of one list that GSR looks
    at.

    g: the document's, without the query's words; NaN where no word has a vector. words: how many words it has left;
    known: how many of them have a vector. Raises FairvizError for a system or query that the runs do not hold.
    """
    if draws := study.draws.get(system, ()):
        raise FairvizError(f"{system} is the mean of {len(draws)} draws", f"Name a draw: {draws[0]}.")
    runs = study.runs[(study.runs["system"] == system) & (study.runs["query_id"] == query_id)]
    if not len(runs):
        raise FairvizError(f"{study.name} has no list of {system!r} for the query {query_id!r}")
    only = study.queries[study.queries["query_id"] == query_id]  # else every query of the study has a list
    rankings = align(
        Study(study.name, queries=only, documents=study.documents, runs=runs, word_counts=study.word_counts),
        settings.changed(crossed_with="", voters=()),  # a study without labels
    )
    words = list_words(study, rankings, settings, direction or direction_of(settings))
    reach = int(list_depths(study, rankings.lists.queries, settings.cutoff, settings.gsr_depth)[0])
    documents = rankings.lists.documents[:reach, 0, 0]
    g, words_left, words_with_vector = words.pairs(np.zeros(len(documents), dtype=np.int64), documents).T
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(documents) + 1),
            "doc_id": pd.Series(rankings.lists.doc_ids[documents], dtype="str"),
            "g": g,
            "words": words_left.astype(np.int64),
            "known": words_with_vector.astype(np.int64),
        }
    )


def unknown_words(study: Study, settings: Settings, direction: GenderDirection | None = None) -> pd.DataFrame:
    """Words that have no vector and so no g: word, part (queries or documents), count, the most frequent first."""
    embedding = (direction or direction_of(settings)).embedding
    texts = {"queries": study.queries["text"], "documents": document_text(study.documents)}
    tables = [unknown_in(embedding, list(text), settings.stop_words).assign(part=part) for part, text in texts.items()]
    return pd.concat(tables, ignore_index=True)[["word", "part", "count"]]


def list_depths(study: Study, queries: Sequence[str], cutoff: int, depth: str) -> Array:
    """Return the number of documents that count in each query's lists, (Q,): the cutoff, or the number of its relevant
    documents."""
    if depth == "cutoff":
        return np.full(len(queries), cutoff)
    relevant = study.qrels[study.qrels["relevance"] > 0]["query_id"].astype("str").value_counts()
    return relevant.reindex(list(queries), fill_value=0).to_numpy(dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ListWords:
    """g of each query (Q,); per document (D, 3) the sum of g, how many words and how many with a g; how often each
    document holds each word (D, V); per word (V, 3): g or 0, 1, and whether it has a g; and which words are dropped
    from documents for each query, 0 or 1, sparse (Q, V). is_whole: whether V are all words of the documents, and not
    those of queries alone."""

    query: Array
    totals: Array
    counts: WordCounts
    values: Array
    dropped: Any
    is_whole: bool = True

    def pairs(self, queries: Array, documents: Array) -> Array:
        """(N, 3) for pairs of places in queries and documents: the document's g without the query's words, how many
        words it then has, and how many of them have a g. The query's words are taken off the document's sums."""
        sums = self.totals[documents]  # (N, 3)
        columns = np.unique(self.dropped.indices)
        counts, dropped, values = self.counts.counts[:, columns], self.dropped[:, columns], self.values[columns]
        for start in range(0, len(documents), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            sums[chunk] -= counts[documents[chunk]].multiply(dropped[queries[chunk]]) @ values
        words_with_g = sums[:, 2]
        g = np.divide(sums[:, 0], words_with_g, out=np.full(len(sums), np.nan), where=words_with_g > 0)
        return np.column_stack([g, sums[:, 1], words_with_g])

    def of_pair(self, query: int, document: int) -> tuple[Array, Array]:
        """The words that make the document's g for this query: their columns (N,), and the count of each.

        Raises FairvizError where only the words of queries are known.
        """
        if not self.is_whole:
            raise FairvizError("word counts do not hold the words of a document", "Add documents.tsv to the study.")
        row = self.counts.counts[[document]]
        is_counted = (self.values[row.indices, 2] > 0) & ~np.isin(row.indices, self.dropped[[query]].indices)
        return row.indices[is_counted], row.data[is_counted]


def list_words(study: Study, rankings: AlignedRankings, settings: Settings, direction: GenderDirection) -> ListWords:
    """Return the words of the queries and of the documents of the rankings, with their g."""
    lists, listed, terms = rankings.lists, settings.stop_words, settings.query_terms
    texts = study.queries.set_index("query_id")["text"].reindex(list(lists.queries))
    query_texts = [text if isinstance(text, str) else "" for text in texts]
    words_by_query = [text_words(text, listed) for text in query_texts]
    stored: QueryWords | None = None
    if study.word_counts:
        read = study.word_counts
        read.check_g(settings.embedding, direction.vector, listed, (word for words in words_by_query for word in words))
        stored = rankings.remembered(("gsr query words",), lambda: read.query_words(lists.doc_ids))
        counts = WordCounts(stored.vocabulary, stored.counts)
    else:
        counts = rankings.remembered(("gsr words", listed), lambda: _counted(study, lists.doc_ids, listed))
    word_columns = rankings.remembered(("gsr forms", listed, terms), lambda: by_form(counts.vocabulary, terms))
    columns_by_query = [columns_of(words, word_columns, terms) for words in words_by_query]
    values = word_values(direction.of(counts.vocabulary))
    return ListWords(
        query=text_genderedness(direction, query_texts, listed)["g"].to_numpy(),
        totals=stored.totals if stored else counts.totals(values),
        counts=counts,
        values=values,
        dropped=_ones(columns_by_query, len(values)),
        is_whole=stored is None,
    )


def _counted(study: Study, doc_ids: pd.Index, stop_list: str) -> WordCounts:
    """Return the words of these documents, title and text together; a document without text holds none."""
    texts = pd.Series(document_text(study.documents).to_numpy(dtype=object), index=study.documents["doc_id"])
    return count_words([text if isinstance(text, str) else None for text in texts.reindex(doc_ids)], stop_list)


def _ones(columns_by_row: Sequence[Sequence[int]], width: int) -> Any:
    """Return a sparse matrix with 1 in these columns of each row."""
    from scipy.sparse import csr_matrix

    lengths = [len(columns) for columns in columns_by_row]
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    indices = np.array([column for columns in columns_by_row for column in columns], dtype=np.int64)
    return csr_matrix((np.ones(len(indices)), indices, bounds), shape=(len(columns_by_row), width))


def gsr(points: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """GSR of each system: system, slope, intercept, r, p, queries, undefined, ci_low, ci_high, theil_sen, relative.

    points: of `fairviz.evaluation.gsr.gsr_points`. slope, intercept, Pearson's r and the two-sided p of a slope of 0
    are those of least squares; theil_sen is the median of the slopes of all pairs of queries, which single queries do
    not move. The interval is by Student's t, n − 2 degrees of freedom. relative: the slope over that of the system
    named `perfect`, NaN without one (table 2 of the GSR paper prints this less 1, in percent). queries: those where
    query and list have a g; undefined: the rest. NaN where fewer than two queries are left or all have the same g (see
    `why_undefined`); r, p and the interval need three, r and p lists that differ.
    """
    systems, query, lists = _pivoted(points)
    rows = []
    for x, y in zip(query, lists, strict=True):
        x, y = _defined(x, y)
        line, robust = _line(x, y), np.nan
        if not np.isnan(line.slope):
            steps_x, steps_y = np.subtract.outer(x, x), np.subtract.outer(y, y)
            robust = float(np.median(steps_y[steps_x > 0] / steps_x[steps_x > 0]))
        slope, intercept, r, p, _, queries = line
        rows.append((slope, intercept, r, p, queries, *line.interval(level), robust))
    table = pd.DataFrame(rows, columns=["slope", "intercept", "r", "p", "queries", "ci_low", "ci_high", "theil_sen"])
    perfect = table["slope"][systems.index(PERFECT)] if PERFECT in systems else np.nan
    table = table.assign(
        system=pd.Series(systems, dtype="str"),
        undefined=points.groupby("system", sort=False).size().to_numpy() - table["queries"],
        relative=table["slope"] / (perfect if perfect != 0 else np.nan),
    )
    columns = ["system", "slope", "intercept", "r", "p", "queries", "undefined", "ci_low", "ci_high", "theil_sen"]
    return table[[*columns, "relative"]]


def left_out_slopes(points: pd.DataFrame, most: int, *, level: float = 0.95) -> pd.DataFrame:
    """Return the slopes of `gsr` without 0 to `most` of the most gendered queries: system, slope, ci_low, ci_high,
    left_out. points: grouped by system."""
    systems, query, lists = _pivoted(points)
    (system, _), (column, names) = (pd.factorize(points[name]) for name in ("system", "query_id"))
    is_there, is_kept = np.zeros(query.shape, dtype=bool), np.ones(query.shape[1], dtype=bool)
    is_there[system, column] = True
    leaving = names.get_indexer(pd.Index(_most_gendered(points)))
    rows = []
    for number in range(most + 1):
        is_kept[leaving[:number]] = False
        for name, x, y, has_point in zip(systems, query, lists, is_there, strict=True):
            if (has_point & is_kept).any():
                line = _line(*_defined(x[is_kept], y[is_kept]))
                rows.append((name, line.slope, *line.interval(level), number))
    return pd.DataFrame(rows, columns=["system", "slope", "ci_low", "ci_high", "left_out"]).astype({"system": "str"})


def _defined(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the points without those where either is NaN."""
    is_defined = ~(np.isnan(x) | np.isnan(y))
    return x[is_defined], y[is_defined]


def _line(x: Array, y: Array) -> Line:
    """Return the line through these points; NaN for fewer than two, or equal x."""
    if len(x) < 2 or np.var(x) <= FLAT:
        return Line(np.nan, np.nan, np.nan, np.nan, np.nan, len(x))
    line = fitted_line(x, y)
    return line._replace(r=np.nan, p=np.nan) if np.var(y) <= FLAT else line  # a flat line has no correlation


def _pivoted(points: pd.DataFrame) -> tuple[list[str], Array, Array]:
    """The systems, and g of queries and lists by system and query, (S, Q) each; NaN where a point is not there."""
    (system, systems), (query, queries) = (pd.factorize(points[name]) for name in ("system", "query_id"))
    tables = np.full((2, len(systems), len(queries)), np.nan)
    tables[:, system, query] = points[["query", "list"]].to_numpy(dtype=np.float64).T
    return [str(name) for name in systems], tables[0], tables[1]


def why_undefined(points: pd.DataFrame) -> dict[str, str]:
    """One sentence for each system whose slope is undefined, saying why."""
    reasons = {}
    for system, query, lists in zip(*_pivoted(points), strict=True):
        is_defined = ~(np.isnan(query) | np.isnan(lists))
        if np.isnan(query).all():
            reasons[system] = "no query has a word that the vectors hold"
        elif is_defined.sum() == 0:
            reasons[system] = "no query that has a genderedness is answered by a list that has one"
        elif is_defined.sum() == 1:
            reasons[system] = "only one query and its list have a genderedness, and a slope needs two"
        elif np.var(query[is_defined]) <= FLAT:
            reasons[system] = f"all {is_defined.sum()} queries have the same genderedness"
    return {system: f"The slope of {system} is undefined: {reason}." for system, reason in reasons.items()}


def influence(points: pd.DataFrame) -> pd.DataFrame:
    """Return the influence of each query on its system's slope: system, query_id, without, change, a row for each
    defined point.

    without: the slope when this query is left out; change: without minus the slope. NaN where too few queries, or
    only equal ones, are left. In closed form: leaving out a point with distances dx and dy from the means takes
    n/(n-1)·dx² from the sum of squares and n/(n-1)·dx·dy from that of products.
    """
    defined = points.dropna(subset=["query", "list"])
    parts = []
    for system, part in defined.groupby("system", sort=False):
        x, y = (part[name].to_numpy() - part[name].mean() for name in ("query", "list"))
        count, squares, products = len(part), x @ x, x @ y
        scale = count / (count - 1) if count > 1 else np.nan
        left = squares - scale * x**2
        enough = left > FLAT * max(count - 1, 1)
        without = np.divide(products - scale * x * y, left, out=np.full(count, np.nan), where=enough)
        slope = products / squares if squares > FLAT * count else np.nan
        rows = {"system": system, "query_id": part["query_id"].to_numpy(), "without": without}
        parts.append(pd.DataFrame({**rows, "change": without - slope}))
    empty = pd.DataFrame({"system": [], "query_id": [], "without": [], "change": []})
    table = pd.concat(parts, ignore_index=True) if parts else empty.astype({"without": "f8", "change": "f8"})
    return table.astype({"system": "str", "query_id": "str"})


def leave_out(points: pd.DataFrame, n: int) -> pd.DataFrame:
    """The points without the n most gendered queries: those whose g is farthest from the queries' mean.

    Distance from the mean, not from 0, is what gives a point weight in a slope: in GloVe nearly all g are negative.
    Equal distances go by query_id. Queries without g stay.
    """
    declared.GSR["left_out"].check(n)
    return points[~points["query_id"].isin(_most_gendered(points).head(n))].reset_index(drop=True)


def _most_gendered(points: pd.DataFrame) -> pd.Series:
    """Return the ids of the queries that have a g, the most gendered first."""
    queries = points.drop_duplicates("query_id")[["query_id", "query"]].dropna()
    distance = (queries["query"] - queries["query"].mean()).abs().round(12)
    return queries.assign(distance=-distance).sort_values(["distance", "query_id"])["query_id"]


def part_names(text: str) -> tuple[str, str]:
    """GSR@10 as its two parts per query, GSR.query@10 and GSR.list@10."""
    return text.replace("GSR", "GSR.query", 1), text.replace("GSR", "GSR.list", 1)


def split_parts(scores: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each measure of a scores table with its rows, in the table's order; GSR's two parts are one measure, whose rows
    are points: system, query_id, query, list."""
    code, texts = pd.factorize(scores["measure"])
    names = [str(text) for text in texts]
    wholes = [_PART.sub("GSR", name) for name in names]
    for name in dict.fromkeys(wholes):
        parts = {names[place]: code == place for place in range(len(names)) if wholes[place] == name}
        if not any(map(_PART.match, parts)):
            yield name, scores[parts[name]]
            continue
        columns = ["system", "query_id", "value"]
        query, lists = (scores.loc[parts.get(part, code < 0), columns] for part in part_names(name))
        points = query.merge(lists, on=["system", "query_id"]).astype({"system": "str"})
        yield name, points.set_axis(["system", "query_id", "query", "list"], axis=1)


def summarise_parts(scores: pd.DataFrame, means: Summary, level: float) -> pd.DataFrame:
    """The summary of a scores table: `means` of it, with one row a system where the scores hold the parts of a GSR.

    Columns of `fairviz.evaluation.scores.summarise`, in the order of the scores.
    """
    if not any(_PART.match(name) for name in scores["measure"].astype("str").unique()):
        return means(scores, level)
    measures = list(split_parts(scores))
    plain = [points for _, points in measures if "list" not in points]
    tables = [means(pd.concat(plain), level)] if plain else []
    tables += [_summarised(name, points, level) for name, points in measures if "list" in points]
    order = {name: place for place, (name, _) in enumerate(measures)}
    summary = pd.concat(tables, ignore_index=True)
    return summary.sort_values("measure", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


def _summarised(name: str, points: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the rows of a summary for one GSR, a row a system. points: as `gsr` takes them."""
    table = gsr(points, level=level).rename(columns={"slope": "value"})
    table = table.assign(measure=pd.Series(name, index=table.index, dtype="str"), coverage=np.nan)
    return table[["system", "measure", "value", "ci_low", "ci_high", "queries", "undefined", "coverage"]]
