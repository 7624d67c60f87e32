"""The training losses: the aim, that neither gender's wording comes first, and the change of other scores.

Scores are cosines of a batch: rows are queries, columns the pairs, each pair one query's own. The first rows are the
batch's own queries, by the trained encoder; the rows below are the training queries by the teacher, the original
encoder, so that a pair's two wordings approach each other for more queries than its own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Scores:
    """Cosines (Q, P) of Q queries with P pairs' wordings; neutral (Q, N) with the N neutral wordings."""

    female: "torch.Tensor"
    male: "torch.Tensor"
    neutral: "torch.Tensor"


def gap_loss(scores: Scores, own: "torch.Tensor", scale: float) -> "torch.Tensor":
    """Return the loss of the distance between the genders' wordings and of unequal first places.

    With the gap g = s(q, female) - s(q, male) of each pair and its own query, own (P,) its row, and scale the teacher's
    root mean square gap: (mean(g²) + mean(G²)) / scale² + mean(tanh(2 g / scale))², where G are the gaps of all pairs
    for all queries. The first term is symmetric: gaps of either sign have equal cost. The second is 0 if gaps have a
    mean of zero, counted by sign rather than by size: both groups first equally often, as in the paper.
    """
    import torch

    gaps = scores.female - scores.male  # (Q, P)
    owned = gaps[own, torch.arange(len(own))]  # (P,)
    size = (owned.square().mean() + gaps.square().mean()) / scale**2
    return size + torch.tanh(2 * owned / scale).mean().square()


def distillation_loss(scores: Scores, teacher: Scores, scale: float) -> "torch.Tensor":
    """Return the loss of other scores' changes: mean((m - m_t)²) / scale² + mean((n - n_t)²) / scale².

    m is the mean score of a pair's two wordings, n that of a neutral wording, each for every query of the batch: the
    separation of queries and documents is preserved, and closing a gap has no cost.
    """
    middle = ((scores.female + scores.male) - (teacher.female + teacher.male)) / 2
    loss = middle.square().mean()
    if scores.neutral.numel():
        loss = loss + (scores.neutral - teacher.neutral).square().mean()
    return loss / scale**2
