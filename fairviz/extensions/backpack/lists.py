"""The slow part of steering: texts encoded by sense under each model, and the lists of every weight."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.experiment import substituted
from fairviz.analyses.gender_swap.triples import triples
from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.backpack.corpus import LONGEST
from fairviz.extensions.backpack.encoding import cut_off, own_sensitivity, sense_vectors, text_vectors
from fairviz.extensions.backpack.loading import Backpack, loaded
from fairviz.extensions.backpack.words import HIGHEST, refuse_nothing
from fairviz.models.reading_time import read_seconds
from fairviz.models.sentence_encoder import MINILM, located, unread
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import documents_with_text, rank
from fairviz.study.record import Study
from fairviz.words.counterparts import apply_edits, find_edits, packaged
from fairviz.words.counting import document_text
from fairviz.words.vectors import unit

Array = np.ndarray
TRIPLES, SWAPPED = "wordings that the study's authors wrote", "texts with every gender word and name swapped"
ROUNDING = 1e-6  # rounding error of a cosine in single precision
MOST = 2_000  # documents with swapped genders at most, drawn with a fixed seed
Progress = Callable[[str, int, int], None]
Senses = tuple[int, ...]
WEIGHTS = tuple(round(0.1 * step, 1) for step in range(21))
DEPTH = 50  # of the lists, unless the cutoff is deeper
MOST_PLACEBOS = 28
MOST_SCORES = 4_000_000  # queries × documents up to which the references' gap is measured
REFERENCES = ("bm25", "bi_encoder")
RANKING = 3e-5  # seconds of a processor to rank a text at one weight of one set of senses: 7 for newswire


def _no_indices() -> Array:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Wordings:
    """Pairs of texts that differ in gender only.

    kind: TRIPLES, SWAPPED, or "" without pairs. Of triples: N pairs, each of a query and two documents, by index. Of
    swapped texts: the documents' indices `changed` (C,), and the swapped texts `others`, which are scored for every
    query. left_out: number of further documents that could be swapped.
    """

    kind: str = ""
    query: Array = field(default_factory=_no_indices)
    first: Array = field(default_factory=_no_indices)
    second: Array = field(default_factory=_no_indices)
    changed: Array = field(default_factory=_no_indices)
    others: tuple[str, ...] = ()
    left_out: int = 0

    def gap(self, scores: Array) -> Array:
        """Return the gap between the scores of the two wordings in standard deviations of the query's scores of all
        documents: the mean over a query's pairs, (Q,) from (Q, D + C).

        NaN if a query has no pair or no spread.
        """
        documents = scores.shape[1] - len(self.others)
        spread = scores[:, :documents].std(axis=1)
        if self.kind == SWAPPED:
            gaps = _distance(scores[:, self.changed], scores[:, documents:]).mean(axis=1)
        elif self.kind == TRIPLES:
            pair_gaps = _distance(scores[self.query, self.first], scores[self.query, self.second])
            count = np.bincount(self.query, minlength=len(scores))
            total = np.bincount(self.query, pair_gaps, minlength=len(scores))
            gaps = np.divide(total, count, out=np.full(len(scores), np.nan), where=count > 0)
        else:
            return np.full(len(scores), np.nan)
        return np.divide(gaps, spread, out=np.full(len(scores), np.nan), where=spread > 0)


def _distance(scores: Array, other_scores: Array) -> Array:
    """Return the absolute difference of scores; 0 for rounding errors of another batch."""
    difference = np.abs(scores - other_scores)
    return np.where(difference > ROUNDING, difference, 0)


def wordings_of(study: Study, queries: Sequence[str], documents: Sequence[str]) -> Wordings:
    """Return the pairs of the study: documents in three wordings if it has them, else documents and their
    gender-swapped texts.

    queries and documents: ids of those with text, by index.
    """
    triples_table = triples(study)
    if len(triples_table):
        return _pairs_of_triples(triples_table, study.groups, queries, documents)
    return _pairs_of_swaps(study, documents)


def _pairs_of_triples(
    triples_table: pd.DataFrame, groups: Sequence[str], queries: Sequence[str], documents: Sequence[str]
) -> Wordings:
    query_index, names = pd.Index(list(queries)), pd.Index(list(documents))
    query = query_index.get_indexer(pd.Index(triples_table["query_id"]))
    tables = []
    for one, other in combinations(groups, 2):
        places = np.stack([query, *(names.get_indexer(pd.Index(triples_table[each])) for each in (one, other))])
        tables.append(places[:, (places >= 0).all(axis=0)])
    rows = np.concatenate(tables, axis=1)
    return Wordings(TRIPLES, *rows) if rows.shape[1] else Wordings()


def _pairs_of_swaps(study: Study, documents: Sequence[str]) -> Wordings:
    texts = pd.Series(document_text(study.documents).to_numpy(), index=study.documents["doc_id"].to_numpy())
    counterparts = packaged()
    swapped = [
        (place, apply_edits(text, pieces))
        for place, text in enumerate(texts.reindex(list(documents)))
        if isinstance(text, str) and (pieces := find_edits(text, counterparts))
    ]
    if not swapped:
        return Wordings()
    rows = np.arange(len(swapped))
    if len(swapped) > MOST:
        rows = np.sort(np.random.default_rng(0).permutation(len(swapped))[:MOST])
    sample = [swapped[row] for row in rows]
    return Wordings(
        SWAPPED,
        changed=np.array([place for place, _ in sample], dtype=np.int64),
        others=tuple(text for _, text in sample),
        left_out=len(swapped) - len(sample),
    )


def lacking(study: Study) -> tuple[str, str]:
    """Return what the study lacks for a ranker, and how to add it; two empty texts if nothing is missing."""
    if not study.has("queries") or not study.queries["text"].str.strip().any():
        return f"{study.name} has no text of queries to rank for.", "Add queries.csv with the columns query_id, text."
    if not study.has("documents") or study.documents["text"].isna().all():
        return (
            f"{study.name} has no text of documents to read.",
            "Add documents.csv (or .tsv, .jsonl, .parquet) with the columns doc_id and text.",
        )
    return "", ""


def refuse_lacking(study: Study) -> None:
    """Raise FairvizError if the study lacks text."""
    message, remedy = lacking(study)
    if message:
        raise FairvizError(message.removesuffix("."), remedy)


@dataclass(frozen=True, eq=False)
class Read:
    """Q queries and D documents with text, in the order of their ids, with the wordings of the documents."""

    study: Study
    queries: tuple[str, ...]
    query_texts: tuple[str, ...]
    documents: tuple[str, ...]
    document_texts: tuple[str, ...]
    wordings: Wordings

    @property
    def texts(self) -> list[str]:
        """All texts to encode: documents, their other wordings, queries."""
        return [*self.document_texts, *self.wordings.others, *self.query_texts]


@dataclass(frozen=True, eq=False)
class Weighted:
    """One model's lists: P sets of senses, the sensitive ones first and then placebos, W weights.

    queries (Q, L, d) and documents (D + C, L, d): texts by sense. lists (K, P, W, Q): document indices, best first, −1
    below a list's end. gap (P, W, Q): see `Wordings.gap`.
    """

    name: str
    senses: tuple[Senses, ...]
    queries: Array
    documents: Array
    lists: Array
    gap: Array

    def policy(self, weight: float, place: int = 0) -> Array:
        """Return the weight of each sense (L,) if the set at this index is weighted."""
        return weights_of(self.queries.shape[1], self.senses[place], weight)


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists of each model over the weights, the main model first, and those of the references.

    weights (W,) ascending, including 1. runs: of REFERENCES; reference_gap: of each (R, Q). messages: omissions.
    """

    read: Read
    weights: tuple[float, ...]
    models: tuple[Weighted, ...]
    runs: pd.DataFrame
    reference_gap: Array
    depth: int
    messages: tuple[str, ...]

    MADE_ANEW: ClassVar = {"read": lambda values, given: read_of(given["study"])}  # of a packaged result

    @property
    def main(self) -> Weighted:
        """The main model."""
        return self.models[0]

    def scores(self, query: str, weights: Sequence[float]) -> Array:
        """Return the cosines of a query with every document, (W, D), at any weights of the sensitive senses; −inf
        for a document without a token, which is in no list.
        """
        model, place = self.main, self.read.queries.index(query)
        documents = model.documents[: len(self.read.documents)]
        score_pairs = [scored(model.queries[place : place + 1], documents, model.policy(weight)) for weight in weights]
        return np.stack([np.where(held, scores, -np.inf)[0] for scores, held in score_pairs])

    def lean(self) -> "Lists":
        """Return the same lists with no more vectors than `scores` reads: of the main model's documents and queries two
        sums, of the sensitive senses and of the others, in place of a vector a sense."""
        main, count = self.main, len(self.read.documents)
        sensitive = list(main.senses[0])
        others = [sense for sense in range(main.queries.shape[1]) if sense not in sensitive]

        def summed(vectors: Array) -> Array:
            sums = np.zeros_like(vectors)
            for senses in filter(None, (sensitive, others)):
                sums[:, senses[0]] = vectors[:, senses].sum(axis=1)
            return sums

        lean_main = replace(main, queries=summed(main.queries), documents=summed(main.documents[:count]))
        rest = (replace(model, queries=model.queries[:0], documents=model.documents[:0]) for model in self.models[1:])
        return replace(self, models=(lean_main, *rest))


