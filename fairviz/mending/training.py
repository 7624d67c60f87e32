"""The training itself: low-rank weights beside the attention of an encoder, a step for each batch of pairs."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.home import write_whole
from fairviz.mending.batches import Batch, Encode, batch_at, encoding, scores_of
from fairviz.mending.checkpoint import Progressed, save
from fairviz.mending.losses import aim, hold
from fairviz.mending.pairs import TRAIN, Pairs
from fairviz.mending.plan import Plan
from fairviz.models.adapters import CONFIG, WEIGHTS, peft_warnings_off, train_package

if TYPE_CHECKING:
    import torch

LEARNING_RATE = 0.002  # of the first step; it falls in a straight line to 0 behind the last
MOST_OTHERS = 1000  # training queries whose scores stand beside those of a batch's own
MOST_BYTES = 1_000_000  # of an adapter
_LEAST_SCALE = 1e-6  # where all wordings are alike to the encoder
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Work:
    """What is trained on, and the vectors (n,) that the encoder as it was gives each text."""

    pairs: Pairs
    plan: Plan
    teacher: dict[str, np.ndarray]
    folder: Path

    def taught(self, texts: Sequence[str]) -> "torch.Tensor":
        """The vectors of these texts by the encoder as it was, (len, n)."""
        import torch

        return torch.from_numpy(np.stack([self.teacher[text] for text in texts]))


def train(encoder: Any, work: Work, done: Progressed, progress: Progress) -> Progressed:
    """Trains an adapter in the encoder, from what is done already, and writes its weights into the work's folder.

    Every step is saved before the next. At strength 0 no step is taken: the aim weighs nothing, and what keeps the
    scores is at its best where it begins. progress(what, done, in all) is called after each step. Raises UsageError for
    a rank whose weights are too large, FairvizError for an encoder without attention and where a loss is not finite.
    """
    import torch

    adapted = _attached(encoder, work.plan)
    weights = {name: one for name, one in adapted.named_parameters() if one.requires_grad}
    optimiser = torch.optim.Adam(list(weights.values()), lr=LEARNING_RATE)
    if done.steps:
        with torch.no_grad():
            for name, one in weights.items():
                one.copy_(done.weights[name])
        optimiser.load_state_dict(done.optimiser)
    _steps(encoding(encoder), work, done, (weights, optimiser), progress)
    _write(adapted, work.folder)
    return done


def planned_steps(plan: Plan) -> int:
    """How many steps the plan takes: none at strength 0."""
    return plan.steps if plan.strength else 0


def _steps(
    encode: Encode,
    work: Work,
    done: Progressed,
    trained: tuple[dict[str, "torch.Tensor"], "torch.optim.Optimizer"],
    progress: Progress,
) -> None:
    (weights, optimiser), planned = trained, planned_steps(work.plan)
    table, what = work.pairs.of(TRAIN), f"training {work.plan.name}"
    scale = _scale(work)
    asked = work.taught(sorted({work.pairs.queries[name] for name in table["query_id"]})[:MOST_OTHERS])
    progress(what, done.steps, planned)
    limit = np.inf if work.plan.minutes is None else 60 * work.plan.minutes
    while done.steps < planned and done.seconds < limit:
        began = time.monotonic()
        batch = batch_at(done.steps, table, work.pairs.queries, work.plan.seed)
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * (1 - done.steps / planned)
        loss = _step(encode, batch, work, asked, scale, optimiser)
        done.losses.append([done.steps + 1, *loss])
        if not np.isfinite(loss).all():
            raise FairvizError(
                f"the loss is not finite at step {done.steps} of {planned}", "Use a smaller strength, or another seed."
            )
        done.weights = {name: one.detach().clone() for name, one in weights.items()}
        done.optimiser = optimiser.state_dict()
        done.seconds += time.monotonic() - began
        save(work.folder, done)
        progress(what, done.steps, planned)


def _step(
    encode: Encode, batch: Batch, work: Work, asked: "torch.Tensor", scale: float, optimiser: "torch.optim.Optimizer"
) -> tuple[float, float, float]:
    """One step of training: loss, aim and hold before it. asked: the teacher's vectors of all training queries."""
    import torch

    taught = scores_of(batch, work.taught(batch.texts), asked)
    scores = scores_of(batch, encode(batch.texts), asked)
    apart, moved = aim(scores, torch.tensor(batch.own), scale), hold(scores, taught, scale)
    loss = work.plan.strength * apart + moved
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item(), apart.item(), moved.item()


def _scale(work: Work) -> float:
    """The root mean square gap between the two wordings of the training pairs, by the encoder as it was."""
    rows = work.pairs.of(TRAIN)
    asked = np.stack([work.teacher[work.pairs.queries[name]] for name in rows["query_id"]])
    apart = np.stack([work.teacher[text] for text in rows["female"]]) - np.stack(
        [work.teacher[text] for text in rows["male"]]
    )
    return max(float(np.sqrt(np.mean((asked * apart).sum(axis=1) ** 2))), _LEAST_SCALE)


def _attached(encoder: Any, plan: Plan) -> Any:
    """The encoder's transformer with low-rank weights beside its attention, which change nothing yet."""
    import torch

    peft = train_package()
    model = getattr(encoder[0], "auto_model", None)
    parts = model.named_modules() if model is not None else ()
    linear = [name for name, one in parts if isinstance(one, torch.nn.Linear)]
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
    encoder.eval()  # nothing is dropped at random: before the first step the scores are the teacher's
    return adapted


def _write(adapted: Any, folder: Path) -> None:
    """The weights, and how they are put into the model, without a path of this machine."""
    from safetensors.torch import save as as_bytes

    peft = train_package()
    weights = {name: one.detach().contiguous() for name, one in peft.get_peft_model_state_dict(adapted).items()}
    write_whole(folder / WEIGHTS, as_bytes(weights))
    told = adapted.peft_config["default"].to_dict() | {"base_model_name_or_path": "", "inference_mode": True}
    write_whole(folder / CONFIG, json.dumps(told, default=sorted, indent=1, sort_keys=True) + "\n")
