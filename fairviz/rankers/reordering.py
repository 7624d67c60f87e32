"""Rankers that reorder the lists of a run: neutral, balanced, oracle and detconstsort.

Axis letters: Q queries, K ranks, N documents of one list, G gender groups, D documents, k ranks up to the cutoff. A
code is a label: -1 none, 0 neutral, 1 … G the gender groups.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import floor

import numpy as np
import pandas as pd

from fairviz.annotation.rules import lexicon_of
from fairviz.annotation.voters import counted_annotator, labels_of
from fairviz.errors import FairvizError, UsageError
from fairviz.measures.neutrality import neutrality
from fairviz.measures.position_bias import MAX_CUTOFF, position_bias
from fairviz.measures.rankings import align_runs, label_evidence, no_words, relevance_by_query, targets, words_of
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker
from fairviz.study.record import Study
from fairviz.study.tables import ranked
from fairviz.words.sentences import out_of
from fairviz.words.tokenizers import TOKENIZERS

Array = np.ndarray
NOTHING = "are not in the run"
RUN = Parameter("run", "", help="the run whose lists are reordered", required=True)
CUTOFF = Parameter("k", 10.0, "how many ranks are looked at", 1.0, MAX_CUTOFF, whole=True)
ANNOTATOR = Parameter("annotator", "", help="whose labels count; empty for the study's default")
BIAS = Parameter("position_bias", "log2", help="attention by rank: log2, reciprocal, rbp(p=0.8), linear or uniform")
WEIGHT = Parameter("weight", 0.3, "of neutrality; the rest weighs the run's score", 0.0, 1.0)
WHOSE = Parameter(
    "of",
    "document",
    "whose neutrality: document, as NFaiRR counts it; or list, which each document may even out, as TExFAIR",
    choices=("document", "list"),
)
TAU = Parameter("tau", 1.0, "gender words that a neutral document may hold", 0.0, 1e6, whole=True)
TOKENIZER = Parameter("tokenizer", "word", "how text becomes words", choices=TOKENIZERS)
LEAST = 1e-12  # smallest difference that counts: sums in different orders differ by less
LOSS = Parameter("loss", 0.05, "the share of each list's discounted gain within k that may be lost", 0.0, 1.0)
GAIN = Parameter(
    "gain",
    "rank",
    "what a document is worth: rank, 1/log2(1 + its rank in the run); or score, the run's own",
    choices=("rank", "score"),
)
_ROUNDING = 1e-9  # so that 3 · (1/3) counts as 1


@dataclass(frozen=True, eq=False)
class InputList:
    """The list of a run for one query, best first.

    documents (N,): row numbers in every evidence; names (N,): their ids; scores (N,): the run's own, falling.
    """

    query_id: str
    documents: Array
    names: Array
    scores: Array

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def shares(self) -> Array:
        """The scores scaled from 0, the list's lowest, to 1, its highest, (N,); all 1 where they are equal.

        >>> InputList("q", np.arange(3), np.array(["a", "b", "c"]), np.array([5.0, 4.0, 1.0])).shares.tolist()
        [1.0, 0.75, 0.0]
        """
        lowest, highest = self.scores.min(initial=np.inf), self.scores.max(initial=-np.inf)
        if not highest > lowest:
            return np.ones(len(self.scores))
        return (self.scores - lowest) / (highest - lowest)


@dataclass(frozen=True, eq=False)
class RunLists:
    """The lists of one run, and the evidence on their documents. rankings: one system, (K, 1, Q); scores: by query."""

    rankings: AlignedRankings
    scores: Mapping[str, Array]

    @property
    def doc_ids(self) -> pd.Index:
        """The ids of the documents of all lists, by their row numbers, (D,)."""
        return self.rankings.lists.doc_ids


def reordered(lists: RunLists, reorder: Callable[[InputList], Array]) -> Lister:
    """Return every list in a new order: reorder(list) returns the places of its documents, best first, (N,)."""
    rankings = lists.rankings.lists

    def find(query: Query) -> Found:
        if query.query_id not in lists.scores:
            return Found(np.zeros(0, dtype=object), np.zeros(0))
        documents = rankings.list_of(rankings.systems[0], query.query_id)
        names = lists.doc_ids.to_numpy(dtype=object)[documents]
        order = reorder(InputList(query.query_id, documents, names, lists.scores[query.query_id]))
        return Found(names[order], np.arange(len(names), 0, -1, dtype=np.float64))

    return find


def lists_of(collection: Collection, ranker: str, run: str) -> RunLists:
    """Return the lists of the run of this name, without labels and words. Raises UsageError for an unknown run.

    Tied scores are ordered by the file's rank, then by doc_id.
    """
    systems = [str(system) for system in collection.runs["system"].cat.categories]
    if run not in systems:
        raise UsageError(
            f"{collection.study.name} has no run {run!r} for {ranker}", f"Its runs are {', '.join(systems) or 'none'}."
        )
    rows = ranked(collection.runs[collection.runs["system"] == run])
    scores = {
        str(query): part.to_numpy(dtype=np.float64)
        for query, part in rows.groupby("query_id", observed=True, sort=False)["score"]
    }
    study, lists = collection.study, align_runs(rows)
    rankings = AlignedRankings(
        lists,
        label_evidence(pd.DataFrame(), lists.doc_ids, study.neutral, study.groups),
        no_words(lists.doc_ids, study.groups),
        study.groups,
        study.neutral,
        study.groups.index(study.protected),
        targets(study),
    )
    return RunLists(rankings, scores)


def with_labels(lists: RunLists, study: Study, annotator: str) -> RunLists:
    """Return the lists with the labels of the annotator; empty for the study's default.

    Raises FairvizError where the labels are not genders, and for an unknown annotator.
    """
    if study.label_kind != "gender":
        raise FairvizError(
            f"the labels of {study.name} are not genders (labels = 'other' in study.toml)",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )
    labels = labels_of(study, counted_annotator(study, annotator))
    evidence = label_evidence(labels, lists.doc_ids, study.neutral, study.groups)
    return RunLists(replace(lists.rankings, labels=evidence), lists.scores)


def report_unlabelled(collection: Collection, ranker: str, lists: RunLists, cutoff: int) -> None:
    """Report the number of places within the cutoff that hold a document without a label, if any."""
    top = lists.rankings.lists.documents[:cutoff]
    is_filled = top >= 0
    count = int((lists.rankings.labels.codes[top[is_filled]] < 0).sum())
    if count:
        collection.say(
            f"{ranker}: {out_of(count, is_filled.sum(), 'place')} within rank {cutoff:,} hold a document without a "
            "label; it keeps its rank."
        )


# The ranker `neutral`: another run reordered by score and neutrality, after maximal marginal relevance.
#
# Carbonell and Goldstein (SIGIR 1998) choose rank by rank the document with the largest λ · relevance - (1 - λ) ·
# redundancy; here neutrality replaces novelty.


def _prepare_neutral(collection: Collection, parameters: Parameters) -> Lister:
    lists = lists_of(collection, "neutral", parameters["run"])
    lists = _with_words(lists, collection.study, parameters["tokenizer"])
    rankings, words, weight = lists.rankings, lists.rankings.words, parameters["weight"]
    omega = neutrality(rankings, int(parameters["tau"]))
    textless_count = int((~words.known).sum())
    if textless_count:
        collection.say(f"neutral: {textless_count:,} documents of the run have no text; they keep their rank.")

    def reorder(input_list: InputList) -> Array:
        is_fixed = ~words.known[input_list.documents]
        relevance = (1 - weight) * input_list.shares
        if parameters["of"] == "document":
            gains = relevance + weight * np.nan_to_num(omega[input_list.documents])
            return keep_fixed(np.argsort(-gains, kind="stable"), is_fixed)
        return _order_greedily(rankings, input_list, relevance, weight, is_fixed)

    return reordered(lists, reorder)


def _with_words(lists: RunLists, study: Study, tokenizer: str) -> RunLists:
    """Return the lists with the gender words of their documents, by the study's own word list or else the built-in one.

    Raises FairvizError where no document has text or the word list lacks a group.
    """
    if study.word_counts is None and (not study.has("documents") or study.documents["text"].isna().all()):
        raise FairvizError(
            f"{study.name} has no text of documents to count gender words in",
            "Add documents.tsv with the columns doc_id and text.",
        )
    words = words_of(study, lists.doc_ids, lexicon_of(study), tokenizer)
    return RunLists(replace(lists.rankings, words=words), lists.scores)


def keep_fixed(order: Array, is_fixed: Array) -> Array:
    """Return the order with the fixed documents (N,) at their own ranks, and the others in its order around them.

    >>> keep_fixed(np.array([3, 1, 0, 2]), np.array([False, True, False, False])).tolist()
    [3, 1, 0, 2]
    >>> keep_fixed(np.array([3, 1, 0, 2]), np.array([True, False, False, False])).tolist()
    [0, 3, 1, 2]
    """
    places = np.arange(len(order))
    places[~is_fixed] = order[~is_fixed[order]]
    return places


def _order_greedily(
    rankings: AlignedRankings, input_list: InputList, relevance: Array, weight: float, is_fixed: Array
) -> Array:
    """Choose rank by rank the document with the largest relevance + weight · neutrality of the list that ends with it;
    tied documents in the run's order. Fixed documents keep their rank. O(N²)."""
    words, rows = rankings.words, input_list.documents
    shares = words.counts[rows] / np.maximum(words.tokens[rows], 1)[:, None]  # (N, G)
    attention = 1 / np.log2(np.arange(2, len(input_list) + 2))
    order, remaining = np.arange(len(input_list)), np.flatnonzero(~is_fixed)
    exposure = np.zeros(shares.shape[1])
    for rank in np.flatnonzero(~is_fixed):
        exposures = exposure + attention[rank] * shares[remaining]
        gains = relevance[remaining] + weight * list_neutrality(exposures, rankings.targets)
        best = int(np.argmax(gains >= gains.max() - 1e-12))
        order[rank] = remaining[best]
        exposure = exposures[best]
        remaining = np.delete(remaining, best)
    return order


