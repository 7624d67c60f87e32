"""Distillation of a Backpack from MiniLM's vectors of texts, with checkpoints to resume from."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fairviz.models.training import Course, Training, copied, load_course
from fairviz.rankers.backpack.corpus import Corpus, Progress
from fairviz.rankers.backpack.network import Weights, initial, text_senses
from fairviz.rankers.backpack.teacher import Reading

if TYPE_CHECKING:
    from torch import Tensor

BATCH = 48
RATE, WARM_UP, LAST_RATE = 2e-3, 20, 0.02  # the highest rate, the steps up to it, and the share of it at the end
SIMILARITY = 5.0  # weight of the similarities within a batch relative to the cosine
EPOCHS = 3
HELD_OUT = 400  # most held-out passages for early stopping, and at most a tenth of all
EVERY = 50  # steps between two evaluations
PATIENCE = 4  # evaluations without a gain before the training stops
LEARNING = "learning"


@dataclass(frozen=True)
class Plan:
    """Settings of a training: senses, seed, and most seconds in all."""

    senses: int = 8
    seed: int = 0
    seconds: float = 300.0
    every: int = EVERY
    epochs: int = EPOCHS


@dataclass
class Progressed(Course):
    """The progress of a training: the best held-out loss with its step, cosine and weights, evaluations since without a
    gain, each evaluation as (step, training loss since the last, held-out loss, held-out cosine), and the reason of the
    end."""

    best: float = math.inf
    best_step: int = 0
    cosine: float = 0.0
    idle: int = 0
    looks: list[list[float]] = field(default_factory=list)
    stopped: str = ""
    best_weights: "dict[str, Tensor]" = field(default_factory=dict, compare=False)


@dataclass(frozen=True, eq=False)
class Distilled:
    """The weights with the lowest loss on held-out text, and the course of the training."""

    weights: "dict[str, Tensor]"
    progressed: Progressed
    steps: int
    passages: int
    held_out: int


def loss_of(weights: Weights, vectors: "Tensor", reading: Reading) -> "tuple[Tensor, Tensor]":
    """Return (1 − cosine to MiniLM's vector) + 5 × mean squared error of the similarities within the batch, and the
    cosine; means over the texts, with weight 1 for every sense."""
    import torch

    rows, tokens = torch.unique(reading.tokens, return_inverse=True)
    senses = text_senses(weights, tokens, vectors[rows], reading.states, reading.mask)
    own = torch.nn.functional.normalize(senses.sum(dim=1), dim=1)
    cosine = (own * reading.vectors).sum(dim=1).mean()
    error = ((own @ own.T - reading.vectors @ reading.vectors.T) ** 2).mean()
    return 1 - cosine + SIMILARITY * error, cosine


def rate(step: int, steps: int) -> float:
    """Return the learning rate of the step: linear up to the highest, then down along a cosine."""
    if step < WARM_UP:
        return RATE * (step + 1) / WARM_UP
    share = (step - WARM_UP) / max(steps - WARM_UP, 1)
    return RATE * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(share, 1.0))) / 2)


class Distillation:
    """One training, resumed from its checkpoint."""

    def __init__(self, corpus: Corpus, vectors: "Tensor", plan: Plan, checkpoint: Path, progress: Progress) -> None:
        """Prepare a training on the corpus. vectors (V, d): frozen WordPiece vectors."""
        self.corpus, self.vectors, self.plan, self.file, self.progress = corpus, vectors, plan, checkpoint, progress
        self.held_out_rows = np.arange(max(1, min(HELD_OUT, len(corpus) // 10)))
        self.training_rows = np.arange(len(self.held_out_rows), len(corpus)) if len(corpus) > 1 else self.held_out_rows
        self.per_epoch = math.ceil(len(self.training_rows) / BATCH)
        self.steps = plan.epochs * self.per_epoch
        self.weights = initial(plan.senses, vectors.shape[1], plan.seed)
        for tensor in self.weights.values():
            tensor.requires_grad_(True)
        self.losses: list[float] = []  # since the last evaluation
        self.done = load_course(Progressed, checkpoint)
        if not self.done.step:
            self.done.best_weights, self.done.seconds = copied(self.weights), corpus.seconds

    def run(self) -> Distilled:
        """Return the trained weights. After an interruption, the same call resumes from the last checkpoint."""
        import torch

        optimiser = torch.optim.AdamW(self.weights.values(), lr=RATE)
        training = Training(self.weights, optimiser, lambda step: rate(step, self.steps), self.file)
        training.run(
            self.done,
            self._loss,
            lambda: bool(self.done.stopped),
            self._is_kept,
            lambda step: self.progress(LEARNING, step, self.steps),
        )
        return Distilled(
            self.done.best_weights, self.done, self.steps, len(self.training_rows), len(self.held_out_rows)
        )

    def _loss(self, step: int) -> "Tensor":
        return loss_of(self.weights, self.vectors, self.corpus.batch(self._rows(step)))[0]

    def _is_kept(self, loss: float) -> bool:
        """Evaluate after the last step and every few others; return whether the step was evaluated."""
        self.losses.append(loss)
        is_late = self.done.seconds >= self.plan.seconds
        if not is_late and self.done.step % self.plan.every and self.done.step != self.steps:
            return False
        self._evaluate(float(np.mean(self.losses)))
        self.done.stopped = self._reason(is_late)
        self.losses = []
        return True

    def _rows(self, step: int) -> list[int]:
        """Return the passages of a step; each epoch has all of them once, in an order of its own."""
        epoch, place = divmod(step, self.per_epoch)
        order = np.random.default_rng([self.plan.seed, epoch]).permutation(self.training_rows)
        return order[place * BATCH : (place + 1) * BATCH].tolist()

    def _evaluate(self, training_loss: float) -> None:
        """Evaluate the held-out passages, and copy the weights where they are the best so far."""
        loss, cosine = self._held_out_loss()
        self.done.looks.append([self.done.step, training_loss, loss, cosine])
        self.done.idle += 1
        if loss < self.done.best:
            self.done.best, self.done.best_step, self.done.cosine, self.done.idle = loss, self.done.step, cosine, 0
            self.done.best_weights = copied(self.weights)

    def _held_out_loss(self) -> tuple[float, float]:
        import torch

        sums = []
        with torch.inference_mode():
            for start in range(0, len(self.held_out_rows), BATCH):
                reading = self.corpus.batch(self.held_out_rows[start : start + BATCH].tolist())
                sums.append(
                    [float(part) * len(reading.vectors) for part in loss_of(self.weights, self.vectors, reading)]
                )
        loss, cosine = np.sum(sums, axis=0) / len(self.held_out_rows)
        return float(loss), float(cosine)

    def _reason(self, is_late: bool) -> str:
        """Return the reason to end here; empty to continue."""
        if self.done.step >= self.steps:
            return "all steps done"
        if self.done.idle >= PATIENCE:
            return "held-out text gained no more"
        return "time was over" if is_late else ""
