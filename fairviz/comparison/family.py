"""The comparison of systems under settings: its families, and the systems that are tested."""

from dataclasses import replace

import pandas as pd

from fairviz.comparison.how import How
from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.corrected import scores_under
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import split_parts
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study


def how_of(study: Study, settings: Settings) -> How:
    """Return how the settings compare systems: families, method, and which systems are tested.

    The chosen measures of a family across measures are those of the Overview that the study can feed.
    """
    how = How(parse_tests(settings.tests), ticked=settings.tested, outside=study.drafts)
    if how.tests.family != "measures":
        return how
    return replace(how, chosen=overview(study, settings).texts)


def untested(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the added systems that are not ticked: they are shown, and no statement or order counts them."""
    return tuple(name for name in study.added_runs if name not in settings.tested)


def without_untested(study: Study, settings: Settings) -> Settings:
    """Return the settings without the systems of `untested`, unless no other is shown."""
    outside = untested(study, settings)
    tested = tuple(name for name in chosen_systems(study, settings) if name not in outside)
    return settings.changed(systems=tested) if outside and tested else settings


def with_family(study: Study, settings: Settings, scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores, followed by those of other measures that are tested together with theirs under the settings.

    scores: of `evaluate` for this study under these settings.
    """
    others = how_of(study, settings).beside(measures_of(scores))
    if not others:
        return scores
    joined = pd.concat([held.astype({"measure": "str"}) for held in (scores, scores_under(study, others, settings))])
    return joined.astype({"measure": "category"}).reset_index(drop=True)


def measures_of(scores: pd.DataFrame) -> tuple[str, ...]:
    """Return the texts of the measures of a scores table, in its order."""
    return tuple(text for text, _ in split_parts(scores))
