import numpy as np
import pandas as pd

from fairviz.analyses.gsr_validity.direct import MEASURES
from fairviz.ui.gsr import cards as debiasing
from fairviz.words.sentences import plain

SYSTEMS = pd.DataFrame(
    [
        ("perfect", "perfect", ""),
        ("w2v_add", "w2v_add", "none"),
        ("w2v_add-debias=regular", "w2v_add", "regular"),
        ("w2v_add-debias=strong", "w2v_add", "strong"),
    ],
    columns=["system", "ranker", "debias"],
).assign(**dict.fromkeys(MEASURES, 0.5))
LINES = pd.DataFrame({"system": ["perfect", "w2v_add", "w2v_add · regular"], "slope": [0.2, 0.4, 0.3]})


def test_variants_are_called_by_ranker_and_kind():
    assert debiasing.system_names(SYSTEMS, "regular") == {
        "perfect": "perfect",
        "w2v_add": "w2v_add",
        "w2v_add-debias=regular": "w2v_add · regular",
    }


def test_gsr_and_its_change_stand_beside_effectiveness():
    table = debiasing.before_and_after(LINES, SYSTEMS, "regular")
    assert table["system"].tolist() == ["perfect", "w2v_add", "w2v_add · regular"]
    assert table["GSR"].tolist() == [0.2, 0.4, 0.3]
    assert np.allclose(table["change"], [np.nan, np.nan, -0.25], equal_nan=True)  # a number, so that it sorts as one
    assert [debiasing.change_text(value) for value in table["change"]] == ["", "", "−25 %"]
    assert list(table.columns) == ["system", "GSR", "change", *MEASURES]


def test_the_sentence_says_what_debiasing_does():
    assert plain(debiasing.debiasing_finding(LINES, "regular")) == (
        "Regular debiasing takes w2v_add from 0.40 to 0.30 (−25 %)."
    )
    both = pd.concat([LINES, pd.DataFrame({"system": ["w2v_si", "w2v_si · regular"], "slope": [0.2, 0.3]})])
    assert plain(debiasing.debiasing_finding(both, "regular")) == (
        "Regular debiasing takes w2v_add from 0.40 to 0.30 (−25 %) and w2v_si from 0.20 to 0.30 (+50 %)."
    )
    assert debiasing.debiasing_finding(LINES, "none") == ()
    assert debiasing.debiasing_finding(LINES.assign(slope=np.nan), "regular") == ()
