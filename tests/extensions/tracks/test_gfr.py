"""GFR, GF and RNOD against a slow reference written from NTCIREVAL's formulas, and small cases by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz import installed
from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.tracks.gfr import IRBU, fairness_at, relevance_at, satisfaction
from fairviz.measures.awrf import distance_of
from fairviz.measures.grammar import parse_question
from fairviz.study.attributes import Attribute
from fairviz.study.study import add_documents, make_study
from tests.conftest import refused
from tests.made import labels_of, qrels_of, runs_of


def slow_rnod(system: list[float], gold: list[float]) -> float:
    """DW(i) = Σ_j |i − j| (x_j − t_j)²; OD: its mean over the i with t_i > 0; RNOD = sqrt(OD / (|C| − 1))."""
    groups = range(len(gold))
    weighted = [sum(abs(i - j) * (system[j] - gold[j]) ** 2 for j in groups) for i in groups]
    positive = [i for i in groups if gold[i] > 0]
    return math.sqrt(sum(weighted[i] for i in positive) / len(positive) / (len(gold) - 1))


def slow_jsd(system: list[float], gold: list[float]) -> float:
    def divergence(first: list[float], second: list[float]) -> float:
        return sum(x * math.log2(x / y) for x, y in zip(first, second, strict=True) if x > 0)

    pivot = [(x + y) / 2 for x, y in zip(system, gold, strict=True)]
    return (divergence(system, pivot) + divergence(gold, pivot)) / 2


def slow(levels: list[int], top: int, members: list[list[float]], gold: list[float], cutoff: int) -> dict[str, float]:
    """The sums of NTCIREVAL's GFRcompute: gains 2^l − 1, divided by the largest gain + 1."""
    dissatisfied, totals, values = 1.0, [0.0] * len(gold), dict.fromkeys(("err", "irbu", "jsd", "rnod"), 0.0)
    for rank, (level, shares) in enumerate(zip(levels, members, strict=True), start=1):
        if rank > cutoff:
            break
        totals = [total + share for total, share in zip(totals, shares, strict=True)]
        achieved = [total / rank for total in totals]
        satisfied = (2**level - 1) / ((2**top - 1) + 1)
        values["err"] += dissatisfied * satisfied / rank
        values["irbu"] += dissatisfied * satisfied * IRBU**rank
        values["jsd"] += dissatisfied * satisfied * (1 - slow_jsd(achieved, gold))
        values["rnod"] += dissatisfied * satisfied * (1 - slow_rnod(achieved, gold))
        dissatisfied *= 1 - satisfied
    return values


def distributions(groups: int) -> st.SearchStrategy[list[float]]:
    weights = st.lists(st.integers(0, 5), min_size=groups, max_size=groups).filter(any)
    return weights.map(lambda row: [weight / sum(row) for weight in row])


@given(data=st.data(), groups=st.integers(2, 5), length=st.integers(1, 6), cutoff=st.integers(1, 8))
def test_components_against_the_slow_reference(data, groups: int, length: int, cutoff: int) -> None:
    levels = data.draw(st.lists(st.integers(0, 3), min_size=length, max_size=length))
    members = data.draw(st.lists(distributions(groups), min_size=length, max_size=length))
    gold = data.draw(distributions(groups))
    expected = slow(levels, 3, members, gold, cutoff)
    chances = satisfaction(np.array(levels), 3).reshape(-1, 1, 1)
    belonging, at = np.array(members)[:, None, None], np.array([cutoff])
    for user in ("err", "irbu"):
        assert relevance_at(chances, at, user).item() == pytest.approx(expected[user], abs=1e-12)
    for distance in ("jsd", "rnod"):
        value = fairness_at(chances, belonging, np.array(gold), at, distance).item()
        assert value == pytest.approx(expected[distance], abs=1e-9)
    assert 0 <= distance_of(np.array(members[0]), np.array(gold), "rnod").item() <= 1 + 1e-12
    assert distance_of(np.array(gold), np.array(gold), "rnod").item() == 0


def test_rnod_by_hand() -> None:
    """All in the last of three groups against thirds: weights 1/2, 1/3, 1/2, squares 1/9, 1/9, 4/9: sqrt(17/54)."""
    thirds = np.full(3, 1 / 3)
    assert distance_of(np.array([0.0, 0, 1]), thirds, "rnod").item() == pytest.approx(math.sqrt(17 / 54))
    ends = [distance_of(np.array(row), np.array([1.0, 0, 0]), "rnod").item() for row in ([0, 1.0, 0], [0, 0, 1.0])]
    assert ends == pytest.approx([math.sqrt(1 / 2), 1])  # one group away, and as far as can be


