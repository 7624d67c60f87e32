"""The fewest labels that would have to be others for two systems to change places."""

from dataclasses import dataclass
from math import comb

import numpy as np

from fairviz.effects.label_effects import Moves, lead
from fairviz.effects.lists import pair_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import Places
from fairviz.study.study import Study

Array = np.ndarray
Flip = tuple[int, int]  # a document and its label
MOST_FLIPS = 1000
MOST_TRIALS = 2_000  # sets of flips that are tried to show that no smaller one will do, in a small study
SMALL = 20_000  # places; in larger studies a trial takes longer, and fewer are made


@dataclass(frozen=True)
class Flips:
    """Labels that change which of two systems is fairer.

    doc_ids and labels: which documents get which label, in the order found. before and after: mean(first) -
    mean(second). reversed: whether these flips do change the order. exact: whether no smaller set does; otherwise
    their number is an upper bound, for they were found greedily.
    """

    doc_ids: tuple[str, ...]
    labels: tuple[str, ...]
    before: float
    after: float
    reversed: bool
    exact: bool


def fewest_flips(
    study: Study,
    settings: Settings,
    measure: str,
    first: str,
    second: str,
    *,
    places: Places | None = None,
    most: int = MOST_FLIPS,
    trials: int = MOST_TRIALS,
) -> Flips:
    """Few labels that reverse which of two systems is fairer, each flip the one that does most at its turn.

    Means are over the queries that both answer; only documents that have a label are relabelled, at most `most` of
    them. Where the smaller sets are few (the more the larger `trials`), they are tried, and the answer is exact. A
    tie, or a system without a mean, cannot be reversed. Raises as label_effects.
    """
    lists = pair_of(study, settings, measure, (first, second), places)
    moves = Moves(lists)
    before = moves.means()
    start = lead(lists, before)
    if np.isnan(start) or start == 0:
        return Flips((), (), _difference(before), _difference(before), False, False)
    found, done = _greedy(moves, float(np.sign(start)), most)
    exact = False
    if done:
        allowed = trials * SMALL / (SMALL + len(lists.place_list))
        smaller, exact = _smaller(Moves(lists), float(np.sign(start)), len(found), allowed)
        found = smaller or found
    codes = lists.codes.copy()
    for document, code in found:
        codes[document] = code
    return Flips(
        tuple(str(lists.doc_ids[document]) for document, _ in found),
        tuple(lists.names[code] for _, code in found),
        _difference(before),
        _difference(lists.means(codes)),
        done,
        exact,
    )


def _difference(means: Array) -> float:
    return float(means[0] - means[1])


def _greedy(moves: Moves, sign: float, most: int) -> tuple[list[Flip], bool]:
    """Flips in the order found, and whether they reverse the order; `sign` is that of the first system's lead."""
    lists = moves.lists
    found: list[Flip] = []
    free = lists.codes >= 0
    current = abs(float(lead(lists, moves.means())))
    while current > 0 and len(found) < most and free.any():
        ahead = sign * lead(lists, moves.means_after())  # (1 + G, D)
        ahead = np.where(free & ~np.isnan(ahead), ahead, np.inf)
        code, document = np.unravel_index(int(ahead.argmin()), ahead.shape)
        if not ahead[code, document] < current:
            return found, False
        current = float(ahead[code, document])
        moves.flip(int(document), int(code))
        free[document] = False
        found.append((int(document), int(code)))
    return found, current < 0


def _smaller(moves: Moves, sign: float, size: int, allowed: float) -> tuple[list[Flip], bool]:
    """A smallest set of fewer flips that reverses the order, or none; and whether all smaller sets were tried.

    The last flip of a set is read off the effects after the others, so that a set of n costs n - 1 flips; that no
    single flip is enough was seen at the first greedy step.
    """
    labelled, others = int((moves.lists.codes >= 0).sum()), len(moves.lists.names) - 1
    for number in range(2, size):
        allowed -= comb(labelled, number - 1) * others ** (number - 1)
        if allowed < 0:
            return [], False
        found = _extended(moves, sign, number, -1)
        if found:
            return found, True
    return [], True


def _extended(moves: Moves, sign: float, number: int, after: int) -> list[Flip]:
    """So many flips of documents behind `after` that reverse the order with those made, or none."""
    lists = moves.lists
    free = [document for document in np.flatnonzero(lists.codes >= 0).tolist() if document > after]
    if number == 1:
        ahead = sign * lead(lists, moves.means_after()[:, :, free])  # (1 + G, F)
        codes, at = np.nonzero(ahead < 0)
        return [(free[at[0]], int(codes[0]))] if len(at) else []
    for document in free:
        for code in range(len(lists.names)):
            if code == lists.codes[document]:
                continue
            moves.flip(document, code)
            found = _extended(moves, sign, number - 1, document)
            moves.flip(document, int(lists.codes[document]))
            if found:
                return [(document, code), *found]
    return []
