"""The comparison of systems under settings: its families, and the systems that are tested."""

from dataclasses import replace

import pandas as pd

from fairviz.comparison.how import How
from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import split_parts
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study


def how_of(study: Study, settings: Settings) -> How:
    """Return how the settings compare systems: families, method, and which systems are tested.

    One family across measures is over those that are compared, as in `fairviz.compare`.
    """
    return How(parse_tests(settings.tests), ticked=settings.tested, outside=study.outside)


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
    """Return the added systems that are not ticked: they are shown, and no statement or order counts them."""
    return tuple(name for name in study.added_runs if name not in settings.tested)


def without_untested(study: Study, settings: Settings) -> Settings:
    """Return the settings without the systems of `untested`, unless no other is shown."""
    outside = untested(study, settings)
    tested = tuple(name for name in chosen_systems(study, settings) if name not in outside)
    return settings.changed(systems=tested) if outside and tested else settings


def measures_of(scores: pd.DataFrame) -> tuple[str, ...]:
    """Return the texts of the measures of a scores table, in its order."""
    return tuple(text for text, _ in split_parts(scores))
