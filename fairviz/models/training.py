"""Training in steps, resumed from a checkpoint that each later one replaces."""

import io
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fairviz.home import write_whole

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass
class Course:
    """The state of a training, as in its checkpoint.

    key: of the plan and the data; a checkpoint of another key is not resumed. step: completed steps. seconds: of
    training, over all processes. weights: as trained so far, by name; optimiser: its state.
    """

    key: str = ""
    step: int = 0
    seconds: float = 0.0
    weights: "dict[str, Tensor]" = field(default_factory=dict, compare=False)
    optimiser: dict[str, Any] = field(default_factory=dict, compare=False)


CourseKind = TypeVar("CourseKind", bound=Course)


def load_course(kind: type[CourseKind], file: Path, key: str = "") -> CourseKind:
    """Return the checkpoint of this key; a course of no steps if it is missing, broken or of another key."""
    import torch

    try:
        course = kind(**torch.load(file, weights_only=True))
    except (OSError, RuntimeError, EOFError, TypeError, ValueError, pickle.UnpicklingError):
        return kind(key)
    return course if course.key == key else kind(key)


@dataclass(frozen=True, eq=False)
class Training:
    """A training of weights, by name. rate: the learning rate of a step, from 0. file: the checkpoint."""

    weights: "Mapping[str, Tensor]"
    optimiser: "torch.optim.Optimizer"
    rate: Callable[[int], float]
    file: Path

    def run(
        self,
        course: Course,
        loss_at: "Callable[[int], Tensor]",
        is_over: Callable[[], bool],
        is_kept: Callable[[float], bool],
        progress: Callable[[int], None],
    ) -> None:
        """Take steps from the state of the course until `is_over()`, and change the course. Raises OSError.

        loss_at(step): the loss of the step's batch. is_kept(loss): whether the completed step is followed by a
        checkpoint. progress(completed steps): called after it.
        """
        if course.step:
            self._resume(course)
        start, seconds_before = time.monotonic(), course.seconds
        while not is_over():
            for group in self.optimiser.param_groups:
                group["lr"] = self.rate(course.step)
            loss = loss_at(course.step)
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            course.step += 1
            course.seconds = seconds_before + time.monotonic() - start
            if is_kept(float(loss.detach())):
                self._save(course)
            progress(course.step)

    def _resume(self, course: Course) -> None:
        """Set the weights and the optimiser to those of the course."""
        import torch

        with torch.no_grad():
            for name, tensor in self.weights.items():
                tensor.copy_(course.weights[name])
        self.optimiser.load_state_dict(course.optimiser)

    def _save(self, course: Course) -> None:
        """Replace the checkpoint. Raises OSError."""
        import torch

        course.weights, course.optimiser = copied(self.weights), self.optimiser.state_dict()
        stream = io.BytesIO()
        torch.save(vars(course), stream)
        write_whole(self.file, stream.getvalue())


def copied(weights: "Mapping[str, Tensor]") -> "dict[str, Tensor]":
    """Return copies of the weights that further steps do not change."""
    return {name: tensor.detach().clone() for name, tensor in weights.items()}