def weights_of(senses: int, chosen: Senses, weight: float) -> Array:
    """Return the weight for the chosen senses and 1 for the others, (L,)."""
    weights = np.ones(senses)
    weights[list(chosen)] = weight
    return weights


def read_of(study: Study) -> Read:
    """Return the texts of the study. Raises FairvizError if it has none."""
    refuse_lacking(study)
    queries_with_text = study.queries[study.queries["text"].str.strip() != ""]
    texts = documents_with_text(study).by_name
    names = sorted(texts)  # tied scores are ordered by name, as in every ranker
    queries = tuple(map(str, queries_with_text["query_id"]))
    wordings = wordings_of(study, queries, names)
    return Read(
        study, queries, tuple(queries_with_text["text"]), tuple(names), tuple(map(texts.__getitem__, names)), wordings
    )


def sense_sets(model: Backpack, count: int) -> tuple[Senses, ...]:
    """Return the `count` senses that carry most gender, and as placebos every set of as many others.

    Of more than 28 sets, 28 are drawn with a fixed seed. Raises UsageError if there are too few senses.
    """
    order = own_sensitivity(model).order.tolist()
    if not 1 <= count <= len(order):
        raise UsageError(f"{count} senses cannot get the weight", f"Use a whole number from 1 to {len(order)}.")
    placebos = list(combinations(sorted(order[count:]), count))
    if len(placebos) > MOST_PLACEBOS:
        rows = np.sort(np.random.default_rng(0).permutation(len(placebos))[:MOST_PLACEBOS])
        placebos = [placebos[row] for row in rows]
    return (tuple(sorted(order[:count])), *placebos)


