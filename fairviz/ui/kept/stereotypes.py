"""The cache of the pages GSR and Words: directions, points, slopes.

A cutoff never loads vectors again, and alpha changes nothing here.
"""

import pandas as pd

from fairviz.evaluation.gsr import direction_of, document_points, gsr_points, unknown_words
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import PERFECT, gsr, influence, leave_out
from fairviz.rankers.word_vectors import study_vocabulary
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import Entries, kept
from fairviz.words.genderedness import GenderDirection, vocabulary_mean

MOST_LEFT_OUT = 20
FEWEST_LEFT = 3  # queries that a slope keeps

VECTORS = ("embedding", "pairs")
GSR_CHOICES = ("gsr_depth", "query_terms", "stop_words", "list_weights")  # of a list's g, beside the list and vectors
_LISTS = (*VECTORS, "systems", "filter_column", "filter_values", "cutoff", "ties", *GSR_CHOICES)
ENTRIES = Entries("stereotypes", server=200, session=60)


@kept(Entries("directions", server=8, spinner="Reading the word vectors …"), VECTORS)
def direction(settings: Settings) -> GenderDirection:
    """The gender direction of the active vectors and pairs. Raises FairvizError as `gender_direction` does."""
    return direction_of(settings)


@kept(Entries("centres", server=8), VECTORS)
def centre(settings: Settings) -> float:
    """The vocabulary's mean genderedness, at which nothing is coloured."""
    return vocabulary_mean(direction(settings))


@kept(ENTRIES, VECTORS)
def coverage(study: Study, settings: Settings) -> tuple[int, int]:
    """Return the number of the study's distinct words with a vector, and of all."""
    return direction(settings).embedding.coverage(_vocabulary(study))


@kept(ENTRIES)
def _vocabulary(study: Study) -> set[str]:
    return study_vocabulary(study)


@kept(ENTRIES, (*VECTORS, "stop_words"))
def unknown(study: Study, settings: Settings) -> pd.DataFrame:
    """Words without a vector: word, part, count."""
    return unknown_words(study, settings, direction(settings))


def points(study: Study, settings: Settings) -> pd.DataFrame:
    """A point a system and query, no query left out; `perfect` is among them even where it is not shown."""
    return _points(study, with_perfect(study, settings))


@kept(ENTRIES, _LISTS)
def _points(study: Study, settings: Settings) -> pd.DataFrame:
    return gsr_points(study, settings, places=cache.places(study, settings), direction=direction(settings))


def lines(study: Study, settings: Settings) -> pd.DataFrame:
    """Return the slopes without the most gendered queries, by the settings' number."""
    return _lines(study, with_perfect(study, settings))


@kept(ENTRIES, (*_LISTS, "left_out"))
def _lines(study: Study, settings: Settings) -> pd.DataFrame:
    return gsr(leave_out(_points(study, settings), settings.left_out))


def influences(study: Study, settings: Settings) -> pd.DataFrame:
    """The effect of each query that is not left out on each slope: system, query_id, without, change."""
    return _influences(study, with_perfect(study, settings))


@kept(ENTRIES, (*_LISTS, "left_out"))
def _influences(study: Study, settings: Settings) -> pd.DataFrame:
    return influence(leave_out(_points(study, settings), settings.left_out))


def curves(study: Study, settings: Settings) -> pd.DataFrame:
    """system, left_out, slope, ci_low, ci_high: for 0 to 20 of the most gendered queries left out,
    three queries always kept."""
    return _curves(study, with_perfect(study, settings))


@kept(ENTRIES, _LISTS)
def _curves(study: Study, settings: Settings) -> pd.DataFrame:
    whole = _points(study, settings)
    tables = []
    for number in range(most_left_out(whole) + 1):
        table = gsr(leave_out(whole, number))
        tables.append(table[["system", "slope", "ci_low", "ci_high"]].assign(left_out=number))
    return pd.concat(tables, ignore_index=True)


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