def list_neutrality(exposures: Array, targets: Array) -> Array:
    """Return 1 − the scaled distance of the genders' shares of word exposure (…, G) from their targets (G,), in [0, 1];
    1 without gender words. The distance is TExFAIR without RBDF over its largest value.

    >>> list_neutrality(np.array([[1.0, 1.0], [3.0, 1.0], [0.0, 2.0], [0.0, 0.0]]), np.array([0.5, 0.5])).tolist()
    [1.0, 0.5, 0.0, 1.0]
    """
    total = exposures.sum(axis=-1, keepdims=True)
    shares = np.divide(exposures, total, out=np.broadcast_to(targets, exposures.shape).copy(), where=total > 0)
    return 1 - np.abs(shares - targets).sum(axis=-1) / (2 * (1 - targets.min()))


NEUTRAL = Ranker(
    name="neutral",
    summary="another run reordered by (1 − weight) · its score (0 to 1 in each list) + weight · neutrality of the "
    "words; sees words, no judgements",
    prepare=_prepare_neutral,
    parameters=(RUN, WEIGHT, WHOSE, TAU, TOKENIZER),
    needs=("runs", "words"),
    nothing=NOTHING,
    bench=("", "of='list'"),
)


# Swaps that balance the exposure of the genders at a bounded loss, for `balanced` and `oracle`.