def study_of(**fields: object):
    runs = runs_of({("A", query): "d1 d2 d3" for query in ("q1", "q2")})
    values = {"labels": labels_of({"d1": "female", "d2": "neutral"}), "qrels": qrels_of({"q1": {"d1": 1, "d3": 2}})}
    return make_study("gfr", runs=runs, **{**values, **fields})


def test_the_measure_by_hand() -> None:
    """Chances 1/4, 0, 3/4, stops 1/4 and 9/16; neutral and unlabelled documents are half and half, so that female has
    1 at rank 1 and 2/3 at rank 3: RNOD 1/2 and 1/6. q2 has no relevant document."""
    values = fairviz.evaluate(study_of(scale="ordinal"), "GFR(distance='rnod')", cutoff=3)["value"].tolist()
    relevance, fairness = 1 / 4 + 9 / 16 / 3, 1 / 4 * 1 / 2 + 9 / 16 * 5 / 6
    assert values[0] == pytest.approx((relevance + fairness) / 2)
    assert math.isnan(values[1])


def test_where_it_is_undefined_or_refused() -> None:
    study = study_of(labels=labels_of({"d9": "female"}))
    assert math.isnan(fairviz.evaluate(study, "GFR", cutoff=3)["value"][0])
    assert math.isnan(fairviz.evaluate(study_of(), "GFR", cutoff=3, unlabelled="strict")["value"][0])
    assert not math.isnan(fairviz.evaluate(study_of(), "GFR", cutoff=2, unlabelled="strict")["value"][0])
    for measure in ("GFR(distance='rnod')", "AWRF(distance='rnod')"):
        with pytest.raises(FairvizError, match=r"its groups have no order, and rnod is of ordinal groups\. Write"):
            fairviz.evaluate(study_of(), measure, cutoff=3)
    with pytest.raises(FairvizError, match="it has no relevance judgements"):
        fairviz.evaluate(study_of(qrels=None), "GFR", cutoff=3)
    with pytest.raises(FairvizError, match=r"no attribute set 'age'\. Add \[attributes\.COLUMN\] with levels = \["):
        fairviz.evaluate(study_of(), "GFR(attributes='age')", cutoff=3)
    study = study_with_sets(["low"] * 3, ["north"] * 3)
    for sets, message in {
        "age": "it has no attribute set 'age'. Use one of h_index, origin.",
        "h_indx+origin": "it has no attribute set 'h_indx'. Did you mean h_index? Use one of h_index, origin.",
        "origin+origin": "the attribute set 'origin' is named twice. Name it once.",
    }.items():
        with refused(f"GFR(attributes={sets!r})@3 cannot be computed for the study 'gfr': {message}"):
            fairviz.evaluate(study, f"GFR(attributes={sets!r})", cutoff=3)


SETS = {
    "h_index": {"levels": ["low", "mid", "high"], "scale": "ordinal"},
    "origin": {"levels": ["north", "south"], "target": [0.25, 0.75]},
}


def study_with_sets(h_index: list[str | None], origin: list[str | None]):
    cells = {"doc_id": ["d1", "d2", "d3"], "text": "", "h_index": h_index, "origin": origin}
    return study_of(documents=pd.DataFrame(cells), attributes=SETS)


def test_several_sets_by_hand() -> None:
    """Chances 1/4, 0, 3/4, stops 1/4 and 9/16. Gender by JSD, h-index by RNOD, origin by JSD from (1/4, 3/4).

    h-index: low at rank 1; d2 has no value, d3 is high, so that rank 3 has 4/9, 1/9, 4/9. RNOD at rank 1 has weights
    1/2, 1/3, 1/2 and squares 4/9, 1/9, 1/9; at rank 3 squares 1/81, 4/81, 1/81. Origin: north; at rank 3 1/2, 1/2.
    """
    study = study_with_sets(["low", "", "high"], ["north", "south", "north=0.5|south=0.5"])
    relevance = 1 / 4 + 9 / 16 / 3
    gender = 1 / 4 * (1 - slow_jsd([1, 0], [0.5, 0.5])) + 9 / 16 * (1 - slow_jsd([2 / 3, 1 / 3], [0.5, 0.5]))
    first = math.sqrt(4 / 9 / 2 + 1 / 9 / 3 + 1 / 9 / 2)
    third = math.sqrt(1 / 81 / 2 + 4 / 81 / 3 + 1 / 81 / 2)
    level = 1 / 4 * (1 - first) + 9 / 16 * (1 - third)
    origin = 1 / 4 * (1 - slow_jsd([1, 0], [0.25, 0.75])) + 9 / 16 * (1 - slow_jsd([0.5, 0.5], [0.25, 0.75]))
    texts = ["GFR", "GFR(attributes='h_index')", "GFR(attributes='h_index+origin')"]
    values = fairviz.evaluate(study, texts, cutoff=3).query("query_id == 'q1'").set_index("measure")["value"]
    assert values["GFR@3"] == pytest.approx((relevance + gender) / 2)
    assert values["GFR(attributes='h_index')@3"] == pytest.approx((relevance + gender + level) / 3)
    assert values["GFR(attributes='h_index+origin')@3"] == pytest.approx((relevance + gender + level + origin) / 4)


