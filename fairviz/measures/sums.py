"""Rankings with their evidence, and sums of evidence over ranks: the arrays of all measures.

Axis letters: S systems, Q queries, K ranks, G gender groups, D documents, C requested cutoffs.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import RLock
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.installed import Owner, frozen, read_only
from fairviz.measures.position_bias import PositionBias, counting, running_sums
from fairviz.measures.rankings import LabelEvidence, Rankings, SharedArrays, WordEvidence, candidate_lists, one_list
from fairviz.study.attributes import Attribute, cell_shares, check_attributes
from fairviz.study.record import Study
from fairviz.words.counting import GSR_LEXICON, count_groups

Array = np.ndarray
KEPT_BYTES = 2_000_000_000
Unlabelled = Literal["skip", "neutral", "strict"]
UNLABELLED: tuple[str, ...] = get_args(Unlabelled)
Values = Callable[[], Array]  # a number for each document, (D,), computed on demand
EXACT_PLACES = 4_000_000  # up to this number, sums are float64; beyond it, values are float32 and sums exact to 1e-6
MOST_LAID_OUT = 1 << 25  # places whose values are kept beside the documents; more are summed a few lists at a time
LISTS_AT_ONCE = 1 << 14
NOTHING = 1e-20  # a weight of attention below the rounding of any sum


@dataclass(frozen=True, eq=False)
class AttributeSet:
    """The cells of documents in a set, (N,) each, and its levels. They do not refer to the study."""

    name: str
    documents: pd.Series
    cells: pd.Series
    attribute: Attribute

    def lent(self, owner: Owner) -> "AttributeSet":
        """Return the set for code of others, whose changes of its columns stay with it."""
        return replace(self, documents=self.documents.copy(deep=False), cells=self.cells.copy(deep=False))

    @property
    def distance(self) -> str:
        """The distance of shares from their targets: `rnod` for levels with an order, else `jsd`."""
        return "rnod" if self.attribute.scale == "ordinal" else "jsd"

    @cached_property
    def _shares(self) -> Array:
        return cell_shares(self.cells, self.attribute)

    def shares(self, doc_ids: pd.Index) -> Array:
        """Return the share of each document in each level, (D + 1, G); rows sum to 1, the last is of no document.

        Documents without a value are spread equally over the levels. Raises FairvizError for an invalid cell.
        """
        table = pd.DataFrame({"doc_id": self.documents, self.name: self.cells})
        check_attributes(table, {self.name: self.attribute})
        rows = pd.Index(self.documents, dtype="str").get_indexer(doc_ids)
        count = len(self.attribute.levels)
        equal = np.full((1, count), 1 / count)
        return np.concatenate([np.concatenate([self._shares, equal])[rows], equal])  # row -1 reads the last


def attribute_sets(study: Study) -> Mapping[str, AttributeSet]:
    """Return the attribute sets of a study of which the documents have a column."""
    documents = study.documents
    return {
        name: AttributeSet(name, documents["doc_id"], documents[name], attribute)
        for name, attribute in study.attributes.items()
        if name in documents
    }


@dataclass(frozen=True, eq=False)
class Judgements(SharedArrays):
    """Relevance judgements by name: queries, documents and grades, (J,) each. They do not refer to the study."""

    queries: Array
    documents: Array
    grades: Array

    def relevant(self, lists: Rankings) -> list[Array]:
        """Return the documents with a grade of 1 or higher for each query, as places in doc_ids; those outside it are
        left out."""
        is_relevant = self.grades >= 1
        places = lists.doc_ids.get_indexer(pd.Index(self.documents[is_relevant], dtype="str"))
        queries = pd.Index(lists.queries, dtype="str").get_indexer(pd.Index(self.queries[is_relevant], dtype="str"))
        found = places >= 0
        return [places[found & (queries == query)] for query in range(len(lists.queries))]

    @property
    def by_query(self) -> dict[str, dict[str, int]]:
        """Return query to document to grade."""
        judged: dict[str, dict[str, int]] = {}
        for query, document, grade in zip(self.queries, self.documents, self.grades.tolist(), strict=True):
            judged.setdefault(query, {})[document] = grade
        return judged


def judgements_of_one(grades: Mapping[str, int] | None = None) -> Judgements:
    """Return grades of documents for the query of `one_list`; by default none."""
    names, values = list(grades or {}), list((grades or {}).values())
    return Judgements(np.full(len(names), "query", dtype=object), np.array(names, dtype=object), np.array(values, int))


def judgements_of(study: Study) -> Judgements:
    """Return the judgements of a study."""
    queries, documents = (study.qrels[name].to_numpy(dtype=object) for name in ("query_id", "doc_id"))
    return Judgements(queries, documents, study.qrels["relevance"].to_numpy(dtype=np.int64))


class Memory:
    """A cache that drops the least recently used values beyond KEPT_BYTES."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._values: OrderedDict[tuple, Any] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple) -> Any:
        """Return the value under the key, or None."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: tuple, value: Any) -> None:
        """Store the value, and drop the least recently used ones beyond KEPT_BYTES. Arrays become read-only."""
        value = frozen(value)
        self._bytes += _size(value) - _size(self._values.pop(key, None))
        self._values[key] = value
        while self._bytes > KEPT_BYTES and len(self._values) > 1:
            self._bytes -= _size(self._values.popitem(last=False)[1])

    def only(self, *kinds: str) -> "Memory":
        """Return a new cache with the values of these kinds."""
        selection = Memory()
        with self.lock:
            for key, value in self._values.items():
                if key[0] in kinds:
                    selection.put(key, value)
        return selection


class Apart(Memory):
    """The values of one owner in a cache, apart from all others: of these, it reads background sets alone."""

    def __init__(self, shared: Memory, owner: Owner) -> None:
        self.lock = shared.lock
        self._shared, self._owner = shared, owner

    def get(self, key: tuple) -> Any:
        """Return the owner's value under the key, or None."""
        own = self._shared.get(("of", self._owner, key))
        return self._shared.get(key) if own is None and key[0] == "background" else own

    def put(self, key: tuple, value: Any) -> None:
        """Store the value for its owner."""
        self._shared.put(("of", self._owner, key), value)

    def only(self, *kinds: str) -> Memory:
        """Return a new cache with the shared values of these kinds."""
        return self._shared.only(*kinds)


