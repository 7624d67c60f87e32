"""Measures as objects of ir_measures: the numbers of `fairviz.evaluate` to the last digit."""

import math

import ir_measures
import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.measures import MEASURES
from fairviz.study.study import make_study

ours = fairviz.ir_measures
PER_QUERY = [name for name, record in MEASURES.items() if record.per_query]


def run_of(study, system: str) -> pd.DataFrame:
    own = study.runs[study.runs["system"] == system][["query_id", "doc_id", "score"]]
    return own.astype({"query_id": "str", "doc_id": "str"}).reset_index(drop=True)


def judgements(study) -> pd.DataFrame:
    return study.qrels[["query_id", "doc_id", "relevance"]].astype({"query_id": "str", "doc_id": "str"})


def values(measure, study, run: pd.DataFrame) -> dict[str, float]:
    """What the measure gives by query."""
    return {one.query_id: one.value for one in measure.iter_calc(judgements(study), run)}


@pytest.mark.parametrize("name", PER_QUERY)
def test_every_measure_has_the_numbers_of_evaluate(name: str, newswire) -> None:
    measure = getattr(ours, name) @ 10
    wanted = fairviz.evaluate(newswire, measure.text(10), systems=("bm25",))
    wanted = dict(zip(wanted["query_id"].astype("str"), wanted["value"], strict=True))
    with ours.bind(newswire, undefined="drop"):
        measure = getattr(ours, name) @ 10
        found = values(measure, newswire, run_of(newswire, "bm25"))
        mean = ir_measures.calc_aggregate([measure], judgements(newswire), run_of(newswire, "bm25"))[measure]
    assert found == pytest.approx(wanted, rel=0, abs=0, nan_ok=True)
    assert mean == pytest.approx(np.nanmean(list(wanted.values())), rel=1e-12)


def test_parameters_and_aggregates(newswire) -> None:
    with ours.bind(newswire, annotator="lexicon"):
        measures = [ours.CWEx(alpha=0.7) @ 5, ours.NFaiRR(tau=2) @ 10, ir_measures.nDCG @ 10]
        found = ir_measures.calc_aggregate(measures, judgements(newswire), run_of(newswire, "rrf"))
    wanted = fairviz.summarise(
        fairviz.evaluate(newswire, ["CWEx(alpha=0.7)@5", "NFaiRR(tau=2)@10", "nDCG@10"], annotator="lexicon",
                         systems=("rrf",))
    )  # fmt: skip
    np.testing.assert_allclose([found[one] for one in measures], wanted["value"], rtol=1e-12)


def test_a_run_of_its_own_and_one_without_scores_of_all_queries(newswire) -> None:
    """A reversed list, of three queries: the judged others are undefined."""
    run = run_of(newswire, "bm25")
    run = run[run["query_id"].isin(run["query_id"].unique()[:3])].assign(score=lambda table: -table["score"])
    with ours.bind(newswire), pytest.raises(FairvizError, match="is undefined for 37 queries: q04, q05"):
        ir_measures.calc_aggregate([ours.CWEx @ 10], judgements(newswire), run)
    with ours.bind(newswire, undefined="drop"):
        found = values(ours.CWEx @ 10, newswire, run)
    assert len(found) == 40
    assert sorted(name for name, value in found.items() if not math.isnan(value)) == ["q01", "q02", "q03"]


def test_undefined_queries_are_told_dropped_or_given_a_value() -> None:
    study = make_study(
        "gaps",
        runs=pd.DataFrame([("a", "q1", "d1", 1, 2.0), ("a", "q2", "d2", 1, 1.0)],
                          columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=pd.DataFrame({"doc_id": ["d1"], "label": ["female"]}),
    )  # fmt: skip
    qrels = pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [1]})
    run = run_of(study, "a")
    with ours.bind(study), pytest.raises(FairvizError, match=r"CWEx.* is undefined for 1 queries: q2"):
        ir_measures.calc_aggregate([ours.CWEx @ 10], qrels, run)
    for undefined, wanted in (("drop", {"q1": -0.5, "q2": math.nan}), (0.25, {"q1": -0.5, "q2": 0.25})):
        with ours.bind(study, undefined=undefined):
            found = {one.query_id: one.value for one in ir_measures.iter_calc([ours.CWEx @ 10], qrels, run)}
        assert found == pytest.approx(wanted, nan_ok=True)
    with pytest.raises(UsageError, match="undefined is 'zero'"):
        ours.bind(study, undefined="zero")


def test_the_binding_is_part_of_the_measure(newswire) -> None:
    free = ours.CWEx @ 10
    with pytest.raises(FairvizError, match="no study is bound"):
        ir_measures.calc_aggregate([free], judgements(newswire), run_of(newswire, "bm25"))
    first = ours.bind(newswire)
    second = ours.bind(newswire, name="other", annotator="lexicon")
    assert repr(ours.CWEx @ 10) == "CWEx(study='other')@10"
    assert ours.CWEx(study="newswire") @ 10 != ours.CWEx @ 10
    assert ours.CWEx @ 10 == ours.CWEx(study="other") @ 10
    both = [ours.CWEx(study="newswire") @ 10, ours.CWEx(study="other") @ 10]
    found = ir_measures.calc_aggregate(both, judgements(newswire), run_of(newswire, "bm25"))
    assert found[both[0]] == pytest.approx(-0.209, abs=1e-3)
    assert found[both[1]] == pytest.approx(-0.119, abs=1e-3)
    second.end()
    assert repr(ours.CWEx @ 10) == "CWEx(study='newswire')@10"
    first.end()
    with pytest.raises(FairvizError, match="no study is bound as 'nothing'"):
        ir_measures.calc_aggregate([ours.CWEx(study="nothing") @ 10], judgements(newswire), run_of(newswire, "bm25"))


def test_names_are_read_as_text_and_wrong_ones_are_told(newswire) -> None:
    with ours.registered():
        assert repr(ir_measures.parse_measure("CWEx(alpha=0.3)@5")) == "CWEx(alpha=0.3)@5"
    with pytest.raises(NameError):
        ir_measures.parse_measure("CWEx@5")
    with ours.bind(newswire):
        with pytest.raises(UsageError, match="CWEx has no parameter 'beta'"):
            ours.CWEx(beta=1)
        with pytest.raises(UsageError, match="alpha"):
            ir_measures.calc_aggregate([ours.CWEx(alpha=3) @ 10], judgements(newswire), run_of(newswire, "bm25"))
    with pytest.raises(AttributeError, match="no attribute 'GSR'"):
        _ = ours.GSR
    assert set(PER_QUERY) <= set(dir(ours))


@pytest.mark.parametrize("undefined", ["raise", "drop"])
def test_an_empty_run_gives_no_values(newswire, undefined: str) -> None:
    empty, qrels = run_of(newswire, "bm25").iloc[:0], judgements(newswire)
    with ours.bind(newswire, undefined=undefined):
        measure = ours.CWEx @ 10
        assert list(measure.runtime_impl(qrels, empty)) == []
        for run in (empty, {}):
            assert all(math.isnan(one.value) for one in ir_measures.iter_calc([measure], qrels, run))
        found = ir_measures.calc_aggregate([measure, ir_measures.nDCG @ 10], qrels, empty)
    assert math.isnan(found[measure])
    with ours.bind(newswire, undefined=0):
        assert [*values(ours.CWEx @ 10, newswire, empty).values()] == [0.0] * qrels["query_id"].nunique()
