"""Curves say at each of their points what a person who asks for that point alone is told."""

import numpy as np
import pytest

import fairviz
from fairviz.comparison.curves import chance_over_cutoffs, over_cutoffs
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, runs_of


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


def deep(labelled: range, depth: int = 150) -> Study:
    """Two lists of 150 documents in opposite order; of the documents d1 to d150 some have a label."""
    names = [f"d{document}" for document in range(1, depth + 1)]
    labels = labels_of({f"d{document}": ("neutral", "male")[document % 2] for document in labelled})
    return make_study("deep", runs=runs_of({"down": names, "up": names[::-1]}), labels=labels)


@pytest.mark.parametrize("cutoff", [7, 93, 150])
def test_the_curve_of_deep_lists_holds_the_cutoff_that_is_set(cutoff: int) -> None:
    """Deep lists are drawn at some cutoffs only; the one on screen is always among them, with the table's value."""
    study, settings = deep(range(1, 151)), Settings(cutoff=cutoff)
    curves = over_cutoffs(study, ["CWEx"], settings)
    here = curves[curves["cutoff"] == cutoff]
    assert here["system"].tolist() == ["down", "up"]
    np.testing.assert_allclose(here["value"], summarise(evaluate(study, ["CWEx"], settings))["value"], rtol=1e-12)
    assert curves["cutoff"].nunique() < 150


def test_a_curve_has_a_gap_where_nothing_has_a_value() -> None:
    """Only d100 and deeper are labelled: `down` has no value before cutoff 100, and every cutoff is there for both."""
    curves = over_cutoffs(deep(range(100, 151)), ["CWEx"], Settings(cutoff=99))
    wide = curves.pivot(index="cutoff", columns="system", values="value")
    assert len(curves) == 2 * len(wide)
    assert wide["up"].notna().all()
    assert wide["down"].notna().tolist() == [cutoff >= 100 for cutoff in wide.index]
