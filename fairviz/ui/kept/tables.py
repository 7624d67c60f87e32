"""The cache of studies, aligned arrays, and the tables computed from them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from typing import Any

import pandas as pd

from fairviz.annotation.adjudications import stamp_of, with_adjudications
from fairviz.comparison import atlas as atlases
from fairviz.comparison.compare import Comparison, answered, compared_as, slices_of
from fairviz.comparison.compare import by_query as set_side_by_side
from fairviz.comparison.cube import Cube, Slice, joined, slice_of
from fairviz.comparison.curves import over_cutoffs, without_cutoff
from fairviz.comparison.family import How, how_on_pages, untested
from fairviz.comparison.pairs import Pairs
from fairviz.comparison.tails import tails as quantiles_of_two
from fairviz.datasets import open_undecided
from fairviz.evaluation.choices import (
    Resolved,
    align,
    align_key,
    chosen_lexicon,
    chosen_systems,
    near_miss_note,
    refuse_missing,
)
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import evaluate, exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import FIELDS, at_rest, at_stops, fixed_texts, follows, stops
from fairviz.evaluation.study_facts import labels_note
from fairviz.home import home_trouble
from fairviz.measures import Question
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.ties import ties as tie_ranges
from fairviz.study.checks import check
from fairviz.study.loaders.folder import telling
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.progress import Progress
from fairviz.ui.state import library
from fairviz.words.counting import ListUse, document_text, list_use

# No score depends on these: what is selected, what only the GSR pages show, which measures are columns, and how
# systems are tested, which a comparison has in its `How`.
_UNREAD = (
    *("system", "query", "document", "columns", "tests", "tested", "not_tested", "cluster", "corrected_by"),
    *("debias", "left_out", "word_lists", "words", "against"),
)
_GSR = ("embedding", "pairs", "gsr_depth", "query_terms", "stop_words", "list_weights")
SCORES = tuple(field.name for field in fields(Settings) if field.name not in _UNREAD)  # what scores depend on
ALL_SYSTEMS = (*(name for name in SCORES if name != "systems"), "tests", "columns")  # what `of_all_systems` keeps
_SHARES = tuple(name for name in SCORES if name not in ("alpha", *_GSR))

Margins = tuple[tuple[str, float], ...]
_STUDIES = Entries("opened studies", number=6, spinner="Opening the study …")
_DECIDED = Entries("decided studies", session=6, number=6)
_PLACES = Entries("places", session=4, number=4, spinner="Counting words and laying out the rankings …")
_TABLES = Entries("tables", session=300)

_COMPARED = Entries("compared", session=50)
_WORD_LISTS = Entries("word lists", session=6, spinner="Looking for the words in the documents …")


def study_named(name: str) -> Study:
    """The study of that name, with the decisions of its readers: this session's own where something was uploaded to
    it, else the one on disk."""
    own = library.own_studies().get(name)
    study = own if own is not None else _opened(name, library.stamp(name))
    if study.read_only and home_trouble() is not None:
        return study
    stamp = stamp_of(study)
    return _decided(study, stamp) if stamp else study


def stored_study(name: str) -> Study:
    """The study of that name as it is on disk, without decisions."""
    return _opened(name, library.stamp(name))


@kept(_STUDIES)
def _opened(name: str, stamp: tuple[tuple, ...]) -> Study:
    """`stamp` (what its files were before it was opened) is in the key, so that a changed folder is read again."""
    progress = Progress("Reading runs: {done} of {total} files, now {name}")
    with telling(progress):
        study = open_undecided(name)
    progress.end()
    return study


def _identity_of(study: Study) -> tuple:
    """Return the identity of an opened study; on a server some may change it and others not."""
    return study.name, str(study.folder), study.fingerprint, study.warnings, study.read_only


@kept(_DECIDED, by={"study": _identity_of})
def _decided(study: Study, stamp: tuple[int, ...]) -> Study:
    """`stamp` (sizes and times of the database) is in the key, so that a new decision joins at once."""
    return with_adjudications(study)


def summary(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """system, measure, value, ci_low, ci_high, queries, undefined, coverage."""
    if not measures:
        return _summary(study, _without_gsr((), settings), ())
    return _joined(_each(_summary, study, measures, settings))


def ties(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """The ends of each mean over all orders of documents with equal scores, as `fairviz.ties` gives them."""
    return _joined(_each(_ties, study, measures, settings))


def scores(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """system, query_id, measure, value, labelled, places."""
    if len(measures) == 1:
        return _each(_scores, study, measures, settings)[0]
    return _scores(study, _without_gsr(_questions(measures, settings), settings), tuple(measures))


def comparison(study: Study, measures: Sequence[str], settings: Settings, baseline: str = "") -> Comparison:
    """All pairs of the systems shown, as the settings test them, seen from the baseline (from the best of each measure
    without one)."""
    how = how_on_pages(study, settings)
    if how.tests.family == "measures":
        texts = [ask(text, settings).text for text in measures]
        every = (*texts, *how.beside(texts))
        pairs = _pairs(study, _without_gsr(_questions(every, settings), settings), every, how)
        return Comparison(tuple(pairs), how, baseline).showing(texts)
    pairs_by_measure = _each(_pairs, study, measures, settings, (how,))
    return Comparison(tuple(pairs for part in pairs_by_measure for pairs in part), how, baseline)


def cube(study: Study, measures: Sequence[str], settings: Settings, slider: str, fixed: Collection[str] = ()) -> Cube:
    """Return the results at every stop of a slider; shared by all values of the slider.

    fixed: texts of measures that keep their own value of the slider's parameter, also where it is that of the settings.
    Raises FairvizError for a measure whose inputs the study lacks.
    """
    how, fixed_columns = how_on_pages(study, settings), fixed_texts(study, settings, slider)
    settings = plain(settings)
    resting, slider_stops = at_rest(study, settings, slider), stops(study, settings, slider)
    moving = (FIELDS[slider], "position_bias", "custom_bias")
    texts = dict.fromkeys(ask(text, settings).text for text in measures)
    chosen = (
        text if text in fixed_columns else at_stops(text, settings, slider, (resting,))[0].text for text in how.chosen
    )
    how_at_rest = replace(how, chosen=tuple(chosen))

    def slice_of_text(text: str, fixed: Collection[str]) -> Slice:
        question = ask(text, settings)
        if text in fixed:
            apart = next(stop for stop in slider_stops if not follows(question, stop, slider))
            unmoved = _each(_slice, study, (text,), apart, (slider, how_at_rest), moving)[0]
            return replace(unmoved, questions=unmoved.questions[:1] * len(slider_stops))
        text = at_stops(question, settings, slider, (resting,))[0].text
        return _each(_slice, study, (text,), resting, (slider, how_at_rest), moving)[0]

    slices = [slice_of_text(text, fixed) for text in texts]
    beside = [
        slice_of_text(text, fixed_columns)
        for text in how.chosen
        if text not in texts or (text in fixed_columns and text not in fixed)
    ]
    return joined(study, settings, slider, slices, how, beside=beside, fixed=fixed_columns)


def by_query(
    study: Study, measures: Sequence[str], settings: Settings, system: str = "", baseline: str = ""
) -> pd.DataFrame:
    """Return measure, query_id, and two systems' values with their difference, as `per_query_differences` does.

    The best systems are chosen from those that are tested.
    """
    how = how_on_pages(study, settings)
    tested = tuple(name for name in chosen_systems(study, settings) if how.is_tested(name))
    settings = _without_gsr(_questions(measures, settings), settings)
    return _by_query(study, settings, tuple(measures), system, baseline, tested)


def tails(study: Study, measure: str, settings: Settings, system: str, baseline: str) -> pd.DataFrame:
    """Return the quantiles of two systems over queries, as `fairviz.tails` gives them."""
    settings = _without_gsr(_questions((measure,), settings), settings)
    return _tails(study, settings, measure, system, baseline)


def cutoff_curves(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """system, measure (without its cutoff), cutoff, value, ci_low, ci_high: the same whatever cutoff is chosen."""
    resting = settings.changed(cutoff=Settings.cutoff)
    texts = [f"{without_cutoff(ask(text, settings))}@{resting.cutoff}" for text in measures]
    return _joined(_each(_cutoffs, study, texts, resting))


# part, item, count, detail, remedy: what fairviz.study.checks finds in the study.
report = kept(_TABLES, by={"study": lambda study: (study.fingerprint, study.warnings)})(check)


@kept(_PLACES, reads=align_key)
def aligned(study: Study, settings: Settings, collection: bool = False) -> AlignedRankings:
    """The aligned arrays, shared by every table that rests on them."""
    return align(study, settings, collection=collection)


@kept(_TABLES, reads=_SHARES)
def alpha_curves(study: Study, settings: Settings) -> pd.DataFrame:
    """system, alpha, value, ci_low, ci_high: the same whatever alpha is chosen."""
    return over_alpha(study, settings, rankings=aligned(study, settings))


@kept(_TABLES, reads=_SHARES)
def exposure_shares(study: Study, settings: Settings, *, per_query: bool = False) -> pd.DataFrame:
    """system[, query_id] and each group's share of exposure, neutral first."""
    return exposures(study, settings, per_query=per_query, rankings=aligned(study, settings))


