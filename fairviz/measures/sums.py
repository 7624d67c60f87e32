"""What stands at every place of every ranking, and its sums over ranks: the arrays that measures are written in.

Axis letters: S systems, Q queries, K ranks, G gender groups, D documents, C cutoffs asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from fairviz.errors import FairvizError
from fairviz.measures.memory import Memory
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import Array, LabelEvidence, Rankings, WordEvidence, candidate_lists, one_list
from fairviz.words.counting import GSR_LEXICON, count_groups

Unlabelled = Literal["skip", "neutral", "strict"]
UNLABELLED: tuple[str, ...] = get_args(Unlabelled)
Values = Callable[[], Array]  # makes a number for each document, (D,), when it is needed
EXACT_PLACES = 4_000_000  # up to so many places sums are float64; beyond, values are float32 and sums stay within 1e-6
NOTHING = 1e-20  # a weight of attention that no sum of others would notice


def _sum_key(name: str, bias: PositionBias, cutoff: int) -> tuple:
    return ("sums", name, bias.name, bias.curves.tobytes() if bias.name == "custom" else None, cutoff)


@dataclass(eq=False)
class Places:
    """Rankings with their evidence, and the sums over ranks that were asked for so far.

    groups: the gender groups; protected: a place in groups. targets (G,): wished shares, summing to 1. unlabelled:
    what a document without a label (for measures of labels) or without text (for measures of words) counts as.
    made_of: the study and the choices that made them, as fairviz.evaluation.choices writes them down; it asks before
    it answers from them. Holds state only to remember sums; the evidence never changes, and a changed copy remembers
    nothing. Safe to share between threads.
    """

    rankings: Rankings
    labels: LabelEvidence
    words: WordEvidence
    groups: tuple[str, ...] = ("female", "male")
    neutral: str = "neutral"
    protected: int = 0
    targets: Array = field(default_factory=lambda: np.array([0.5, 0.5]))
    unlabelled: Unlabelled = "skip"
    made_of: tuple = ()
    _memory: Memory = field(default_factory=Memory, init=False, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """(S, Q)."""
        return self.rankings.lengths.shape

    @property
    def dtype(self) -> type:
        """float64, or float32 where there are more than EXACT_PLACES places."""
        return np.float64 if self.rankings.documents.size <= EXACT_PLACES else np.float32

    def with_orders(self, rankings: Rankings) -> "Places":
        """The same evidence with the lists in other orders; what the backgrounds were they stay, as do their ideals."""
        changed = replace(self, rankings=rankings)
        changed._memory = self._memory.only("background", "ideal")
        return changed

    # --- one number for each document, summed over ranks -----------------------------------------------------------

    def at_places(self, name: str, values: Values, depth: int) -> Array:
        """A number for each document (D,) laid out as (k, S, Q) for the first `depth` ranks; 0 where no document."""
        depth = min(depth, self.rankings.depth)
        with self._memory.lock:
            kept = self._memory.get(("places", name))
            if kept is None or len(kept) < depth:
                padded: Array = np.append(values(), 0).astype(self.dtype)  # place -1, no document, takes the last
                kept = np.empty((depth, *self.shape), dtype=self.dtype)
                for rank, documents in enumerate(self.rankings.documents[:depth]):  # all at once takes twice as long
                    np.take(padded, documents, out=kept[rank], mode="wrap")
                self._memory.put(("places", name), kept)
            return kept[:depth]

    def sums(self, name: str, values: Values, bias: PositionBias, cutoffs: Array) -> Array:
        """Sum of values(d) * p(i) over ranks 1..k for each cutoff k: (C, S, Q).

        values() gives a number for each document (D,), and `name` names it uniquely. Sums are remembered by position
        bias and cutoff, so that going back to a cutoff costs nothing.
        """
        asked = cutoffs.tolist()
        with self._memory.lock:
            known = {k: self._memory.get(_sum_key(name, bias, k)) for k in asked}
            missing = sorted(k for k, value in known.items() if value is None)
            if missing:
                laid_out = self.at_places(name, values, missing[-1])
                if bias.together and len(missing) == 1:
                    self._sum_together(name, laid_out, bias, missing[0])
                    known.update({k: self._memory.get(_sum_key(name, bias, k)) for k in missing})
            missing = [k for k in missing if known[k] is None]
            if missing:
                summed = running_sums(laid_out, bias, np.array(missing))
                known.update(zip(missing, summed, strict=True))
                for k in missing:
                    self._memory.put(_sum_key(name, bias, k), known[k])
            return summed if missing == asked else np.stack([known[k] for k in asked])

    def _sum_together(self, name: str, laid_out: Array, bias: PositionBias, cutoff: int) -> None:
        """Remembers the sums down to a cutoff under all position biases that are asked for together: one product."""
        depth, ends = min(cutoff, len(laid_out)), np.cumsum([len(one.curves) for one in bias.together])
        curves = np.concatenate([one.curves[:, :depth] for one in bias.together]).astype(laid_out.dtype)
        running = np.zeros((len(curves), laid_out[0].size), dtype=laid_out.dtype)  # (B, N)
        for start in range(0, depth, 100):
            ranks = slice(start, min(start + 100, depth))
            seen = curves[:, ranks].max(axis=1) > NOTHING
            running[seen] += curves[seen, ranks] @ laid_out[ranks].reshape(ranks.stop - start, -1)
        for one, sums in zip(bias.together, np.split(running, ends[:-1]), strict=True):
            mixed = one.mix[cutoff - 1] @ sums
            mixed = mixed.reshape(laid_out.shape[1:]).astype(laid_out.dtype, copy=False)
            self._memory.put(_sum_key(name, one, cutoff), mixed)

    def sums_of(self, name: str, laid_out: Callable[[], Array], bias: PositionBias, cutoffs: Array) -> Array:
        """As `sums`, of numbers (K, …) that are no document's, as an ideal's; remembered only where several position
        biases are asked for together, at one cutoff."""
        order = np.unique(cutoffs)
        with self._memory.lock:
            key = _sum_key(name, bias, int(order[0]))
            if bias.together and len(order) == 1 and self._memory.get(key) is None:
                self._sum_together(name, laid_out(), bias, int(order[0]))
            if len(order) == 1 and (held := self._memory.get(key)) is not None:
                return np.stack([held] * len(cutoffs))
        return running_sums(laid_out(), bias, order)[np.searchsorted(order, cutoffs)]

    def remembered(self, key: tuple, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once under this key."""
        with self._memory.lock:
            value = self._memory.get(key)
            if value is None:
                value = make()
                self._memory.put(key, value)
            return value

    # --- labels ----------------------------------------------------------------------------------------------------

    @property
    def labelled(self) -> Array:
        """(D,) whether each document has a label."""
        return self.labels.codes >= 0

    def exposure(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Exposure of neutral and of each gender group, (1 + G, C, S, Q); NaN where nothing in reach has a label."""
        held = self.label_sums(bias, cutoffs)  # (1 + G, C, S, Q)
        counted = self.attention_counted("label", self.labelled, bias, cutoffs)  # (C, S, Q)
        with np.errstate(divide="ignore", invalid="ignore"):
            return held / np.where(counted > 0, counted, np.nan)

    def label_sums(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Sum of p(i) over the places of each group's documents, neutral first: (1 + G, C, S, Q)."""
        unlabelled = 0 if self.unlabelled == "neutral" else -1

        def held_by(group: int) -> Array:
            return np.where(self.labelled, self.labels.codes, unlabelled) == group

        names = range(1 + len(self.groups))
        return np.stack([self.sums(f"label {g}", partial(held_by, g), bias, cutoffs) for g in names])

    # --- what counts -----------------------------------------------------------------------------------------------

    def attention_all(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Sum of p(i) over the ranks a list really has within the cutoff: (C, S, Q). From a table, no scan."""
        running = np.concatenate([np.zeros((len(bias.curves), 1)), np.cumsum(bias.curves, axis=1)], axis=1)
        mixed = bias.mix[cutoffs - 1] @ running  # (C, K + 1)
        if self.rankings.lengths.min(initial=1) >= cutoffs.max():  # every list is long enough
            whole = np.take_along_axis(mixed, cutoffs[:, None], axis=1)[:, :, None]
            return np.broadcast_to(whole, (len(cutoffs), *self.shape))
        reached = np.minimum(cutoffs[:, None, None], self.rankings.lengths)  # (C, S, Q)
        return np.take_along_axis(mixed, reached.reshape(len(cutoffs), -1), axis=1).reshape(reached.shape)

    def attention_counted(self, what: str, known: Array, bias: PositionBias, cutoffs: Array) -> Array:
        """Sum of p(i) over the ranks that count within the cutoff, (C, S, Q), under the unlabelled policy.

        `skip` leaves out the places of documents without evidence, `neutral` counts every place, `strict` gives NaN
        to a ranking with such a place. known (D,): whether a document has evidence.
        """
        everything = self.attention_all(bias, cutoffs)
        first_missing = self.first_missing(what, known)  # (S, Q)
        if self.unlabelled == "neutral" or (first_missing > np.max(cutoffs)).all():
            return everything
        if self.unlabelled == "strict":
            return np.where(first_missing <= cutoffs[:, None, None], np.nan, everything)
        return self.sums(f"{what} known", lambda: known, bias, cutoffs)

    def first_missing(self, what: str, known: Array) -> Array:
        """The first rank whose document has no evidence, (S, Q); beyond every cutoff where there is none."""

        def make() -> Array:
            none = np.iinfo(np.int64).max
            if known[: int(self.rankings.documents.max(initial=-1)) + 1].all():
                return np.full(self.shape, none)
            gap = np.append(~known, False)[self.rankings.documents]  # (K, S, Q)
            return np.where(gap.any(axis=0), gap.argmax(axis=0) + 1, none)

        return self.remembered(("first missing", what), make)

    def known_places(self, what: str, known: Array, cutoffs: Array) -> tuple[Array, Array]:
        """How many of the places within each cutoff have evidence, and how many places there are: (C, S, Q) each."""
        uniform = counting(max(int(np.max(cutoffs)), self.rankings.depth))
        return self.sums(f"{what} known", lambda: known, uniform, cutoffs), self.attention_all(uniform, cutoffs)

    # --- words -----------------------------------------------------------------------------------------------------

    def word_sums(self, name: str, values: Values, bias: PositionBias, cutoffs: Array) -> Array:
        """Sum of values(d) * p(i) over documents with text, (C, S, Q)."""
        return self.sums(f"words {name}", lambda: np.where(self.words.known, values(), 0), bias, cutoffs)

    def attention_with_text(self, bias: PositionBias, cutoffs: Array) -> Array:
        """Sum of p(i) over the places that count for measures of words, (C, S, Q); NaN where none does."""
        counted = self.attention_counted("text", self.words.known, bias, cutoffs)
        return np.where(counted > 0, counted, np.nan)

    def background(self, name: str) -> list[Array]:
        """The background set of each query, as places in doc_ids: `candidates`, `collection` or `run:NAME`."""

        def make() -> list[Array]:
            systems = self.rankings.systems
            if name == "collection":
                return [np.flatnonzero(self.words.in_collection)] * len(self.rankings.queries)
            if name == "candidates":
                return self.rankings.candidates
            if name.removeprefix("run:") not in systems:
                raise FairvizError(
                    f"the background {name!r} names no system of this study",
                    f"Use candidates, collection or run:NAME with one of {', '.join(systems)}.",
                )
            return candidate_lists(self.rankings, [systems.index(name.removeprefix("run:"))])

        return self.remembered(("background", name), make)


def counting(depth: int) -> PositionBias:
    """The position bias under which a sum over ranks counts: 1 at every rank."""
    return PositionBias("uniform", np.ones((1, depth)), np.ones((depth, 1)))


def running_sums(values: Array, bias: PositionBias, cutoffs: Array) -> Array:
    """Sum over ranks 1..k of values(i) * p_k(i) for ascending cutoffs: (K, …) to (C, …).

    One pass over the values however many cutoffs are asked for: the ranks between two cutoffs are one product.
    """
    depth, rest = len(values), values.shape[1:]
    flat = values.reshape(depth, -1)  # (K, N)
    curves = bias.curves.astype(values.dtype)  # (B, K)
    running = np.zeros((len(curves), flat.shape[1]))  # (B, N)
    out = np.empty((len(cutoffs), flat.shape[1]), dtype=values.dtype)
    start = 0
    for row, cutoff in enumerate(cutoffs):
        stop = min(int(cutoff), depth)
        if stop > start:
            running += curves[:, start:stop] @ flat[start:stop]
            start = stop
        if len(running) == 1:
            np.multiply(running[0], bias.mix[cutoff - 1, 0], out=out[row], casting="same_kind")
        else:
            out[row] = bias.mix[cutoff - 1] @ running
    return out.reshape(len(cutoffs), *rest)


def toy(labels: Sequence[str] = (), texts: Sequence[str] = (), groups: tuple[str, ...] = ("female", "male")) -> Places:
    """One ranking of one system for one query, for examples: labels by rank (`-` for none), or texts by rank."""
    length = max(len(labels), len(texts))
    names = ("neutral", *groups)
    codes = [names.index(label) if label in names else -1 for label in labels] or [-1] * length
    counts = count_groups(list(texts) or [None] * length, GSR_LEXICON, "word", groups)
    words = WordEvidence(counts.counts, counts.tokens, counts.known, np.ones(length, dtype=bool))
    targets = np.full(len(groups), 1 / len(groups))
    return Places(one_list(length), LabelEvidence(np.array(codes, dtype=np.int8)), words, groups, targets=targets)