@dataclass(frozen=True, eq=False)
class Balance:
    """One list with its targets and its bound of loss.

    codes (N,): the labels of the documents in the list's order. gains (N,): each document's gain at rank 1, 0 or more.
    weights (k,): position bias of the ranks; discounts (k,): of the gains. targets (G,): target shares of exposure.
    loss: the share of the list's own discounted gain that may be lost.
    """

    codes: Array
    gains: Array
    weights: Array
    discounts: Array
    targets: Array
    loss: float

    def gap(self, exposures: Array) -> Array:
        """Return Σ over groups of |exposure - target · the exposure of all groups|, (…) for exposures (…, G)."""
        target_exposures = self.targets * exposures.sum(axis=-1, keepdims=True)
        return np.abs(exposures - target_exposures).sum(axis=-1)


def discounts(cutoff: int) -> Array:
    """Return 1 / log2(1 + rank) for ranks 1 to the cutoff, (k,): nDCG's discounts."""
    return 1 / np.log2(np.arange(2, cutoff + 2))


def balanced_order(balance: Balance) -> Array:
    """Return the list reordered, as places of its documents, best first, (N,).

    Greedy: of all swaps of a document within the k ranks with one below it, the one that reduces the gap most, until
    none reduces it within the loss; tied swaps by the smallest loss, then the highest ranks. Documents without a label
    keep their ranks. In the end documents of one label take the list's own order within k, where the loss allows it,
    and the documents below k follow in that order. The gap never grows, and the loss never exceeds its bound.

    >>> codes, gains = np.array([2, 2, 1, 1]), 1 / np.log2(np.arange(2, 6))
    >>> balanced_order(Balance(codes, gains, np.ones(2), discounts(2), np.array([0.5, 0.5]), 0.2)).tolist()
    [0, 2, 1, 3]
    """
    order = np.arange(len(balance.codes))
    top = min(len(balance.weights), len(order))
    least_gain = (1 - balance.loss) * _total_gain(balance, order, top) - LEAST
    while (swap := _best_swap(balance, order, top, least_gain)) is not None:
        order[list(swap)] = order[list(swap[::-1])]
    tidied_order = _tidied(order, balance.codes, top)
    if _total_gain(balance, tidied_order, top) >= least_gain:
        order = tidied_order
    return np.concatenate([order[:top], np.sort(order[top:])])


