"""A kept value never depends on what was shown before it: it is that of a program that keeps nothing."""

from collections.abc import Callable, Iterator
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.gender_swap.experiment import Experiment, SwapPlan, experiment
from fairviz.comparison import pairs
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.installed import EXTENSIONS
from fairviz.rankers import parse_rankers
from fairviz.study.record import Study
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

MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "nDCG")
PAIR = ("one", "two")
Kept = Callable[[Study, Settings], Any]


def other_vectors(study: Study, chosen: Settings) -> gsr.OtherVectors:
    return gsr.other_vectors(study, chosen, str(Path(chosen.embedding).with_name("third.txt")))


def along_sliders(study: Study, chosen: Settings) -> list[Any]:
    """What a page reads off the cubes: every mean, and the present stop."""
    measures = (*MEASURES, chosen.effectiveness)
    cubes = [tables.cube(study, measures, chosen, slider) for slider in ("alpha", "cutoff", "bias")]
    return [
        [held.columns["value"], held.columns["ci_low"], held.questions, held.comparison(held.present).table]
        for held in cubes
    ]


def of_queries(name: str) -> Kept:
    """A function of the Query page, of a measure a query and of one of all queries, for two systems."""

    def of(study: Study, chosen: Settings) -> Any:
        questions, systems = tuple(ask(text, chosen) for text in ("CWEx", "GSR")), ("two", "one")
        further = ("difference", *questions) if name == "order" else ()
        return getattr(reading, name)(study, chosen, questions, systems, *further)

    return of


@cache
def ran(study: Study) -> Experiment:
    return experiment(study, parse_rankers("bm25,tfidf"), SwapPlan(seeds=1))


def answered(study: Study, chosen: Settings) -> list[Any]:
    found = runs.gender_swap(ran(study), ("bm25", study.fingerprint), chosen)
    return [found.table, found.queries, found.sentences]


def of_front(study: Study, chosen: Settings) -> Any:
    held = orders.front(study, ask("DPFR", chosen), chosen)
    return [held.points.values, held.front, held.middle]


