"""The training: low-rank weights in an encoder's attention, one step per batch of pairs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.finetuning.pairs import HELD_OUT, TRAIN, FinetuningPlan, Pairs
from fairviz.home import __version__, write_whole
from fairviz.models.sentence_encoder import (
    CARD,
    CONFIG,
    WEIGHTS,
    Adapter,
    adapters_trained_on,
    peft_warnings_off,
    train_package,
)
from fairviz.models.training import Course, Training
from fairviz.study.record import Study

if TYPE_CHECKING:
    import torch

QUERIES = 8  # of a batch
Encode = Callable[[Sequence[str]], "torch.Tensor"]
LEARNING_RATE = 0.002  # of the first step; decreases linearly to 0 after the last
FILE = "checkpoint.pt"
MOST_OTHERS = 1000  # further training queries scored with each batch
MOST_BYTES = 1_000_000  # of an adapter
_LEAST_SCALE = 1e-6  # if the encoder does not distinguish any wordings
Progress = Callable[[str, int, int], None]
PACKAGES = ("torch", "peft", "transformers", "sentence-transformers")


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


@dataclass(frozen=True)
class Batch:
    """The texts of Q queries, of their P pairs and of the neutral wordings; own: the index of each pair's query."""

    queries: list[str]
    female: list[str]
    male: list[str]
    neutral: list[str]
    own: list[int]

    @property
    def texts(self) -> list[str]:
        """All texts, one part after the other."""
        return [*self.queries, *self.female, *self.male, *self.neutral]


def batch_at(step: int, table: pd.DataFrame, queries: dict[str, str], seed: int) -> Batch:
    """Return the batch of a step, from 0; it does not depend on earlier steps.

    table: the pairs: see `pairs.Pairs`. Every query is used once per epoch, each epoch in another order.
    """
    names = sorted(table["query_id"].unique())
    size = min(QUERIES, len(names))
    positions = range(step * size, (step + 1) * size)
    query_ids = list(dict.fromkeys(_query_at(position, names, seed) for position in positions))
    rows = table[table["query_id"].isin(query_ids)]
    places = {name: place for place, name in enumerate(query_ids)}
    neutral = [text for text in rows["neutral"].tolist() if text]
    query_indices = [places[name] for name in rows["query_id"]]
    return Batch(
        [queries[name] for name in query_ids], rows["female"].tolist(), rows["male"].tolist(), neutral, query_indices
    )


def _query_at(position: int, names: Sequence[str], seed: int) -> str:
    """Return the query at a position of the training, whose epochs follow one another, each in another order."""
    epoch, within = divmod(position, len(names))
    return names[int(np.random.default_rng([seed, epoch]).permutation(len(names))[within])]


def scores_of(batch: Batch, vectors: "torch.Tensor", others: "torch.Tensor") -> Scores:
    """Return the scores of a batch from the unit vectors of its texts; others (O, n): vectors of further queries,
    whose scores are appended to those of its own queries.
    """
    import torch

    ends = np.cumsum([len(batch.queries), len(batch.female), len(batch.male)]).tolist()
    query_part, female, male, neutral = vectors.tensor_split(ends)
    queries = torch.cat([query_part, others])
    return Scores(queries @ female.T, queries @ male.T, queries @ neutral.T)


def make_encode(encoder: Any) -> Encode:
    """Return a function from texts to unit vectors with gradients, by a `SentenceTransformer`."""
    import torch

    def encode(texts: Sequence[str]) -> "torch.Tensor":
        features = encoder.preprocess(list(texts))
        return torch.nn.functional.normalize(encoder(features)["sentence_embedding"], dim=1)

    return encode


@dataclass
class Progressed(Course):
    """The state of a training. losses: step, loss, aim and hold of each step."""

    losses: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Work:
    """The training data, and the original encoder's vectors (n,) by text."""

    pairs: Pairs
    plan: FinetuningPlan
    teacher: dict[str, np.ndarray]
    folder: Path

    def taught(self, texts: Sequence[str]) -> "torch.Tensor":
        """Return the original encoder's vectors of these texts, (len, n)."""
        import torch

        return torch.from_numpy(np.stack([self.teacher[text] for text in texts]))