def plain(settings: Settings) -> Settings:
    """The settings without what no score depends on."""
    return _reset(settings, _UNREAD)


def of_all_systems(settings: Settings) -> Settings:
    """The settings of scores and of their tests, for all systems, whichever are shown."""
    return plain(settings).changed(systems=(), tests=settings.tests, columns=settings.columns)


def _reset(settings: Settings, names: Sequence[str]) -> Settings:
    return settings.changed(**{name: getattr(Settings, name) for name in names})


def _questions(measures: Sequence[str], settings: Settings) -> list[Question]:
    return [ask(text, settings) for text in measures]


def _without_gsr(questions: Sequence[Question], settings: Settings) -> Settings:
    """Return the settings without word vectors and GSR's choices, unless a measure of word vectors is among these."""
    needs_vectors = any(question.measure is not None and not question.measure.per_query for question in questions)
    return settings if needs_vectors else _reset(settings, _GSR)


def _each(
    make: Callable[..., Any],
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    detail: tuple = (),
    always: Sequence[str] = (),
) -> list[Any]:
    """Return `make`'s value of each measure alone: no change of settings that the measure does not read touches it.

    always: fields of the settings that count even where a measure does not read them.
    """
    questions = {question.text: question for question in _questions(measures, settings)}
    return [make(study, _read_by(question, settings, always), (text,), *detail) for text, question in questions.items()]


