"""DetConstSort (Geyik, Ambler and Kenthapadi, KDD 2019, algorithm 3): no group falls behind its share at any rank.

Axis letters: N documents of the list, G gender groups.
"""

from math import floor

import numpy as np

from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.rankers.reordering import (
    ANNOTATOR,
    CUTOFF,
    NOTHING,
    RUN,
    InputList,
    lists_of,
    reordered,
    say_unlabelled,
    with_labels,
)

Array = np.ndarray
_ROUNDING = 1e-9  # shares are quotients: 3 · (1/3) is to be 1


def wished_shares(codes: Array, targets: Array) -> Array:
    """The share of the list that is wished for neutral and for each gender group, (1 + G,).

    Neutral documents keep the share that they have among the documents with a label; the gender groups share the rest
    by their targets. codes (N,): 0 neutral, 1 … G the groups.

    >>> wished_shares(np.array([0, 2, 2, 2]), np.array([0.5, 0.5])).tolist()
    [0.25, 0.375, 0.375]
    """
    neutral = float((codes == 0).mean()) if len(codes) else 0.0
    return np.concatenate([[neutral], (1 - neutral) * targets])


def constrained_order(codes: Array, shares: Array, cutoff: int) -> Array:
    """The list reordered, as places of its documents, best first, (N,).

    At every rank r to the cutoff, group g holds at least floor(r · shares[g]) of the first r, as long as it has
    documents; within that, whoever stands first in the list goes first. shares (1 + G,) by code. A group that
    runs out leaves its ranks to the others. Documents beyond the cutoff follow in the list's order.

    >>> constrained_order(np.array([2, 2, 2, 1, 1]), np.array([0, 0.5, 0.5]), 4).tolist()
    [0, 3, 1, 4, 2]
    """
    waiting = {group: np.flatnonzero(codes == group).tolist() for group in range(len(shares))}
    placed: list[int] = []  # places in the list, which are also the order of scores
    latest: list[int] = []  # the last rank at which each must stand
    rank, wanted = 0, min(cutoff, len(codes))
    while len(placed) < wanted and any(waiting[group] and share > 0 for group, share in enumerate(shares)):
        rank += 1
        owed = [g for g, share in enumerate(shares) if floor(rank * share + _ROUNDING) > _least(rank - 1, share)]
        for document in sorted(waiting[group].pop(0) for group in owed if waiting[group]):
            placed.append(document)
            latest.append(rank)
            _move_up(placed, latest)
    rest = np.setdiff1d(np.arange(len(codes)), placed[:wanted])
    return np.concatenate([np.array(placed[:wanted], dtype=np.int64), rest])


def _least(rank: int, share: float) -> int:
    return floor(rank * share + _ROUNDING)


def _move_up(placed: list[int], latest: list[int]) -> None:
    """Moves the last document up past all that stand behind it in the list and may stand one rank lower."""
    at = len(placed) - 1
    while at > 0 and latest[at - 1] >= at + 1 and placed[at - 1] > placed[at]:
        for held in (placed, latest):
            held[at - 1], held[at] = held[at], held[at - 1]
        at -= 1


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    cutoff, study = int(parameters["k"]), collection.study
    lists = with_labels(lists_of(collection, "detconstsort", parameters["run"]), study, parameters["annotator"])
    say_unlabelled(collection, "detconstsort", lists, cutoff)
    labels, targets = lists.places.labels.codes, lists.places.targets

    def order(held: InputList) -> Array:
        codes = labels[held.documents]
        free = np.flatnonzero(codes >= 0)
        inside = int((free < cutoff).sum())  # ranks to the cutoff that documents with a label hold
        placed = np.arange(len(codes))
        placed[free] = free[constrained_order(codes[free], wished_shares(codes[free], targets), inside)]
        return placed

    return reordered(lists, order)


DETCONSTSORT = Ranker(
    name="detconstsort",
    summary="another run reordered by DetConstSort (Geyik and others, 2019): at every rank to k each gender has at "
    "least its target's share of what neutral documents leave; sees labels, no judgements",
    prepare=_prepare,
    parameters=(RUN, CUTOFF, ANNOTATOR),
    needs=("runs", "labels"),
    nothing=NOTHING,
)
