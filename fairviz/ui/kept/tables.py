"""What is kept between reruns: studies, aligned arrays, and the tables computed from them. None is ever changed.

Keys are explicit. What comes from one person's uploads is kept for that person's session only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.annotation.adjudications import stamp_of, with_adjudications
from fairviz.comparison.by_query import by_query as set_side_by_side
from fairviz.comparison.compare import Comparison, answered
from fairviz.comparison.cube import Cube, Slice, joined, slice_of
from fairviz.comparison.curves import over_cutoffs, without_cutoff
from fairviz.comparison.family import how_of
from fairviz.comparison.pairs import Pairs
from fairviz.datasets import open_undecided
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align, align_key, chosen_systems
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import evaluate, exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.stops import FIELDS, at_rest, at_stops
from fairviz.evaluation.ties import ties as tie_ranges
from fairviz.home import home_trouble
from fairviz.measures import Question
from fairviz.measures.sums import Places
from fairviz.study.checks import check
from fairviz.study.loaders.hashes import look
from fairviz.study.record import Study
from fairviz.ui.state import library
from fairviz.words.vectors import GLOVE, vector_path


@dataclass(frozen=True, eq=False)
class Request:
    """One table to compute. `key` says everything that its value depends on."""

    what: str
    study: Study
    settings: Settings
    key: tuple
    detail: tuple = ()


def study_named(name: str) -> Study:
    """The study of that name, with the decisions of its readers: this session's own where something was uploaded to
    it, else the one on disk."""
    own = library.own_studies().get(name)
    study = own if own is not None else _opened(name, library.stamp(name))
    if study.read_only and home_trouble() is not None:
        return study
    stamp = stamp_of(study)
    if not stamp:
        return study
    return _decided(study, stamp) if own is None else _decided_own(study, stamp)


def stored_study(name: str) -> Study:
    """The study of that name as it is on disk, without decisions."""
    return _opened(name, library.stamp(name))


@st.cache_resource(max_entries=6, show_spinner="Opening the study …")
def _opened(name: str, stamp: tuple[tuple, ...]) -> Study:
    """`stamp` (what its files were before it was opened) is in the key, so that a changed folder is read again."""
    return open_undecided(name)


def _join(study: Study, stamp: tuple[int, ...]) -> Study:
    """`stamp` (sizes and times of the database) is in the key, so that a new decision joins at once."""
    return with_adjudications(study)


_STUDIES: dict = {Study: lambda study: (study.name, str(study.folder), study.fingerprint, study.warnings)}
_decided = st.cache_resource(hash_funcs=_STUDIES, max_entries=6, show_spinner=False)(_join)
_decided_own = st.cache_resource(hash_funcs=_STUDIES, max_entries=6, show_spinner=False, scope="session")(_join)


def summary(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """system, measure, value, ci_low, ci_high, queries, undefined, coverage."""
    if not measures:
        return _answer("summary", study, settings)
    return _joined(_each("summary", study, measures, settings))


def ties(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """The ends of each mean over all orders of documents with equal scores, as `fairviz.ties` gives them."""
    return _joined(_each("ties", study, measures, settings))


def scores(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """system, query_id, measure, value, labelled, places."""
    if len(measures) == 1:
        return _each("scores", study, measures, settings)[0]
    return _answer("scores", study, settings, tuple(measures))


def comparison(
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    baseline: str = "",
) -> Comparison:
    """All pairs of the systems shown, as the settings test them, seen from the baseline (from the best of each measure
    without one)."""
    how = how_of(study, settings)
    if how.tests.family == "measures":
        texts = [ask(text, settings).text for text in measures]
        pairs = _answer("pairs", study, settings, (*texts, *how.beside(texts), how))
        return Comparison(tuple(pairs), how, baseline).showing(texts)
    found = [pairs for held in _each("pairs", study, measures, settings, (how,)) for pairs in held]
    return Comparison(tuple(found), how, baseline)


def cube(
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    slider: str,
) -> Cube:
    """The answers at every stop of a slider; the same, but for which stop is the present one, wherever it stands."""
    how, settings = how_of(study, settings), plain(settings)
    resting = at_rest(study, settings, slider)
    texts, chosen = (
        [at_stops(text, settings, slider, (resting,))[0].text for text in part] for part in (measures, how.chosen)
    )
    how = replace(how, chosen=tuple(chosen))
    moving = (FIELDS[slider], "position_bias", "custom_bias")
    slices, beside = (
        _each("slice", study, part, resting, ((slider, how),), moving)
        for part in (texts, [text for text in chosen if text not in texts])
    )
    return joined(study, settings, slider, slices, how, beside=beside)


def by_query(
    study: Study, measures: Sequence[str], settings: Settings, system: str = "", baseline: str = ""
) -> pd.DataFrame:
    """Return measure, query_id, and two systems' values with their difference: see fairviz.comparison.by_query.

    The best systems are chosen from those that are tested.
    """
    how = how_of(study, settings)
    tested = tuple(name for name in chosen_systems(study, settings) if how.is_tested(name))
    return _answer("by_query", study, settings, (*measures, (system, baseline, tested)))


def alpha_curves(study: Study, settings: Settings) -> pd.DataFrame:
    """system, alpha, value, ci_low, ci_high: the same whatever alpha is chosen."""
    return _answer("alpha", study, settings.changed(alpha=Settings.alpha))


def cutoff_curves(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """system, measure (without its cutoff), cutoff, value, ci_low, ci_high: the same whatever cutoff is chosen."""
    resting = settings.changed(cutoff=Settings.cutoff)
    texts = [f"{without_cutoff(ask(text, settings))}@{resting.cutoff}" for text in measures]
    return _joined(_each("cutoff", study, texts, resting))


def exposure_shares(study: Study, settings: Settings, *, per_query: bool = False) -> pd.DataFrame:
    """system[, query_id] and a column a group, neutral first."""
    return _answer("exposures", study, settings.changed(alpha=Settings.alpha), (per_query,))


def report(study: Study) -> pd.DataFrame:
    """part, item, count, detail, remedy: what fairviz.study.checks finds in the study."""
    return _answer("report", study, Settings(), study.warnings)


def places(study: Study, settings: Settings, collection: bool = False) -> Places:
    """The aligned arrays, shared by every table that rests on them."""
    aligned = _aligned_own if library.is_own(study) else _aligned_shared
    key = ("places", align_key(study, settings, collection))
    return aligned(Request("places", study, settings, key, (collection,)))


def plain(settings: Settings) -> Settings:
    """The settings without what no score depends on: what is selected, what only the Stereotypes pages show, and how
    systems are tested, which a comparison has in its `How`."""
    unasked = ("system", "query", "document", "tests", "tested", "debias", "left_out", "word_lists", "words", "against")
    return settings.changed(**{name: getattr(Settings, name) for name in unasked})


def _answer(what: str, study: Study, settings: Settings, detail: tuple = ()) -> Any:
    settings = plain(settings)
    answered = _answered_own if library.is_own(study) else _answered_shared
    vectors = vectors_stamp(settings) if _reads_vectors(what, settings, detail) else ()
    return answered(Request(what, study, settings, (what, study.fingerprint, repr(settings), vectors, detail), detail))


def _each(
    what: str, study: Study, measures: Sequence[str], settings: Settings, detail: tuple = (), kept: Sequence[str] = ()
) -> list[Any]:
    """An answer for each measure, kept under its own name: what no change of settings has touched stays.

    kept: settings that count even where a measure does not read them.
    """
    questions = {question.text: question for question in (ask(text, settings) for text in measures)}
    return [
        _answer(what, study, _read_by(question, settings, kept), (text, *detail))
        for text, question in questions.items()
    ]


def _read_by(question: Question, settings: Settings, kept: Sequence[str]) -> Settings:
    """The settings without what the measure's text says itself, and without what it does not read."""
    unread = ["alpha", "tau", "effectiveness"]
    if question.cutoff is not None or question.measure is None:
        unread.append("cutoff")
    if question.measure is None or not question.measure.uses_bias:
        unread += ["position_bias", "custom_bias"]
    return settings.changed(**{name: getattr(Settings, name) for name in unread if name not in kept})


