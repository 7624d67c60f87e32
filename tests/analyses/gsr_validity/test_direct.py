"""Direct stereotypes: counts, gaps and bins by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.gsr_validity.direct import EDGES, OVER, by_genderedness, by_leaning, direct_stereotypes
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.study.study import make_study

TEXTS = {
    "f1": "she and her mother", "f2": "the woman, his aunt", "f3": "girls", "m1": "He said", "m2": "his son",
    "zm3": "The king and the queen and the prince.", "n1": "she or he", "n2": "rain", "n3": "boys and girls",
}  # fmt: skip
LISTS = {
    "perfect": {"q1": ["f1", "m1"], "q2": ["m1", "f1", "m2"], "q3": ["n1"], "q4": ["m1"], "q5": ["f1", "n2"]},
    "one": {"q1": ["f1", "f3", "m1", "n2"], "q2": ["zm3", "m2", "n1"], "q3": ["n2", "n3"], "q4": ["m2"], "q5": ["f2"]},
    "two": {"q1": ["m1", "m2", "f1"], "q2": ["f1", "m1", "m2"], "q3": ["f1"], "q4": ["f3"], "q5": ["m1", "f3"]},
}


@pytest.fixture
def study():
    runs = [
        (system, query, document, rank, -rank)
        for system, lists in LISTS.items()
        for query, documents in lists.items()
        for rank, document in enumerate(documents, start=1)
    ]
    queries = {"q1": "nurse", "q2": "plumber", "q3": "river", "q4": "zzzzqq", "q5": "wedding"}
    return make_study(
        "made",
        queries=pd.DataFrame({"query_id": [*queries], "text": [*queries.values()]}),
        documents=pd.DataFrame({"doc_id": [*TEXTS], "text": [*TEXTS.values()]}),
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
        qrels=pd.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["f1", "m1"], "relevance": [1, 1]}),
    )


def test_by_hand(study):
    found = direct_stereotypes(study, Settings()).set_index(["system", "query_id"])
    assert set(found.index.get_level_values(0)) == {"one", "two"}
    counts = {key: (row.female, row.male) for key, row in zip(found.index, found.itertuples(), strict=True)}
    assert counts == {
        ("one", "q1"): (2, 1), ("one", "q2"): (0, 2), ("one", "q3"): (0, 0),
        ("one", "q4"): (0, 1), ("one", "q5"): (1, 0),
        ("two", "q1"): (1, 2), ("two", "q2"): (1, 2), ("two", "q3"): (1, 0),
        ("two", "q4"): (1, 0), ("two", "q5"): (1, 1),
    }  # fmt: skip
    nan, inf = np.nan, np.inf
    np.testing.assert_array_equal(found.loc["one", "gap"], [0.5, inf, nan, inf, 0])
    np.testing.assert_array_equal(found.loc["two", "gap"], [2, 2, 0, 0, 1])
    np.testing.assert_array_equal(found.loc["one", "reference_gap"], [1, 2, nan, inf, 0])
    np.testing.assert_array_equal(found.loc["one", "delta"], [-0.5, inf, nan, nan, 0])
    np.testing.assert_array_equal(found.loc["two", "delta"], [1, 0, nan, -inf, 1])
    assert list(found.loc["one", "over"]) == ["female", "male", "undefined", "undefined", "neither"]
    assert list(found.loc["two", "over"]) == ["male", "neither", "undefined", "female", "male"]
    assert found.loc["one", "query"].isna().tolist() == [False, False, False, True, False]


def test_lists_are_as_deep_as_gsr_looks(study):
    top = direct_stereotypes(study, Settings(cutoff=2)).set_index(["system", "query_id"])
    assert (top.loc[("one", "q1"), "female"], top.loc[("one", "q1"), "male"]) == (2, 0)
    relevant = direct_stereotypes(study, Settings(gsr_depth="relevant")).set_index(["system", "query_id"])
    assert (relevant.loc[("one", "q1"), "female"], relevant.loc[("one", "q1"), "male"]) == (1, 0)
    assert relevant.loc[("one", "q5"), ["female", "male"]].tolist() == [0, 0]  # nothing is relevant to q5


def test_smoothing_adds_to_both(study):
    found = direct_stereotypes(study, Settings(systems=("one",)), smoothing=1).set_index("query_id")
    assert list(found["gap"]) == [2 / 3, 3, 1, 2, 0.5]
    assert list(found["reference_gap"]) == [1, 1.5, 1, 2, 0.5]
    assert list(found["over"]) == ["female", "male", "neither", "neither", "neither"]


def test_another_reference(study):
    found = direct_stereotypes(study, Settings(systems=("perfect",)), "one").set_index("query_id")
    assert list(found["over"]) == ["male", "female", "undefined", "undefined", "neither"]


def test_bins(study):
    table = direct_stereotypes(study, Settings()).assign(query=[0.2, -0.3, 0.1, np.nan, 0.11] * 2)
    bins = by_genderedness(table)
    assert len(bins) == 2 * (len(EDGES) - 1)
    held = bins[bins["queries"] > 0].set_index(["system", "high"])
    assert held.loc[("one", 0.1), ["low", "queries", *OVER]].tolist() == [0.05, 1, 0, 0, 0, 1]  # 0.1 lies in (.05, .1]
    assert held.loc[("one", -0.1), ["queries", *OVER]].tolist() == [1, 0, 1, 0, 0]
    assert held.loc[("one", np.inf), ["queries", *OVER]].tolist() == [2, 1, 0, 1, 0]
    assert bins["queries"].sum() == 8  # the query without g is in none
    assert (bins[list(OVER)].sum(axis=1) == bins["queries"]).all()
    assert by_genderedness(table[:0])["queries"].tolist() == []


def test_leanings(study):
    table = direct_stereotypes(study, Settings()).assign(query=[0.2, -0.3, 0.1, np.nan, 0.05] * 2)
    found = by_leaning(table, 0.06)
    assert len(found) == 2 * 2 * 3
    held = found.set_index(["system", "leaning", "over"])
    # one: q1 (0.2) is over female, q3 (0.1) undefined; q2 (-0.3) over male, q5 (0.05) neither
    assert held.loc[("one", "female", "female"), ["count", "queries", "share"]].tolist() == [1, 1, 1]
    assert held.loc[("one", "male", "male"), ["count", "queries", "share"]].tolist() == [1, 2, 0.5]
    assert held.loc[("one", "male", "female"), ["count", "queries", "share"]].tolist() == [0, 2, 0]
    z = 1.959964  # Wilson: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), p = 1/2, n = 2
    width = z * np.sqrt(0.25 / 2 + z**2 / 16) / (1 + z**2 / 2)
    low, high = held.loc[("one", "male", "male"), ["ci_low", "ci_high"]]
    assert (low, high) == (pytest.approx(0.5 - width, abs=1e-6), pytest.approx(0.5 + width, abs=1e-6))
    nothing = by_leaning(table.assign(query=0.06), 0.06)
    assert nothing["queries"].eq(0).all()
    assert nothing[["share", "ci_low", "ci_high"]].isna().all(axis=None)
    assert by_leaning(table[:0]).empty


def test_without_the_reference(study):
    bare = replace(study, runs=study.runs[study.runs["system"] != "perfect"].reset_index(drop=True))
    bare = replace(bare, runs=bare.runs.assign(system=bare.runs["system"].cat.remove_unused_categories()))
    with pytest.raises(FairvizError) as caught:
        direct_stereotypes(bare, Settings())
    assert str(caught.value) == (
        "the study 'made' has no system 'perfect' to compare with\nMake it: fairviz rank made --with perfect"
    )


def test_newswire():
    study = fairviz.open_study("newswire")
    table = direct_stereotypes(study, Settings())
    assert len(table) == 8 * 40
    assert (table["female"] + table["male"] <= 10).all()
    assert by_genderedness(table).groupby("system")["queries"].sum().eq(40).all()