def _size(value: Any) -> int:
    parts = {id(part): part for part in (value if isinstance(value, (list, tuple)) else [value])}
    return sum(getattr(part, "nbytes", 0) for part in parts.values())


def _sum_key(name: str, bias: PositionBias, cutoff: int) -> tuple:
    return ("sums", name, bias.name, bias.curves.tobytes() if bias.name == "custom" else None, cutoff)


@dataclass(frozen=True, eq=False)
class AlignedRankings:
    """Rankings with their evidence, and a cache of sums over ranks.

    groups: the gender groups; protected: a place in groups. targets (G,): wished shares, summing to 1. unlabelled:
    the policy for a document without a label (for measures of labels) or without text (for measures of words).
    judgements: of relevance. made_of: the study and the choices behind them, recorded by fairviz.evaluation.choices,
    which compares them before it uses them. attributes: further groupings of documents, by name. origin: other
    ones and the place of each query among theirs, from which backgrounds are taken. The cache is the only state: the
    evidence never changes, and a changed copy has an empty cache. Safe to share between threads.
    """

    lists: Rankings
    labels: LabelEvidence
    words: WordEvidence
    groups: tuple[str, ...] = ("female", "male")
    neutral: str = "neutral"
    protected: int = 0
    targets: Array = field(default_factory=lambda: np.array([0.5, 0.5]))
    unlabelled: Unlabelled = "skip"
    judgements: Judgements = field(default_factory=judgements_of_one)
    made_of: tuple = ()
    attributes: Mapping[str, AttributeSet] = field(default_factory=dict, repr=False)
    origin: tuple["AlignedRankings", Array] | None = field(default=None, repr=False)
    _memory: Memory = field(default_factory=Memory, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "targets", frozen(self.targets))
        object.__setattr__(self, "origin", frozen(self.origin))

    @property
    def shape(self) -> tuple[int, int]:
        """(S, Q)."""
        return self.lists.lengths.shape

    @property
    def dtype(self) -> type:
        """float64, or float32 for more than EXACT_PLACES places."""
        return np.float64 if self.lists.documents.size <= EXACT_PLACES else np.float32

    def reach(self, cutoff: int) -> int:
        """Return the number of ranks that are read for a cutoff: of large lists no more, of others all, so that what is
        computed of them serves every cutoff."""
        depth = self.lists.depth
        return depth if self.lists.documents.size <= EXACT_PLACES else min(int(cutoff), depth)

    def with_orders(self, rankings: Rankings) -> "AlignedRankings":
        """Return a copy with the lists in other orders, and the same evidence, backgrounds and ideals."""
        changed = replace(self, lists=rankings)
        object.__setattr__(changed, "_memory", self._memory.only("background", "ideal", "omega"))
        return changed

    def with_lists(self, rankings: Rankings, queries: Array) -> "AlignedRankings":
        """Return a copy with other lists, for these queries, (N,) places in the queries; the same evidence and
        backgrounds."""
        return replace(self, lists=rankings, made_of=(), origin=(self, queries))

    def lent(self, owner: Owner) -> "AlignedRankings":
        """Return the places for a measure of others: what it caches is its own, whatever the names it gives."""
        other, sets = copy(self), {name: one.lent(owner) for name, one in self.attributes.items()}
        object.__setattr__(other, "attributes", sets)
        object.__setattr__(other, "_memory", Apart(self._memory, owner))
        return other

    # --- one number for each document, summed over ranks -----------------------------------------------------------

    def at_places(self, name: str, values: Values, depth: int) -> Array:
        """Return values() (D,) laid out as (k, S, Q) for the first `depth` ranks; 0 without a document."""
        depth = min(depth, self.lists.depth)
        with self._memory.lock:
            laid_out = self._memory.get(("places", name))
            if laid_out is None or len(laid_out) < depth:
                padded: Array = np.append(values(), 0).astype(self.dtype)  # place -1, no document, reads the last
                laid_out = np.empty((depth, *self.shape), dtype=self.dtype)
                for rank, documents in enumerate(self.lists.documents[:depth]):  # all at once takes twice as long
                    np.take(padded, documents, out=laid_out[rank], mode="wrap")
                self._memory.put(("places", name), laid_out)
            return read_only(laid_out[:depth])

    def sums(self, name: str, values: Values, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the sum of values(d) * p(i) over ranks 1..k for each cutoff k: (C, S, Q).

        values(): a number for each document (D,); `name`: its unique name. Sums are cached by position bias and
        cutoff.
        """
        requested = cutoffs.tolist()
        with self._memory.lock:
            sums_by_cutoff = {cutoff: self._memory.get(_sum_key(name, bias, cutoff)) for cutoff in requested}
            missing_cutoffs = sorted(cutoff for cutoff, value in sums_by_cutoff.items() if value is None)
            if missing_cutoffs:
                deepest = min(missing_cutoffs[-1], self.lists.depth)
                is_large = deepest * self.lists.lengths.size > MOST_LAID_OUT
                laid_out = None if is_large else self.at_places(name, values, deepest)
                if laid_out is not None and bias.together and len(missing_cutoffs) == 1:
                    self._sum_together(name, laid_out, bias, missing_cutoffs[0])
                    sums_by_cutoff.update(
                        {cutoff: self._memory.get(_sum_key(name, bias, cutoff)) for cutoff in missing_cutoffs}
                    )
            missing_cutoffs = [cutoff for cutoff in missing_cutoffs if sums_by_cutoff[cutoff] is None]
            if missing_cutoffs:
                ascending = np.array(missing_cutoffs)
                summed: Array = (
                    self._sums_by_lists(values, bias, ascending)
                    if laid_out is None
                    else running_sums(laid_out, bias, ascending)
                )
                sums_by_cutoff.update(zip(missing_cutoffs, summed, strict=True))
                for cutoff in missing_cutoffs:
                    self._memory.put(_sum_key(name, bias, cutoff), sums_by_cutoff[cutoff])
            if missing_cutoffs == requested:
                return read_only(summed)
            return np.stack([sums_by_cutoff[cutoff] for cutoff in requested])

    def _sums_by_lists(self, values: Values, bias: PositionBias, cutoffs: Array) -> Array:
        """Return `sums` of lists that are too many to be laid out together, (C, S, Q): a few thousand at a time, to the
        same bits, as a product of matrices takes as many at a time."""
        padded: Array = np.append(values(), 0).astype(self.dtype)
        depth, count = min(int(cutoffs[-1]), self.lists.depth), self.lists.lengths.size
        documents = self.lists.documents[:depth].reshape(depth, count)
        summed: Array = np.empty((len(cutoffs), count), dtype=self.dtype)
        for start in range(0, count, LISTS_AT_ONCE):
            some = slice(start, start + LISTS_AT_ONCE)
            summed[:, some] = running_sums(np.take(padded, documents[:, some], mode="wrap"), bias, cutoffs)
        return summed.reshape(len(cutoffs), *self.shape)

    def _sum_together(self, name: str, laid_out: Array, bias: PositionBias, cutoff: int) -> None:
        """Cache the sums down to a cutoff under all position biases of `bias.together`, from one product."""
        depth = min(cutoff, len(laid_out))
        curve_ends = np.cumsum([len(single_bias.curves) for single_bias in bias.together])
        curves = np.concatenate([single_bias.curves[:, :depth] for single_bias in bias.together]).astype(laid_out.dtype)
        running = np.zeros((len(curves), laid_out[0].size), dtype=laid_out.dtype)  # (B, N)
        for start in range(0, depth, 100):
            ranks = slice(start, min(start + 100, depth))
            noticeable = curves[:, ranks].max(axis=1) > NOTHING
            running[noticeable] += curves[noticeable, ranks] @ laid_out[ranks].reshape(ranks.stop - start, -1)
        for single_bias, sums in zip(bias.together, np.split(running, curve_ends[:-1]), strict=True):
            mixed = single_bias.mix[cutoff - 1] @ sums
            mixed = mixed.reshape(laid_out.shape[1:]).astype(laid_out.dtype, copy=False)
            self._memory.put(_sum_key(name, single_bias, cutoff), mixed)

    def sums_of(self, name: str, laid_out: Callable[[], Array], bias: PositionBias, cutoffs: Array) -> Array:
        """Return `sums` of numbers (K, …) that belong to no document, such as an ideal's.

        Cached only for several position biases together at one cutoff.
        """
        order = np.unique(cutoffs)
        with self._memory.lock:
            key = _sum_key(name, bias, int(order[0]))
            if bias.together and len(order) == 1 and self._memory.get(key) is None:
                self._sum_together(name, laid_out(), bias, int(order[0]))
            if len(order) == 1 and (cached := self._memory.get(key)) is not None:
                return np.stack([cached] * len(cutoffs))
        return running_sums(laid_out(), bias, order)[np.searchsorted(order, cutoffs)]

    def remembered(self, key: tuple, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, cached under this key."""
        with self._memory.lock:
            if self._memory.get(key) is None:
                self._memory.put(key, make())
            return self._memory.get(key)

    # --- labels ----------------------------------------------------------------------------------------------------

    @property
    def labelled(self) -> Array:
        """Mask (D,) of documents with a label."""
        return self.labels.labelled

    def exposure(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the exposure of neutral and of each gender group, (1 + G, C, S, Q); NaN without a label in reach."""
        group_attention = self.label_sums(bias, cutoffs)  # (1 + G, C, S, Q)
        attention = self.attention_counted("label", self.labelled, bias, cutoffs)  # (C, S, Q)
        with np.errstate(divide="ignore", invalid="ignore"):
            return group_attention / np.where(attention > 0, attention, np.nan)

    def label_sums(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the sum of p(i) over the places of each group's documents, neutral first: (1 + G, C, S, Q). A document
        of several groups counts in each by its share."""
        unlabelled = 0 if self.unlabelled == "neutral" else -1
        sums = []
        for group in range(1 + len(self.groups)):
            belonging = partial(self.labels.belonging, group, unlabelled)
            sums.append(self.sums(f"label {group}", belonging, bias, cutoffs))
        return np.stack(sums)

    # --- counted ranks ---------------------------------------------------------------------------------------------

    def attention_all(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the sum of p(i) over the existing ranks of each list within the cutoff: (C, S, Q). No scan."""
        running = np.concatenate([np.zeros((len(bias.curves), 1)), np.cumsum(bias.curves, axis=1)], axis=1)
        mixed = bias.mix[cutoffs - 1] @ running  # (C, K + 1)
        if self.lists.lengths.min(initial=1) >= cutoffs.max():  # every list is long enough
            list_attention = np.take_along_axis(mixed, cutoffs[:, None], axis=1)[:, :, None]
            return np.broadcast_to(list_attention, (len(cutoffs), *self.shape))
        reached = np.minimum(cutoffs[:, None, None], self.lists.lengths)  # (C, S, Q)
        return np.take_along_axis(mixed, reached.reshape(len(cutoffs), -1), axis=1).reshape(reached.shape)

    def attention_counted(self, evidence_name: str, has_evidence: Array, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the sum of p(i) over the ranks that count within the cutoff, (C, S, Q), under the unlabelled policy.

        `skip` leaves out places of documents without evidence, `neutral` counts every place, `strict` makes a ranking
        with a place without evidence NaN. known (D,): whether a document has evidence.
        """
        all_attention = self.attention_all(bias, cutoffs)
        reach = self.reach(np.max(cutoffs))
        first_missing = self.first_missing(evidence_name, has_evidence, reach)  # (S, Q)
        if self.unlabelled == "neutral" or (first_missing > np.max(cutoffs)).all():
            return all_attention
        if self.unlabelled == "strict":
            return np.where(first_missing <= cutoffs[:, None, None], np.nan, all_attention)
        return self.sums(f"{evidence_name} known", lambda: has_evidence, bias, cutoffs)

    def evidence_counted(self, has_evidence: Array) -> Array:
        """Return a mask (D,) of the documents that count under the unlabelled policy, if a list is not undefined."""
        return has_evidence if self.unlabelled == "skip" else np.ones_like(has_evidence)

    def first_missing(self, evidence_name: str, has_evidence: Array, depth: int | None = None) -> Array:
        """Return the first rank, down to this depth, whose document has no evidence, (S, Q); beyond every cutoff if all
        have."""

        def make() -> Array:
            beyond_all = np.iinfo(np.int64).max
            if has_evidence.all():
                return np.full(self.shape, beyond_all)
            gap = np.append(~has_evidence, False)[self.lists.documents[:depth]]  # (K, S, Q)
            return np.where(gap.any(axis=0), gap.argmax(axis=0) + 1, beyond_all)

        return self.remembered(("first missing", evidence_name, depth or self.lists.depth), make)

    def known_places(self, evidence_name: str, has_evidence: Array, cutoffs: Array) -> tuple[Array, Array]:
        """Return the number of places with evidence within each cutoff, and the number of places: (C, S, Q) each."""
        uniform = counting(max(int(np.max(cutoffs)), self.lists.depth))
        known = self.sums(f"{evidence_name} known", lambda: has_evidence, uniform, cutoffs)
        return known, self.attention_all(uniform, cutoffs)

    # --- words -----------------------------------------------------------------------------------------------------

    def word_sums(self, name: str, values: Values, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the sum of values(d) * p(i) over documents with text, (C, S, Q)."""
        return self.sums(f"words {name}", lambda: np.where(self.words.known, values(), 0), bias, cutoffs)

    def attention_with_text(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Return the sum of p(i) over the places that count for measures of words, (C, S, Q); NaN if none does."""
        attention = self.attention_counted("text", self.words.known, bias, cutoffs)
        return np.where(attention > 0, attention, np.nan)

    def background(self, name: str) -> Sequence[Array]:
        """Return the background set of each query, as places in doc_ids: `candidates`, `collection`, `relevant` or
        `run:NAME`.

        Cached by name. Raises FairvizError for a name of no system.
        """
        return self.remembered(("background", name), lambda: self._background(name))

    def _background(self, name: str) -> Sequence[Array]:
        if self.origin is not None:
            all_rankings, queries = self.origin
            sets = all_rankings.background(name)
            return [sets[query] for query in queries.tolist()]
        if name == "collection":
            return [np.flatnonzero(self.words.in_collection)] * len(self.lists.queries)
        if name == "candidates":
            return self.lists.candidates
        if name == "relevant":
            return self.judgements.relevant(self.lists)
        try:
            rows = self.lists.rows_of(name.removeprefix("run:"))
        except ValueError as error:
            raise FairvizError(
                f"the background {name!r} names no system of this study",
                f"Use candidates, collection or run:NAME with one of {', '.join(self.lists.systems)}.",
            ) from error
        return candidate_lists(self.lists, rows)


def toy(
    labels: Sequence[str] = (),
    texts: Sequence[str] = (),
    groups: tuple[str, ...] = ("female", "male"),
    grades: Mapping[str, int] | None = None,
) -> AlignedRankings:
    """Return one ranking of one system for one query, for examples: labels by rank (`-` for none), or texts by rank.
    grades: judgements of documents, d1, d2, ….
    """
    length = max(len(labels), len(texts))
    names = ("neutral", *groups)
    codes = [names.index(label) if label in names else -1 for label in labels] or [-1] * length
    counts = count_groups(list(texts) or [None] * length, GSR_LEXICON, "word", groups)
    words = WordEvidence(counts.counts, counts.tokens, counts.known, np.ones(length, dtype=bool))
    targets = np.full(len(groups), 1 / len(groups))
    return AlignedRankings(
        one_list(length),
        LabelEvidence(np.array(codes, dtype=np.int8)),
        words,
        groups,
        targets=targets,
        judgements=judgements_of_one(grades),
    )