CELLS = st.sampled_from([None, "low", "mid", "high", "low|high", "low=0.25|mid=0.75"])
ORIGINS = st.sampled_from(["", "north", "south", "north=0.125|south=0.875"])


@given(h_index=st.lists(CELLS, min_size=3, max_size=3), origin=st.lists(ORIGINS, min_size=3, max_size=3))
def test_several_sets_against_the_slow_reference(h_index, origin) -> None:
    def members(cells: list[str | None], levels: list[str]) -> list[list[float]]:
        rows = []
        for cell in cells:
            parts = [part.partition("=") for part in (cell or "|".join(levels)).split("|")]
            by_level = {name: float(share or 1 / len(parts)) for name, _, share in parts}
            rows.append([by_level.get(level, 0.0) for level in levels])
        return rows

    value = fairviz.evaluate(
        study_with_sets(h_index, origin), "GFR(user='irbu',attributes='origin+h_index')", cutoff=3
    )["value"][0]
    genders = [[1, 0], [0.5, 0.5], [0.5, 0.5]]
    parts = slow([1, 0, 2], 2, genders, [0.5, 0.5], 3)
    level = slow([1, 0, 2], 2, members(h_index, SETS["h_index"]["levels"]), [1 / 3] * 3, 3)["rnod"]
    where = slow([1, 0, 2], 2, members(origin, SETS["origin"]["levels"]), [0.25, 0.75], 3)["jsd"]
    assert value == pytest.approx((parts["irbu"] + parts["jsd"] + level + where) / 4, abs=1e-9)


def test_the_highest_grade_is_that_of_the_study_and_not_of_some_queries() -> None:
    """Of q1 alone, whose documents have grades 0 and 1, under a filter and in places of fewer queries."""
    study = study_of(qrels=qrels_of({"q1": {"d1": 1}, "q2": {"d3": 2}}), scale="ordinal")
    assert fairviz.evaluate(study, "GFR(distance='rnod')", cutoff=1)["value"][0] == (1 / 4 + 1 / 4 * 1 / 2) / 2
    runs = study.runs[study.runs["query_id"] == "q1"]
    fewer = make_study("fewer", runs=runs, labels=study.labels[["doc_id", "label"]], qrels=study.qrels, scale="ordinal")
    assert fairviz.evaluate(fewer, "GFR(distance='rnod')", cutoff=1)["value"][0] == (1 / 4 + 1 / 4 * 1 / 2) / 2


def test_a_cell_that_was_added_later_is_checked_when_a_measure_reads_it() -> None:
    study = make_study(
        "made",
        documents=pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["x", "y"], "h_index": ["low", "mid|high"]}),
        attributes={"h_index": Attribute(("low", "mid", "high"))},
        runs=runs_of({"A": "d3"}),
        labels=labels_of({"d3": "female"}),
        qrels=qrels_of({"q": "d3"}),
    )
    study = add_documents(study, pd.DataFrame({"doc_id": ["d3"], "text": ["z"], "h_index": ["huge"]}))
    with pytest.raises(FairvizError, match="document 'd3' in the column 'h_index': 'huge' is not one of the levels"):
        fairviz.evaluate(study, "GFR(attributes='h_index')")
    assert fairviz.evaluate(study, "GFR")["value"].notna().all()


def test_without_the_extension_its_measure_is_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "bundled", lambda group: {})
    with refused(
        "the measure GFR is of the extension tracks, which this copy of fairviz lacks\n"
        "Install the whole of fairviz, or put back its folder fairviz/extensions/tracks.",
        UsageError,
    ):
        parse_question("GFR(user='irbu')@10", {})
