"""Slopes, intervals and influence: by hand, against scipy and plain loops, and where they are undefined."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import linregress
from scipy.stats import t as student

from fairviz.evaluation.gsr import gsr, influence, leave_out, part_names, summarise_parts, why_undefined

NAN = float("nan")


def points_of(**systems: list[tuple[float, float]]) -> pd.DataFrame:
    rows = [
        (system, f"q{place}", query, found, 10)
        for system, points in systems.items()
        for place, (query, found) in enumerate(points)
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "query", "list", "documents"])


THREE = [(0.3, 0.05), (0.1, 0.01), (-0.1, 0.0)]


def test_by_hand() -> None:
    """Means 0.1 and 0.02: (0.2 * 0.03 + 0.2 * 0.02) / 0.08 = 0.125; pairs have slopes 0.2, 0.125 and 0.05."""
    row = gsr(points_of(A=THREE)).iloc[0]
    assert row["slope"] == pytest.approx(0.125)
    assert row["intercept"] == pytest.approx(0.02 - 0.125 * 0.1)
    assert row["theil_sen"] == pytest.approx(0.125)
    assert row["r"] == pytest.approx(0.01 / np.sqrt(0.08 * (0.03**2 + 0.01**2 + 0.02**2)))
    assert (row["queries"], row["undefined"]) == (3, 0)
    assert np.isnan(row["relative"])


def test_columns_order_and_the_perfect_system() -> None:
    double = [(query, 2 * found) for query, found in THREE]
    table = gsr(points_of(zeta=double, perfect=THREE, alpha=[(query, -found) for query, found in THREE]))
    assert table.columns.tolist() == [
        "system", "slope", "intercept", "r", "p", "queries", "undefined", "ci_low", "ci_high", "theil_sen", "relative"
    ]  # fmt: skip
    assert table["system"].tolist() == ["zeta", "perfect", "alpha"]
    assert table["relative"].tolist() == pytest.approx([2, 1, -1])


def test_a_flat_perfect_system_makes_nothing_relative() -> None:
    flat = [(0.3, 0.1 + 0.2 - 0.3), (0.1, 0.0), (-0.1, 0.0)]  # but for rounding
    table = gsr(points_of(A=THREE, perfect=flat))
    assert gsr(points_of(A=THREE, perfect=[(query, 0.0) for query, _ in THREE]))["relative"].isna().all()
    assert table["slope"].tolist() == pytest.approx([0.125, 0], abs=1e-12)
    assert table.loc[1, ["r", "p"]].isna().all(), "a flat line has no correlation"


@given(st.integers(0, 9999), st.integers(3, 12))
@settings(max_examples=40, deadline=None)
def test_against_scipy_and_students_interval(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    query, found = rng.normal(size=(2, count))
    found[0] = NAN if count > 3 else found[0]
    row = gsr(points_of(A=list(zip(query, found, strict=True)))).iloc[0]
    both = ~np.isnan(found)
    line = linregress(query[both], found[both])
    assert row[["slope", "intercept", "r", "p"]].tolist() == pytest.approx(
        [line.slope, line.intercept, line.rvalue, line.pvalue]
    )
    half = student.ppf(0.975, both.sum() - 2) * line.stderr
    assert row[["ci_low", "ci_high"]].tolist() == pytest.approx([line.slope - half, line.slope + half], rel=1e-6)


def test_equation_3() -> None:
    rng = np.random.default_rng(0)
    query, found = rng.normal(size=(2, 30))
    printed = ((query - query.mean()) * (found - found.mean())).sum() / 30 / query.var()
    assert gsr(points_of(A=list(zip(query, found, strict=True))))["slope"][0] == pytest.approx(printed)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([(NAN, 0.1), (NAN, 0.2)], "no query has a word that the vectors hold"),
        ([(0.1, NAN), (0.2, NAN)], "no query that has a genderedness is answered by a list that has one"),
        ([(0.1, 0.3), (0.2, NAN)], "only one query and its list have a genderedness, and a slope needs two"),
        ([(0.1, 0.3)], "only one query and its list have a genderedness, and a slope needs two"),
        ([(0.1, 0.3), (0.1, 0.2), (0.1 + 1e-9, 0.1)], "all 3 queries have the same genderedness"),
    ],
)
def test_undefined_slopes_say_why(points: list[tuple[float, float]], reason: str) -> None:
    table = points_of(A=points, B=[(0.1 * place, 0.2) for place in range(len(points) + 1)])
    row = gsr(table).iloc[0]
    numbers = ["slope", "intercept", "r", "p", "ci_low", "ci_high", "theil_sen", "relative"]
    assert row[numbers].isna().all()
    assert row["queries"] == sum(not np.isnan(query + found) for query, found in points)
    assert row["undefined"] == len(points) - row["queries"]
    assert why_undefined(table) == {"A": f"The slope of A is undefined: {reason}."}


def test_two_queries_have_a_slope_and_no_spread() -> None:
    row = gsr(points_of(A=[(0.1, 0.0), (0.3, 0.1)])).iloc[0]
    assert row["slope"] == pytest.approx(0.5)
    assert row[["r", "p", "ci_low", "ci_high"]].isna().all()
    assert why_undefined(points_of(A=[(0.1, 0.0), (0.3, 0.1)])) == {}


def test_without_points() -> None:
    empty = points_of()
    assert gsr(empty).shape == (0, 11)
    assert influence(empty).columns.tolist() == ["system", "query_id", "without", "change"]
    assert leave_out(empty, 3).empty
    assert why_undefined(empty) == {}


@given(st.integers(0, 9999), st.integers(2, 9))
@settings(max_examples=40, deadline=None)
def test_influence_is_the_slope_without_the_query(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    points = points_of(A=list(rng.normal(size=(count, 2))), B=list(rng.normal(size=(count, 2))))
    points.loc[1, "list"] = NAN
    whole = gsr(points).set_index("system")["slope"]
    table = influence(points)
    assert len(table) == 2 * count - 1
    for row in table.itertuples():
        rest = points[(points["system"] == row.system) & (points["query_id"] != row.query_id)]
        expected = gsr(rest)["slope"][0]
        assert row.without == pytest.approx(expected, nan_ok=True)
        assert row.change == pytest.approx(expected - whole[row.system], nan_ok=True)


def test_influence_where_only_equal_queries_are_left() -> None:
    table = influence(points_of(A=[(0.1, 0.0), (0.1, 0.2), (0.3, 0.1)]))
    assert table["without"].isna().tolist() == [False, False, True]
    assert influence(points_of(A=[(0.1, 0.0)]))[["without", "change"]].isna().all(axis=None)


def test_leaving_out_the_most_gendered_queries() -> None:
    """The mean is -0.2: q3 lies 0.3 away, q0 and q2 0.2 each, q1 0.1."""
    points = points_of(A=[(-0.4, 1), (-0.1, 2), (0.0, 3), (-0.5, 4), (0.0, 9)], B=[(-0.4, 5)] * 5)
    points = points[~((points["system"] == "B") & (points["query_id"] != "q0"))]
    left = [leave_out(points, n)["query_id"].tolist() for n in range(6)]
    assert left[0] == ["q0", "q1", "q2", "q3", "q4", "q0"]
    assert left[1] == ["q0", "q1", "q2", "q4", "q0"]
    assert left[2] == ["q1", "q2", "q4"]
    assert left[3] == ["q1", "q4"]
    assert left[5] == []
    with_nan = points_of(A=[(NAN, 1), (0.5, 2), (0.1, 2), (0.1, 2)])
    assert leave_out(with_nan, 3)["query_id"].tolist() == ["q0"]


def test_equally_gendered_queries_are_left_out_by_their_id_whatever_stands_first() -> None:
    """q1 and q2 lie 0.2 from the mean 0 on either side, but for rounding; the order of the rows decides nothing."""
    points = points_of(A=[(0.05, 1), (0.2, 2), (-(0.1 + 0.2 - 0.1), 3), (-0.05, 4)], B=[(0.05, 5)] * 4)
    points.loc[points["system"] == "B", "query"] = points.loc[points["system"] == "A", "query"].to_numpy()
    for order in (points, points[::-1], points.sort_values("query"), points.sort_values("query", ascending=False)):
        left = leave_out(order.reset_index(drop=True), 1)
        assert set(left["query_id"]) == {"q0", "q2", "q3"}
        assert set(leave_out(order.reset_index(drop=True), 3)["query_id"]) == {"q3"}


def test_queries_that_differ_little_have_a_slope_all_the_same() -> None:
    """A thousandth apart is far more than rounding: lists that follow their queries twofold have slope 2."""
    close = [(0.1 + step / 1000, 0.3 + 2 * step / 1000) for step in range(4)]
    row = gsr(points_of(A=close)).iloc[0]
    assert row[["slope", "theil_sen", "r"]].tolist() == pytest.approx([2, 2, 1])
    assert row["ci_low"] == pytest.approx(2)
    assert why_undefined(points_of(A=close)) == {}
    assert influence(points_of(A=close))["without"].tolist() == pytest.approx([2] * 4)


def test_names_of_the_parts() -> None:
    assert part_names("GSR@10") == ("GSR.query@10", "GSR.list@10")
    assert part_names("GSR(depth='relevant')") == ("GSR.query(depth='relevant')", "GSR.list(depth='relevant')")


def test_fold_leaves_other_measures_alone() -> None:
    scores = pd.DataFrame({"system": ["A"], "query_id": ["q"], "measure": ["GSRx@3"], "value": [1.0]})
    assert summarise_parts(scores, lambda table, *_: table, 0.95) is scores
