"""Distilling a Backpack from MiniLM's vectors of texts, with checkpoints: what is killed goes on where it was."""

import io
import math
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
SIMILARITY = 5.0  # what the similarities within a batch count beside the cosine
EPOCHS = 3
HELD_OUT = 400  # passages at most, and a tenth of them at most, on which it is told when to stop
EVERY = 50  # steps between two looks at them
PATIENCE = 4  # looks without a gain before it stops
LEARNING = "learning"


@dataclass(frozen=True)
class Plan:
    """How a model is made: its senses, the seed, and the seconds that it may take in all."""

    senses: int = 8
    seed: int = 0
    seconds: float = 300.0
    every: int = EVERY
    epochs: int = EPOCHS


@dataclass
class Progressed:
    """How far it is: steps taken, seconds spent, the best held-out loss with its step and cosine, looks since without
    a gain, each look as (step, training loss since the last, held-out loss, held-out cosine), and why it ended."""

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
    """The weights with the lowest loss on held-out text, and how they came about."""

    weights: "dict[str, Tensor]"
    progressed: Progressed
    steps: int
    passages: int
    held_out: int


def loss_of(weights: Weights, vectors: "Tensor", reading: Reading) -> "tuple[Tensor, Tensor]":
    """(1 − cosine to MiniLM's vector) + 5 × mean squared error of the similarities within the batch, and the cosine;
    means over the texts, under the weight 1 of every sense."""
    import torch

    rows, tokens = torch.unique(reading.tokens, return_inverse=True)
    senses = text_senses(weights, tokens, vectors[rows], reading.states, reading.mask)
    own = torch.nn.functional.normalize(senses.sum(dim=1), dim=1)
    cosine = (own * reading.vectors).sum(dim=1).mean()
    error = ((own @ own.T - reading.vectors @ reading.vectors.T) ** 2).mean()
    return 1 - cosine + SIMILARITY * error, cosine


def rate(step: int, steps: int) -> float:
    """The learning rate of the step: up to the highest, then down along a cosine."""
    if step < WARM_UP:
        return RATE * (step + 1) / WARM_UP
    share = (step - WARM_UP) / max(steps - WARM_UP, 1)
    return RATE * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(share, 1.0))) / 2)


class Distillation:
    """One training. `run` takes it to its end from wherever its checkpoint stands."""

    def __init__(self, corpus: Corpus, vectors: "Tensor", plan: Plan, checkpoint: Path, progress: Progress) -> None:
        """corpus: what is learnt from; vectors (V, d): frozen WordPiece vectors."""
        import torch

        self.corpus, self.vectors, self.plan, self.file, self.progress = corpus, vectors, plan, checkpoint, progress
        self.held = np.arange(max(1, min(HELD_OUT, len(corpus) // 10)))
        self.taught = np.arange(len(self.held), len(corpus)) if len(corpus) > 1 else self.held
        self.per_epoch = math.ceil(len(self.taught) / BATCH)
        self.steps = plan.epochs * self.per_epoch
        self.weights = initial(plan.senses, vectors.shape[1], plan.seed)
        for tensor in self.weights.values():
            tensor.requires_grad_(True)
        self.optimiser = torch.optim.AdamW(self.weights.values(), lr=RATE)
        self.best = self._copy()
        self.done = Progressed(seconds=corpus.seconds)

    def run(self) -> Distilled:
        """The trained weights. Whatever ends it in the middle, the same call goes on from the last checkpoint."""
        self._resume()
        begun, before, losses = time.monotonic(), self.done.seconds, list[float]()
        while not self.done.stopped:
            losses.append(self._step())
            self.done.seconds = before + time.monotonic() - begun
            self.progress(LEARNING, self.done.step, self.steps)
            late = self.done.seconds >= self.plan.seconds
            if late or self.done.step % self.plan.every == 0 or self.done.step == self.steps:
                self._look(float(np.mean(losses)))
                self.done.stopped = self._reason(late)
                losses = []
                self._save()
        return Distilled(self.best, self.done, self.steps, len(self.taught), len(self.held))

    def _step(self) -> float:
        """One step on the next batch; its loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.done.step, self.steps)
        loss, _ = loss_of(self.weights, self.vectors, self.corpus.batch(self._rows(self.done.step)))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.done.step += 1
        return float(loss.detach())

    def _rows(self, step: int) -> list[int]:
        """The passages of a step: each epoch goes through all of them once, in an order of its own."""
        epoch, place = divmod(step, self.per_epoch)
        order = np.random.default_rng([self.plan.seed, epoch]).permutation(self.taught)
        return order[place * BATCH : (place + 1) * BATCH].tolist()

    def _look(self, learnt: float) -> None:
        """Looks at the held-out passages, and keeps the weights where they are the best so far."""
        loss, cosine = self._held_out()
        self.done.looks.append([self.done.step, learnt, loss, cosine])
        self.done.idle += 1
        if loss < self.done.best:
            self.done.best, self.done.best_step, self.done.cosine, self.done.idle = loss, self.done.step, cosine, 0
            self.best = self._copy()

    def _held_out(self) -> tuple[float, float]:
        import torch

        found = []
        with torch.inference_mode():
            for start in range(0, len(self.held), BATCH):
                reading = self.corpus.batch(self.held[start : start + BATCH].tolist())
                found.append(
                    [float(part) * len(reading.vectors) for part in loss_of(self.weights, self.vectors, reading)]
                )
        loss, cosine = np.sum(found, axis=0) / len(self.held)
        return float(loss), float(cosine)

    def _reason(self, late: bool) -> str:
        """Why it ends here; empty where it goes on."""
        if self.done.step >= self.steps:
            return "all steps done"
        if self.done.idle >= PATIENCE:
            return "held-out text gained no more"
        return "time was over" if late else ""

    def _copy(self) -> "dict[str, Tensor]":
        return {name: tensor.detach().clone() for name, tensor in self.weights.items()}

    def _save(self) -> None:
        import torch

        stream = io.BytesIO()
        state: dict[str, Any] = {"weights": self._copy(), "best": self.best, "done": asdict(self.done)}
        torch.save(state | {"optimiser": self.optimiser.state_dict()}, stream)
        write_whole(self.file, stream.getvalue())

    def _resume(self) -> None:
        """Goes back to the checkpoint; one that cannot be read is none."""
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
    """What the checkpoint holds; None without one, and for one that is cut off."""
    import pickle

    import torch

    try:
        return torch.load(file, weights_only=True)
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError):
        return None
