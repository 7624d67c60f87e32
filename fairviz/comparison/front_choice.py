"""The parts of a distance from the achievable front: two measures, a reference point and candidates."""

from dataclasses import dataclass

import numpy as np

from fairviz.errors import UsageError, expect, use_one_of
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.front_distance import FORM, NAME, ORDERING
from fairviz.measures.record import Reach
from fairviz.orders.candidates import SOURCES, CandidateSource

Array = np.ndarray


@dataclass(frozen=True)
class FrontChoice:
    """Both measures of a front, the reference point as a share of its length from the most effective end, and the
    candidates of each list."""

    question: Question
    effectiveness: Question
    fairness: Question
    weight: float
    candidates: CandidateSource

    @property
    def sign(self) -> int:
        """1 if more of the fairness measure is fairer, -1 if less is."""
        return -1 if self.fairness.direction == "lower" else 1

    def unit(self, shares: Array) -> float:
        """Return the width of the range of the fairness measure; see `range`."""
        low, high = self.range(shares)
        return high - low

    def worst(self, shares: Array) -> float:
        """Return the least fair value in units of the range, the higher the fairer."""
        low, high = self.range(shares)
        return self.sign * (low if self.sign > 0 else high) / (high - low)

    def range(self, shares: Array) -> tuple[float, float]:
        """Return both ends of the range of the fairness measure, for these target shares of the genders.

        Raises UsageError for a range without an end.
        """
        measure, parameters = self.fairness.measure, dict(self.fairness.parameters)
        if "background" in parameters:
            parameters["background"] = None  # the candidates: no list goes beyond their best order
        low, high = measure.range(Reach(parameters, shares)) if measure else (0.0, np.inf)
        if not np.isfinite(high - low):
            raise UsageError(f"{self.fairness.text} has no largest value, so that a distance has no unit", ORDERING)
        return float(low), float(high)


def front_choice(measure: str | Question, settings: Settings) -> FrontChoice:
    """Return the parts of `DPFR(nDCG,CWEx)` under these settings. Raises UsageError for another measure, or for unknown
    candidates."""
    expect("measure", measure, (str, Question), FORM)
    question = ask(measure, settings)
    if question.name != NAME:
        raise UsageError(f"{question.text} is not a distance from the front", f"Use {NAME} or {NAME}(nDCG,CWEx).")
    candidates = question.parameters["candidates"]
    if candidates not in SOURCES:
        raise UsageError(f"candidates of {NAME} is {candidates!r}", use_one_of(SOURCES, str(candidates)))
    return FrontChoice(question, **question.parameters)
