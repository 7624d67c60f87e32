"""Systems against a baseline, query by query."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import fairviz
from fairviz.errors import UsageError
from fairviz.evaluation.compare import (
    AHEAD,
    BEHIND,
    MIXED,
    REFERENCE,
    SAME,
    UNTESTED,
    comparison,
    is_reference,
    starred,
)
from fairviz.statistics.bootstrap import bootstrap_interval

CWEX = "CWEx(alpha=0.5)@10"  # as scores name it
MEASURES = [CWEX, "NFaiRR(tau=1)@10", "TExFAIR@10"]


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return fairviz.evaluate(fairviz.open_study("newswire"), MEASURES)


def made(measure: str = "CWEx@2", **systems: list[float]) -> pd.DataFrame:
    """A scores table of one measure."""
    return pd.concat(
        [
            pd.DataFrame({"system": name, "query_id": [f"q{n}" for n in range(len(values))], "value": values})
            for name, values in systems.items()
        ]
    ).assign(measure=measure)


def vector(scores: pd.DataFrame, system: str, measure: str) -> np.ndarray:
    return scores[(scores["system"] == system) & (scores["measure"] == measure)]["value"].to_numpy()


@pytest.mark.parametrize(("test", "of"), [("t", stats.ttest_rel), ("wilcoxon", stats.wilcoxon)])
def test_p_values_are_those_of_scipy_and_statsmodels(scores: pd.DataFrame, test: str, of) -> None:
    found = fairviz.compare(scores, "bm25", test=test)
    contenders = found[found["verdict"] != REFERENCE]
    expected = [
        of(vector(scores, row.system, row.measure), vector(scores, "bm25", row.measure)).pvalue
        for row in contenders.itertuples()
    ]
    assert contenders["p"].to_numpy() == pytest.approx(np.array(expected), rel=1e-9)
    assert contenders["p_corrected"].to_numpy() == pytest.approx(multipletests(expected, method="holm")[1])


def test_the_interval_is_of_the_differences(scores: pd.DataFrame) -> None:
    row = fairviz.compare(scores, "bm25").set_index(["measure", "system"]).loc[(CWEX, "rrf")]
    apart = vector(scores, "rrf", CWEX) - vector(scores, "bm25", CWEX)
    low, high = (float(bound) for bound in bootstrap_interval(apart))
    assert (row["difference"], row["ci_low"], row["ci_high"]) == pytest.approx((float(apart.mean()), low, high))
    assert row["effect_size"] == pytest.approx(apart.mean() / apart.std(ddof=1))
    assert (row["wins"], row["ties"], row["losses"]) == (
        (apart > 1e-12).sum(), (np.abs(apart) <= 1e-12).sum(), (apart < -1e-12).sum(),
    )  # fmt: skip


def test_the_family_is_every_contender_and_measure(scores: pd.DataFrame) -> None:
    found = comparison(scores)
    assert found.family == 18  # nine systems, two of them references, one the best, three measures
    assert set(found.table.loc[found.table["verdict"] == REFERENCE, "system"]) == {"perfect", "random"}
    assert found.table.groupby("measure")["baseline"].nunique().eq(1).all()


def test_pairs_whose_intervals_overlap_can_differ(scores: pd.DataFrame) -> None:
    """Of the 24 pairs of the best and another system 21 overlap, and 18 of those differ before any correction."""
    summary = fairviz.summarise(scores).set_index(["measure", "system"])
    pairs = [(m, s) for m in MEASURES for s in summary.loc[m].index if s != summary.loc[m]["value"].idxmax()]
    best = {measure: summary.loc[measure]["value"].idxmax() for measure in MEASURES}
    overlap = [(m, s) for m, s in pairs if summary.loc[(m, s), "ci_high"] >= summary.loc[(m, best[m]), "ci_low"]]
    differ = [
        (m, s) for m, s in overlap
        if stats.ttest_rel(vector(scores, s, m), vector(scores, best[m], m)).pvalue < 0.05
    ]  # fmt: skip
    assert (len(pairs), len(overlap), len(differ)) == (24, 21, 18)


def test_stars_go_to_the_best_and_to_whom_no_test_tells_from_it(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores)
    stars = starred(found)
    for measure, rows in found.groupby("measure", sort=False):
        behind = set(rows.loc[rows["verdict"] == BEHIND, "system"])
        assert stars[measure] == set(rows["system"]) - behind - {"perfect", "random"} | {rows["baseline"].iloc[0]}
    assert stars["TExFAIR@10"] == {"w2v_si", "w2v_add"}


def test_a_pair_by_hand() -> None:
    found = fairviz.compare(made(a=[0.5, 0.7, 0.9], b=[0.4, 0.5, 0.6]), "b").iloc[0]
    assert (found["value"], found["baseline_value"]) == pytest.approx((0.7, 0.5))
    assert found["difference"] == pytest.approx(0.2)
    assert found["p"] == pytest.approx(0.0741799, abs=1e-7)  # t = 0.2 / (0.1 / sqrt 3), as 1, 2, 3
    assert found["effect_size"] == pytest.approx(2)
    assert (found["wins"], found["ties"], found["losses"], found["queries"]) == (3, 0, 0, 3)
    assert found["verdict"] == SAME


def test_only_common_queries_count() -> None:
    table = made(a=[0.5, 0.7, 0.9, np.nan], b=[0.4, 0.5, np.nan, 0.1])
    found = fairviz.compare(table, "b").iloc[0]
    assert found["queries"] == 2
    assert (found["value"], found["baseline_value"]) == pytest.approx((0.6, 0.45))


def test_the_interval_is_of_the_common_queries() -> None:
    """Also where another system answers them all: a lacks two, and its own mean of b is on the other eight."""
    b, gaps = np.linspace(0, 1, 10) ** 2, [3, 7]
    a = np.where(np.isin(np.arange(10), gaps), np.nan, 0.5)
    found = fairviz.compare(made(a=a.tolist(), c=[0.2] * 10, b=b.tolist()), "b").set_index("system")
    for name, apart in (("a", a - b), ("c", 0.2 - b)):
        low, high = (float(bound) for bound in bootstrap_interval(apart))
        assert (found.loc[name, "ci_low"], found.loc[name, "ci_high"]) == pytest.approx((low, high))


def test_a_measure_that_is_fairest_at_0_goes_by_the_distance_from_it() -> None:
    wide, near = [-0.9, -1.0, -1.1, -1.0] * 3, [0.1, 0.2, 0.0, 0.1] * 3
    found = fairviz.compare(made("RaB@2", wide=wide, near=near)).iloc[0]
    assert (found["system"], found["baseline"], found["verdict"]) == ("wide", "near", BEHIND)
    assert found["difference"] == pytest.approx(0.9)
    assert (found["value"], found["baseline_value"]) == pytest.approx((-1.0, 0.1))
    assert (found["wins"], found["losses"]) == (0, 12)


def test_a_ratio_that_is_fairest_at_1_goes_by_its_logarithm() -> None:
    found = fairviz.compare(made("GroupExposureRatio@2", half=[0.4, 0.6] * 4, near=[1.1, 1.0] * 4)).iloc[0]
    assert (found["baseline"], found["verdict"]) == ("near", BEHIND)
    assert found["difference"] == pytest.approx(np.log(2) - np.log(1.05))


def test_effectiveness_is_higher_the_better() -> None:
    found = fairviz.compare(made("nDCG@2", good=[0.9, 0.8] * 6, bad=[0.1, 0.2] * 6), "bad").iloc[0]
    assert found["verdict"] == AHEAD


def test_a_measure_that_only_describes_has_no_best_but_can_be_compared() -> None:
    table = made("Exposure(group='female')@2", a=[0.9, 0.8] * 6, b=[0.1, 0.2] * 6)
    assert fairviz.compare(table).empty
    assert fairviz.compare(table, "b")["verdict"].tolist() == [AHEAD]


def test_gsr_is_compared_by_the_slope_of_the_differences() -> None:
    scores = fairviz.evaluate(fairviz.open_study("newswire"), ["GSR@10"])
    found = fairviz.compare(scores, "bm25").set_index("system")
    slopes = fairviz.summarise(scores).set_index("system")["value"]
    assert found.loc["w2v_add", "difference"] == pytest.approx(slopes["w2v_add"] - slopes["bm25"])
    assert found["wins"].isna().all()
    assert found.loc["w2v_add", "verdict"] == BEHIND
    assert found.loc["random", "difference"] == pytest.approx(abs(slopes["random"]) - abs(slopes["bm25"]), abs=1e-12)


def test_one_query_tests_nothing_and_crowns_nobody() -> None:
    found = comparison(fairviz.evaluate(fairviz.open_study("football"), ["TExFAIR@4"]))
    assert found.table["verdict"].tolist() == [UNTESTED]
    assert found.family == 0
    assert starred(found.table) == {"TExFAIR@4": frozenset()}


def test_equal_systems_are_not_told_apart() -> None:
    found = fairviz.compare(made(a=[0.5, 0.7], b=[0.5, 0.7])).iloc[0]
    assert (found["p"], found["verdict"], found["ties"]) == (1, SAME, 2)


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("perfect", True), ("random", True), ("random-seed=3", True), ("perfect-ranker", False),
        ("randomised", False), ("bm25", False), ("random-walk", False),
    ],
)  # fmt: skip
def test_references(system: str, expected: bool) -> None:
    assert is_reference(system) is expected


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"baseline": "bm26"}, "there is no system 'bm26' to compare with"),
        ({"test": "z"}, "test is 'z'"),
        ({"correction": "fdr"}, "correction is 'fdr'"),
    ],
)
def test_wrong_choices(scores: pd.DataFrame, choice: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fairviz.compare(scores, **choice)


def test_no_order_is_claimed_where_the_test_points_the_other_way_than_the_mean() -> None:
    """Eighteen small wins and two great losses: the mean is below, the signed ranks above."""
    table = made(a=[0.501 + n / 1000 for n in range(18)] + [0.0, 0.0], b=[0.5] * 20)
    found = fairviz.compare(table, "b", test="wilcoxon").iloc[0]
    assert found["p_corrected"] < 0.05
    assert found["difference"] < 0
    assert found["verdict"] == MIXED
    assert starred(fairviz.compare(table, test="wilcoxon")) == {"CWEx@2": {"a", "b"}}
    assert fairviz.compare(table, "b")["verdict"].tolist() == [SAME]