# Each function of fairviz.ui.kept that gives what a page shows; `tables.aligned` is behind most of them.
ASKED: dict[str, dict[str, Kept]] = {
    "scores": {
        "tables.summary": lambda study, chosen: tables.summary(study, (*MEASURES, chosen.effectiveness), chosen),
        "tables.scores": lambda study, chosen: tables.scores(study, MEASURES, chosen),
        "tables.comparison": lambda study, chosen: tables.comparison(study, MEASURES, chosen).table,
        "tables.by_query": lambda study, chosen: tables.by_query(study, MEASURES, chosen),
        "tables.tails": lambda study, chosen: tables.tails(study, "CWEx", chosen, *PAIR),
        "tables.sliced_comparison": lambda study, chosen: [
            tables.sliced_comparison(study, MEASURES, chosen, column=column, margins=(("", 0.1),), power=0.8).table
            for column in ("", "topic")
        ],
        "tables.atlas": lambda study, chosen: tables.atlas(study, MEASURES, chosen).correlations,
        "tables.alpha_curves": tables.alpha_curves,
        "tables.cutoff_curves": lambda study, chosen: tables.cutoff_curves(study, ("CWEx", "NFaiRR"), chosen),
        "tables.exposure_shares": tables.exposure_shares,
        "tables.cube": along_sliders,
        "orders.ranges": lambda study, chosen: orders.ranges(study, MEASURES, chosen),
        "orders.scales": lambda study, chosen: orders.scales(study, chosen, (ask("CWEx", chosen),), "run"),
        "tables.ties": lambda study, chosen: tables.ties(study, MEASURES, chosen),
        "orders.front": of_front,
        "tables.report": lambda study, _: tables.report(study),
        "orders.over_cutoffs": lambda study, chosen: orders.over_cutoffs(
            study, chosen, (ask("CWEx", chosen), ask("NFaiRR", chosen)), "one", "study"
        ),
        "orders.of_query": lambda study, chosen: orders.of_query(
            study, chosen, (ask("CWEx", chosen),), "one", "q1", "run"
        ),
    },
    "checks": {
        "checked.outcomes": lambda study, chosen: checked._outcomes(study, chosen, ()),
    },
    "documents": {
        "reading.catalogue": reading.catalogue,
        "reading.found": lambda study, chosen: reading.all_occurrences(study, chosen).rankings.lists,
        "reading.exposure": lambda study, chosen: reading.exposure(study, chosen, chosen.query),
        "reading.columns": lambda study, _: reading.columns(study),
        "reading.effects": lambda study, chosen: reading.effects(study, chosen, "CWEx", *PAIR),
        "reading.noise": lambda study, chosen: reading.noise(study, chosen, "CWEx", source="annotators"),
        "reading.without_one": lambda study, chosen: reading.without_one(study, chosen, "CWEx"),
        "reading.bounds": lambda study, chosen: reading.bounds(study, chosen, "CWEx"),
    },
    "vectors": {
        "gsr.direction": lambda _, chosen: gsr.direction(chosen).of(["nurse", "boat"]),
        "gsr.centre": lambda _, chosen: gsr.centre(chosen),
        "gsr.coverage": gsr.coverage,
        "gsr.unknown": gsr.unknown,
        "gsr.points": gsr.points,
        "gsr.lines": gsr.lines,
        "gsr.influences": gsr.influences,
        "gsr.curves": gsr.curves,
        "gsr.documents": lambda study, chosen: gsr.documents(
            study, chosen, chosen.system or "one", chosen.query or "q1"
        ),
        "gsr.direct": gsr.direct,
        "gsr.other_vectors": other_vectors,
        "gsr.parity": lambda _, chosen: gsr.parity(chosen),
    },
    "agreement": {
        "labels.agreement_table": lambda study, chosen: labels.agreement_table(study, chosen, Comparison(), "against"),
        "labels.word_list": lambda study, chosen: labels.word_list(study, chosen, "ann", "documents"),
        "labels.votes": lambda study, chosen: labels.votes(study, chosen, Comparison()).counts,
        "labels.consensus": lambda study, chosen: labels.consensus(study, chosen, "majority"),
        "labels.alpha": labels.alpha,
        "tables.word_list_use": tables.word_list_use,
    },
    "queries": {
        "reading.values": of_queries("values"),
        "reading.order": of_queries("order"),
        "reading.strip": of_queries("strip"),
        "reading.anatomy": lambda study, chosen: (
            reading.anatomy(study, chosen, ask("CWEx", chosen), "one", chosen.query or "q1", "two").table
        ),
    },
    "annotators": {
        "labels.accuracy_table": lambda study, chosen: labels.accuracy_table(study, chosen, ("bob", "eve"), "ann"),
        "labels.replacements": lambda study, chosen: labels.replacements(study, chosen, "CWEx", ("bob",), "ann", True),
        "labels.people_noise": lambda study, chosen: labels.people_noise(study, chosen, "CWEx", "ann"),
        "labels.error_noise": lambda study, chosen: labels.error_noise(study, chosen, "CWEx", "bob", "ann"),
        "runs.gender_swap": answered,
    },
    "words": {
        "words._centre": lambda _, chosen: words._centre(chosen),
        "words._direction": lambda _, chosen: words._direction(chosen).of(["nurse", "boat"]),
        "words._words": lambda _, chosen: words._words(chosen),
        "words._tests": lambda _, chosen: words._tests(chosen),
        "debiasing.comparison": debiasing.comparison,
        "debiasing.variants": lambda study, chosen: debiasing.variants(study, chosen, "strong").runs,
    },
}
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
    "vectors": {*OF_LISTS, *OF_VECTORS, "left_out", "system", "query"} - {"position_bias", "custom_bias"},
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


LONG = ("agreement", "annotate", "documents", "queries", "scores", "vectors", "words")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow, pytest.mark.lengthy]) if page in LONG else page for page in ASKED],
)
def test_each_field_moved_alone(page: str, embeddings: tuple[str, ...]) -> None:
    """One field after another is moved and moved back, as on a page; each value is that of a program that stores
    nothing and reads all settings."""
    asked, study = ASKED[page], study_of(1)
    start = {"filter_values": {"filter_column": "topic"}, "custom_bias": {"position_bias": "custom"}}
    warm, moved = {}, set()
    forget()
    for name, values in choices(embeddings[1:]).items():
        base = Settings(embedding=embeddings[0], **start.get(name, {}))
        before, chosen = shown(asked, study, base), base.changed(**{name: values[0]})
        warm[chosen] = shown(asked, study, chosen)
        moved |= {name} if differs(warm[chosen], before) else set()
    for chosen, found in warm.items():
        forget()
        with unstored():
            cold = shown(asked, study, chosen)
        for what in asked:
            assert not differs(found[what], cold[what]), (what, chosen)
    assert moved == MOVED_BY[page]


@pytest.mark.lengthy
@given(data=st.data(), seeds=st.tuples(st.integers(0, 2), st.integers(0, 2)))
@settings(max_examples=20, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # two questions are small already
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


def test_every_kept_function_of_settings_is_compared(embeddings: tuple[str, ...]) -> None:
    """By what is in ASKED: a new one is added there, with the fields that move its value."""
    reached: set[str] = {path(value) for value in ALL.values()}

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
    # these need a drawn sample: tests.ui.kept.test_corrections
    functions = [each for each in functions if not each[2].__module__.startswith(EXTENSIONS)]  # those of trained models
    assert {path(value) for *_, value in functions} - reached == others


def path(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"
