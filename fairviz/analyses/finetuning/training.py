"""The training: low-rank weights in an encoder's attention, one step per batch of pairs."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.analyses.finetuning.batches import Batch, Encode, batch_at, make_encode, scores_of
from fairviz.analyses.finetuning.checkpoint import Progressed, save
from fairviz.analyses.finetuning.losses import aim, hold
from fairviz.analyses.finetuning.pairs import TRAIN, Pairs
from fairviz.analyses.finetuning.plan import Plan
from fairviz.errors import FairvizError, UsageError
from fairviz.home import write_whole
from fairviz.models.adapters import CONFIG, WEIGHTS, peft_warnings_off, train_package

if TYPE_CHECKING:
    import torch

LEARNING_RATE = 0.002  # of the first step; decreases linearly to 0 after the last
MOST_OTHERS = 1000  # further training queries scored with each batch
MOST_BYTES = 1_000_000  # of an adapter
_LEAST_SCALE = 1e-6  # if the encoder does not distinguish any wordings
Progress = Callable[[str, int, int], None]


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


def train(encoder: Any, work: Work, done: Progressed, progress: Progress) -> Progressed:
    """Train an adapter in the encoder, resuming `done`, and write its weights to the work's folder.

    Every step is saved before the next. At strength 0 no step is taken: the aim has no weight, and the preserving term
    is minimal at the start. progress(what, done, in all) is called after each step. Raises UsageError for a rank whose
    weights are too large, FairvizError for an encoder without attention and if a loss is not finite.
    """
    import torch

    adapted = _attach(encoder, work.plan)
    weights = {name: weight for name, weight in adapted.named_parameters() if weight.requires_grad}
    optimiser = torch.optim.Adam(list(weights.values()), lr=LEARNING_RATE)
    if done.steps:
        with torch.no_grad():
            for name, weight in weights.items():
                weight.copy_(done.weights[name])
        optimiser.load_state_dict(done.optimiser)
    _steps(make_encode(encoder), work, done, (weights, optimiser), progress)
    _write(adapted, work.folder)
    return done


def planned_steps(plan: Plan) -> int:
    """Return the number of planned steps: 0 at strength 0."""
    return plan.steps if plan.strength else 0


def _steps(
    encode: Encode,
    work: Work,
    done: Progressed,
    trained: tuple[dict[str, "torch.Tensor"], "torch.optim.Optimizer"],
    progress: Progress,
) -> None:
    (weights, optimiser), step_count = trained, planned_steps(work.plan)
    table, task = work.pairs.of(TRAIN), f"training {work.plan.name}"
    scale = _scale(work)
    query_vectors = work.taught(sorted({work.pairs.queries[name] for name in table["query_id"]})[:MOST_OTHERS])
    progress(task, done.steps, step_count)
    limit = np.inf if work.plan.minutes is None else 60 * work.plan.minutes
    while done.steps < step_count and done.seconds < limit:
        began = time.monotonic()
        batch = batch_at(done.steps, table, work.pairs.queries, work.plan.seed)
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * (1 - done.steps / step_count)
        loss = _step(encode, batch, work, query_vectors, scale, optimiser)
        done.losses.append([done.steps + 1, *loss])
        if not np.isfinite(loss).all():
            raise FairvizError(
                f"the loss is not finite at step {done.steps} of {step_count}",
                "Use a smaller strength, or another seed.",
            )
        done.weights = {name: one.detach().clone() for name, one in weights.items()}
        done.optimiser = optimiser.state_dict()
        done.seconds += time.monotonic() - began
        save(work.folder, done)
        progress(task, done.steps, step_count)


def _step(
    encode: Encode,
    batch: Batch,
    work: Work,
    query_vectors: "torch.Tensor",
    scale: float,
    optimiser: "torch.optim.Optimizer",
) -> tuple[float, float, float]:
    """Run one training step; return loss, aim and hold before it. query_vectors: the teacher's, of all training
    queries.
    """
    import torch

    taught = scores_of(batch, work.taught(batch.texts), query_vectors)
    scores = scores_of(batch, encode(batch.texts), query_vectors)
    aim_loss, hold_loss = aim(scores, torch.tensor(batch.own), scale), hold(scores, taught, scale)
    loss = work.plan.strength * aim_loss + hold_loss
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item(), aim_loss.item(), hold_loss.item()


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
