"""A kept value never depends on what was shown before it: it is that of a program that keeps nothing."""

from collections.abc import Callable, Iterator
from functools import cache, partial, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.gender_swap.experiment import Experiment, SwapPlan, experiment
from fairviz.annotation.forms.database import store
from fairviz.comparison import pairs
from fairviz.correction import corrected as correction
from fairviz.correction.sampling import draw_sample
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.installed import EXTENSIONS
from fairviz.rankers import parse_rankers
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.gsr import cards as debiasing
from fairviz.ui.kept import checked, gsr, labels, orders, reading, runs, tables
from fairviz.ui.words import cards as words
from tests.fresh import (
    answer,
    choices,
    differs,
    forget,
    kept_functions,
    neighbours,
    plain,
    session,
    study_of,
    unstored,
    vectors,
)

pytestmark = pytest.mark.usefixtures("whole")
MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "nDCG")
Kept = Callable[[Study, Settings], Any]


def of(function: Callable, take: str = "", **fixed: Any) -> tuple[str, Kept]:
    """The function's name, and what it gives for a study and settings with these further arguments, of which functions
    are of the settings. take: the part of the answer that pages show."""

    def call(study: Study, chosen: Settings) -> Any:
        given = {"study": study, "settings": chosen} | {
            name: value(chosen) if callable(value) else value for name, value in fixed.items()
        }
        found = function(**{name: given[name] for name in signature(function).parameters if name in given})
        return getattr(found, take) if take else found

    return f"{function.__module__}.{function.__name__}", call


def along_sliders(study: Study, settings: Settings) -> list[Any]:
    """What a page reads off the cubes: every mean, and the present stop."""
    measures = (*MEASURES, settings.effectiveness)
    cubes = [tables.cube(study, measures, settings, slider) for slider in ("alpha", "cutoff", "bias")]
    return [
        [held.columns["value"], held.columns["ci_low"], held.questions, held.comparison(held.present).table]
        for held in cubes
    ]


def slices(study: Study, settings: Settings) -> list[Any]:
    margins = (("", 0.1),)
    return [
        tables.sliced_comparison(study, MEASURES, settings, column=column, margins=margins, power=0.8).table
        for column in ("", "topic")
    ]


def of_front(study: Study, settings: Settings) -> Any:
    held = orders.front(study, ask("DPFR", settings), settings)
    return [held.points.values, held.front, held.middle]


@cache
def ran(study: Study) -> Experiment:
    return experiment(study, parse_rankers("bm25,tfidf"), SwapPlan(seeds=1))


def swapped(study: Study, settings: Settings) -> list[Any]:
    found = runs.gender_swap(ran(study), ("bm25", study.fingerprint), settings)
    return [found.table, found.queries, found.sentences]


def occurrences(study: Study, settings: Settings) -> Any:
    return reading.all_occurrences(study, settings).rankings.lists


def directions(settings: Settings) -> list[Any]:
    return [each(settings).of(["nurse", "boat"]) for each in (gsr.direction, words._direction)]


def other_vectors(study: Study, settings: Settings) -> gsr.OtherVectors:
    return gsr.other_vectors(study, settings, str(Path(settings.embedding).with_name("third.txt")))


