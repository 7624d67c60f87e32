"""The achievable front of means, distances from it, and comparisons of them."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from benchmarks.front_distances import Population, newswire_population, random_population, rates
from fairviz.comparison.pareto_front import achievable, achievable_front, front_choice, with_fronts
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from tests.conftest import Call, simulated
from tests.made import labels_of, qrels_of, runs_of

TEXT = "DPFR(nDCG@2,CWEx(alpha=0.5)@2)"


def two_queries() -> Study:
    """q1 has a relevant female and two neutral documents, q2 a relevant neutral one; cut at 2."""
    lists = {("a", "q1"): "f1 n1 n2", ("a", "q2"): "n3 f2", ("b", "q1"): "n1 n2 f1", ("b", "q2"): "f2 n3"}
    labels = {"f1": "female", "n1": "neutral", "n2": "neutral", "n3": "neutral", "f2": "female"}
    qrels = qrels_of({"q1": "f1", "q2": "n3"})
    return fairviz.make_study("two", runs=runs_of(lists), labels=labels_of(labels), qrels=qrels)


def test_the_distance_by_hand() -> None:
    """At uniform attention and alpha 0.5, CWEx of n n is 0.5, and of f n or n f 0.5 · 0.5 − 0.5 · 0.5 = 0.

    q1: f n has nDCG 1 and CWEx 0; n n has 0 and 0.5. q2: n f has 1 and 0, the best of both. The front of means goes
    from (1, 0) to (0.5, 0.25); its middle is (0.75, 0.125). a is at (1, 0), and b at ((0 + 0.6309) / 2, 0.25).
    """
    found = fairviz.front_distances(two_queries(), cutoff=2, position_bias="uniform").set_index("system")
    assert found["measure"].unique().tolist() == [TEXT]
    assert found[["reference_effectiveness", "reference_fairness"]].to_numpy().tolist() == [[0.75, 0.125]] * 2
    np.testing.assert_allclose(found.loc["a", "value"], np.hypot(0.25, 0.125))
    np.testing.assert_allclose(found.loc["b", "value"], np.hypot(0.75 - 0.5 / np.log2(3), 0.125))
    assert found["exact"].all()
    assert found["ci_low"].tolist() == [0, 0], "of two queries, Student's t interval of a is wider than its distance"
    assert (found["ci_high"] > found["value"]).all()
    front = achievable_front(two_queries(), cutoff=2, position_bias="uniform")
    assert front[["effectiveness", "fairness"]].to_numpy().tolist() == [[1, 0], [0.5, 0.25]]
    np.testing.assert_allclose(front["weight"], [0, 2 / 3])  # 1 − w = 0.5 w
    # the gap of f n is 0.5 less 0.5 of no group, 0.5, and of n n it is 0: lower is fairer turns the front
    front = achievable_front(two_queries(), "DPFR(AbsExposureGap)", cutoff=2, position_bias="uniform")
    assert front[["effectiveness", "fairness"]].to_numpy().tolist() == [[1, 0.5], [0.5, 0.25]]
    for weight, wanted in ((0, (1, 0)), (1, (0.5, 0.25)), (0.2, (0.9, 0.05))):
        found = fairviz.front_distances(two_queries(), f"DPFR(weight={weight})", cutoff=2, position_bias="uniform")
        np.testing.assert_allclose(found[["reference_effectiveness", "reference_fairness"]].to_numpy()[0], wanted)
    settings = Settings(cutoff=2, position_bias="uniform")
    answer = achievable(two_queries(), front_choice("DPFR", settings), settings)
    assert answer.note == f"{TEXT}: front of 2 queries, exact."
    # q1 alone: from (1, 0) to (0, 0.5); a is at (1, 0)
    np.testing.assert_allclose(answer.over(["q1"]).points.means, [np.hypot(0.5, 0.25)] * 2)
    with pytest.raises(FairvizError, match="none of these queries"):
        answer.over(["q9"])


def test_candidates_of_a_run_give_each_system_a_front() -> None:
    rows = fairviz.front_distances(
        two_queries(), "DPFR(candidates='run')", cutoff=2, position_bias="uniform", systems=("b",)
    )
    assert rows["system"].tolist() == ["b"]
    with pytest.raises(UsageError, match="each system has a front of its own"):
        achievable_front(two_queries(), "DPFR(candidates='run')")


def test_queries_that_a_system_lacks_bring_it_no_nearer_to_the_front() -> None:
    study = two_queries()
    runs = study.runs[(study.runs["system"] == "a") | (study.runs["query_id"] == "q1")]
    columns = ["system", "query_id", "doc_id", "rank", "score"]
    fewer = fairviz.make_study("fewer", runs=runs[columns].astype(dict.fromkeys(columns[:3], "str")),
                               labels=study.labels[["doc_id", "label"]], qrels=study.qrels)  # fmt: skip
    found = fairviz.front_distances(fewer, cutoff=2, position_bias="uniform").set_index("system")
    assert found["queries"].tolist() == [2, 2]
    # (0, 0.5) in q1, and in q2, which it lacks, 0 and the least of CWEx, −0.5: (0, 0). The middle is (0.75, 0.125)
    np.testing.assert_allclose(found.loc["b", "value"], np.hypot(0.75, 0.125))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("DPFR(ExposureGap)", "ExposureGap@10 does not order single lists by fairness"),
        ("DPFR(RaB)", "RaB@10 does not order single lists by fairness"),
        ("DPFR(CWEx,NFaiRR)", "names two measures of fairness"),
        ("DPFR(weight=2)", "weight of DPFR is 2"),
        ("DPFR(weight=x)", "cannot read 'x'"),
        ("DPFR(candidates='all')", "candidates of DPFR is 'all'"),
        ("DPFR(Bpref)", "Bpref has no cutoff"),
        ("CWEx", "CWEx(alpha=0.5)@10 is not a distance from the front"),
    ],
)
def test_what_has_no_front_is_refused(measure: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        fairviz.front_distances(two_queries(), measure)
    assert message in str(raised.value)


@pytest.fixture(scope="module")
def distances(newswire: Study) -> pd.DataFrame:
    return fairviz.front_distances(newswire).set_index("system")


def test_newswire_in_python_and_on_the_command_line_is_one_answer(
    call: Call, newswire: Study, distances: pd.DataFrame
) -> None:
    scores = fairviz.front_distances(newswire, per_query=True)
    compared = fairviz.compare(scores, "bm25").set_index("system")
    said = call("compare newswire DPFR --baseline bm25 --format csv")
    table = said.frame
    assert table["measure"].unique().tolist() == [
        "nDCG@10", "CWEx(alpha=0.5)@10", "DPFR(nDCG@10,CWEx(alpha=0.5)@10)",
    ]  # fmt: skip
    row = table[table["measure"].str.startswith("DPFR")].set_index("system").loc["w2v_add"]
    for name in ("value", "difference", "p_corrected", "ci_low"):
        np.testing.assert_allclose(row[name], compared.loc["w2v_add", name], rtol=1e-9)
    np.testing.assert_allclose(row["value"], distances.loc["w2v_add", "value"], rtol=1e-9)
    assert np.isnan(row["wins"])
    assert "front of 40 queries, exact." in said.err
    # no system is beyond the front: at its best weight each mean is at most the front's
    front = achievable_front(newswire)[["effectiveness", "fairness"]].to_numpy()
    for weight in np.linspace(0, 1, 21):
        weights = np.array([1 - weight, weight])
        best = (front @ weights).max()
        full = distances.loc[["bm25", "tfidf", "qlm", "w2v_add", "w2v_si", "bi_encoder", "rrf"]]
        assert (full[["effectiveness", "fairness"]].to_numpy() @ weights <= best + 1e-9).all()


@pytest.fixture(scope="module")
def populations() -> tuple[Population, Population]:
    return random_population(queries=1000), newswire_population()


@pytest.mark.parametrize("queries", [20, 40])
@simulated(40, 300)
def test_intervals_and_tests_hold_their_level(
    queries: int, draws: int, populations: tuple[Population, Population]
) -> None:
    room = 3 * np.sqrt(0.95 * 0.05 / draws)
    for population in populations:
        covered, rejected = rates(population, queries, 0.5, draws)
        assert covered > 0.95 - room
        assert rejected < 0.05 + room


def test_the_gate_takes_distances_from_the_front(call: Call, distances: pd.DataFrame) -> None:
    conditions = ("DPFR rises by 0.05", "CWEx falls by 0.5", "DPFR worse by 0.05", "DPFR better by 0.01")
    asked = [f"--fail-if={one}" for one in conditions]
    said = call("gate newswire --baseline bm25 --candidate random --format csv", asked, status=3)
    values = distances["value"]
    np.testing.assert_allclose(said.frame["difference"][0], values["random"] - values["bm25"], rtol=1e-9)
    assert said.frame["state"].tolist() == ["beyond", "within", "beyond", "within"]
    assert "front of 40 queries, exact." in said.err


def test_the_bench_measures_distances_on_held_out_queries(newswire: Study) -> None:
    bench = fairviz.mitigation_bench(newswire, "balanced(run='bm25')", ["CWEx", "DPFR"])
    name = "DPFR(nDCG@10,CWEx(alpha=0.5)@10)"
    assert bench.table["measure"].tolist() == ["CWEx(alpha=0.5)@10", name, "nDCG@10"]
    assert f"{name}: front of 20 queries, exact." in bench.notes
    # bm25's means over these queries are those of its own list, and the front is of the held-out queries alone
    kept = newswire.queries[newswire.queries["query_id"].isin(bench.queries)]
    assert len(kept) == 20
    row = bench.table.set_index("measure").loc[name]
    means = bench.means[bench.means["measure"] == name].set_index("system")
    np.testing.assert_allclose(row["base_value"], means.loc["bm25", "value"])
    np.testing.assert_allclose(row["difference"], row["value"] - row["base_value"])
    assert row["verdict"] == "ahead"


def test_lists_corrected_values_and_slices_have_no_front(call: Call, newswire: Study) -> None:
    with pytest.raises(UsageError, match="is a distance of means, which no list has"):
        fairviz.evaluate(newswire, "DPFR")
    with pytest.raises(UsageError, match="which --corrected-by does not correct"):
        with_fronts(newswire, Settings(corrected_by="project"), pd.DataFrame(), ["DPFR"])
    said = call("compare newswire DPFR --corrected-by project", status=2)
    assert "Leave out --corrected-by" in said.err
    assert "DPFR" in call("compare newswire DPFR --slice category", status=2).err
