"""Where measures name different systems as the best, and how that is said."""

import numpy as np
import pandas as pd

from fairviz.comparison.curves import (
    best_at,
    disagreeing_cutoffs,
    disagreement,
    disagreement_text,
    with_and_without_rbdf,
    without_cutoff,
)
from fairviz.measures import parse

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
