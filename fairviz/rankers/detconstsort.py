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
    report_unlabelled,
    with_labels,
)

Array = np.ndarray
_ROUNDING = 1e-9  # so that 3 · (1/3) counts as 1


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
        due_groups = [g for g, share in enumerate(shares) if floor(rank * share + _ROUNDING) > _least(rank - 1, share)]
        for document in sorted(places_by_group[group].pop(0) for group in due_groups if places_by_group[group]):
            placed.append(document)
            latest.append(rank)
            _move_up(placed, latest)
    other_places = np.setdiff1d(np.arange(len(codes)), placed[:count])
    return np.concatenate([np.array(placed[:count], dtype=np.int64), other_places])


def _least(rank: int, share: float) -> int:
    return floor(rank * share + _ROUNDING)


def _move_up(placed: list[int], latest: list[int]) -> None:
    """Move the last document up past all documents that follow it in the list and may be one rank lower."""
    place = len(placed) - 1
    while place > 0 and latest[place - 1] >= place + 1 and placed[place - 1] > placed[place]:
        for values in (placed, latest):
            values[place - 1], values[place] = values[place], values[place - 1]
        place -= 1


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    cutoff, study = int(parameters["k"]), collection.study
    lists = with_labels(lists_of(collection, "detconstsort", parameters["run"]), study, parameters["annotator"])
    report_unlabelled(collection, "detconstsort", lists, cutoff)
    labels, targets = lists.places.labels.codes, lists.places.targets

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
    prepare=_prepare,
    parameters=(RUN, CUTOFF, ANNOTATOR),
    needs=("runs", "labels"),
    nothing=NOTHING,
    bench=("",),
)
