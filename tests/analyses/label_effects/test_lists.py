"""The lists behind a table of effects are those that the settings choose, whatever was asked before of the arrays."""

import numpy as np
import pytest

from fairviz.analyses.label_effects.label_effects import what_if
from fairviz.analyses.label_effects.lists import pair_of
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.study.tables import QUERIES, conform
from tests.analyses.label_effects.cases import study_of

LISTS = {
    ("one", "q1"): ["f1", "m1", "n1"],
    ("one", "q2"): ["m1", "m2", "f1"],
    ("two", "q1"): ["n1", "m2", "f1"],
    ("two", "q2"): ["f1", "n1", "m1"],
}
LABELS = [("f1", "a", "female"), ("m1", "a", "male"), ("m2", "a", "male"), ("n1", "a", "neutral")]


@pytest.fixture(name="study")
def _study():
    from dataclasses import replace

    import pandas as pd

    topics = pd.DataFrame({"query_id": ["q1", "q2"], "text": ["x", "y"], "topic": ["work", "home"]}, dtype="str")
    return replace(study_of(LISTS, LABELS), queries=conform(topics, QUERIES))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({}, {"position_bias": "uniform"}),
        ({"position_bias": "rbp(p=0.5)"}, {"position_bias": "rbp(p=0.9)"}),
        (
            {"position_bias": "custom", "custom_bias": (0.9, 0.5, 0.1)},
            {"position_bias": "custom", "custom_bias": (0.1, 0.9, 0.5)},
        ),
        (
            {"filter_column": "topic", "filter_values": ("work",)},
            {"filter_column": "topic", "filter_values": ("home",)},
        ),
        ({}, {"filter_column": "topic", "filter_values": ("home",)}),
        ({"cutoff": 2}, {"cutoff": 3}),
        ({"alpha": 0.2}, {"alpha": 0.8}),
    ],
)
def test_the_means_before_a_change_are_those_of_the_settings(study, first, then):
    rankings, settings = align(study, Settings()), Settings(**then)
    asked = what_if(study, Settings(**first), "CWEx", {}, rankings=rankings)
    found = what_if(study, settings, "CWEx", {}, rankings=rankings)
    scores = summarise(evaluate(study, ["CWEx"], settings))
    np.testing.assert_allclose(found["before"], scores["value"])
    assert asked["before"].tolist() != found["before"].tolist()


def test_systems_that_are_hidden_are_no_rows(study):
    rankings = align(study, Settings())
    assert what_if(study, Settings(), "CWEx", {}, rankings=rankings)["system"].tolist() == ["one", "two"]
    assert what_if(study, Settings(systems=("two",)), "CWEx", {}, rankings=rankings)["system"].tolist() == ["two"]
    assert pair_of(study, Settings(), "CWEx", ("two", "one"), rankings).systems == ("two", "one")


@pytest.mark.parametrize("measure", ["CWEx", "Exposure(group='male')", "ExposureGap", "AWRF"])
@pytest.mark.parametrize("cutoff", [1, 2, 3])
def test_one_place_without_a_label_makes_a_strict_list_undefined(measure, cutoff):
    """The first list has none in reach at cutoff 1, and one from cutoff 2 on."""
    study = study_of({("one", "q1"): ["f1", "open", "m1"], ("two", "q1"): ["m1", "f1", "n1"]}, LABELS)
    settings = Settings(cutoff=cutoff, unlabelled="strict")
    found = what_if(study, settings, measure, {})
    expected = summarise(evaluate(study, [measure], settings))["value"]
    assert np.isnan(expected).tolist() == [cutoff > 1, False]
    np.testing.assert_allclose(found["before"], expected)