def _joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True)


def _reads_vectors(what: str, settings: Settings, detail: tuple) -> bool:
    """Whether a measure is asked for that rests on word vectors, which no study's fingerprint tells."""
    if what not in ("scores", "summary", "pairs", "slice", "by_query"):
        return False
    measures = (ask(text, settings).measure for text in detail if isinstance(text, str))
    return any(measure is not None and not measure.per_query for measure in measures)


def vectors_stamp(settings: Settings) -> tuple:
    """What the file of the settings' word vectors is, which changes when it does; nothing where there is no file."""
    if settings.embedding == GLOVE:
        return ()
    try:
        return look(vector_path(settings.embedding))
    except (OSError, ValueError, FairvizError):  # ValueError: a name with a null byte
        return ()


def _summary(request: Request, arrays: Places) -> pd.DataFrame:
    return summarise(scores(request.study, request.detail, request.settings))


def _pairs(request: Request, arrays: Places) -> list[Pairs]:
    *texts, how = request.detail
    return answered(scores(request.study, texts, request.settings), how)


def _slice(request: Request, arrays: Places) -> Slice:
    text, (slider, how) = request.detail
    return slice_of(request.study, text, request.settings, slider, how, arrays)


def _by_query(request: Request, arrays: Places) -> pd.DataFrame:
    *measures, chosen = request.detail
    return set_side_by_side(scores(request.study, measures, request.settings), *chosen)


_TABLES: dict[str, Callable[[Request, Places], Any]] = {
    "scores": lambda r, arrays: evaluate(r.study, list(r.detail), r.settings, places=arrays),
    "summary": _summary,
    "pairs": _pairs,
    "slice": _slice,
    "by_query": _by_query,
    "alpha": lambda r, arrays: over_alpha(r.study, r.settings, places=arrays),
    "cutoff": lambda r, arrays: over_cutoffs(r.study, list(r.detail), r.settings, places=arrays),
    "ties": lambda r, arrays: tie_ranges(r.study, list(r.detail), r.settings, places=arrays),
    "exposures": lambda r, arrays: exposures(r.study, r.settings, per_query=r.detail[0], places=arrays),
}


def _compute(request: Request) -> Any:
    if request.what == "report":
        return check(request.study)
    asked = [ask(text, request.settings) for text in request.detail if isinstance(text, str)]
    collection = wants_collection(asked, request.settings)
    return _TABLES[request.what](request, places(request.study, request.settings, collection))


def _align(request: Request) -> Places:
    return align(request.study, request.settings, collection=request.detail[0])


_HASHES: dict = {Request: lambda request: request.key}
_SPINNER = "Counting words and laying out the rankings …"
_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=4, show_spinner=_SPINNER)
_of_session = st.cache_resource(hash_funcs=_HASHES, max_entries=4, show_spinner=_SPINNER, scope="session")
_aligned_shared, _aligned_own = _of_all(_align), _of_session(_align)
_tables_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=800, show_spinner=False)
_tables_of_session = st.cache_resource(hash_funcs=_HASHES, max_entries=300, show_spinner=False, scope="session")
_answered_shared, _answered_own = _tables_of_all(_compute), _tables_of_session(_compute)
