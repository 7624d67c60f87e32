"""A training in steps: what it does by hand, and that it resumes from its last checkpoint to the same weights."""

from pathlib import Path

import pytest

from fairviz.models.training import Course, Training, load_course


def trained(file: Path, course: Course, steps: int, every: int = 1, stop: int = 0) -> tuple[float, list[float]]:
    """The weight after this many steps down the gradient of (w − 3)², and the losses; stop: interrupted after it."""
    import torch  # seconds, which every process that collects tests would take

    weight, losses = torch.tensor([1.0], requires_grad=True), []
    optimiser = torch.optim.Adam([weight], lr=1.0)

    def loss_at(step: int) -> torch.Tensor:
        return ((weight - 3 - step) ** 2).sum()

    def is_kept(loss: float) -> bool:
        losses.append(loss)
        return course.step % every == 0

    def progress(step: int) -> None:
        if step == stop:
            raise KeyboardInterrupt

    training = Training({"w": weight}, optimiser, lambda step: 0.5 / (step + 1), file)
    training.run(course, loss_at, lambda: course.step >= steps, is_kept, progress)
    return float(weight.detach()), losses


def test_interrupted_it_resumes_from_the_last_checkpoint_to_the_same_weights(tmp_path: Path) -> None:
    course = Course()
    assert trained(tmp_path / "one.pt", course, 1) == (pytest.approx(1.5), [4.0]), "Adam's first is the learning rate"
    assert (course.step, course.seconds > 0) == (1, True)
    whole, losses = trained(tmp_path / "whole.pt", Course("a"), 7)
    file = tmp_path / "x.pt"
    with pytest.raises(KeyboardInterrupt):
        trained(file, Course("a"), 7, every=2, stop=5)
    course = load_course(Course, file, "a")
    assert course.step == 4
    seconds = course.seconds
    assert trained(file, course, 7) == (whole, losses[4:])
    assert course.seconds > seconds


def test_a_checkpoint_of_another_training_or_a_broken_one_is_not_resumed(tmp_path: Path) -> None:
    import torch

    file = tmp_path / "x.pt"
    assert load_course(Course, file, "a") == Course("a")
    trained(file, Course("a"), 2)
    assert load_course(Course, file, "a").step == 2
    assert load_course(Course, file, "b") == Course("b")
    torch.save({"weights": {}, "done": {"step": 2}}, file)  # of an earlier version
    assert load_course(Course, file, "a") == Course("a")
    file.write_bytes(file.read_bytes()[:100])
    assert load_course(Course, file, "a") == Course("a")
