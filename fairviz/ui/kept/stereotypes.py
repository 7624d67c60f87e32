"""What the pages Stereotypes and Words keep between reruns: directions, points, slopes. None is ever changed.

Keys hold all that a value depends on, and no more: a cutoff never loads vectors again, and alpha moves nothing here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.evaluation.gsr import direction_of, document_points, gsr_points, unknown_words
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import PERFECT, gsr, influence, leave_out
from fairviz.rankers.word_vectors import study_vocabulary
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library
from fairviz.words.genderedness import GenderDirection, vocabulary_mean

MOST_LEFT_OUT = 20
FEWEST_LEFT = 3  # queries that a slope keeps

_NO_STUDY = Study("")
GSR_CHOICES = ("gsr_depth", "query_terms", "stop_words", "list_weights")  # of a list's g, beside the list and vectors
_LISTS = ("systems", "filter_column", "filter_values", "cutoff", "ties", *GSR_CHOICES)


def direction(settings: Settings) -> GenderDirection:
    """The gender direction of the active vectors and pairs. Raises FairvizError as `gender_direction` does."""
    return _direction(settings.embedding, settings.pairs, cache.vectors_stamp(settings))


def centre(settings: Settings) -> float:
    """The vocabulary's mean genderedness, at which nothing is coloured."""
    return _centre(settings.embedding, settings.pairs, cache.vectors_stamp(settings))


def coverage(study: Study, settings: Settings) -> tuple[int, int]:
    """How many of the study's different words have a vector, and how many there are."""
    return kept(_coverage, study, settings)


def unknown(study: Study, settings: Settings) -> pd.DataFrame:
    """Words without a vector: word, part, count."""
    return kept(_unknown, study, settings, "stop_words")


def points(study: Study, settings: Settings) -> pd.DataFrame:
    """A point a system and query, no query left out; `perfect` is among them even where it is not shown."""
    return kept(_points, study, with_perfect(study, settings), *_LISTS)


def lines(study: Study, settings: Settings) -> pd.DataFrame:
    """The slopes without the most gendered queries, as many as the settings say."""
    return kept(_lines, study, with_perfect(study, settings), *_LISTS, "left_out")


def influences(study: Study, settings: Settings) -> pd.DataFrame:
    """What each query that is not left out does to each slope: system, query_id, without, change."""
    return kept(_influences, study, with_perfect(study, settings), *_LISTS, "left_out")


def curves(study: Study, settings: Settings) -> pd.DataFrame:
    """system, left_out, slope, ci_low, ci_high: for 0 to 20 of the most gendered queries left out,
    three queries always kept."""
    return kept(_curves, study, with_perfect(study, settings), *_LISTS)


def documents(study: Study, settings: Settings, system: str, query: str) -> pd.DataFrame:
    """The documents behind one point: rank, doc_id, g, words, known."""
    return kept(_documents, study, settings.changed(system=system, query=query), *_LISTS, "system", "query")


def kept_queries(points: pd.DataFrame, left_out: int) -> frozenset[str]:
    """The queries that remain when the most gendered ones are left out."""
    return frozenset(leave_out(points, left_out)["query_id"])


def most_left_out(points: pd.DataFrame) -> int:
    """How many queries can be left out: up to 20, while three with a genderedness stay."""
    defined = points.dropna(subset=["query"])["query_id"].nunique()
    return max(0, min(MOST_LEFT_OUT, defined - FEWEST_LEFT))


def with_perfect(study: Study, settings: Settings) -> Settings:
    if not settings.systems or PERFECT in settings.systems or PERFECT not in study.systems:
        return settings
    return settings.changed(systems=(*settings.systems, PERFECT))


def _curves(request: Request) -> pd.DataFrame:
    whole = points(request.study, request.settings)
    tables = []
    for number in range(most_left_out(whole) + 1):
        table = gsr(leave_out(whole, number))
        tables.append(table[["system", "slope", "ci_low", "ci_high"]].assign(left_out=number))
    return pd.concat(tables, ignore_index=True)


def _left(study: Study, settings: Settings) -> pd.DataFrame:
    return leave_out(points(study, settings), settings.left_out)


def _points(request: Request) -> pd.DataFrame:
    study, settings = request.study, request.settings
    return gsr_points(study, settings, places=cache.places(study, settings), direction=direction(settings))


def _lines(request: Request) -> pd.DataFrame:
    return gsr(_left(request.study, request.settings))


def _influences(request: Request) -> pd.DataFrame:
    return influence(_left(request.study, request.settings))


def _documents(request: Request) -> pd.DataFrame:
    settings = request.settings
    return document_points(request.study, settings, settings.system, settings.query, direction(settings))


def _unknown(request: Request) -> pd.DataFrame:
    return unknown_words(request.study, request.settings, direction(request.settings))


def _coverage(request: Request) -> tuple[int, int]:
    words = kept(_vocabulary_of, request.study, Settings())  # no choice changes them
    return direction(request.settings).embedding.coverage(words)


def _vocabulary_of(request: Request) -> set[str]:
    return study_vocabulary(request.study)


def kept(make: Callable[[Request], Any], study: Study, settings: Settings, *fields: str, detail: tuple = ()) -> Any:
    """What `make` gives, made once under a key of the study, the vectors, these fields of the settings and `detail`.

    What comes from one person's uploads, or was ranked anew from them, stays in that person's session.
    """
    vectors = (settings.embedding, settings.pairs, cache.vectors_stamp(settings))
    chosen = tuple(getattr(settings, name) for name in fields)
    key = (f"{make.__module__}.{make.__name__}", study.fingerprint, vectors, chosen, detail)
    remembered = _of_session if study.name in library.own_studies() else _of_all
    return remembered(Making(Request(key[0], study, settings, key, detail), make))


def kept_without_study(make: Callable[[Request], Any], settings: Settings, *fields: str) -> Any:
    """What `make` gives of the vectors alone, for every study and session: see `kept`."""
    return kept(make, _NO_STUDY, settings, *fields)


@dataclass(frozen=True, eq=False)
class Making:
    """A value to make: its request, whose key is all that counts, and the function that makes it."""

    request: Request
    make: Callable[[Request], Any]


def _made(making: Making) -> Any:
    return making.make(making.request)


@st.cache_resource(max_entries=8, show_spinner="Reading the word vectors …")
def _direction(embedding: str, pairs: str, stamp: tuple) -> GenderDirection:
    return direction_of(Settings(embedding=embedding, pairs=pairs))


@st.cache_resource(max_entries=8, show_spinner=False)
def _centre(embedding: str, pairs: str, stamp: tuple) -> float:
    return vocabulary_mean(_direction(embedding, pairs, stamp))


_HASHES: dict = {Making: lambda making: making.request.key}
_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=200, show_spinner=False)(_made)
_of_session = st.cache_resource(hash_funcs=_HASHES, max_entries=60, show_spinner=False, scope="session")(_made)
