"""The training: low-rank weights in an encoder's attention, one step per batch of pairs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.analyses.finetuning.batches import Encode, batch_at, make_encode, scores_of
from fairviz.analyses.finetuning.losses import distillation_loss, gap_loss
from fairviz.analyses.finetuning.pairs import TRAIN, Pairs
from fairviz.analyses.finetuning.plan import Plan
from fairviz.errors import FairvizError, UsageError
from fairviz.home import write_whole
from fairviz.models.sentence_encoder import CONFIG, WEIGHTS, peft_warnings_off, train_package
from fairviz.models.training import Course, Training

if TYPE_CHECKING:
    import torch

LEARNING_RATE = 0.002  # of the first step; decreases linearly to 0 after the last
FILE = "checkpoint.pt"
MOST_OTHERS = 1000  # further training queries scored with each batch
MOST_BYTES = 1_000_000  # of an adapter
_LEAST_SCALE = 1e-6  # if the encoder does not distinguish any wordings
Progress = Callable[[str, int, int], None]


@dataclass
class Progressed(Course):
    """The state of a training. losses: step, loss, aim and hold of each step."""

    losses: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Work:
    """The training data, and the original encoder's vectors (n,) by text."""

    pairs: Pairs
    plan: Plan
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
    _write(adapted, work.folder)
    return course


def planned_steps(plan: Plan) -> int:
    """Return the number of planned steps: 0 at strength 0."""
    return plan.steps if plan.strength else 0


def _losses(encode: Encode, work: Work, course: Progressed) -> Callable[[int], "torch.Tensor"]:
    """Return the loss of a step's batch as a function of the step, which adds loss, aim and hold to `course`."""
    import torch

    table, scale = work.pairs.of(TRAIN), _scale(work)
    query_vectors = work.taught(sorted({work.pairs.queries[name] for name in table["query_id"]})[:MOST_OTHERS])

    def loss_at(step: int) -> "torch.Tensor":
        batch = batch_at(step, table, work.pairs.queries, work.plan.seed)
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
    rows = work.pairs.of(TRAIN)
    query_vectors = np.stack([work.teacher[work.pairs.queries[name]] for name in rows["query_id"]])
    differences = np.stack([work.teacher[text] for text in rows["female"]]) - np.stack(
        [work.teacher[text] for text in rows["male"]]
    )
    return max(float(np.sqrt(np.mean((query_vectors * differences).sum(axis=1) ** 2))), _LEAST_SCALE)


def _attach(encoder: Any, plan: Plan) -> Any:
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


def _write(adapted: Any, folder: Path) -> None:
    """Write the weights and their configuration, without local paths."""
    from safetensors.torch import save as as_bytes

    peft = train_package()
    weights = {name: one.detach().contiguous() for name, one in peft.get_peft_model_state_dict(adapted).items()}
    write_whole(folder / WEIGHTS, as_bytes(weights))
    config = adapted.peft_config["default"].to_dict() | {"base_model_name_or_path": "", "inference_mode": True}
    write_whole(folder / CONFIG, json.dumps(config, default=sorted, indent=1, sort_keys=True) + "\n")
