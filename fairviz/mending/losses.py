"""What training lowers: the aim, that neither gender's wording comes first, and how far other scores move.

Scores are cosines of a batch: rows are queries, columns the pairs, each pair one query's own. The first rows are the
batch's own queries, by the encoder that is trained; below them stand the training queries as the teacher has them, the
encoder as it was, so that a pair's two wordings come together for more queries than its own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Scores:
    """Cosines (Q, P) of Q queries with P pairs' wordings; neutral (Q, N) with the N neutral wordings that there are."""

    female: "torch.Tensor"
    male: "torch.Tensor"
    neutral: "torch.Tensor"


def aim(scores: Scores, own: "torch.Tensor", scale: float) -> "torch.Tensor":
    """How far apart the genders' wordings stand, and how far the one is first more often than the other.

    With the gap g = s(q, female) - s(q, male) of each pair and its own query, own (P,) its row, and scale the teacher's
    root mean square gap: (mean(g²) + mean(G²)) / scale² + mean(tanh(2 g / scale))², where G are the gaps of all pairs
    for all queries. The first term is symmetric: a gap of either sign costs alike. The second is 0 where gaps have a
    mean of zero, counted by sign rather than by size: both groups first equally often, as the paper asks.
    """
    import torch

    gaps = scores.female - scores.male  # (Q, P)
    owned = gaps[own, torch.arange(len(own))]  # (P,)
    size = (owned.square().mean() + gaps.square().mean()) / scale**2
    return size + torch.tanh(2 * owned / scale).mean().square()


def hold(scores: Scores, teacher: Scores, scale: float) -> "torch.Tensor":
    """How far scores have moved that the aim need not move: mean((m - m_t)²) / scale² + mean((n - n_t)²) / scale².

    m is the mean score of a pair's two wordings, n that of a neutral wording, each for every query of the batch: what
    keeps queries and documents apart stays as it was, and what closes a gap costs nothing.
    """
    middle = ((scores.female + scores.male) - (teacher.female + teacher.male)) / 2
    moved = middle.square().mean()
    if scores.neutral.numel():
        moved = moved + (scores.neutral - teacher.neutral).square().mean()
    return moved / scale**2
