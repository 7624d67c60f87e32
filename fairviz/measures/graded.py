"""Effectiveness by the grade at each rank: measures for which ir_measures calls optional programs.

ERR is that of TREC's gdeval script, which ir_measures runs through Perl and which accepts only numbers as query ids;
RBP and SDCG those of cwl-eval; Compat and Judged are ir_measures' own. Axis letters: K ranks, S systems, J judged
documents of a query.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairviz.errors import FairvizError

Array = np.ndarray
HIGHEST_GRADE = 4  # of gdeval's scale, for the probability of ERR


@dataclass(frozen=True)
class JudgedLists:
    """The lists of one query. grades (K, S): of the document at each rank, NaN for an unjudged document and below the
    list's end. lengths (S,): number of documents of each list. judged (J,): the grade of every judged document."""

    grades: Array
    lengths: Array
    judged: Array


Kernel = Callable[[JudgedLists, Any, int | None], Array]


def err(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Expected reciprocal rank: sum over ranks of R(i) / i times the product of 1 - R above, R = (2^grade - 1) / 2^4.

    (S,), in [0, 15/16]. Chapelle and others, CIKM 2009, with the highest grade fixed at 4 as in gdeval. Raises
    FairvizError for judgements above 4, which gdeval rejects too.

    >>> one_list = JudgedLists(np.array([[1.0], [np.nan], [2.0]]), np.array([3]), np.array([1.0, 2.0]))
    >>> err(one_list, None, 3).tolist()  # 1/16, then 15/16 * 3/16 * 1/3
    [0.12109375]
    """
    highest = int(lists.judged.max())
    if highest > HIGHEST_GRADE:
        raise FairvizError(
            f"ERR takes relevance up to {HIGHEST_GRADE}, and a document is judged {highest}",
            "Use nDCG, or write the relevance on a scale from 0 to 4.",
        )
    grades = _positive(lists.grades[:cutoff])
    stops = (2**grades - 1) / 2**HIGHEST_GRADE  # (K, S): the probability that the reader stops here
    reached = np.cumprod(1 - stops, axis=0) / (1 - stops)
    return (reached * stops / _ranks(grades)).sum(axis=0)


def judged_share(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Share of judged documents among those within the cutoff; (S,)."""
    judged_counts = (~np.isnan(lists.grades[:cutoff])).sum(axis=0)
    document_counts = lists.lengths if cutoff is None else np.minimum(lists.lengths, cutoff)
    return judged_counts / np.maximum(document_counts, 1)


def rbp(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Rank-biased precision: (1 - p) times the sum of p^(rank - 1) over relevant documents; (S,), in [0, 1).

    Moffat and Zobel, TOIS 2008.
    """
    relevant = lists.grades[:cutoff] >= measure["rel"]
    persistence = float(measure["p"])
    return (1 - persistence) * (relevant * persistence ** (_ranks(relevant) - 1)).sum(axis=0)


def sdcg(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """DCG of the grades on a scale from min_rel to max_rel, over that of a list of max_rel down to the cutoff; (S,)."""
    low, high = measure["min_rel"], measure["max_rel"]
    grades = np.nan_to_num(lists.grades[:cutoff], nan=low)
    gain = (np.clip(grades, low, high) - low) / (high - low)
    best = (1 / np.log2(1 + np.arange(1, (cutoff or len(grades)) + 1))).sum()
    return (gain / np.log2(1 + _ranks(gain))).sum(axis=0) / best


def compatibility(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Rank-biased overlap with the ideal list nearest to the ranking, over the ideal's own; (S,), in [0, 1].

    Clarke, Vtyurina and Smucker, TOIS 2021: the ideal has relevant documents by falling grade, equal ones in the
    ranking's order and missing ones last.
    """
    judged = lists.judged[lists.judged > 0]
    values = [_compatible(lists.grades[:length, s], judged, measure) for s, length in enumerate(lists.lengths.tolist())]
    return np.array(values)


def _compatible(grades: Array, judged: Array, measure: Any) -> float:
    depth = max(len(grades), len(judged))
    if not len(judged):
        return 0.0
    ranks = np.flatnonzero(grades > 0)  # (R,): retrieved relevant documents, counted from 0
    retrieved_grades = grades[ranks]
    better_counts = (judged[None, :] > retrieved_grades[:, None]).sum(axis=1)
    ideal_ranks = better_counts + np.tril(retrieved_grades[:, None] == retrieved_grades[None, :], -1).sum(axis=1)
    common_counts = np.cumsum(
        np.bincount(np.maximum(ranks, ideal_ranks), minlength=depth)
    )  # documents in both by each depth
    depths = np.arange(1, depth + 1)
    weights = float(measure["p"]) ** (depths - 1) / depths
    best = np.minimum(depths, len(judged)) if measure["normalize"] else depths
    return float((weights * common_counts).sum() / (weights * best).sum())


def _positive(grades: Array) -> Array:
    return np.maximum(np.nan_to_num(grades, nan=0.0), 0)


def _ranks(values: Array) -> Array:
    """Return 1, 2, … down the first axis, (K, 1)."""
    return np.arange(1, len(values) + 1, dtype=np.float64)[:, None]


KERNELS: dict[str, Kernel] = {
    "ERR": err,
    "Judged": judged_share,
    "RBP": rbp,
    "SDCG": sdcg,
    "Compat": compatibility,
}
