"""The table before and after, by hand, and the sentences that it becomes; no model is loaded here."""

import math

import numpy as np
import pandas as pd
import pytest

from fairviz.extensions.finetuning.outcome import COLUMNS, GAP, SPREAD, ended, rows_of, sentences
from fairviz.extensions.finetuning.pairs import HELD_OUT, TRAIN
from fairviz.extensions.finetuning.training import outcome_of, with_outcome
from fairviz.extensions.finetuning.views import cells_of, figure_of
from fairviz.figures import crbo
from tests.extensions.finetuning.cases import study

NAMES = ["female first", "male first", "score gap", "score gap in standard deviations", "nDCG@10", "NFaiRR(tau=1)@10"]


def table() -> pd.DataFrame:
    """Four queries of each part, four times; the third has no pair, and is left out of these figures."""
    before = np.array([[1, 0, 0.04, 0.4, 0.9, 0.8], [1, 0, 0.02, 0.2, 0.7, 0.7], [np.nan] * 4 + [0.5, 0.6],
                       [0, 1, 0.03, 0.3, 0.9, 0.9]])  # fmt: skip
    after = before + np.array([0, 0, -0.01, -0.1, 0.02, -0.03])
    after[1, :2] = 0, 1
    before, after = np.tile(before, (4, 1)), np.tile(after, (4, 1))
    queries = [f"{name}{place}" for place in range(4) for name in "abcd"]
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
    assert held.at["score gap", "queries"] == 12
    assert held.at["nDCG@10", "queries"] == 16
    assert held.at["nDCG@10", "before"] == pytest.approx(0.75)
    assert held.at["nDCG@10", "difference_low"] == pytest.approx(0.02)  # all differences are equal
    assert held.at["nDCG@10", "p"] == pytest.approx(2 / 2**16), "the chance of 16 equal signs"
    assert held.at["nDCG@10", "p_corrected"] == pytest.approx(4 * 2 / 2**16), "each quantity once"
    assert set(held["tests"]) == {"4 differences, maxT", ""}
    outside = held.index[held["p_corrected"].isna()].tolist()
    assert outside == ["male first", "female first / male first", "score gap in standard deviations"]
    assert (held["p_corrected"].dropna() >= held["p"][held["p_corrected"].notna()]).all()
    third = (2 / 3 * 1 / 3 * 12 / 11 / 12) ** 0.5 * 2.200985  # Student's t of 12 queries, 8 of them 1
    assert held.at["female first", "before_low"] == pytest.approx(2 / 3 - third)
    assert held.at["female first", "before_high"] == pytest.approx(2 / 3 + third)
    assert math.isnan(held.at["female first / male first", "p"])


def test_each_quantity_is_in_the_family_once() -> None:
    generator = np.random.default_rng(1)
    names = ["female first", "male first", "score gap", "score gap in standard deviations", "TED@10", "FaiRR(tau=1)@10",
             "TExFAIR@10", "NFaiRR(tau=1)@10", "nDCG@10"]  # fmt: skip
    before, after = (pd.DataFrame(generator.random((20, 9)), columns=names) for _ in range(2))
    found = rows_of(HELD_OUT, before, after, ("female", "male")).set_index("measure")
    tested = ["female first", "score gap", "TExFAIR@10", "NFaiRR(tau=1)@10", "nDCG@10"]
    assert found.index[found["p_corrected"].notna()].tolist() == tested
    assert set(found.loc[tested, "tests"]) == {"5 differences, maxT"}
    assert found.loc["TED@10", ["difference_low", "p"]].notna().all(), "shown, with its own interval"
    alone = rows_of(HELD_OUT, before[["TED@10", "nDCG@10"]].assign(x=0.0), after[["TED@10", "nDCG@10"]].assign(x=0.0),
                    ("female", "male")).set_index("measure")  # fmt: skip
    assert alone.loc[["TED@10", "nDCG@10"], "p_corrected"].notna().all()


def test_what_there_is_to_notice() -> None:
    gap, first, trade, trained = sentences(table())
    assert gap.startswith(
        "On 12 held-out queries the gap goes from 0.0300 to 0.0200 (0.30 to 0.20 SDs). Difference: −0.0100 (interval "
        "−0.0100 to −0.0100), significant (4 differences, maxT)."
    )
    assert first.startswith("Female first: 67% of pairs before, 33% after (interval ")
    assert first.endswith("which is not significantly different from one half.")
    assert trade == "The gap shrinks, and NFaiRR(tau=1)@10 falls by 0.030 (interval −0.030 to −0.030)."
    assert trained.startswith("On the 12 training queries the gap goes from 0.0300 to 0.0200.")
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
    assert "ExposureGap@10 moves away from 0 by 0.020 (interval +0.020 to +0.020)" in sentences(held)[2]


