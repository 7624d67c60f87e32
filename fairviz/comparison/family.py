"""The comparison of systems under settings: its families, and the systems that are tested."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from fairviz.comparison.how import How
from fairviz.evaluation.choices import chosen_systems, systems_tested
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import selectable
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study, is_contender, is_reference


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