def train(encoder: Any, work: Work, course: Progressed, progress: Progress) -> Progressed:
    """Train an adapter in the encoder, resuming `course`, and write its weights to the work's folder.

    Every step is saved before the next. At strength 0 no step is taken: the aim has no weight, and the preserving term
    is minimal at the start. progress(what, done, in all) is called after each step. Raises UsageError for a rank whose
    weights are too large, FairvizError for an encoder without attention and if a loss is not finite.
    """
    import torch

    adapted = _attach(encoder, work.plan)
    weights = {name: weight for name, weight in adapted.named_parameters() if weight.requires_grad}
    optimiser = torch.optim.Adam(list(weights.values()), lr=LEARNING_RATE)
    task, step_count = f"training {work.plan.name}", planned_steps(work.plan)
    limit = np.inf if work.plan.minutes is None else 60 * work.plan.minutes
    progress(task, course.step, step_count)
    training = Training(weights, optimiser, lambda step: LEARNING_RATE * (1 - step / step_count), work.folder / FILE)
    training.run(
        course,
        _losses(make_encode(encoder), work, course),
        lambda: course.step >= step_count or course.seconds >= limit,
        lambda _: True,
        lambda step: progress(task, step, step_count),
    )
    _write_adapter(adapted, work.folder)
    return course


def _write_adapter(adapted: Any, folder: Path) -> None:
    """Write the trained weights and their configuration, without local paths."""
    from safetensors.torch import save as as_bytes

    trained = train_package().get_peft_model_state_dict(adapted)
    write_whole(folder / WEIGHTS, as_bytes({name: one.detach().contiguous() for name, one in trained.items()}))
    config = adapted.peft_config["default"].to_dict() | {"base_model_name_or_path": "", "inference_mode": True}
    write_whole(folder / CONFIG, json.dumps(config, default=sorted, indent=1, sort_keys=True) + "\n")


def planned_steps(plan: FinetuningPlan) -> int:
    """Return the number of planned steps: 0 at strength 0."""
    return plan.steps if plan.strength else 0


def _losses(encode: Encode, work: Work, course: Progressed) -> Callable[[int], "torch.Tensor"]:
    """Return the loss of a step's batch as a function of the step, which adds loss, aim and hold to `course`."""
    import torch

    table, queries, scale = work.pairs.of(TRAIN), work.pairs.queries, _scale(work)
    query_vectors = work.taught(sorted({queries[name] for name in table["query_id"]})[:MOST_OTHERS])

    def loss_at(step: int) -> "torch.Tensor":
        batch = batch_at(step, table, queries, work.plan.seed)
        taught = scores_of(batch, work.taught(batch.texts), query_vectors)
        scores = scores_of(batch, encode(batch.texts), query_vectors)
        aim_loss, hold_loss = gap_loss(scores, torch.tensor(batch.own), scale), distillation_loss(scores, taught, scale)
        loss = work.plan.strength * aim_loss + hold_loss
        values = [loss.item(), aim_loss.item(), hold_loss.item()]
        if not np.isfinite(values).all():
            raise FairvizError(
                f"the loss is not finite at step {step + 1} of {planned_steps(work.plan)}",
                "Use a smaller strength, or another seed.",
            )
        course.losses.append([step + 1, *values])
        return loss

    return loss_at


def _scale(work: Work) -> float:
    """Return the root mean square gap between the two wordings of the training pairs, by the original encoder."""
    table = work.pairs.of(TRAIN)
    queries = np.stack([work.teacher[work.pairs.queries[name]] for name in table["query_id"]])
    female, male = (np.stack([work.teacher[text] for text in table[name]]) for name in ("female", "male"))
    return max(float(np.sqrt(np.mean((queries * (female - male)).sum(axis=1) ** 2))), _LEAST_SCALE)


