"""Curves say at each of their points what a person who asks for that point alone is told."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.curves import (
    best_at,
    chance_over_cutoffs,
    disagreeing_cutoffs,
    disagreement,
    disagreement_text,
    over_cutoffs,
    with_and_without_rbdf,
    without_cutoff,
)
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
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


# --- where measures name different systems as the best, and how that is said


CWEX, NFAIRR, TEXFAIR, TED, COUNT = (
    parse(text) for text in ("CWEx@10", "NFaiRR@10", "TExFAIR@10", "TED@10", "Exposure(group='female')@10")
)


def curves(**lines):
    """Lines by measure: {"CWEx": {"a": values over k = 1, 2, …}}."""
    names = {"cwex": CWEX, "nfairr": NFAIRR, "texfair": TEXFAIR, "ted": TED, "count": COUNT}
    rows = [
        (system, without_cutoff(names[measure]), cutoff, value)
        for measure, systems in lines.items()
        for system, values in systems.items()
        for cutoff, value in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows, columns=["system", "measure", "cutoff", "value"])


def test_cutoffs_in_words():
    for apart, said in (
        ((), "agree on the best system at every k"),
        (range(1, 11), "disagree at every k"),
        ((10,), "disagree at k = 10"),
        ((2, 3, 6, 7, 8, 9, 10), "disagree at k = 2, 3 and from 6 on"),
        ((2, 3, 4, 6), "disagree at k = 2 to 4 and 6"),
        ((2, 3), "disagree at k = 2 and 3"),
        ((9, 10), "disagree from k = 9 on"),
        ((1, 2, 3, 5, 10), "disagree at k = 1 to 3, 5 and 10"),
    ):
        assert disagreement_text(tuple(apart), tuple(range(1, 11))) == said
    assert disagreement_text((1,), (1,)) == "disagree at k = 1"
    assert disagreement_text((5, 20, 50), (1, 2, 5, 20, 50, 100)) == "disagree at k = 5 to 50"


def test_the_best_go_by_the_direction_and_a_cutoff_without_a_value_says_nothing():
    table = curves(cwex={"perfect": (9, 9), "a": (0.1, 0.2), "b": (0.2, 0.2)}, ted={"a": (0.1, 0.3), "b": (0.2, 0.2)})
    assert best_at(table, CWEX) == {1: {"b"}, 2: {"a", "b"}}
    assert best_at(table, TED) == {1: {"a"}, 2: {"b"}}
    assert disagreeing_cutoffs(table, [CWEX, TED]) == (1,)  # at 2 both name b
    nan = np.nan
    table = curves(cwex={"a": (nan, 0.2), "b": (nan, 0.1)}, nfairr={"a": (0.1, 0.1), "b": (0.2, 0.2)})
    assert disagreeing_cutoffs(table, [CWEX, NFAIRR]) == (2,)
    assert disagreeing_cutoffs(table, [CWEX, COUNT]) == ()
    assert disagreeing_cutoffs(table, []) == ()


def test_the_sentence_tells_pair_by_pair_and_more_at_once():
    up, down = {"a": (0.1, 0.2, 0.2), "b": (0.2, 0.1, 0.1)}, {"a": (0.1, 0.1, 0.1), "b": (0.2, 0.2, 0.2)}
    table = curves(cwex=up, nfairr=down, texfair=up, ted=up)
    assert disagreement(table, [NFAIRR, TEXFAIR]) == "NFaiRR and TExFAIR disagree from k = 2 on."
    assert disagreement(table, [CWEX, NFAIRR, TEXFAIR]) == (
        "CWEx and NFaiRR disagree from k = 2 on; CWEx and TExFAIR agree on the best system at every k; "
        "NFaiRR and TExFAIR disagree from k = 2 on."
    )
    assert disagreement(table, [CWEX, NFAIRR, TEXFAIR, TED]) == "CWEx, NFaiRR, TExFAIR and TED disagree at every k."
    assert disagreement(table, [CWEX]) == ""
    assert disagreement(table[table["system"] == "a"], [CWEX, NFAIRR]) == ""
    table = curves(cwex={"a": range(9), "b": [3] * 9}, nfairr={"a": [1] * 9, "b": [0] * 9})
    table = table[table["cutoff"].isin([1, 2, 3, 6, 9])]
    said = "CWEx and NFaiRR disagree at k = 1 to 3. Beyond k = 3 not every k is looked at."
    assert disagreement(table, [CWEX, NFAIRR]) == said


def test_measures_that_discount_stand_with_and_without_it() -> None:
    asked = ["TED(rbdf=False)@5", "TExFAIR@5", "RBDF@5", "CWEx@5"]
    expected = ["TED(rbdf=False)@5", "TExFAIR@5", "TExFAIR(rbdf=False)@5", "RBDF@5", "CWEx(alpha=0.5)@5"]
    assert with_and_without_rbdf(asked) == expected
