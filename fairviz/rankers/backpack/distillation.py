"""Distillation of a Backpack from MiniLM's vectors of texts, with checkpoints to resume from."""

import io
import math
import pickle
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.home import write_whole
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
class Progressed:
    """The progress of a training: steps, seconds, the best held-out loss with its step and cosine, evaluations since
    without a gain, each evaluation as (step, training loss since the last, held-out loss, held-out cosine), and the
    reason of the end."""

    step: int = 0
    seconds: float = 0.0
    best: float = math.inf
    best_step: int = 0
    cosine: float = 0.0
    idle: int = 0
    looks: list[list[float]] = field(default_factory=list)
    stopped: str = ""


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
        import torch

        self.corpus, self.vectors, self.plan, self.file, self.progress = corpus, vectors, plan, checkpoint, progress
        self.held_out_rows = np.arange(max(1, min(HELD_OUT, len(corpus) // 10)))
        self.training_rows = np.arange(len(self.held_out_rows), len(corpus)) if len(corpus) > 1 else self.held_out_rows
        self.per_epoch = math.ceil(len(self.training_rows) / BATCH)
        self.steps = plan.epochs * self.per_epoch
        self.weights = initial(plan.senses, vectors.shape[1], plan.seed)
        for tensor in self.weights.values():
            tensor.requires_grad_(True)
        self.optimiser = torch.optim.AdamW(self.weights.values(), lr=RATE)
        self.best = self._copy()
        self.done = Progressed(seconds=corpus.seconds)

    def run(self) -> Distilled:
        """Return the trained weights. After an interruption, the same call resumes from the last checkpoint."""
        self._resume()
        start, seconds_before, losses = time.monotonic(), self.done.seconds, list[float]()
        while not self.done.stopped:
            losses.append(self._step())
            self.done.seconds = seconds_before + time.monotonic() - start
            self.progress(LEARNING, self.done.step, self.steps)
            is_late = self.done.seconds >= self.plan.seconds
            if is_late or self.done.step % self.plan.every == 0 or self.done.step == self.steps:
                self._evaluate(float(np.mean(losses)))
                self.done.stopped = self._reason(is_late)
                losses = []
                self._save()
        return Distilled(self.best, self.done, self.steps, len(self.training_rows), len(self.held_out_rows))

    def _step(self) -> float:
        """Take one step on the next batch; return its loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.done.step, self.steps)
        loss, _ = loss_of(self.weights, self.vectors, self.corpus.batch(self._rows(self.done.step)))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.done.step += 1
        return float(loss.detach())

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
            self.best = self._copy()

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

    def _copy(self) -> "dict[str, Tensor]":
        return {name: tensor.detach().clone() for name, tensor in self.weights.items()}

    def _save(self) -> None:
        import torch

        stream = io.BytesIO()
        state: dict[str, Any] = {"weights": self._copy(), "best": self.best, "done": asdict(self.done)}
        torch.save(state | {"optimiser": self.optimiser.state_dict()}, stream)
        write_whole(self.file, stream.getvalue())

    def _resume(self) -> None:
        """Restore the state of the checkpoint, if it can be read."""
        state = checkpoint_of(self.file)
        if state is None:
            return
        import torch

        with torch.no_grad():
            for name, tensor in self.weights.items():
                tensor.copy_(state["weights"][name])
        self.best = state["best"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.done = Progressed(**state["done"])


def checkpoint_of(file: Path) -> dict[str, Any] | None:
    """Return the content of the checkpoint; None for a missing or truncated file."""
    import torch

    try:
        return torch.load(file, weights_only=True)
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError):
        return None
