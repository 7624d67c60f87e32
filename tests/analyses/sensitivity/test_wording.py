"""The sentence of a map, to the letter: who is fairer how often, what decides the rest, and what tests support."""

import numpy as np
import pytest

import fairviz
from fairviz.analyses.sensitivity.grid import grid_of
from fairviz.analyses.sensitivity.result import Robustness, Shares, decides, lines, percent
from fairviz.analyses.sensitivity.work import COLUMNS
from fairviz.evaluation.settings import Settings

FOOTBALL = ("left", "right")


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


def test_all_agree_and_all_are_supported() -> None:
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


def test_one_choice_decides_the_rest_and_no_test_claims_it() -> None:
    found = made([-0.1, -0.2, 0.3, 0.3], [0.2] * 4)
    assert found.sentence == (
        "left and right are each fairer under 2 of 4 combinations. Tau decides most of the rest (100 % of the "
        "variance of the order). The difference is significant in 0 of 4 tested combinations. This describes; it "
        "does not test."
    )


def test_what_goes_together_decides_and_tests_point_both_ways() -> None:
    found = made([-0.1, -0.2, -0.3, 0.3], [0.001, 0.2, 0.9, 0.002])
    assert found.order_shares.alone == pytest.approx({"tau": 1 / 3, "position_bias": 1 / 3})
    assert found.sentence == (
        "right is fairer than left under 3 of 4 combinations. Tau and the position bias together decide most of the "
        "rest (33 % and 33 % of the variance of the order). The difference is significant in 1 of 4 tested "
        "combinations, and reversed in 1. This describes; it does not test."
    )


def test_each_combination_is_a_family_of_its_own() -> None:
    """0.05 is significant however many combinations there are, and 0.051 is not."""
    found = made([0.1, 0.1, 0.3, 0.3], [0.05, 0.05, 0.051, 0.02])
    assert (found.counts.a_tested, found.counts.family) == (3, 4)
    assert "significant in 3 of 4 tested combinations" in found.sentence


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("maxT(family='measures')", "all pairs of 7 systems in one measure, maxT."),
        ("holm(baseline='bm25')", "all pairs with bm25 in one measure, paired t, Holm."),
    ],
)
def test_what_is_tested_together_is_named_also_where_the_pages_test_across_measures(tests: str, said: str) -> None:
    found = made([0.1] * 4, [0.2] * 4, pair=("w2v_add", "bm25"), tests=tests)
    assert lines(found)[1] == f"Each combination is a family of its own: {said}"


def test_a_reference_is_not_tested() -> None:
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


def test_nothing_is_defined_or_nothing_moves() -> None:
    assert made([np.nan] * 4, [np.nan] * 4).sentence == (
        "None of the combinations has a value for both systems, so they cannot be compared."
    )
    assert ". No choice moves the difference." in made([0.2] * 4, [0.5] * 4).sentence


@pytest.mark.parametrize(
    ("alone", "together", "said"),
    [
        ({"tau": 0.51, "alpha": 0.2}, 0.29, "tau decides most of the rest (51 % of it)"),
        ({"tau": 0.4, "alpha": 0.2}, 0.4, "tau and alpha together decide most of the rest (40 % and 20 % of it)"),
        ({"tau": 0.2, "alpha": 0.1}, 0.7, "no choice alone decides the rest; combinations of choices do (70 % of "
         "it)"),
        ({"tau": 0.25, "alpha": 0.25, "cutoff": 0.25}, 0.25, "no choice decides most of the rest: tau comes first (25 "
         "% of it)"),
        ({}, 0.0, "no choice decides the rest"),
    ],
)  # fmt: skip
def test_what_decides(alone: dict[str, float], together: float, said: str) -> None:
    assert decides(Shares(alone, together, {}, 1.0, True), "the rest", "of it") == said


def test_percent() -> None:
    assert [percent(each) for each in (0, 0.004, 0.014, 0.615, 1)] == ["0 %", "under 1 %", "1 %", "62 %", "100 %"]