def checked_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """Return the weights in order, each once, including 1. Raises UsageError for one below 0 or above 2."""
    for weight in weights:
        if not 0 <= weight <= HIGHEST:
            raise UsageError(f"a weight is {weight:g}", f"Use numbers from 0 to {HIGHEST:g}.")
    return tuple(sorted({1.0, *map(float, weights)}))


def lists_of(
    study: Study,
    models: Sequence[str],
    progress: Progress,
    *,
    weights: Sequence[float] = WEIGHTS,
    senses: int = 2,
    depth: int = DEPTH,
) -> Lists:
    """Return the lists of these models over the weights, and those of the references.

    Models by name or folder, the main one first. Raises FairvizError for a study without text, see `loaded`, and
    UsageError for invalid arguments.
    """
    read, stops = read_of(study), checked_weights(weights)
    deep = min(depth, len(read.documents))
    weighted = [_weighted(read, loaded(name), stops, senses, deep, progress) for name in models]
    messages = []
    texts = [*read.document_texts, *read.query_texts]
    if count := sum(1 for _ in cut_off(texts, loaded(models[0]))):
        messages.append(
            f"Longer than {LONGEST} WordPieces: {count:,} of {len(texts):,} texts. Neither a Backpack nor "
            "MiniLM reads the rest of such a text."
        )
    if len(weighted[0].senses) == 1:
        messages.append(f"There is no placebo: no {senses} other senses are left.")
    if read.wordings.left_out:
        messages.append(
            f"{read.wordings.left_out:,} documents with gender words were not swapped: {len(read.wordings.others):,} "
            "drawn at random represent all of them."
        )
    runs, gap = _references(read, deep, progress, messages)
    return Lists(read, stops, tuple(weighted), runs, gap, deep, tuple(messages))


def _weighted(
    read: Read, model: Backpack, weights: tuple[float, ...], senses: int, depth: int, progress: Progress
) -> Weighted:
    name, sets = model.name or "the packaged model", sense_sets(model, senses)
    refuse_nothing(weights_of(model.senses, sets[0], weights[0]))
    vectors = sense_vectors(
        read.texts, model, lambda done, whole: progress(f"Reading texts sense by sense, {name}", done, whole)
    )
    split = len(vectors) - len(read.queries)
    result = Weighted(
        model.name,
        sets,
        vectors[split:],
        vectors[:split],
        np.full((depth, len(sets), len(weights), len(read.queries)), -1, dtype=np.int32),
        np.full((len(sets), len(weights), len(read.queries)), np.nan),
    )
    for place in range(len(sets)):
        progress(f"Ranking at {len(weights)} weights, {name}", place, len(sets))
        for stop, weight in enumerate(weights):
            if weight == 1 and place:  # the original model
                result.lists[:, place, stop], result.gap[place, stop] = result.lists[:, 0, stop], result.gap[0, stop]
            else:
                _fill(read, result, place, stop, weight)
    return result


