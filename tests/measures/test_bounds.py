"""The range of each measure as numbers: never left, whatever groups, targets and parameters; and reached."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from fairviz.measures import MEASURES, Measure
from fairviz.measures.position_bias import position_bias
from fairviz.measures.rankings import LabelEvidence, WordEvidence, one_list
from fairviz.measures.record import Bound, Reach
from fairviz.measures.sums import AlignedRankings, AttributeSet
from fairviz.study.attributes import Attribute

PER_QUERY = [name for name, measure in MEASURES.items() if measure.per_query]
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
@examples(deadline=None)
@given(data=st.data())
def test_no_value_leaves_the_range(name: str, data: st.DataObject) -> None:
    measure, draw = MEASURES[name], data.draw
    groups, length, cutoff = (draw(st.integers(low, high)) for low, high in ((2, 4), (1, 6), (1, 8)))
    shares = np.array(draw(st.lists(st.floats(0.05, 1), min_size=groups, max_size=groups)))
    codes = draw(st.lists(st.integers(-1, groups), min_size=length, max_size=length))
    words = st.lists(st.integers(0, 3), min_size=groups, max_size=groups)
    places = list_of(codes, draw(st.lists(words, min_size=length, max_size=length)), shares / shares.sum())
    bias = position_bias(draw(st.sampled_from(["log2", "reciprocal", "linear", "uniform"])), 8)
    parameters = parameters_of(measure, draw, groups)
    value = measure.compute(places, parameters, bias, np.array([cutoff])).item()
    low, high = measure.range(Reach(parameters, places.targets, bias.weights(cutoff).sum()))
    assert np.isnan(value) or low - 1e-9 <= value <= high + 1e-9


@pytest.mark.parametrize(
    ("name", "parameters", "codes", "counts", "targets", "end"),
    [
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
    ],
)
def test_the_ends_are_reached(
    name: str, parameters: dict[str, Any], codes: list[int], counts: list[list[int]], targets: tuple, end: int
) -> None:
    places, bias = list_of(codes, counts, np.array(targets)), position_bias("log2", 1)
    value = MEASURES[name].compute(places, parameters, bias, np.array([1])).item()
    assert value == pytest.approx(MEASURES[name].range(Reach(parameters, places.targets, 1.0))[end])


def test_no_end_where_there_is_none() -> None:
    even = np.array([0.5, 0.5])
    assert MEASURES["GSR"].range(Reach({}, even)) == (-np.inf, np.inf)
    assert MEASURES["RaB"].range(Reach({"magnitude": "tf"}, even)) == (-np.inf, np.inf)
    assert MEASURES["GroupExposureRatio"].range(Reach({}, even)) == (0, np.inf)
    assert MEASURES["NFaiRR"].range(Reach({"background": "collection"}, even)) == (0, np.inf)


def test_ranges_in_words() -> None:
    texts = {
        "CWEx": "α − 1 to α",
        "Exposure": "0 to 1",
        "ExposureGap": "−1 to 1",
        "AbsExposureGap": "0 to 1",
        "AWRF": "0 to 2(1 − smallest target), 1 for jsd and rnod",
        "GFR": "0 to 1",
        "GroupExposureRatio": "0 to ∞",
        "NFaiRR": "0 to 1 (with candidates)",
        "FaiRR": "0 to Σ p(i)",
        "TExFAIR": "0 to 2(1 − smallest target)",
        "TED": "0 to 2(1 − smallest target)",
        "RBDF": "0 to 1",
        "RaB": "−∞ (−1 for bool) to ∞ (1 for bool)",
        "ARaB": "−∞ (−1 for bool) to ∞ (1 for bool)",
        "GSR": "−∞ to ∞",
    }
    assert {name: MEASURES[name].range_text for name in texts} == texts


@pytest.mark.parametrize("name", list(MEASURES))
def test_an_end_that_is_one_number_is_written_as_that_number(name: str) -> None:
    for end in MEASURES[name].bounds:
        assert isinstance(end, (float, Bound))
