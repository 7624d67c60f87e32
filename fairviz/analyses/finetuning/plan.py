"""The plan of a training: number of weights, strength, duration and name."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from numbers import Real
from typing import Any

from fairviz.errors import UsageError, expect, expect_whole
from fairviz.models.sentence_encoder import MOST_LETTERS, is_adapter_name
from fairviz.rankers import parse_rankers
from fairviz.words.sentences import shortest

RANK, STRENGTH, STEPS = 4, 1.0, 40
MOST_RANK, MOST_STRENGTH, MOST_MINUTES, MOST_STEPS = 64, 1000.0, 24 * 60.0, 10_000
_NO_NAME = re.compile(r"[^A-Za-z0-9._=+-]+")


@dataclass(frozen=True)
class Plan:
    """A training plan.

    rank: of the adapter's matrices. strength: the weight of the aim relative to the term that preserves the encoder's
    scores; 0 changes nothing. steps: of training; minutes: a time limit, None for no limit. seed: of the split of
    queries, the initial weights and the order of the pairs. name: of the adapter, "" for a name made of study, rank,
    strength, steps and seed. Raises UsageError for invalid numbers.
    """

    rank: int = RANK
    strength: float = STRENGTH
    minutes: float | None = None
    steps: int = STEPS
    seed: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        for name, least, most in (("rank", 1, MOST_RANK), ("steps", 1, MOST_STEPS), ("seed", 0, 2**31 - 1)):
            expect_whole(name, getattr(self, name), least, most)
        self._check_numbers()
        expect("name", self.name, str, "Give a name as text.")
        if self.name and not is_adapter_name(self.name):
            raise UsageError(
                f"name is {self.name[:100]!r}",
                "Use letters, digits and . _ = + -, the first a letter or a digit, 100 at most.",
            )

    def _check_numbers(self) -> None:
        expect("strength", self.strength, Real, f"Use a number from 0 to {MOST_STRENGTH:g}.")
        if not 0 <= self.strength <= MOST_STRENGTH:
            raise UsageError(f"strength is {self.strength:g}", f"Use a number from 0 to {MOST_STRENGTH:g}.")
        if self.minutes is None:
            return
        expect("minutes", self.minutes, Real, f"Use a number above 0, and up to {MOST_MINUTES:g}.")
        if not 0 < self.minutes <= MOST_MINUTES:
            raise UsageError(f"minutes is {self.minutes:g}", f"Use a number above 0, and up to {MOST_MINUTES:g}.")

    def named(self, study: str) -> "Plan":
        """Return the plan with a name, by default made of the study's name and the plan's numbers.

        >>> Plan(seed=3).named("my study").name
        'my-study-rank4-strength1-steps40-seed3'
        """
        if self.name:
            return self
        suffix = f"-rank{self.rank}-strength{shortest(self.strength)}-steps{self.steps}-seed{self.seed}"
        study_name = _NO_NAME.sub("-", study).strip("-._=+")[: min(50, MOST_LETTERS - len(suffix))] or "study"
        return replace(self, name=study_name + suffix)

    def after(self, study: str, steps: int) -> "Plan":
        """Return the plan, its default name with the completed steps if training ended early; other names do not
        change.

        >>> Plan(seed=3).named("news").after("news", 12).name
        'news-rank4-strength1-steps12of40-seed3'
        """
        default_name = replace(self, name="").named(study).name
        if self.name != default_name or not 0 < steps < self.steps:
            return self
        return replace(self, name=default_name.replace(f"-steps{self.steps}-", f"-steps{steps}of{self.steps}-"))

    def digest(self, model: str, texts: Sequence[Sequence[str]]) -> str:
        """Return a hash of everything that the weights depend on, without the time limit, so that training can be
        resumed.

        model: the encoder's hash; texts: the training texts in order.
        """
        fields = {name: value for name, value in asdict(self).items() if name not in ("minutes", "name")}
        content = json.dumps([fields, model, texts], ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()


def encoder_of(ranker: Any) -> str:
    """Return the model of `bi_encoder` or `bi_encoder(model='…')`.

    Raises UsageError for any other ranker, which has no trainable weights, and for a modified encoder.
    """
    remedy = "Give 'bi_encoder' or \"bi_encoder(model='…')\"."
    expect("ranker", ranker, str, remedy)
    choices = parse_rankers(ranker)
    if len(choices) != 1 or choices[0].ranker.name != "bi_encoder":
        raise UsageError(f"ranker is {ranker!r}, and only one bi_encoder can be trained", remedy)
    modifiers = [name for name in ("project", "keep", "adapter") if choices[0].parameters[name]]
    if modifiers:
        raise UsageError(f"ranker is {ranker!r}, which is changed already, by {modifiers[0]}", remedy)
    return str(choices[0].parameters["model"])