def _fill(read: Read, weighted: Weighted, place: int, stop: int, weight: float) -> None:
    """Rank at one weight of one set of senses, and set its lists and gaps. Raises FairvizError for vectors that are not
    finite."""
    scores, has_vector = scored(weighted.queries, weighted.documents, weighted.policy(weight, place))
    if not np.isfinite(scores).all():
        raise FairvizError("the Backpack gives vectors that are not finite", "Use another model.")
    count, depth = len(read.documents), len(weighted.lists)
    weighted.lists[:, place, stop] = best(scores[:, :count], depth, has_vector[:, :count]).T
    weighted.gap[place, stop] = read.wordings.gap(scores)


def scored(queries: Array, documents: Array, policy: Array) -> tuple[Array, Array]:
    """Return the cosine of each query with each document (Q, D) under weights of the senses, and whether both have a
    vector other than 0: a text without a token has none, and is in no list.
    """
    query_vectors, document_vectors = unit(text_vectors(queries, policy)), unit(text_vectors(documents, policy))
    has_vector = np.any(query_vectors, axis=1, keepdims=True) & np.any(document_vectors, axis=1)
    return query_vectors @ document_vectors.T, has_vector


def best(scores: Array, depth: int, candidates: Array | None = None) -> Array:
    """Return the indices of the documents with the highest scores, (Q, K) from (Q, D), ties in their order; −1 below a
    list's end.

    candidates (Q, D): mask of candidates, all for None.
    """
    count = scores.shape[1]
    if candidates is not None and not candidates.all():
        scores = np.where(candidates, scores, -np.inf)
    if count <= 8 * depth:
        order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    else:
        least = np.partition(scores, count - depth, axis=1)[:, count - depth]
        order = np.array([_best_of_row(row, lowest, depth) for row, lowest in zip(scores, least, strict=True)])
    return np.where(np.isneginf(np.take_along_axis(scores, order, axis=1)), -1, order)


def _best_of_row(row: Array, lowest: float, depth: int) -> Array:
    """Return the indices of the `depth` highest scores (D,), of which `lowest` is the least."""
    places = np.flatnonzero(row >= lowest)
    return places[np.argsort(-row[places], kind="stable")][:depth]


def _references(read: Read, depth: int, progress: Progress, messages: list[str]) -> tuple[pd.DataFrame, Array]:
    """Return the runs of BM25 and MiniLM and their gaps (R, Q), NaN if there are too many scores."""
    rankers = parse_rankers(",".join(REFERENCES))
    too_many = len(read.queries) * len(read.documents) > MOST_SCORES
    reach = depth if too_many else len(read.documents)

    def report(count: int, total: int) -> None:
        progress("Reading texts with MiniLM, a reference", count, total)

    runs = rank(read.study, rankers, reach, encoding=report).runs
    gap = np.full((len(REFERENCES), len(read.queries)), np.nan)
    if too_many:
        messages.append("The gap of BM25 and MiniLM is not measured: the collection is too large to score whole.")
    elif read.wordings.kind:
        swapped_runs = _swapped_runs(read, report) if read.wordings.kind == SWAPPED else None
        for row, name in enumerate(REFERENCES):
            scores = _matrix(read, runs, name)
            if swapped_runs is not None:
                scores = np.hstack([scores, _matrix(read, swapped_runs, name)[:, read.wordings.changed]])
            gap[row] = read.wordings.gap(scores)
    return runs[runs["rank"] <= depth].reset_index(drop=True), gap


def _swapped_runs(read: Read, progress: Callable[[int, int], None]) -> pd.DataFrame:
    """Return the references' runs of the documents with genders swapped."""
    swapped_study = substituted(read.study, packaged()).study
    return rank(swapped_study, parse_rankers(",".join(REFERENCES)), len(read.documents), encoding=progress).runs


def _matrix(read: Read, runs: pd.DataFrame, name: str) -> Array:
    """Return a ranker's scores (Q, D), 0 for documents that it does not retrieve."""
    rows = runs[runs["system"] == name].astype({"query_id": "str", "doc_id": "str"})
    scores = rows.pivot(index="query_id", columns="doc_id", values="score")
    return scores.reindex(index=read.queries, columns=read.documents).fillna(0.0).to_numpy(dtype=float)


def reading_seconds(read: Read, models: Sequence[str], senses: int = 2) -> float:
    """Return the seconds in which `lists_of` makes the lists of these models.

    Each model reads the texts that it has not read, and so does MiniLM, a reference. Raises: see `loaded`.
    """
    minilm = located(MINILM)
    kinds = [*(f"backpack-{loaded(name).key}" for name in models), "bi"]
    texts = [text for kind in kinds for text in unread(read.texts, minilm, kind)]
    stops = len(WEIGHTS) * sum(len(sense_sets(loaded(name), senses)) for name in models)
    return read_seconds(texts, RANKING * stops * len(read.texts))
