"""The shares of choices in a variance, by hand and against a full grid, and the sentences about a map of choices."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest

import fairviz
from fairviz.analyses.sensitivity.grid import grid_of
from fairviz.analyses.sensitivity.result import Robustness, decides, lines, percent
from fairviz.analyses.sensitivity.shares import Part, Shares, shares_of
from fairviz.analyses.sensitivity.work import COLUMNS
from fairviz.evaluation.settings import Settings

Array = np.ndarray
FOOTBALL = ("left", "right")


def part(values: Array, names: str) -> Part:
    """One measure's values as an array with an axis a choice."""
    codes = dict(zip(names, np.indices(values.shape).reshape(values.ndim, -1), strict=True))
    return Part(values.ravel().astype(float), codes)


def test_shares_by_hand() -> None:
    """y = 2a + b + ab·c's sign, with a, b, c of -1 or 1: variances 4 of a, 1 of b, and 1 of a, b and c together."""
    sign = np.array([-1.0, 1.0])
    a, b, c = np.meshgrid(sign, sign, sign, indexing="ij")
    found = shares_of([part(2 * a + b + a * b * c, "abc")], {"a": 2, "b": 2, "c": 2})
    assert found.variance == pytest.approx(6, abs=1e-12)
    assert found.alone == pytest.approx({"a": 4 / 6, "b": 1 / 6, "c": 0}, abs=1e-12)
    assert found.together == pytest.approx(1 / 6, abs=1e-12)
    assert found.totals == pytest.approx({"a": 5 / 6, "b": 2 / 6, "c": 1 / 6}, abs=1e-12)
    assert found.full
    # The first of two measures is 1 or 3 by t, the second 6 whatever t: over the grid 1, 3, 6, 6, mean 4, variance 4.5.
    # The measures' means are 2 and 6: variance 4. t's means are 3.5 and 4.5: variance 0.25. 0.25 is left.
    found = shares_of([part(np.array([1.0, 3.0]), "t"), Part(np.array([6.0]), {})], {"t": 2})
    assert found.variance == pytest.approx(4.5, abs=1e-12)
    assert found.alone == pytest.approx({"measure": 4 / 4.5, "t": 0.25 / 4.5}, abs=1e-12)
    assert found.together == pytest.approx(0.25 / 4.5, abs=1e-12)
    assert found.totals == pytest.approx({"measure": 4.25 / 4.5, "t": 0.5 / 4.5}, abs=1e-12)
    for values in (np.full((2, 2), 0.25), np.full((2, 2), np.nan), np.array([[0.1 + 0.2, 0.3], [0.3, 0.3]])):
        found = shares_of([part(values, "ab")], {"a": 2, "b": 2})  # nothing varies, or nothing is defined
        assert (found.alone, found.together, found.variance) == ({}, 0.0, 0.0)


def brute(values: Array) -> tuple[list[float], list[float]]:
    """Sobol's first-order and total indices of a full grid, from conditional means."""
    whole = values.var()
    axes = range(values.ndim)
    first = [values.mean(axis=tuple(o for o in axes if o != one)).var() / whole for one in axes]
    return first, [values.var(axis=one).mean() / whole for one in axes]


def test_several_measures_against_the_grid_with_every_choice_in_all_of_them() -> None:
    generator = np.random.default_rng(3)
    shapes = {"ab": (2, 3), "bc": (3, 4), "c": (4,)}
    parts = {names: generator.normal(size=shape) for names, shape in shapes.items()}
    full = np.empty((3, 2, 3, 4))
    full[0], full[1], full[2] = parts["ab"][:, :, None], parts["bc"][None], parts["c"]
    found = shares_of([part(values, names) for names, values in parts.items()], {"a": 2, "b": 3, "c": 4})
    first, totals = brute(full)
    assert [*found.alone.items()] == [
        (name, pytest.approx(one)) for name, one in zip(("measure", *"abc"), first, strict=True)
    ]
    assert [*found.totals.values()] == pytest.approx(totals)
    assert sum(found.alone.values()) + found.together == pytest.approx(1, abs=1e-12)


def explained(codes: Array, values: Array, chosen: tuple[int, ...]) -> float:
    columns = [np.ones(len(values))] + [codes[one] == level for one in chosen for level in np.unique(codes[one])]
    design = np.stack(columns, axis=1).astype(float)
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return 1 - ((values - fitted) ** 2).sum() / ((values - values.mean()) ** 2).sum()


def test_a_grid_with_holes_against_every_order_of_the_choices() -> None:
    values = np.random.default_rng(5).normal(size=(2, 3, 2)) + np.array([0.0, 4.0])
    values[0, 1, 1] = values[1, 2, 0] = values[0, 0, 0] = np.nan
    found = shares_of([part(values, "abc")], {"a": 2, "b": 3, "c": 2})
    seen = ~np.isnan(values.ravel())
    codes, kept = np.indices(values.shape).reshape(3, -1)[:, seen], values.ravel()[seen]
    gains = np.zeros(3)
    for order in permutations(range(3)):
        for place, one in enumerate(order):
            gains[one] += explained(codes, kept, order[: place + 1]) - explained(codes, kept, order[:place])
    assert [*found.alone.values()] == pytest.approx(gains / factorial(3), abs=1e-9)
    assert found.together == pytest.approx(1 - explained(codes, kept, (0, 1, 2)), abs=1e-9)
    assert not found.full
    assert found.totals == {}