def _read_by(question: Question, settings: Settings, always: Sequence[str]) -> Settings:
    """The settings without what the measure's text contains itself, and without what it does not read."""
    unread = ["alpha", "tau", "effectiveness"]
    if question.cutoff is not None or question.measure is None:
        unread.append("cutoff")
    if question.measure is None or not question.measure.uses_bias:
        unread += ["position_bias", "custom_bias"]
    return _reset(_without_gsr((question,), settings), [name for name in unread if name not in always])


def _joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True)


def _arrays(study: Study, settings: Settings, texts: Sequence[str]) -> AlignedRankings:
    return aligned(study, settings, wants_collection(_questions(texts, settings), settings))


@kept(_TABLES, reads=SCORES)
def _scores(study: Study, settings: Settings, texts: tuple[str, ...]) -> pd.DataFrame:
    return evaluate(study, list(texts), settings, rankings=_arrays(study, settings, texts))


@kept(_TABLES, reads=SCORES)
def _summary(study: Study, settings: Settings, texts: tuple[str, ...]) -> pd.DataFrame:
    if not study.draws:
        return summarise(scores(study, texts, settings))
    arrays = _arrays(study, settings, texts)
    return summarise(evaluate(study, list(texts), settings, rankings=arrays, by_draw=True))


@kept(_TABLES, reads=SCORES)
def _ties(study: Study, settings: Settings, texts: tuple[str, ...]) -> pd.DataFrame:
    return tie_ranges(study, list(texts), settings, rankings=_arrays(study, settings, texts))


