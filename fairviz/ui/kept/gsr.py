"""The cache of the pages GSR and Words: directions, points, slopes, and the validity of GSR.

A cutoff never loads vectors again, and alpha changes nothing here.
"""

from dataclasses import dataclass

import pandas as pd

from fairviz.analyses.gsr_validity.direct import Reliability, by_genderedness, by_leaning, compared, direct_stereotypes
from fairviz.analyses.gsr_validity.parity import Parity, parity_agreement
from fairviz.evaluation.gsr import (
    PERFECT,
    direction_of,
    document_points,
    gsr,
    gsr_points,
    influence,
    leave_out,
    left_out_slopes,
    unknown_words,
)
from fairviz.evaluation.settings import Settings
from fairviz.rankers.word_vectors import study_vocabulary
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import Entries, kept
from fairviz.words.genderedness import vocabulary_mean

MOST_LEFT_OUT = 20
FEWEST_LEFT = 3  # queries that a slope keeps

VECTORS = ("embedding", "pairs")
GSR_CHOICES = ("gsr_depth", "query_terms", "stop_words", "list_weights")  # of a list's g, beside the list and vectors
_OF_ALL_SYSTEMS = (*VECTORS, "filter_column", "filter_values", "cutoff", "ties", *GSR_CHOICES)
_LISTS = (*_OF_ALL_SYSTEMS, "systems")
SMOOTHING = 1  # documents added to both counts: lists of ten often lack one gender
ENTRIES = Entries("gsr", session=60)


# The gender direction of the active vectors and pairs. Raises FairvizError as `gender_direction` does.
direction = kept(Entries("directions", spinner="Reading the word vectors …"), VECTORS)(direction_of)
_vocabulary = kept(ENTRIES)(study_vocabulary)


@kept(Entries("centres"), VECTORS)
def centre(settings: Settings) -> float:
    """The vocabulary's mean genderedness, at which nothing is coloured."""
    return vocabulary_mean(direction(settings))


@kept(ENTRIES, VECTORS)
def coverage(study: Study, settings: Settings) -> tuple[int, int]:
    """Return the number of the study's distinct words with a vector, and of all."""
    return direction(settings).embedding.coverage(_vocabulary(study))


@kept(ENTRIES, (*VECTORS, "stop_words"))
def unknown(study: Study, settings: Settings) -> pd.DataFrame:
    """Words without a vector: word, part, count."""
    return unknown_words(study, settings, direction(settings))


@kept(ENTRIES, _LISTS)
def points(study: Study, settings: Settings) -> pd.DataFrame:
    """A point a system and query, no query left out; `perfect` is among them even where it is not shown."""
    settings = with_perfect(study, settings)
    return gsr_points(study, settings, rankings=cache.aligned(study, settings), direction=direction(settings))


@kept(ENTRIES, (*_LISTS, "left_out"))
def lines(study: Study, settings: Settings) -> pd.DataFrame:
    """Return the slopes without the most gendered queries, by the settings' number."""
    return gsr(leave_out(points(study, settings), settings.left_out))


@kept(ENTRIES, (*_LISTS, "left_out"))
def influences(study: Study, settings: Settings) -> pd.DataFrame:
    """The effect of each query that is not left out on each slope: system, query_id, without, change."""
    return influence(leave_out(points(study, settings), settings.left_out))


@kept(ENTRIES, _LISTS)
def curves(study: Study, settings: Settings) -> pd.DataFrame:
    """system, left_out, slope, ci_low, ci_high: for 0 to 20 of the most gendered queries left out,
    three queries always kept."""
    all_points = points(study, settings)
    return left_out_slopes(all_points, most_left_out(all_points))


@kept(ENTRIES, _LISTS)
def documents(study: Study, settings: Settings, system: str, query: str) -> pd.DataFrame:
    """The documents behind one point: rank, doc_id, g, words, known."""
    settings = settings.changed(system=system, query=query)
    return document_points(study, settings, system, query, direction(settings))


def kept_queries(points: pd.DataFrame, left_out: int) -> frozenset[str]:
    """The queries that remain when the most gendered ones are left out."""
    return frozenset(leave_out(points, left_out)["query_id"])


def most_left_out(points: pd.DataFrame) -> int:
    """Return the number of queries that can be left out: up to 20, while three with a genderedness stay."""
    defined = points.dropna(subset=["query"])["query_id"].nunique()
    return max(0, min(MOST_LEFT_OUT, defined - FEWEST_LEFT))


def with_perfect(study: Study, settings: Settings) -> Settings:
    if not settings.systems or PERFECT in settings.systems or PERFECT not in study.systems:
        return settings
    return settings.changed(systems=(*settings.systems, PERFECT))


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
    """The study by the active vectors and by a second set. Raises FairvizError as `direction` does."""
    chosen = settings, settings.changed(embedding=second)
    systems = settings.systems or study.systems
    both_points = [points(study, each) for each in chosen]
    agreement = compared(*(table[table["system"].isin(systems)] for table in both_points))
    slopes = [_named(lines(study, each), side) for each, side in zip(chosen, ("first", "second"), strict=True)]
    return OtherVectors(agreement, agreement.systems[["system"]].merge(slopes[0]).merge(slopes[1]))


def _named(slopes: pd.DataFrame, side: str) -> pd.DataFrame:
    names = {"slope": side, "ci_low": f"{side}_low", "ci_high": f"{side}_high"}
    return slopes[["system", *names]].rename(columns=names)


@kept(ENTRIES, _OF_ALL_SYSTEMS)
def direct(study: Study, settings: Settings) -> Direct:
    """The gaps of all systems against `perfect`, smoothed. Raises FairvizError without that system."""
    settings = settings.changed(systems=())
    rankings, mean = cache.aligned(study, settings), centre(settings)
    gaps = direct_stereotypes(study, settings, smoothing=SMOOTHING, rankings=rankings, direction=direction(settings))
    bins = by_genderedness(gaps.assign(query=gaps["query"] - mean))
    return Direct(gaps, bins, by_leaning(gaps, mean))


@kept(ENTRIES, VECTORS)
def parity(settings: Settings) -> Parity:
    """The agreement with statistical parity by the active vectors."""
    return parity_agreement(direction(settings))