def made(
    differences: list[float], p: list[float], queries: int = 40, pair: tuple[str, str] = FOOTBALL, tests: str = "maxT"
) -> Robustness:
    """A map over tau (0, 1) and the position bias (log2, uniform) with these differences; NaN where undefined."""
    study = fairviz.open_study("newswire" if pair != FOOTBALL else "football")
    choices = {"tau": [0, 1], "position_bias": ["log2", "uniform"]}
    grid = grid_of(study, pair, ["NFaiRR"], choices, Settings(tests=tests))
    columns = {name: np.full(4, 0.5) for name in COLUMNS}
    columns |= {"value_b": np.full(4, 0.25)}
    columns |= {"difference": np.array(differences), "p_corrected": np.array(p), "queries": np.full(4, float(queries))}
    return Robustness(grid, columns, np.ones(4, dtype=bool), 40)


def test_sentences_say_who_is_fairer_and_what_decides_and_no_test_claims_it() -> None:
    found = made([0.1, 0.1, 0.3, 0.3], [0.001] * 4)
    assert found.sentence == (
        "left is fairer than right under 4 of 4 combinations. No choice reverses the order; tau decides most of its "
        "size (100 % of the variance). The difference is significant in 4 of 4 "
        "tested combinations, and reversed in 0. This describes; it does not test."
    )
    assert lines(found) == [
        "4 distinct combinations.", "Each combination is a family of its own: 1 pair in one measure, maxT.",
        "By how much left is fairer runs from +0.100 to +0.300, in the measure's unit. "
        "NFaiRR of left runs from 0.500 to 0.500, that of right from 0.250 to 0.250.",
    ]  # fmt: skip
    assert made([-0.1, -0.2, 0.3, 0.3], [0.2] * 4).sentence == (
        "left and right are each fairer under 2 of 4 combinations. Tau decides most of the rest (100 % of the "
        "variance of the order). The difference is significant in 0 of 4 tested combinations. This describes; it "
        "does not test."
    )
    found = made([-0.1, -0.2, -0.3, 0.3], [0.001, 0.2, 0.9, 0.002])
    assert found.order_shares.alone == pytest.approx({"tau": 1 / 3, "position_bias": 1 / 3})
    assert found.sentence == (
        "right is fairer than left under 3 of 4 combinations. Tau and the position bias together decide most of the "
        "rest (33 % and 33 % of the variance of the order). The difference is significant in 1 of 4 tested "
        "combinations, and reversed in 1. This describes; it does not test."
    )
    assert made([np.nan] * 4, [np.nan] * 4).sentence == (
        "None of the combinations has a value for both systems, so they cannot be compared."
    )
    assert ". No choice moves the difference." in made([0.2] * 4, [0.5] * 4).sentence


def test_each_combination_is_a_family_of_its_own() -> None:
    """0.05 is significant however many combinations there are, and 0.051 is not."""
    found = made([0.1, 0.1, 0.3, 0.3], [0.05, 0.05, 0.051, 0.02])
    assert (found.counts.a_tested, found.counts.family) == (3, 4)
    assert "significant in 3 of 4 tested combinations" in found.sentence
    for tests, said in (  # also where the pages test across measures
        ("maxT(family='measures')", "all pairs of 7 systems in one measure, maxT."),
        ("holm(baseline='bm25')", "all pairs with bm25 in one measure, paired t, Holm."),
    ):
        found = made([0.1] * 4, [0.2] * 4, pair=("w2v_add", "bm25"), tests=tests)
        assert lines(found)[1] == f"Each combination is a family of its own: {said}"
    found = made([0.1, 0.1, 0.3, 0.3], [0.001] * 4, pair=("perfect", "bm25"))
    assert found.sentence.endswith("By the means only: perfect is not tested.")


def test_undefined_and_thin_combinations_are_named_with_the_level_behind_them() -> None:
    found = made([np.nan, np.nan, 0.3, 0.3], [np.nan, np.nan, 0.5, 0.5])
    assert found.counts.undefined == 2
    assert found.sentence.startswith("left is fairer than right under 2 of 2 combinations.")
    assert lines(found)[-1] == (
        "2 of 4 computed combinations have no value for one system and do not count, all of them with tau=0."
    )
    thin = made([0.1, 0.1, 0.3, 0.3], [0.5] * 4, queries=19)
    assert lines(thin)[-1] == "4 combinations rest on fewer than half of the 40 queries."
    assert lines(made([0.1, 0.1, 0.3, 0.3], [0.5] * 4, queries=20)) == lines(made([0.1, 0.1, 0.3, 0.3], [0.5] * 4))


def test_what_decides() -> None:
    for alone, together, said in (
        ({"tau": 0.51, "alpha": 0.2}, 0.29, "tau decides most of the rest (51 % of it)"),
        ({"tau": 0.4, "alpha": 0.2}, 0.4, "tau and alpha together decide most of the rest (40 % and 20 % of it)"),
        ({"tau": 0.2, "alpha": 0.1}, 0.7, "no choice alone decides the rest; combinations of choices do (70 % of it)"),
        ({"tau": 0.25, "alpha": 0.25, "cutoff": 0.25}, 0.25,
         "no choice decides most of the rest: tau comes first (25 % of it)"),
        ({}, 0.0, "no choice decides the rest"),
    ):  # fmt: skip
        assert decides(Shares(alone, together, {}, 1.0, True), "the rest", "of it") == said
    assert [percent(each) for each in (0, 0.004, 0.014, 0.615, 1)] == ["0 %", "under 1 %", "1 %", "62 %", "100 %"]