def _total_gain(balance: Balance, order: Array, top: int) -> float:
    """Return the discounted gain of the order's first `top` documents."""
    return float(balance.discounts[:top] @ balance.gains[order[:top]])


def _tidied(order: Array, codes: Array, top: int) -> Array:
    """Return the order with the top documents of each label in the list's own order; exposure is unchanged."""
    tidied_order = order.copy()
    for code in range(int(codes.max(initial=-1)) + 1):
        ranks = np.flatnonzero(codes[order[:top]] == code)
        tidied_order[ranks] = np.sort(order[ranks])
    return tidied_order


def _best_swap(balance: Balance, order: Array, top: int, least: float) -> tuple[int, int] | None:
    """Return the two ranks, from 0, whose swap reduces the gap most and leaves a gain of `least`; None if none does."""
    codes, gains = balance.codes[order], balance.gains[order]
    groups = np.arange(1, len(balance.targets) + 1)
    weights = _padded(balance.weights[:top], len(order))
    discount = _padded(balance.discounts[:top], len(order))
    exposures = weights @ (codes[:, None] == groups)  # (G,)
    moved_weights = weights[:top, None] - weights  # (k, N): the attention moved by each swap
    upper_groups, lower_groups = (codes[:top, None] == groups)[:, None], (codes[:, None] == groups)[None]
    gaps = balance.gap(exposures + moved_weights[..., None] * (lower_groups.astype(float) - upper_groups))  # (k, N)
    gains_after = discount @ gains + (discount[:top, None] - discount) * (gains - gains[:top, None])
    is_below = np.arange(len(order)) > np.arange(top)[:, None]
    is_labelled = (codes >= 0) & (codes[:top, None] >= 0)
    is_allowed = is_below & is_labelled & (gains_after >= least) & (gaps < balance.gap(exposures) - LEAST)
    if not is_allowed.any():
        return None
    has_least_gap = is_allowed & (gaps <= gaps[is_allowed].min() + LEAST)
    is_best = has_least_gap & (gains_after >= gains_after[has_least_gap].max() - LEAST)
    row, column = divmod(int(is_best.argmax()), len(order))
    return row, column


def _padded(values: Array, length: int) -> Array:
    """Return the values (k,) with zeros after them, (length,)."""
    return np.concatenate([values, np.zeros(length - len(values))])


def _prepare_balanced(collection: Collection, parameters: Parameters, ranker: str) -> Lister:
    cutoff, study = int(parameters["k"]), collection.study
    lists = with_labels(lists_of(collection, ranker, parameters["run"]), study, parameters["annotator"])
    report_unlabelled(collection, ranker, lists, cutoff)
    try:
        weights = position_bias(parameters["position_bias"], cutoff).weights(cutoff)
    except UsageError as error:
        raise UsageError(
            f"{ranker} cannot take position_bias={parameters['position_bias']}: {error.message}",
            "Use log2, reciprocal, rbp(p=0.8), linear or uniform.",
        ) from error
    codes, targets, loss = lists.rankings.labels.codes, lists.rankings.targets, parameters["loss"]
    relevance = relevance_by_query(study.qrels) if ranker == "oracle" else {}

    def reorder(each: InputList) -> Array:
        if ranker == "oracle":
            grades = relevance.get(each.query_id, {})
            gains = np.array([max(grades.get(str(name), 0), 0) for name in each.names], dtype=np.float64)
        else:
            gains = discounts(len(each)) if parameters["gain"] == "rank" else each.shares
        return balanced_order(Balance(codes[each.documents], gains, weights, discounts(cutoff), targets, loss))

    return reordered(lists, reorder)


