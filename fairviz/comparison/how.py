"""The choices of a comparison: the families of tests, the method, the level, and the systems that are tested."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from fairviz.comparison.points import FOLDED
from fairviz.measures import Question
from fairviz.statistics.families import METHODS, Tests, method_text
from fairviz.statistics.signs import DRAWS
from fairviz.study.record import is_contender, is_reference
from fairviz.words.sentences import listed


@dataclass(frozen=True)
class How:
    """The choices of a comparison of systems.

    tests: the families and the method. level: of intervals, and 1 − level of tests. draws and seed: of random signs.
    ticked: systems that are tested although they are references or edited by hand; outside: other systems that are not
    tested. margins: how large a difference by a measure's text may be and not matter. power: for
    the minimum detectable difference, None for none. chosen: the measures that are one family where the tests are
    across measures, and any other measure is one of its own; empty where all measures are chosen.
    """

    tests: Tests = field(default_factory=Tests)
    level: float = 0.95
    draws: int = DRAWS
    seed: int = 0
    ticked: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    margins: Mapping[str, float] | None = None
    power: float | None = None
    chosen: tuple[str, ...] = ()

    @property
    def alpha(self) -> float:
        """The level of the tests, free of rounding: 0.05 for a level of 0.95."""
        return round(1 - self.level, 12)

    def is_tested(self, system: str) -> bool:
        """Return whether the system belongs to the families."""
        return system in self.ticked or (is_contender(system) and system not in self.outside)

    def family_of(self, measure: str) -> str:
        """Return the family of a measure: its own name, or no name for the one across measures."""
        across = self.tests.family == "measures" and (not self.chosen or measure in self.chosen)
        return "" if across else measure

    def method_text(self, questions: Sequence[Question]) -> str:
        """Return the method as captions show it; Tukey's ranges are of means, so that slopes and distances from a
        measure's fairest value are tested by maxT."""
        by_max_t = list(
            dict.fromkeys(each.name for each in questions if each.direction in FOLDED or not each.per_query)
        )
        if self.tests.method != "tukey" or not by_max_t:
            return method_text(self.tests)
        if all(question.name in by_max_t for question in questions):
            return METHODS["maxT"]
        return f"{method_text(self.tests)} ({METHODS['maxT']} in {listed(by_max_t)})"

    def beside(self, measures: Collection[str]) -> tuple[str, ...]:
        """Return the measures that are tested together with these and are not among them."""
        together = any(not self.family_of(text) for text in measures)
        return tuple(text for text in self.chosen if text not in measures) if together else ()

    def labelled(self, system: str) -> str:
        """Return the system's name as tables show it: `perfect (reference)`, `draft (not tested)`."""
        if self.is_tested(system):
            return system
        return f"{system} ({'reference' if is_reference(system) else 'not tested'})"
