"""How far a training has come, written after every step: whatever ends it, the next one goes on from there."""

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
    """digest: of the plan that it belongs to. weights: of the adapter, by name. optimiser: what it remembers of each.
    losses: step, loss, aim and hold of each step. seconds: of training, over all processes."""

    digest: str
    weights: dict[str, "torch.Tensor"] = field(default_factory=dict)
    optimiser: dict[str, Any] = field(default_factory=dict)
    losses: list[list[float]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steps(self) -> int:
        """How many steps are done."""
        return len(self.losses)


def save(folder: Path, done: Progressed) -> None:
    """Writes it whole, over the one before. Raises OSError."""
    import torch

    stream = io.BytesIO()
    torch.save(vars(done), stream)
    write_whole(folder / FILE, stream.getvalue())


def saved(folder: Path, digest: str) -> Progressed:
    """What is saved there of this plan; a beginning where nothing is, where it is of another plan, or is broken."""
    import torch

    try:
        held = torch.load(folder / FILE, weights_only=True)
        found = Progressed(**held)
    except (OSError, RuntimeError, EOFError, TypeError, ValueError, pickle.UnpicklingError):
        return Progressed(digest)
    return found if found.digest == digest else Progressed(digest)