BALANCED = Ranker(
    name="balanced",
    summary="another run reordered to give each gender its target's attention, by greedy swaps within k of bounded "
    "loss in the run's own discounted gain; sees labels, no judgements",
    prepare=partial(_prepare_balanced, ranker="balanced"),
    parameters=(RUN, LOSS, CUTOFF, GAIN, BIAS, ANNOTATOR),
    needs=("runs", "labels"),
    nothing=NOTHING,
    bench=("",),
)
ORACLE = Ranker(
    name="oracle",
    summary="as balanced, but the loss is of nDCG: it sees the judgements, and shows what balance costs at the least a "
    "greedy search finds",
    prepare=partial(_prepare_balanced, ranker="oracle"),
    parameters=(RUN, LOSS, CUTOFF, BIAS, ANNOTATOR),
    needs=("runs", "labels", "qrels"),
    nothing=NOTHING,
)


# DetConstSort (Geyik, Ambler and Kenthapadi, KDD 2019, algorithm 3): no group falls behind its share at any rank.


def wished_shares(codes: Array, targets: Array) -> Array:
    """Return the target share of the list for neutral and for each gender group, (1 + G,).

    Neutral documents keep their share of the labelled documents; the gender groups divide the rest by their targets.
    codes (N,): 0 neutral, 1 … G the groups.

    >>> wished_shares(np.array([0, 2, 2, 2]), np.array([0.5, 0.5])).tolist()
    [0.25, 0.375, 0.375]
    """
    neutral = float((codes == 0).mean()) if len(codes) else 0.0
    return np.concatenate([[neutral], (1 - neutral) * targets])


def constrained_order(codes: Array, shares: Array, cutoff: int) -> Array:
    """Return the list reordered, as places of its documents, best first, (N,).

    At every rank r to the cutoff, group g has at least floor(r · shares[g]) of the first r, as long as it has
    documents; otherwise the list's order is kept. shares (1 + G,) by code. A group that runs out leaves its ranks to
    the others. Documents beyond the cutoff follow in the list's order.

    >>> constrained_order(np.array([2, 2, 2, 1, 1]), np.array([0, 0.5, 0.5]), 4).tolist()
    [0, 3, 1, 4, 2]
    """
    places_by_group = {group: np.flatnonzero(codes == group).tolist() for group in range(len(shares))}
    placed: list[int] = []  # places in the list, which are also the order of scores
    latest: list[int] = []  # the last allowed rank of each
    rank, count = 0, min(cutoff, len(codes))
    while len(placed) < count and any(places_by_group[group] and share > 0 for group, share in enumerate(shares)):
        rank += 1
        due_groups = [group for group, share in enumerate(shares) if _fewest(rank, share) > _fewest(rank - 1, share)]
        for document in sorted(places_by_group[group].pop(0) for group in due_groups if places_by_group[group]):
            placed.append(document)
            latest.append(rank)
            _move_up(placed, latest)
    other_places = np.setdiff1d(np.arange(len(codes)), placed[:count])
    return np.concatenate([np.array(placed[:count], dtype=np.int64), other_places])


def _fewest(rank: int, share: float) -> int:
    """Return how many documents a group of this share has at least in the first `rank`."""
    return floor(rank * share + _ROUNDING)


def _move_up(placed: list[int], latest: list[int]) -> None:
    """Move the last document up past all documents that follow it in the list and may be one rank lower."""
    place = len(placed) - 1
    while place > 0 and latest[place - 1] >= place + 1 and placed[place - 1] > placed[place]:
        for values in (placed, latest):
            values[place - 1], values[place] = values[place], values[place - 1]
        place -= 1


def _prepare_detconstsort(collection: Collection, parameters: Parameters) -> Lister:
    cutoff, study = int(parameters["k"]), collection.study
    lists = with_labels(lists_of(collection, "detconstsort", parameters["run"]), study, parameters["annotator"])
    report_unlabelled(collection, "detconstsort", lists, cutoff)
    labels, targets = lists.rankings.labels.codes, lists.rankings.targets

    def reorder(input_list: InputList) -> Array:
        codes = labels[input_list.documents]
        labelled = np.flatnonzero(codes >= 0)
        count = int((labelled < cutoff).sum())  # of labelled documents up to the cutoff
        places = np.arange(len(codes))
        shares = wished_shares(codes[labelled], targets)
        places[labelled] = labelled[constrained_order(codes[labelled], shares, count)]
        return places

    return reordered(lists, reorder)


DETCONSTSORT = Ranker(
    name="detconstsort",
    summary="another run reordered by DetConstSort (Geyik and others, 2019): each gender "
    "has at least its target's share of gendered documents at every rank to k; sees labels, no judgements",
    prepare=_prepare_detconstsort,
    parameters=(RUN, CUTOFF, ANNOTATOR),
    needs=("runs", "labels"),
    nothing=NOTHING,
    bench=("",),
)