UNTRUE = ("not significantly", "is significant", "not significant", "tooltip", "117 queries are too few")


def trained(p: float = 0.01, queries: int = 40, difference: float = -0.1, high: float = 0.7) -> str:
    gap = {"split": HELD_OUT, "queries": queries, "before": 0.2, "after": 0.1, "difference": difference,
           "difference_low": -0.2, "difference_high": 0.0, "p_corrected": p, "tests": "1 difference, maxT"}  # fmt: skip
    first = gap | {"measure": "female first", "after": 0.6, "after_low": high - 0.1, "after_high": high}
    return " ".join(sentences(pd.DataFrame([gap | {"measure": GAP}, gap | {"measure": SPREAD}, first])))


STATES: list[tuple[dict, str, tuple[str, ...]]] = [
    ({}, "significant (1 difference, maxT).", ("not significant ",)),
    ({"p": 0.4}, "not significant (1 difference, maxT).", ()),
    ({"p": math.nan, "high": math.nan}, "not tested: 40 queries give no verdict", UNTRUE),
    ({"difference": math.nan, "high": math.nan}, "Female first", ("does not shrink", "not significantly")),
    ({"high": 0.55}, "not significantly different from one half", ()),
]


@pytest.mark.parametrize(("state", "said", "unsaid"), STATES)
def test_a_sentence_fits_its_state(state: dict, said: str, unsaid: tuple[str, ...]) -> None:
    sentence = trained(**state)
    assert said in sentence
    assert not [text for text in unsaid if text in sentence]


def test_few_queries_get_no_verdict() -> None:
    names = [f"q{place}" for place in range(9)]
    before = pd.DataFrame([[1, 0, 0.04, 0.4, 0.8]] * 9, index=names, columns=NAMES[:5])
    after = before - [0.5, -0.5, 0.01, 0.1, 0.2]
    found = rows_of(HELD_OUT, before, after, ("female", "male"))
    assert found["p_corrected"].isna().all()
    assert found["difference_low"].isna().all()
    gap, first, trade = sentences(found)
    assert gap.endswith("Difference: −0.0100, not tested: 9 queries are too few for a verdict, which needs 10.")
    assert first == (
        "Female first: 100% of pairs before, 50% after: 9 queries are too few for a verdict, which needs 10."
    )
    assert trade == "The gap shrinks, and nDCG@10 falls by 0.200, not tested."


def test_a_measure_that_is_fairest_at_0_is_compared_by_its_distance() -> None:
    """From 0.2 to −0.2 is as far from 0: the plain difference is −0.4 on every query, the distance stays."""
    generator = np.random.default_rng(3)
    names = [f"q{place:02}" for place in range(30)]
    columns = [*NAMES[:2], "ExposureGap@10"]
    noise = generator.normal(0, 0.01, (2, 30))
    noise -= noise.mean(axis=1, keepdims=True)
    before = pd.DataFrame(np.column_stack([np.ones(30), np.zeros(30), 0.2 + noise[0]]), index=names, columns=columns)
    after = pd.DataFrame(np.column_stack([np.ones(30), np.zeros(30), -0.2 + noise[1]]), index=names, columns=columns)
    row = rows_of(HELD_OUT, before, after, ("female", "male")).set_index("measure").loc["ExposureGap@10"]
    assert row["difference"] == pytest.approx(0, abs=1e-12)
    assert row["difference_low"] < 0 < row["difference_high"]
    assert row["p_corrected"] > 0.5


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
    found = table()
    trained = found["split"] == TRAIN
    found.loc[trained, ["before", "after"]] += 0.25
    drawn = figure_of(found, study())
    assert drawn.lines == ("held out, before", "held out, after", "trained on, before", "trained on, after")
    assert [series.name for series in drawn.series] == ["female", "male"]
    thirds = [1 / 3, 2 / 3]
    assert drawn.series[0].values == pytest.approx([*thirds[::-1], *(share + 0.25 for share in thirds[::-1])])
    assert drawn.series[1].values == pytest.approx([*thirds, *(share + 0.25 for share in thirds)])
    assert (drawn.even, drawn.genders) == (0.5, True)
    assert len(crbo.draw(drawn).data) == 2
    cells = cells_of(found)
    assert list(cells.columns) == [
        "figure", "held out: before", "held out: after", "held out: change", "trained on: before", "trained on: after",
        "trained on: change",
    ]  # fmt: skip
    assert cells.set_index("figure").at["score gap", "held out: change"] == "−0.0100 [−0.0100, −0.0100]"
    assert cells.set_index("figure").at["nDCG@10", "held out: after"] == "0.770"
