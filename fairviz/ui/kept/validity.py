"""The cache of the card on the validity of GSR, beside that of its page."""

from dataclasses import dataclass

import pandas as pd

from fairviz.analyses.gsr_validity.direct import by_genderedness, by_leaning, direct_stereotypes
from fairviz.analyses.gsr_validity.parity import Parity, parity_agreement
from fairviz.analyses.gsr_validity.reliability import Reliability, compared
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import stereotypes as cache
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import kept

SMOOTHING = 1  # documents added to both counts: lists of ten often lack one gender
_CHOICES = (*cache.VECTORS, "filter_column", "filter_values", "cutoff", "ties", *cache.GSR_CHOICES)


@dataclass(frozen=True, eq=False)
class OtherVectors:
    """agreement: over queries and systems. systems: system, first, first_low, first_high, second, … (GSR)."""

    agreement: Reliability
    systems: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Direct:
    """gaps: of `direct_stereotypes`. bins: of `by_genderedness`, over g less the vocabulary's mean. leanings: of
    `by_leaning`, around that mean."""

    gaps: pd.DataFrame
    bins: pd.DataFrame
    leanings: pd.DataFrame


def other_vectors(study: Study, settings: Settings, second: str) -> OtherVectors:
    """The study by the active vectors and by a second set. Raises FairvizError as `cache.direction` does."""
    chosen = settings, settings.changed(embedding=second)
    shown = settings.systems or study.systems
    points = [cache.points(study, each) for each in chosen]
    agreement = compared(*(each[each["system"].isin(shown)] for each in points))
    lines = [_named(cache.lines(study, each), side) for each, side in zip(chosen, ("first", "second"), strict=True)]
    return OtherVectors(agreement, agreement.systems[["system"]].merge(lines[0]).merge(lines[1]))


def _named(lines: pd.DataFrame, side: str) -> pd.DataFrame:
    names = {"slope": side, "ci_low": f"{side}_low", "ci_high": f"{side}_high"}
    return lines[["system", *names]].rename(columns=names)


@kept(cache.ENTRIES, _CHOICES)
def direct(study: Study, settings: Settings) -> Direct:
    """The gaps of all systems against `perfect`, smoothed. Raises FairvizError without that system."""
    settings = settings.changed(systems=())
    direction, places = cache.direction(settings), tables.places(study, settings)
    gaps = direct_stereotypes(study, settings, smoothing=SMOOTHING, places=places, direction=direction)
    centre = cache.centre(settings)
    bins = by_genderedness(gaps.assign(query=gaps["query"] - centre))
    return Direct(gaps, bins, by_leaning(gaps, centre))


@kept(cache.ENTRIES, cache.VECTORS)
def parity(settings: Settings) -> Parity:
    """The agreement with statistical parity by the active vectors."""
    return parity_agreement(cache.direction(settings))
