"""The choices of a comparison: the families of tests, the method, the level, and the systems that are tested, of a
study under settings.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from fairviz.comparison.points import FOLDED
from fairviz.evaluation.choices import chosen_systems, systems_tested
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import selectable
from fairviz.measures import Question
from fairviz.statistics.families import METHODS, Tests, method_text, parse_tests
from fairviz.statistics.references import DRAWS
from fairviz.study.record import Study, is_contender, is_reference
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


def how_of(study: Study, settings: Settings) -> How:
    """Return how the settings compare systems: families, method, and which systems are tested.

    One family across measures is over those that are compared, as in `fairviz.compare`.
    """
    tested = systems_tested(study, settings)
    ticked = tuple(name for name in tested if not is_contender(name))
    outside = tuple(name for name in selectable(study) if is_contender(name) and name not in tested)
    return How(parse_tests(settings.tests), ticked=ticked, outside=outside)


def how_on_pages(study: Study, settings: Settings) -> How:
    """Return `how_of` with the Overview's measures, where the study can feed them, as the one family across measures:
    a measure has one verdict on all pages, and their recipes name all of these measures."""
    how = how_of(study, settings)
    if how.tests.family != "measures":
        return how
    return replace(how, chosen=overview(study, settings).texts)


def candidates(study: Study, settings: Settings) -> list[str] | None:
    """Return the systems that the best are chosen from, as `by_query` takes them."""
    how = how_of(study, settings)
    tested = [name for name in chosen_systems(study, settings) if how.is_tested(name)]
    return tested if how.ticked or how.outside else None


def untested(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the systems that are not tested, references aside: they are shown, and no statement or order counts
    them."""
    tested = systems_tested(study, settings)
    return tuple(name for name in selectable(study) if name not in tested and not is_reference(name))


def without_untested(study: Study, settings: Settings) -> Settings:
    """Return the settings without the systems of `untested`, unless no other is shown."""
    outside = untested(study, settings)
    tested = tuple(name for name in chosen_systems(study, settings) if name not in outside)
    return settings.changed(systems=tested) if outside and tested else settings


def preferred(systems: Sequence[str], how: How) -> list[str]:
    """Return the systems in the order in which a page compares them by default, the usual baseline first: that of the
    tests, then those that are tested, then the others."""
    named = [how.tests.baseline] if how.tests.baseline in systems else []
    return list(dict.fromkeys([*named, *sorted(systems, key=lambda name: not how.is_tested(name))]))


def measures_of(scores: pd.DataFrame) -> tuple[str, ...]:
    """Return the texts of the measures of a scores table, in its order."""
    return tuple(text for text, _ in split_parts(scores))
