"""The fewest labels to change so that two systems swap their order."""

from dataclasses import dataclass
from math import comb

import numpy as np

from fairviz.analyses.label_effects.label_effects import Moves, fairness_lead
from fairviz.analyses.label_effects.lists import pair_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import is_equal, sign_of
from fairviz.study.record import Study

Array = np.ndarray
Flip = tuple[int, int]  # a document and its label
MOST_FLIPS = 1000
MOST_TRIALS = 2_000  # sets of flips tried to prove that no smaller one suffices, in a small study
SMALL = 20_000  # places; in larger studies trials take longer, and fewer are run


@dataclass(frozen=True)
class Flips:
    """Labels that change which of two systems is fairer.

    doc_ids and labels: documents and their new labels, in the order found. before and after: mean(first) -
    mean(second). reversed: whether these flips change the order. exact: whether no smaller set does; otherwise the
    search was greedy, and the number is an upper bound.
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
    places: AlignedRankings | None = None,
    most: int = MOST_FLIPS,
    trials: int = MOST_TRIALS,
) -> Flips:
    """Return few labels that reverse which of two systems is fairer, found greedily by effect.

    Means are over the queries that both answer; only documents with a label are relabelled, at most `most` of them. If
    the smaller sets are few (limited by `trials`), all are tried, and the answer is exact. Ties and systems without a
    mean cannot be reversed. Raises: see `label_effects`.
    """
    lists = pair_of(study, settings, measure, (first, second), places)
    moves = Moves(lists)
    first_means = moves.means()
    start = fairness_lead(lists, first_means)
    if np.isnan(start) or is_equal(start):
        return Flips((), (), _difference(first_means), _difference(first_means), False, False)
    flips, is_reversed = _greedy(moves, float(np.sign(start)), most)
    exact = False
    if is_reversed:
        allowed = trials * SMALL / (SMALL + len(lists.place_list))
        smaller, exact = _smaller(Moves(lists), float(np.sign(start)), len(flips), allowed)
        flips = smaller or flips
    codes = lists.codes.copy()
    for document, code in flips:
        codes[document] = code
    return Flips(
        tuple(str(lists.doc_ids[document]) for document, _ in flips),
        tuple(lists.names[code] for _, code in flips),
        _difference(first_means),
        _difference(lists.means(codes)),
        is_reversed,
        exact,
    )


def _difference(means: Array) -> float:
    return float(means[0] - means[1])


def _greedy(moves: Moves, sign: float, most: int) -> tuple[list[Flip], bool]:
    """Return the flips in the order found, and whether they reverse the order; `sign` is that of the first system's
    lead.
    """
    lists = moves.lists
    flips: list[Flip] = []
    is_free = lists.codes >= 0
    current_lead = abs(float(fairness_lead(lists, moves.means())))
    while current_lead > 0 and len(flips) < most and is_free.any():
        leads = sign * fairness_lead(lists, moves.means_after())  # (1 + G, D)
        leads = np.where(is_free & ~np.isnan(leads), leads, np.inf)
        code, document = np.unravel_index(int(leads.argmin()), leads.shape)
        if not leads[code, document] < current_lead:
            return flips, False
        current_lead = float(leads[code, document])
        moves.flip(int(document), int(code))
        is_free[document] = False
        flips.append((int(document), int(code)))
    return flips, bool(sign_of(current_lead) < 0)


def _smaller(moves: Moves, sign: float, size: int, allowed: float) -> tuple[list[Flip], bool]:
    """Return a smaller set of flips that reverses the order, or none; and whether all smaller sets were tried.

    The last flip of a set is read off the effects after the others, so that a set of n costs n - 1 flips; the first
    greedy step already excluded single flips.
    """
    count, other_labels = int((moves.lists.codes >= 0).sum()), len(moves.lists.names) - 1
    for number in range(2, size):
        allowed -= comb(count, number - 1) * other_labels ** (number - 1)
        if allowed < 0:
            return [], False
        flips = _extended(moves, sign, number, -1)
        if flips:
            return flips, True
    return [], True


def _extended(moves: Moves, sign: float, number: int, after: int) -> list[Flip]:
    """Return `number` flips of documents after `after` that reverse the order with the present ones, or none."""
    lists = moves.lists
    free_documents = [document for document in np.flatnonzero(lists.codes >= 0).tolist() if document > after]
    if number == 1:
        leads = sign * fairness_lead(lists, moves.means_after()[:, :, free_documents])  # (1 + G, F)
        codes, at = np.nonzero(leads < 0)
        return [(free_documents[at[0]], int(codes[0]))] if len(at) else []
    for document in free_documents:
        for code in range(len(lists.names)):
            if code == lists.codes[document]:
                continue
            moves.flip(document, code)
            flips = _extended(moves, sign, number - 1, document)
            moves.flip(document, int(lists.codes[document]))
            if flips:
                return [(document, code), *flips]
    return []
