"""What a page shows never depends on what was shown before it: every kept value is that of a new process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import agreement, compared, inspect, stereotypes, tables, validity
from tests.fresh import answer, choices, differs, forget, neighbours, plain, session, study_of, vectors

MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "nDCG")
PAIR = ("one", "two")
Kept = Callable[[Study, Settings], Any]


def other_vectors(study: Study, chosen: Settings) -> validity.OtherVectors:
    return validity.other_vectors(study, chosen, str(Path(chosen.embedding).with_name("third.txt")))


def along_sliders(study: Study, chosen: Settings) -> list[Any]:
    """What a page reads off the cubes: every mean, and the present stop."""
    measures = (*MEASURES, chosen.effectiveness)
    cubes = [tables.cube(study, measures, chosen, slider) for slider in ("alpha", "cutoff", "bias")]
    return [[held.mean, held.low, held.measures, held.comparison(held.present).table] for held in cubes]


# Each function of fairviz.ui.kept that gives what a page shows; `tables.places` is behind most of them.
ASKED: dict[str, dict[str, Kept]] = {
    "scores": {
        "tables.summary": lambda study, chosen: tables.summary(study, (*MEASURES, chosen.effectiveness), chosen),
        "tables.scores": lambda study, chosen: tables.scores(study, MEASURES, chosen),
        "tables.comparison": lambda study, chosen: tables.comparison(study, MEASURES, chosen).table,
        "tables.by_query": lambda study, chosen: tables.by_query(study, MEASURES, chosen),
        "compared.comparison": lambda study, chosen: (
            compared.comparison(study, MEASURES, chosen, column="topic", margins=(("", 0.1),), power=0.8).table
        ),
        "compared.atlas": lambda study, chosen: compared.atlas(study, MEASURES, chosen).correlations,
        "tables.alpha_curves": tables.alpha_curves,
        "tables.cutoff_curves": lambda study, chosen: tables.cutoff_curves(study, ("CWEx", "NFaiRR"), chosen),
        "tables.exposure_shares": tables.exposure_shares,
        "tables.cube": along_sliders,
        "tables.ties": lambda study, chosen: tables.ties(study, MEASURES, chosen),
        "tables.report": lambda study, _: tables.report(study),
    },
    "documents": {
        "inspect.catalogue": inspect.catalogue,
        "inspect.found": lambda study, chosen: inspect.found(study, chosen).places.rankings,
        "inspect.exposure": lambda study, chosen: inspect.exposure(study, chosen, chosen.query),
        "inspect.columns": lambda study, _: inspect.columns(study),
        "inspect.effects": lambda study, chosen: inspect.effects(study, chosen, "CWEx", *PAIR),
        "inspect.flips": lambda study, chosen: inspect.flips(study, chosen, "ExposureGap", *PAIR),
        "inspect.noise": lambda study, chosen: inspect.noise(study, chosen, "CWEx", "annotators"),
        "inspect.without_one": lambda study, chosen: inspect.without_one(study, chosen, "CWEx"),
        "inspect.bounds": lambda study, chosen: inspect.bounds(study, chosen, "CWEx"),
    },
    "vectors": {
        "stereotypes.direction": lambda _, chosen: stereotypes.direction(chosen).of(["nurse", "boat"]),
        "stereotypes.centre": lambda _, chosen: stereotypes.centre(chosen),
        "stereotypes.coverage": stereotypes.coverage,
        "stereotypes.unknown": stereotypes.unknown,
        "stereotypes.points": stereotypes.points,
        "stereotypes.lines": stereotypes.lines,
        "stereotypes.influences": stereotypes.influences,
        "stereotypes.curves": stereotypes.curves,
        "stereotypes.documents": lambda study, chosen: stereotypes.documents(
            study, chosen, chosen.system or "one", chosen.query or "q1"
        ),
        "validity.direct": validity.direct,
        "validity.other_vectors": other_vectors,
        "validity.parity": lambda _, chosen: validity.parity(chosen),
    },
    "agreement": {
        "agreement.table": lambda study, chosen: agreement.table(study, chosen, Comparison(), "against"),
        "agreement.word_list": lambda study, chosen: agreement.word_list(study, chosen, "ann"),
    },
}
ALL = {name: of for page in ASKED.values() for name, of in page.items()}

QUERIES = {"filter_values"}
LISTS = {"systems", *QUERIES, "cutoff", "ties"}
BIAS = {"position_bias", "custom_bias"}
LABELS = {*LISTS, *BIAS, "annotator", "unlabelled"}
WORDS = {"lexicon", "tau"}
TESTS = {"tests", "tested"}
VECTORS = {"embedding", "pairs"}
GSR = {*LISTS, *VECTORS, "gsr_depth", "query_terms", "stop_words", "list_weights"}
# What moves a value is all that it says it rests on. A field that moves nothing here is one that a key may leave out.
MOVED_BY = {
    "tables.summary": {*LABELS, *WORDS, "tokenizer", "alpha", "background", "effectiveness"},
    "tables.scores": {*LABELS, *WORDS, "tokenizer", "alpha", "background"},
    "tables.comparison": {*LABELS, *WORDS, *TESTS, "tokenizer", "alpha", "background"},
    "tables.by_query": {*LABELS, *WORDS, "tested", "tokenizer", "alpha", "background"},
    "compared.comparison": {*LABELS, *WORDS, *TESTS, "tokenizer", "alpha", "background"},
    "compared.atlas": {*LABELS, *WORDS, "tokenizer", "alpha", "background"},
    "tables.alpha_curves": LABELS,
    "tables.cutoff_curves": {*LABELS, *WORDS, "alpha", "background"} - {"cutoff"},
    "tables.exposure_shares": LABELS,
    "tables.cube": {*LABELS, *WORDS, *TESTS, "tokenizer", "alpha", "background", "effectiveness"},
    "tables.ties": {*LABELS, *WORDS, "tokenizer", "alpha", "background"},
    "tables.report": set(),
    "inspect.catalogue": {*WORDS, "tokenizer"},
    "inspect.found": {"ties"},
    "inspect.exposure": {*LISTS, *BIAS, "query"},
    "inspect.columns": set(),
    "inspect.effects": {*LABELS, "alpha"} - {"systems"},
    "inspect.flips": LABELS - {"systems"},
    "inspect.noise": {*LABELS, "alpha"} - {"annotator", "unlabelled"},  # one annotator's noise is everyone's
    "inspect.without_one": {*LABELS, "alpha"} - {"annotator"},
    "inspect.bounds": {*LABELS, "alpha"} - {"unlabelled"},
    "stereotypes.direction": VECTORS,
    "stereotypes.centre": VECTORS,
    "stereotypes.coverage": VECTORS,
    "stereotypes.unknown": {*VECTORS, "stop_words"},
    "stereotypes.points": GSR,
    "stereotypes.lines": {*GSR, "left_out"},
    "stereotypes.influences": {*GSR, "left_out"},
    "stereotypes.curves": GSR,
    "stereotypes.documents": {*VECTORS, "query_terms", "stop_words", "cutoff", "ties", "system", "query"},
    "validity.direct": GSR - {"systems", "ties", "query_terms", "list_weights"},  # it looks at the queries' g alone
    "validity.other_vectors": {*GSR, "left_out"},
    "validity.parity": {"pairs"},  # the small vectors hold none of its words
    "agreement.table": {*WORDS, "annotator"},
    "agreement.word_list": {*WORDS, "tokenizer"},
}


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    return vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(autouse=True)
def _session() -> Iterator[None]:
    with session():
        yield


def shown(asked: dict[str, Kept], study: Study, chosen: Settings) -> dict[str, Any]:
    return {name: plain(answer(of, study, chosen)) for name, of in asked.items()}


LONG = ("agreement", "documents", "scores", "vectors")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow, pytest.mark.lengthy]) if page in LONG else page for page in ASKED],
)
def test_each_field_moved_alone(page: str, embeddings: tuple[str, ...]) -> None:
    """One field after another is moved and moved back, as on a page; each value is that of a program that starts
    with the field where it is. The fields that move a value are told, so that nothing is tested in vain."""
    asked, study = ASKED[page], study_of(1)
    start = {"filter_values": {"filter_column": "topic"}, "custom_bias": {"position_bias": "custom"}}
    warm, moved = {}, {name: set() for name in asked}
    forget()
    for name, values in choices(embeddings[1:]).items():
        base = Settings(embedding=embeddings[0], **start.get(name, {}))
        before, chosen = shown(asked, study, base), base.changed(**{name: values[0]})
        warm[chosen] = shown(asked, study, chosen)
        for what, found in warm[chosen].items():
            moved[what] |= {name} if differs(found, before[what]) else set()
    for chosen, found in warm.items():
        forget()
        cold = shown(asked, study, chosen)
        for what in asked:
            assert not differs(found[what], cold[what]), (what, chosen)
    assert moved == {what: MOVED_BY[what] for what in asked}


@pytest.mark.slow
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
    study = study_of(1)
    everything = other_vectors(study, Settings(embedding=embeddings[0]))
    assert sorted(everything.systems["system"]) == sorted(study.systems)
    one = other_vectors(study, Settings(embedding=embeddings[0], systems=(study.systems[0],)))
    assert list(one.systems["system"]) == [study.systems[0]]


def test_every_kept_function_is_asked() -> None:
    """One that gives what a page shows is in ASKED; these give none."""
    others = {
        "tables.study_named",  # tests/ui/test_decisions.py
        "tables.stored_study",  # as it is on disk, for what a link carries
        "tables.places",
        "tables.plain",
        "tables.vectors_stamp",  # test_cache_keys
        "inspect.annotator_key",
        "stereotypes.kept",
        "stereotypes.kept_without_study",
        "stereotypes.kept_queries",
        "stereotypes.most_left_out",
        "stereotypes.with_perfect",
    }
    public = {
        f"{module.__name__.rpartition('.')[2]}.{name}"
        for module in (tables, compared, inspect, agreement, stereotypes, validity)
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and not name.startswith("_") and value.__module__ == module.__name__
    }
    assert public == others | set(ALL)