CWEX = partial(ask, "CWEx")
OF_PAIR = {"system": "one", "baseline": "two"}
OF_QUERIES = {  # of a measure a query and of one of all queries, for two systems
    "questions": lambda chosen: (ask("CWEx", chosen), ask("GSR", chosen)),
    "systems": ("two", "one"),
}
OF_CWEX = {"measure": "CWEx"}
# Each function of fairviz.ui.kept that gives what a page shows; `tables.aligned` is behind most of them.
ASKED: dict[str, dict[str, Kept]] = {
    "scores": dict([
        of(tables.summary, measures=lambda chosen: (*MEASURES, chosen.effectiveness)),
        *(of(each, measures=MEASURES) for each in (tables.scores, tables.by_query, tables.ties, orders.ranges)),
        of(tables.comparison, "table", measures=MEASURES),
        of(tables.atlas, "correlations", measures=MEASURES),
        of(tables.tails, **OF_CWEX, **OF_PAIR),
        of(slices), of(tables.alpha_curves), of(tables.exposure_shares), of(tables.report), of(along_sliders),
        of(tables.cutoff_curves, measures=("CWEx", "NFaiRR")),
        of(orders.scales, questions=lambda chosen: (CWEX(chosen),), candidates="run"),
        of(of_front),
        of(orders.over_cutoffs, measures=lambda chosen: (CWEX(chosen), ask("NFaiRR", chosen)), system="one",
           candidates="study"),
        of(orders.of_query, measures=lambda chosen: (CWEX(chosen),), system="one", query="q1", candidates="run"),
    ]),
    "checks": dict([of(checked._outcomes, looked=())]),
    "documents": dict([
        of(reading.catalogue), of(occurrences), of(reading.columns),
        of(reading.exposure, query=lambda chosen: chosen.query),
        of(reading.effects, **OF_CWEX, first="one", second="two"),
        of(reading.noise, **OF_CWEX, source="annotators"),
        of(reading.without_one, **OF_CWEX), of(reading.bounds, **OF_CWEX),
    ]),
    "vectors": dict([
        of(directions), of(other_vectors),
        *map(of, (gsr.centre, gsr.coverage, gsr.unknown, gsr.points, gsr.lines, gsr.influences, gsr.curves, gsr.direct,
                  gsr.parity)),
        of(gsr.documents, system=lambda chosen: chosen.system or "one", query=lambda chosen: chosen.query or "q1"),
    ]),
    "agreement": dict([
        of(labels.agreement_table, comparison=Comparison(), what="against"),
        of(labels.word_list, reference="ann", draw="documents"),
        of(labels.votes, "counts", comparison=Comparison()),
        of(labels.consensus, method="majority"), of(labels.alpha), of(tables.word_list_use),
    ]),
    "queries": dict([
        of(reading.values, **OF_QUERIES), of(reading.strip, **OF_QUERIES),
        of(reading.order, **OF_QUERIES, by="difference", question=CWEX, other=partial(ask, "GSR")),
        of(reading.anatomy, "table", measure=CWEX, system="one", query=lambda chosen: chosen.query or "q1",
           against="two"),
    ]),
    "annotators": dict([
        of(labels.accuracy_table, names=("bob", "eve"), reference="ann"),
        of(labels.replacements, **OF_CWEX, names=("bob",), other="ann", fill=True),
        of(labels.people_noise, **OF_CWEX, other="ann"),
        of(labels.error_noise, **OF_CWEX, annotator="bob", reference="ann"),
        of(swapped),
    ]),
    "words": dict([
        *map(of, (words._centre, words._words, words._tests, debiasing.comparison)),
        of(debiasing.variants, "runs", kind="strong"),
    ]),
}  # fmt: skip
ALL = {name: of for page in ASKED.values() for name, of in page.items()}

