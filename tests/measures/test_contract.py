"""What every measure of the registry keeps, whoever adds it."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.evaluation.gsr import part_names
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Measure, parse, unfairness
from fairviz.measures.position_bias import position_bias
from fairviz.measures.rankings import LabelEvidence, WordEvidence, one_list
from fairviz.measures.record import Reach
from fairviz.measures.sums import AlignedRankings, AttributeSet
from fairviz.study.attributes import Attribute
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, LABELS, QRELS, QUERIES, RUNS, conform
from tests.extension_rows import rows
from tests.made import labels_of, qrels_of, runs_of

TEXTS = ("she saw her mother", "he and his brother ran", "she and he", "a tree", "", "his hat")
GENDERS = ("female", "male", "neutral")
ASKED = {"q": "nurse", "q1": "nurse", "q2": "his hat"}


def study_of(lists: dict[tuple[str, str], list[str]], labels: dict[str, str], texts: dict[str, str]) -> Study:
    judged = {query: {name: place % 3 for place, name in enumerate(labels, start=1)} for query in ASKED}
    return Study(
        "contract",
        queries=conform(pd.DataFrame({"query_id": list(ASKED), "text": list(ASKED.values())}, dtype="str"), QUERIES),
        documents=conform(pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}, dtype="str"), DOCUMENTS),
        labels=conform(labels_of(labels), LABELS),
        runs=conform(runs_of(lists), RUNS),
        qrels=conform(qrels_of(judged), QRELS),
        fingerprint="contract",
    )


@st.composite
def studies(draw: st.DrawFn) -> Study:
    names = [f"d{i}" for i in range(8)]
    found = st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=8)
    lists = {(system, query): draw(found) for system in "AB" for query in ("q1", "q2")}
    return study_of(
        lists,
        {name: draw(st.sampled_from(GENDERS)) for name in names},
        {name: draw(st.sampled_from(TEXTS)) for name in names},
    )


def all_scores(study: Study, k: int = 5, **choices: object) -> dict[str, dict[tuple[str, str], float]]:
    """The value of each list by every measure, asked for at once: to lay out a study costs more than any measure.

    Of GSR, which has no value per query, the list's genderedness, its part per query.
    """
    texts = {name: ask(f"{name}@{k}", Settings(**choices)).text for name in MEASURES}
    shown = {name: text if MEASURES[name].per_query else part_names(text)[1] for name, text in texts.items()}
    rows = {text: {} for text in shown.values()}
    for row in evaluate(study, list(texts.values()), **choices).itertuples():
        if row.measure in rows:
            rows[row.measure][row.system, row.query_id] = row.value
    return {name: rows[text] for name, text in shown.items()}


def scores_of(study: Study, name: str, k: int = 5, **choices: object) -> dict[tuple[str, str], float]:
    return {(row.system, row.query_id): row.value for row in evaluate(study, [f"{name}@{k}"], **choices).itertuples()}


PER_QUERY = [name for name, measure in MEASURES.items() if measure.per_query]


@given(study=studies(), other=studies())
@settings(max_examples=settings.default.max_examples // 4)  # each of all measures, of two runs and two queries
def test_one_ranking_never_moves_another(study: Study, other: Study) -> None:
    """But for the background `candidates`, whose contract says so; with one of its own it holds there too."""
    before = all_scores(study, background="run:A")
    runs = study.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    theirs = other.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    changed = pd.concat([runs[runs.system == "A"], theirs[theirs.system == "B"]])
    after = all_scores(replace(study, runs=conform(changed, RUNS)), background="run:A")
    for name in MEASURES:
        for query in ("q1", "q2"):
            assert after[name]["A", query] == pytest.approx(before[name]["A", query], nan_ok=True), name


@given(study=studies(), data=st.data())
@settings(max_examples=settings.default.max_examples // 4)  # each of all measures, of two runs and two queries
def test_the_order_of_rows_and_the_names_do_not_matter(study: Study, data) -> None:
    before = all_scores(study)
    order = data.draw(st.permutations(range(len(study.runs))))
    renamed = {doc: f"{99 - i}-{doc}" for i, doc in enumerate(study.documents.doc_id)}
    runs = study.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"}).iloc[order]
    shuffled = replace(
        study,
        runs=conform(runs.assign(doc_id=runs.doc_id.map(renamed)), RUNS),
        documents=study.documents.assign(doc_id=study.documents.doc_id.map(renamed)).iloc[::-1].reset_index(drop=True),
        labels=study.labels.assign(doc_id=study.labels.doc_id.map(renamed)).iloc[::-1].reset_index(drop=True),
        qrels=study.qrels.assign(doc_id=study.qrels.doc_id.map(renamed)).iloc[::-1].reset_index(drop=True),
    )
    after = all_scores(shuffled)
    for name, values in before.items():
        assert after[name] == {key: pytest.approx(value, abs=1e-12, nan_ok=True) for key, value in values.items()}, name


TWO_DOCUMENTS = (  # labels, texts and position bias, among which every measure has its fairest value
    (("neutral", "neutral"), ("a tree", "she and he"), "log2"),
    (("female", "male"), ("she and he", "a tree"), "uniform"),  # shares of the two are equal under equal attention
    (("female", "female"), ("she", "her"), "log2"),
)
FAIREST = {  # of two documents, where it is no end of the measure's range
    "EE_L": 0.0,
    "EE_D": 1 + 1 / math.log2(3) ** 2,
    "EE_R": 2.0,
    "FaiRR": 2.0,
    **rows("FAIREST"),
}


@pytest.mark.parametrize("name", PER_QUERY)
def test_the_fairest_value_is_reached_and_none_is_fairer(name: str) -> None:
    """For one list; GSR needs several queries, and its 0 is reached by system N of `occupations` (test_gsr)."""
    measure, question = MEASURES[name], parse(f"{name}@2")
    if measure.direction == "none":
        assert np.isnan(unfairness(question, [0.0, 1.0])).all()
        return
    values = []
    for labels, texts, bias in TWO_DOCUMENTS:
        described = (dict(zip(("d1", "d2"), each, strict=True)) for each in (labels, texts))
        study = study_of({("A", "q"): ["d1", "d2"]}, *described)
        values.append(scores_of(study, name, 2, position_bias=bias)["A", "q"])
    low, high = measure.range(Reach(question.parameters, np.array([0.5, 0.5])))
    expected = FAIREST.get(name, {"higher": high, "lower": low, "zero": 0.0, "one": 1.0}[measure.direction])
    worse = {"higher": expected - 0.1, "lower": expected + 0.1, "zero": -0.1, "one": 0.9}[measure.direction]
    found, fairest, next_one = (unfairness(question, each) for each in (values, [expected], [worse]))
    assert values[np.nanargmin(found)] == pytest.approx(expected, abs=1e-12)
    assert fairest[0] < next_one[0]


@pytest.mark.parametrize("name", list(MEASURES))
def test_the_record_is_complete(name: str) -> None:
    measure = MEASURES[name]
    for text in (measure.summary, measure.formula, measure.paper, measure.equation, measure.decided, measure.example):
        assert text
    assert measure.compute.__doc__
    assert ">>>" in measure.compute.__doc__
    assert ask(name, Settings(cutoff=3)).name == name


def test_position_bias_moves_a_measure_where_its_record_says_so() -> None:
    names = [f"d{place}" for place in range(6)]
    labels, texts = dict(zip(names, GENDERS * 2, strict=True)), dict(zip(names, TEXTS, strict=True))
    lists = {(system, query): names[:: -1 if query == "q1" else 1] for system in "AB" for query in ("q1", "q2")}
    log2, linear = (all_scores(study_of(lists, labels, texts), position_bias=bias) for bias in ("log2", "linear"))
    moved = {name: str(log2[name]) != str(linear[name]) for name in MEASURES}
    assert moved == {name: measure.uses_bias for name, measure in MEASURES.items()}


# --- the range of each measure as numbers: never left, whatever groups, targets and parameters; and reached


GROUPS = ("female", "male", "third", "fourth")
FEW_WOMEN = (0.1, 0.9)
ONE, OTHER = [[3, 0]], [[0, 3]]  # how often a document holds female and male words


def list_of(codes: list[int], counts: list[list[int]], targets: np.ndarray) -> AlignedRankings:
    """One ranking: the label of each document as a code, and its words of each group, one more word in each."""
    words = np.array(counts, dtype=np.int32)
    there = np.ones(len(codes), dtype=bool)
    evidence = WordEvidence(words, words.sum(axis=1, dtype=np.int32) + 1, there, there)
    labels = LabelEvidence(np.array(codes, dtype=np.int8))
    cells = [pd.Series(texts) for texts in (["d1", "d3"], ["low", "high"])]
    sets = {"levels": AttributeSet("levels", *cells, Attribute(("low", "mid", "high"), "ordinal"))}
    groups = GROUPS[: len(targets)]
    return AlignedRankings(one_list(len(codes)), labels, evidence, groups, targets=targets, attributes=sets)


def parameters_of(measure: Measure, draw: st.DrawFn, groups: int) -> dict[str, Any]:
    """A value for each parameter that the measure takes."""
    kinds = {
        "number": lambda parameter: st.floats(parameter.low, parameter.high),
        "integer": lambda parameter: st.integers(0, 4),
        "flag": lambda parameter: st.booleans(),
        "choice": lambda parameter: st.sampled_from(parameter.choices),
        "group": lambda parameter: st.sampled_from(GROUPS[:groups]),
        "sets": lambda parameter: st.sampled_from(["", "levels"]),
        "background": lambda parameter: st.sampled_from([None, "candidates", "run:system"]),
    }
    return {parameter.name: draw(kinds[parameter.kind](parameter)) for parameter in measure.parameters}


@pytest.mark.parametrize("name", PER_QUERY)
@given(data=st.data())
def test_no_value_leaves_the_range(name: str, data: st.DataObject) -> None:
    measure, draw = MEASURES[name], data.draw
    groups, length, cutoff = (draw(st.integers(low, high)) for low, high in ((2, 4), (1, 6), (1, 8)))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))  # drawn one by one they take longer than all else
    shares, codes = generator.uniform(0.05, 1, groups), generator.integers(-1, groups + 1, length).tolist()
    rankings = list_of(codes, generator.integers(0, 4, (length, groups)).tolist(), shares / shares.sum())
    bias = position_bias(draw(st.sampled_from(["log2", "reciprocal", "linear", "uniform"])), 8)
    parameters = parameters_of(measure, draw, groups)
    value = measure.compute(rankings, parameters, bias, np.array([cutoff])).item()
    low, high = measure.range(Reach(parameters, rankings.targets, bias.weights(cutoff).sum()))
    assert np.isnan(value) or low - 1e-9 <= value <= high + 1e-9


def test_the_ends_are_reached_where_there_are_any() -> None:
    for name, parameters, codes, counts, targets, end in (
        ("CWEx", {"alpha": 0.2}, [1], ONE, (0.5, 0.5), 0),
        ("CWEx", {"alpha": 0.2}, [0], ONE, (0.5, 0.5), 1),
        ("Exposure", {"group": "female"}, [2], ONE, (0.5, 0.5), 0),
        ("Exposure", {"group": "female"}, [1], ONE, (0.5, 0.5), 1),
        ("ExposureGap", {}, [1], ONE, (0.5, 0.5), 0),
        ("ExposureGap", {}, [2], ONE, (0.5, 0.5), 1),
        ("AbsExposureGap", {}, [2], ONE, (0.5, 0.5), 1),
        ("AWRF", {"distance": "l1"}, [1], ONE, FEW_WOMEN, 1),
        ("AWRF", {"distance": "jsd"}, [1], ONE, (1e-12, 1), 1),
        ("TED", {"rbdf": True}, [0], ONE, FEW_WOMEN, 1),
        ("TExFAIR", {"rbdf": True}, [0], ONE, FEW_WOMEN, 0),
        ("TExFAIR", {"rbdf": True}, [0], [[1, 9]], FEW_WOMEN, 1),
        ("RaB", {"magnitude": "bool"}, [0], OTHER, (0.5, 0.5), 0),
        ("ARaB", {"magnitude": "bool"}, [0], ONE, (0.5, 0.5), 1),
        ("FaiRR", {"tau": 3}, [0], ONE, (0.5, 0.5), 1),
        ("NFaiRR", {"tau": 3, "background": None}, [0], ONE, (0.5, 0.5), 1),
    ):
        rankings, bias = list_of(codes, counts, np.array(targets)), position_bias("log2", 1)
        value = MEASURES[name].compute(rankings, parameters, bias, np.array([1])).item()
        assert value == pytest.approx(MEASURES[name].range(Reach(parameters, rankings.targets, 1.0))[end]), name
    even = np.array([0.5, 0.5])
    assert MEASURES["GSR"].range(Reach({}, even)) == (-np.inf, np.inf)
    assert MEASURES["RaB"].range(Reach({"magnitude": "tf"}, even)) == (-np.inf, np.inf)
    assert MEASURES["GroupExposureRatio"].range(Reach({}, even)) == (0, np.inf)
    assert MEASURES["NFaiRR"].range(Reach({"background": "collection"}, even)) == (0, np.inf)