def _attach(encoder: Any, plan: FinetuningPlan) -> Any:
    """Return the encoder's transformer with initially neutral low-rank weights in its attention."""
    import torch

    peft = train_package()
    model = getattr(encoder[0], "auto_model", None)
    modules = model.named_modules() if model is not None else ()
    linear = [name for name, one in modules if isinstance(one, torch.nn.Linear)]
    targets = sorted(name for name in linear if "att" in name.lower())
    if model is None or not targets:
        raise FairvizError("the encoder has no attention to put weights beside", "Use a model of transformers.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(plan.seed)
        config = peft.LoraConfig(r=plan.rank, lora_alpha=2 * plan.rank, lora_dropout=0.0, target_modules=targets)
        with peft_warnings_off():
            adapted = peft.get_peft_model(model, config)
    size = sum(one.numel() * one.element_size() for one in adapted.parameters() if one.requires_grad)
    if size > MOST_BYTES:
        raise UsageError(
            f"rank is {plan.rank}, which makes an adapter of {size:,} bytes",
            f"Use a rank of {MOST_BYTES * plan.rank // size} or less: an adapter has at most {MOST_BYTES:,} bytes.",
        )
    encoder[0].auto_model = adapted
    encoder.eval()  # no dropout: before the first step the scores are the teacher's
    return adapted


def card_of(
    study: Study, pairs: Pairs, plan: FinetuningPlan, model: Mapping[str, str], progress: Progressed
) -> dict[str, Any]:
    """Return the card before the outcome is known. model: name and key."""
    return {
        "name": plan.name,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "study": {
            "name": study.name,
            "title": study.title,
            "fingerprint": study.fingerprint,
            "pairs": {part: len(pairs.of(part)) for part in (TRAIN, HELD_OUT)},
            "source": pairs.source,
            "shared": pairs.shared,
        },
        "model": dict(model),
        "plan": {name: getattr(plan, name) for name in ("rank", "strength", "minutes", "steps", "seed")},
        "split": {
            part: sorted(name for name, held in pairs.split.items() if held == part) for part in (TRAIN, HELD_OUT)
        },
        "training": {"steps": progress.step, "planned": planned_steps(plan), "seconds": round(progress.seconds, 1)},
        "losses": [dict(zip(("step", "loss", "aim", "hold"), row, strict=True)) for row in progress.losses],
        "digest": progress.key,
        "versions": {"fairviz": __version__} | {name: _version(name) for name in PACKAGES},
    }


def with_outcome(card: Mapping[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    """Return the card with the table before and after; undefined values become null."""
    return {**card, "outcome": json.loads(table.to_json(orient="records", double_precision=15))}


def outcome_of(card: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table in a card; empty without one."""
    table = pd.DataFrame(card.get("outcome", []))
    if not table.empty and "tests" not in table:  # of an older version: Holm over the rows of each part
        table["tests"] = "paired t, Holm"
    texts = [name for name in ("split", "measure", "tests") if name in table]
    numbers = [name for name in table.columns if name not in (*texts, "queries")]
    return table.astype(dict.fromkeys(texts, "str") | dict.fromkeys(numbers, float))


def adapters_of(study: Study) -> tuple[Adapter, ...]:
    """Return the measured adapters trained on the study of this name, the newest first, without broken ones."""
    return tuple(adapter for adapter in adapters_trained_on(study.name) if not outcome_of(adapter.card).empty)


def is_of_this_state(adapter: Adapter, study: Study) -> bool:
    """Return whether the study is unchanged since the adapter was trained."""
    return bool(adapter.card["study"].get("fingerprint") == study.fingerprint)


def write_card(folder: Path, card: Mapping[str, Any]) -> None:
    """Write the card into the adapter's folder. Raises OSError."""
    write_whole(folder / CARD, json.dumps(card, ensure_ascii=False, indent=1) + "\n")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
