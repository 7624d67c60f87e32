"""Checkpoints of a training, written after every step so that it can be resumed."""

import io
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairviz.home import write_whole

if TYPE_CHECKING:
    import torch

FILE = "checkpoint.pt"


@dataclass
class Progressed:
    """The state of a training.

    digest: of the plan. weights: of the adapter, by name. optimiser: its state. losses: step, loss and its two terms
    aim and hold. seconds: of training, over all processes.
    """

    digest: str
    weights: dict[str, "torch.Tensor"] = field(default_factory=dict)
    optimiser: dict[str, Any] = field(default_factory=dict)
    losses: list[list[float]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steps(self) -> int:
        """Number of completed steps."""
        return len(self.losses)


def save(folder: Path, progress: Progressed) -> None:
    """Write the whole checkpoint, replacing the previous one. Raises OSError."""
    import torch

    stream = io.BytesIO()
    torch.save(vars(progress), stream)
    write_whole(folder / FILE, stream.getvalue())


def load_checkpoint(folder: Path, digest: str) -> Progressed:
    """Return the checkpoint of this plan; an empty one if there is none, or one of another plan, or a broken one."""
    import torch

    try:
        fields = torch.load(folder / FILE, weights_only=True)
        progress = Progressed(**fields)
    except (OSError, RuntimeError, EOFError, TypeError, ValueError, pickle.UnpicklingError):
        return Progressed(digest)
    return progress if progress.digest == digest else Progressed(digest)
