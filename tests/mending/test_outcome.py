"""The table before and after, by hand, and the sentences that it becomes; no model is loaded here."""

import math

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import crbo
from fairviz.mending.card import outcome_of, with_outcome
from fairviz.mending.outcome import COLUMNS, rows_of
from fairviz.mending.pairs import HELD_OUT, TRAIN
from fairviz.mending.sentences import ended, sentences
from fairviz.ui.audit.mended import cells_of, figure_of
from tests.mending.cases import study

NAMES = ["female first", "male first", "score gap", "score gap in standard deviations", "nDCG@10", "NFaiRR(tau=1)@10"]


def table() -> pd.DataFrame:
    """Four queries of each part; the third has no pair before it is left out."""
    before = np.array([[1, 0, 0.04, 0.4, 0.9, 0.8], [1, 0, 0.02, 0.2, 0.7, 0.7], [np.nan] * 4 + [0.5, 0.6],
                       [0, 1, 0.03, 0.3, 0.9, 0.9]])  # fmt: skip
    after = before + np.array([0, 0, -0.01, -0.1, 0.02, -0.03])
    after[1, :2] = 0, 1
    queries = ["a", "b", "c", "d"]
    first, second = (pd.DataFrame(each, index=queries, columns=NAMES) for each in (before, after))
    parts = [rows_of(part, first, second, ("female", "male")) for part in (TRAIN, HELD_OUT)]
    return pd.concat(parts, ignore_index=True)


def test_means_differences_and_the_ratio_of_shares() -> None:
    found = table()
    assert list(found.columns) == list(COLUMNS)
    held = found[found["split"] == HELD_OUT].set_index("measure")
    assert list(held.index) == [*NAMES[:2], "female first / male first", *NAMES[2:]]
    assert held.at["female first", "before"] == pytest.approx(2 / 3)
    assert held.at["female first", "after"] == pytest.approx(1 / 3)
    assert held.at["female first / male first", "before"] == pytest.approx(2.0)
    assert held.at["female first / male first", "after"] == pytest.approx(0.5)
    assert held.at["female first / male first", "difference"] == pytest.approx(-1.5)
    assert held.at["score gap", "difference"] == pytest.approx(-0.01)
    assert held.at["score gap", "queries"] == 3
    assert held.at["nDCG@10", "queries"] == 4
    assert held.at["nDCG@10", "before"] == pytest.approx(0.75)
    assert held.at["nDCG@10", "difference_low"] == pytest.approx(0.02)  # all differences are equal
    assert held.at["nDCG@10", "p"] == pytest.approx(2 / 2**4)
    assert (held["p_corrected"].dropna() >= held["p"].dropna()).all()
    assert math.isnan(held.at["female first / male first", "p"])


def test_what_there_is_to_notice() -> None:
    gap, first, trade, trained = sentences(table())
    assert gap.startswith(
        "On 3 held-out queries the gap between the two wordings of a text goes from 0.0300 to 0.0200 (0.30 to 0.20 "
        "standard deviations); the difference is −0.0100 (interval −0.0100 to −0.0100)."
    )
    assert first.startswith("Female first: 67% of pairs before, 33% after (interval ")
    assert first.endswith("which is not told apart from one half.")
    assert trade == "The gap shrinks, and NFaiRR(tau=1)@10 falls by 0.030 (interval −0.030 to −0.030)."
    assert trained.startswith("On the 3 queries trained on the gap goes from 0.0300 to 0.0200;")
    worse = table()
    worse.loc[worse["measure"] == "score gap", "difference"] = 0.001
    assert "The gap between the wordings does not shrink." in sentences(worse)
    better = table()
    better = better[better["measure"] != "NFaiRR(tau=1)@10"]
    assert "No measure of the lists gets worse." in sentences(better)
    sided = table().replace({"measure": {"nDCG@10": "AbsExposureGap@10"}})
    assert ", and AbsExposureGap@10 rises by 0.020 (interval +0.020 to +0.020) and NFaiRR(" in sentences(sided)[2]
    sided = table().replace({"measure": {"nDCG@10": "Exposure(group='female')@10"}})
    assert sentences(sided)[2] == trade, "a share of attention takes no side"
    held = table().replace({"measure": {"nDCG@10": "ExposureGap@10"}})
    assert "ExposureGap@10 rises by 0.020 (interval +0.020 to +0.020) away from 0" in sentences(held)[2]


def test_how_a_training_ended() -> None:
    losses = [[1, 3.0, 2.0, 1.0], [2, 1.5, 1.0, 0.5]]
    assert ended(losses, 2, 30) == "2 steps in 30 seconds; the loss went from 3.000 to 1.500."
    assert ended(losses, 40, 300) == "Time ended the training after 2 of 40 steps, in 5.0 minutes."
    assert ended([], 0, 0) == "At strength 0 nothing is trained: every score stays as it is."


def test_the_card_holds_the_table_as_it_is() -> None:
    kept = outcome_of(with_outcome({}, table()))
    pd.testing.assert_frame_equal(kept, table(), check_dtype=False, rtol=1e-12)
    assert outcome_of({}).empty


def test_the_figure_and_the_cells_of_the_page() -> None:
    drawn = figure_of(table(), study())
    assert drawn.lines == ("held out, before", "held out, after", "trained on, before", "trained on, after")
    assert drawn.series == ("female", "male")
    assert drawn.values[0] == pytest.approx((2 / 3, 1 / 3))
    assert (drawn.even, drawn.genders) == (0.5, True)
    assert len(crbo.draw(drawn).data) == 2
    cells = cells_of(table())
    assert list(cells.columns) == [
        "figure", "held out: before", "held out: after", "held out: change", "trained on: before", "trained on: after",
        "trained on: change",
    ]  # fmt: skip
    assert cells.set_index("figure").at["score gap", "held out: change"] == "−0.0100 [−0.0100, −0.0100]"
    assert cells.set_index("figure").at["nDCG@10", "held out: after"] == "0.770"