@kept(_TABLES, reads=SCORES)
def _cutoffs(study: Study, settings: Settings, texts: tuple[str, ...]) -> pd.DataFrame:
    return over_cutoffs(study, list(texts), settings, rankings=_arrays(study, settings, texts))


@kept(_TABLES, reads=SCORES)
def _pairs(study: Study, settings: Settings, texts: tuple[str, ...], how: How) -> list[Pairs]:
    return answered(scores(study, texts, settings), how)


@kept(_TABLES, reads=SCORES)
def _slice(study: Study, settings: Settings, texts: tuple[str, ...], slider: str, how: How) -> Slice:
    refuse_missing(study, _questions(texts, settings), settings)
    return slice_of(study, texts[0], settings, slider, how, _arrays(study, settings, texts))


@kept(_TABLES, reads=SCORES)
def _by_query(
    study: Study, settings: Settings, texts: tuple[str, ...], system: str, baseline: str, tested: tuple[str, ...]
) -> pd.DataFrame:
    return set_side_by_side(scores(study, texts, settings), system, baseline, tested)


@kept(_TABLES, reads=SCORES)
def _tails(study: Study, settings: Settings, measure: str, system: str, baseline: str) -> pd.DataFrame:
    return quantiles_of_two(scores(study, (measure,), settings), system, baseline)


def sliced_comparison(
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    baseline: str = "",
    column: str = "",
    margins: Margins = (),
    power: float | None = None,
) -> Comparison:
    """All pairs of the systems shown, seen from the baseline, apart by a column of the queries, with margins by measure
    (an empty name for all others) and power where they are given."""
    texts = tuple(ask(text, settings).text for text in measures)
    how = replace(how_on_pages(study, settings), needed=True)
    return _sliced_comparison(study, settings, texts, baseline, how, column, margins, power)


@kept(_COMPARED, reads=SCORES)
def _sliced_comparison(
    study: Study,
    settings: Settings,
    texts: tuple[str, ...],
    baseline: str,
    how: How,
    column: str,
    margins: Margins,
    power: float | None,
) -> Comparison:
    tested_scores = scores(study, (*texts, *how.beside(texts)), settings)
    slices = slices_of(study, column) if column else None
    return compared_as(
        tested_scores, how, baseline, slices=slices, margin=dict(margins) or None, power=power, requested=texts
    )


def atlas(study: Study, measures: Sequence[str], settings: Settings) -> atlases.Atlas:
    """Measures against measures, over the systems and queries shown."""
    return _atlas(study, settings, tuple(measures), untested(study, settings))


@kept(_COMPARED, reads=SCORES)
def _atlas(study: Study, settings: Settings, measures: tuple[str, ...], outside: tuple[str, ...]) -> atlases.Atlas:
    return atlases.atlas_of(scores(study, measures, settings), outside=outside)


@kept(_WORD_LISTS, reads=lambda study, settings: (chosen_lexicon(study, settings), settings.tokenizer))
def word_list_use(study: Study, settings: Settings) -> ListUse:
    """Return how the word list that counts matches the study's documents."""
    texts = document_text(study.documents).dropna()
    lexicon = chosen_lexicon(study, settings)
    return list_use(lexicon, settings.tokenizer, study.groups, texts if len(texts) else None)


def coverage_note(study: Study, settings: Settings, questions: Sequence[Question]) -> str:
    """`1,170 of 1,170 ranks labelled: gold (people).`, and what else is to be known of the measures, such as ids that
    nearly join; empty for nothing.

    One measure for each cutoff is evaluated: all measures of labels look at the same places.
    """
    texts = tuple(question.text for question in questions if question.per_query)
    near = near_miss_note(study, scores(study, texts, settings)) if texts else ""
    notes = " ".join(filter(None, (Resolved(study, settings).notes_on(questions), near)))
    by_cutoff = {question.cutoff: question.text for question in questions if question.family == "labels"}
    if not by_cutoff:
        return notes
    note = labels_note(study, settings, scores(study, tuple(by_cutoff.values()), settings))
    return " ".join(filter(None, (note[:1].upper() + note[1:], notes)))
