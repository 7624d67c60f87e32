"""The orders of tied documents that are tried for a measure, and the extremes that they are certain to contain.

A measure of labels depends on the ranks of labels, so that its extreme orders put one label above another in every tied
group: all orders of the labels are tried, `unlabelled` among them. A measure of words is tried in the order of what
each document adds to it. An effectiveness measure is best with the most relevant documents first.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from fairviz.measures import Question
from fairviz.measures.judged import document_places
from fairviz.measures.record import TiedEnds
from fairviz.measures.sums import AlignedRankings
from fairviz.measures.ties import Tied

Array = np.ndarray
Judged = Mapping[str, Mapping[str, int]]
TRIED = 40  # orders by chance, of a measure whose end no order is sure to hold
MOST_KEYS = 20_000_000  # of all orders by chance together; at least FEWEST are tried, whatever the number of places
FEWEST = 8
SEED = 0
MOST_LABELS = 5  # neutral, three genders and `unlabelled`: 120 orders of them; beyond, some by chance
RELEVANT_FIRST = ("nDCG", "RR", "P", "R", "AP", "Success", "ERR", "RBP", "SDCG", "Judged")


@dataclass(frozen=True)
class Keys:
    """keys: for each order that is tried a number for each tied place, (M,): larger ones rank higher. exact_low,
    exact_high: whether the smallest and the largest value are among them for certain, one truth or (S, Q).
    by_every_label: whether all orders of the labels are among them."""

    keys: list[Array]
    exact_low: bool | Array
    exact_high: bool | Array
    by_every_label: bool = False


def keys_of(places: AlignedRankings, question: Question, tied: Tied, judged: Callable[[], Judged]) -> Keys:
    """The orders that are tried for this question."""
    if question.measure is None:
        return _by_relevance(places, question, tied, judged())
    if question.family == "relevance":
        grades = _grades(places, tied, judged())
        return Keys([grades, -grades, *_by_chance(len(grades))], False, False)
    keys = _by_label(places, question, tied) if question.family == "labels" else _by_words(places, question, tied)
    if np.all(keys.exact_low) and np.all(keys.exact_high):
        return keys
    return replace(keys, keys=[*keys.keys, *_by_chance(len(tied.rank))])


def _by_chance(count: int) -> Iterator[Array]:
    generator = np.random.default_rng(SEED)
    for _ in range(_tries(count)):
        yield generator.random(count)


def _tries(count: int) -> int:
    """Return the number of orders by chance for this many places."""
    return min(TRIED, max(FEWEST, MOST_KEYS // max(count, 1)))


def _by_label(places: AlignedRankings, question: Question, tied: Tied) -> Keys:
    if places.labels.shares is not None:  # as many labels as documents: `keys_of` adds orders by chance
        return Keys([*places.labels.memberships(tied.document, 1 + len(places.groups)).T], False, False)
    codes = places.labels.codes[tied.document].astype(np.int64) + 1  # 0 unlabelled, 1 neutral, …
    names = 2 + len(places.groups)
    record = ends_by_record(question)
    if names > MOST_LABELS:
        generator = np.random.default_rng(SEED)
        orders = [generator.permutation(names) for _ in range(TRIED)]
        return Keys([order[codes].astype(np.float64) for order in orders], False, False)
    labels = np.unique(codes)
    orders = [np.array(order, dtype=np.float64) for order in permutations(range(len(labels)))]
    keys = [order[np.searchsorted(labels, codes)] for order in orders]
    return Keys(keys, record.smallest, record.largest, by_every_label=True)


def _by_words(places: AlignedRankings, question: Question, tied: Tied) -> Keys:
    """Return the orders of a measure of words. If a text is missing, the divisor depends on the order, and no extreme
    is certain."""
    has_text = places.words.known[tied.document]
    adds = _adds(places, question, _tries(len(tied.rank)))[:, tied.document]  # (N, M)
    signed = [sign * row for row in adds for sign in (1.0, -1.0)]
    keys = list(signed)
    if question.direction == "zero":
        keys += [-np.abs(row) for row in adds]  # the documents that add least, for the value nearest to 0
    if not has_text.all():
        keys += [np.where(has_text, key, end) for key in signed for end in (-np.inf, np.inf)]
    record = ends_by_record(question)
    is_certain = np.ones(tied.shape, dtype=bool)
    is_certain.ravel()[tied.list[~has_text]] = False
    return Keys(keys, is_certain & record.smallest, is_certain & record.largest)


def ends_by_record(question: Question) -> TiedEnds:
    """Return the ends of the measure's record; of effectiveness, the default."""
    return TiedEnds() if question.measure is None else question.measure.ties


def _adds(places: AlignedRankings, question: Question, tries: int) -> Array:
    """Return the numbers by which documents are ordered, (N, D): the measure's own, or mixtures of shares of words."""
    if question.measure is not None and question.measure.weighted is not None:
        return question.measure.weighted.numbers(places, question.parameters)[None]
    counts = places.words.counts.astype(np.float64)  # (D, G)
    gendered = (counts.sum(axis=1) > 0).astype(np.float64)
    rests_on = np.column_stack([counts / np.maximum(places.words.tokens, 1)[:, None], gendered]).T  # (G + 1, D)
    spread = rests_on / np.maximum(rests_on.max(axis=1, initial=0), 1e-12)[:, None]
    mixtures = np.random.default_rng(SEED).normal(size=(tries, len(spread)))
    return np.concatenate([spread, mixtures @ spread])


def _by_relevance(places: AlignedRankings, question: Question, tied: Tied, judged: Judged) -> Keys:
    grades = _grades(places, tied, judged)
    measure = question.parameters["measure"].measure
    plain = not measure.params.get("judged_only") and "gains" not in measure.params
    is_certain = plain and measure.NAME in RELEVANT_FIRST
    keys = [grades, -grades]
    return Keys(keys if is_certain else [*keys, *_by_chance(len(grades))], is_certain, is_certain)


def _grades(places: AlignedRankings, tied: Tied, judged: Judged) -> Array:
    """Return the grade of each tied document, (M,), at least 0; -1 for an unjudged one, which comes after these."""
    by_query = [judged.get(query, {}) for query in places.rankings.queries]
    width = len(places.rankings.doc_ids)
    codes = document_places(places.rankings, [name for grades in by_query for name in grades])
    queries = np.repeat(np.arange(len(by_query)), [len(grades) for grades in by_query])
    values = np.array([grade for grades in by_query for grade in grades.values()], dtype=np.float64)
    retrieved = codes >= 0
    keys, values = (queries * width + codes)[retrieved], values[retrieved]
    if not len(keys):
        return np.full(len(tied.rank), -1.0)
    order = np.argsort(keys)
    wanted = tied.list % len(by_query) * width + tied.document
    judged_places = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    is_judged = keys[order][judged_places] == wanted
    return np.where(is_judged, np.maximum(values[order][judged_places], 0), -1.0)
