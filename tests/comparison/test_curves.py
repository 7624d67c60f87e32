"""Curves say at each of their points what a person who asks for that point alone is told."""

import numpy as np
import pytest

import fairviz
from fairviz.comparison.curves import chance_over_cutoffs, over_cutoffs
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, runs_of


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("choices", [{}, {"cutoff": 3, "position_bias": "uniform"}])
def test_the_alpha_curve_is_cwex(newswire: Study, alpha: float, choices: dict) -> None:
    """Value and interval, for every system."""
    settings = Settings(**choices)
    curve = over_alpha(newswire, settings, np.array([alpha])).set_index("system")
    told = summarise(evaluate(newswire, [f"CWEx(alpha={alpha})"], settings)).set_index("system")
    for column in ("value", "ci_low", "ci_high"):
        np.testing.assert_allclose(curve[column], told.loc[curve.index, column], atol=1e-12)


def test_the_alpha_curve_by_hand() -> None:
    """Equal attention to female and neutral: neutral exposure and gap are both 1/2."""
    study = make_study("hand", runs=runs_of({"s": "f n"}), labels=labels_of({"f": "female", "n": "neutral"}))
    curve = over_alpha(study, Settings(position_bias="uniform"), np.array([0, 0.25, 1]))
    assert curve["value"].tolist() == [-0.5, 0.25 * 0.5 - 0.75 * 0.5, 0.5]


@pytest.mark.parametrize("measure", ["CWEx", "NFaiRR", "TExFAIR", "ARaB"])
def test_the_cutoff_curve_is_the_measure_at_each_cutoff(newswire: Study, measure: str) -> None:
    rankings, settings = align(newswire, Settings()), Settings(cutoff=4)
    curve = over_cutoffs(newswire, [measure], settings, rankings=rankings)
    for k in (1, 4, 10):
        told = summarise(evaluate(newswire, [f"{measure}@{k}"], rankings=rankings)).set_index("system")
        at = curve[curve["cutoff"] == k].set_index("system")
        for column in ("value", "ci_low", "ci_high"):
            np.testing.assert_allclose(at[column], told.loc[at.index, column], atol=1e-12)


def test_the_chance_band_along_the_cutoffs_is_that_of_each_cutoff(newswire: Study) -> None:
    table = chance_over_cutoffs(newswire, ["CWEx", "NFaiRR"], Settings(), "rrf").set_index(["measure", "cutoff"])
    for cutoff in (1, 10, 60):
        texts = [f"CWEx@{cutoff}", f"NFaiRR@{cutoff}"]
        single = fairviz.chance(newswire, texts, systems=("rrf",))
        for _, row in single.iterrows():
            expected = table.loc[(row["measure"].rpartition("@")[0], cutoff)]
            assert expected.tolist() == pytest.approx(row[["chance", "low", "high"]].tolist(), abs=1e-9)