OF_LISTS = {"systems", "filter_values", "cutoff", "ties", "position_bias", "custom_bias"}
OF_LABELS = {*OF_LISTS, "annotator", "voters", "unlabelled", "crossed_with", "alpha"}
OF_WORDS = {"lexicon", "tau", "tokenizer", "background"}
OF_VECTORS = {"embedding", "pairs", *gsr.GSR_CHOICES}
TESTS = {"tests", "tested", "not_tested", "cluster"}
# The fields that move some value of each part, so that nothing is compared in vain.
MOVED_BY = {
    "scores": {*OF_LABELS, *OF_WORDS, *TESTS, "effectiveness"},
    "checks": {*OF_LABELS, "columns", "not_tested"} - {"ties", "position_bias", "unlabelled", "alpha"},
    "documents": {*OF_LABELS, "lexicon", "tau", "tokenizer", "query"},
    "vectors": {*OF_LISTS, *OF_VECTORS, "debias", "left_out", "system", "query"} - {"position_bias", "custom_bias"},
    "agreement": {"lexicon", "tau", "tokenizer", "annotator", "voters"},
    "queries": {*OF_LABELS, *OF_VECTORS, "query"} - {"systems"},  # the page names the systems
    "annotators": {*OF_LABELS, *OF_WORDS, "not_tested"} - {"annotator"},
    "words": {"embedding", "pairs", "debias", "word_lists", "words", "against", "filter_values", "ties"},
}


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    return vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(autouse=True)
def _session(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Verdicts over the four queries of these studies, so that the choice of tests moves them."""
    monkeypatch.setattr(pairs, "FEWEST_QUERIES", 2)
    with session():
        yield


def shown(asked: dict[str, Kept], study: Study, chosen: Settings) -> dict[str, Any]:
    return {name: plain(answer(of, study, chosen)) for name, of in asked.items()}


# By day one field of each kind, of two parts.
BY_DAY = {"checks": {"annotator", "columns", "filter_values"}, "agreement": {"voters", "lexicon"}}


@pytest.mark.parametrize(
    ("page", "fields"),
    [
        *BY_DAY.items(),
        *(pytest.param(page, fields, marks=[pytest.mark.slow, pytest.mark.lengthy])
          for page, fields in MOVED_BY.items()),
    ],
)  # fmt: skip
def test_each_field_that_moves_a_value_alone_and_all_others_together(
    page: str, fields: set[str], embeddings: tuple[str, ...]
) -> None:
    """They are moved and moved back, as on a page; each value is that of a program that stores nothing and reads all
    settings."""
    asked, study, values = ASKED[page], study_of(1), choices(embeddings[1:])
    start = {"filter_values": {"filter_column": "topic"}, "custom_bias": {"position_bias": "custom"}}
    others = {name: value[0] for name, value in values.items() if name not in MOVED_BY[page]}
    warm = {}
    forget()
    for moved in ({}, others, *({name: values[name][0]} for name in sorted(fields))):
        base = Settings(embedding=embeddings[0], **start.get("".join(moved), {}))
        before, chosen = shown(asked, study, base), base.changed(**moved)
        warm[chosen] = shown(asked, study, chosen)
        assert bool(differs(warm[chosen], before)) is (len(moved) == 1), moved
    with unstored():
        for chosen, found in warm.items():
            forget()
            cold = shown(asked, study, chosen)
            for what in asked:
                assert not differs(found[what], cold[what]), (what, chosen)


@pytest.mark.lengthy
@given(data=st.data(), seeds=st.tuples(st.integers(0, 2), st.integers(0, 2)))
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])  # two questions are small already
def test_warm_equals_cold(data: st.DataObject, seeds: tuple[int, int], embeddings: tuple[str, ...]) -> None:
    name = data.draw(st.sampled_from(sorted(ALL)))
    asked = {name: ALL[name]}
    first, second = data.draw(neighbours(embeddings))
    if "nobody" in (first.annotator, second.annotator):
        return  # the pages drop an annotator that the study does not hold before they ask
    warm = [shown(asked, study_of(seed), chosen) for chosen in (first, second) for seed in seeds]
    for found, seed in zip(warm[2:], seeds, strict=True):
        forget()
        assert not differs(found, shown(asked, study_of(seed), second)), second


def test_other_vectors_hold_every_system_at_the_defaults(embeddings: tuple[str, ...]) -> None:
    for systems, held in (((), study_of(1).systems), (("two",), ("two",))):
        found = other_vectors(study_of(1), Settings(embedding=embeddings[0], systems=systems))
        assert {*found.systems["system"]} == {*held}


@pytest.mark.lengthy
def test_every_kept_function_of_settings_is_compared(embeddings: tuple[str, ...]) -> None:
    """By what is in ASKED: a new one is added there, with the fields that move its value."""
    reached = set(ALL)

    def recorded(value: Kept) -> Kept:
        @wraps(value)
        def call(*given: Any, **named: Any) -> Any:
            reached.add(path(value))
            return value(*given, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        forget()
        functions = [each for each in kept_functions() if "settings" in signature(each[2]).parameters]
        for module, name, value in functions:
            patch.setattr(module, name, recorded(value))
        shown(ALL, study_of(1), Settings(embedding=embeddings[0]))
    others = {path(each) for each in (labels.corrections, labels.width_curves, labels.validity)}
    # these need a drawn sample: the test below
    functions = [each for each in functions if not each[2].__module__.startswith(EXTENSIONS)]  # those of trained models
    assert {path(value) for *_, value in functions} - reached == others


def path(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


# Kept corrections are those of a program that keeps nothing, whatever was shown before


START = Settings(corrected_by="project", annotator="lexicon")
CHANGES = (
    {"cutoff": 5, "alpha": 0.25, "position_bias": "reciprocal"}, {"annotator": "mentions", "systems": ("rrf", "bm25")},
    {"tests": "none"}, {},
)  # fmt: skip


@pytest.fixture(scope="module")
def study(newswire: Study) -> Study:
    """The first ten ranks of three systems of newswire."""
    is_first = newswire.runs["system"].isin(["rrf", "bm25", "w2v_add"]) & (newswire.runs["rank"] <= 10)
    runs = newswire.runs[is_first].astype({"system": "str"})
    parts = {part: getattr(newswire, part) for part in ("documents", "labels")}
    of_lists = {part: table[table["doc_id"].isin(set(runs["doc_id"]))] for part, table in parts.items()}
    return make_study("three", queries=newswire.queries, runs=runs, annotators=newswire.annotators, **of_lists)


def corrected(study: Study, settings: Settings) -> list[pd.DataFrame]:
    measures = (ask("CWEx", settings), ask("ExposureGap", settings))
    return [
        labels.corrections(study, settings, measures).table,
        labels.corrections(study, settings, measures, "bm25").table,
        labels.width_curves(study, settings, measures[1], "rrf"),
        labels.validity(study, settings, "lexicon", "project", measures),
    ]


def test_corrections_are_those_of_each_choice_moved_alone(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the queries are drawn, as the newest form would keep them."""
    sample = draw_sample(study, "queries", "CWEx@10", 350, annotator="lexicon")
    monkeypatch.setattr(correction, "sample_for", lambda *_: sample)
    forget()
    warm = [corrected(study, START.changed(**change)) for change in CHANGES]
    for change, found in zip(CHANGES, warm, strict=True):
        forget()
        for own, other in zip(found, corrected(study, START.changed(**change)), strict=True):
            pd.testing.assert_frame_equal(own, other)
    assert not warm[0][0]["value"].equals(warm[-1][0]["value"]), "the cutoff moves it"
    assert warm[-2][0].equals(warm[-1][0]), "the method of tests does not"


def test_a_new_form_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = labels.forms_stamp()
    with store().writing() as database:
        database.execute("SELECT 1")
    assert labels.forms_stamp() != before
