import numpy as np
import pandas as pd
import pytest

from fairviz.comparison import system_table
from fairviz.comparison.family import How
from fairviz.measures import parse
from fairviz.ui.kit import tables

CWEX, GAP, RATIO, TED = (parse(text) for text in ("CWEx@10", "ExposureGap@10", "GroupExposureRatio@10", "TED@10"))


SUMMARY = pd.DataFrame(
    {
        "system": ["perfect", "a", "b"],
        "measure": CWEX.text,
        "value": [0.25, -0.1234, np.nan],
        "ci_low": [0.2, np.nan, np.nan],
        "ci_high": [0.3, np.nan, np.nan],
    }
)
SYSTEMS = ("a", "b", "perfect")
HOW = How()


def test_the_grid_holds_numbers_and_references_last():
    table = system_table.grid(SUMMARY, [CWEX], HOW)
    assert table["system"].tolist() == ["a", "b", "perfect (reference)"]
    assert table["CWEx ↑"].tolist() == pytest.approx([-0.1234, np.nan, 0.25], nan_ok=True)
    assert list(table.columns) == ["system", "CWEx ↑"]


def test_a_draft_is_called_not_tested_until_it_is_ticked():
    draft = How(outside=("a",))
    assert system_table.grid(SUMMARY, [CWEX], draft)["system"].tolist() == [
        "b",
        "perfect (reference)",
        "a (not tested)",
    ]
    ticked = How(outside=("a",), ticked=("a", "perfect"))
    assert system_table.grid(SUMMARY, [CWEX], ticked)["system"].tolist() == ["perfect", "a", "b"]
    grey = tables.marked(system_table.grid(SUMMARY, [CWEX], draft), ("b", "perfect", "a"), [CWEX], {}, draft)
    assert {row for (row, _), styles in grey._compute().ctx.items() if styles} == {1, 2}


def test_intervals_stand_beside_the_values_if_asked_for():
    table = system_table.grid(SUMMARY, [CWEX], HOW, intervals=True)
    assert table["CWEx 95 %"].tolist() == ["", "", "0.200 to 0.300"]


def test_differences_to_pinned_values_stand_beside_the_measures_that_have_some():
    then = SUMMARY.assign(value=[0.25, 0.1, 0.2])[["system", "measure", "value"]]
    table = system_table.grid(SUMMARY, [CWEX, TED], HOW, pinned=then)
    assert list(table.columns) == ["system", "CWEx ↑", "Δ CWEx", "TED ↓"]
    assert table["Δ CWEx"].tolist() == pytest.approx([-0.2234, np.nan, 0.0], nan_ok=True)
    cells = tables.marked(table, SYSTEMS, [CWEX], {}, HOW)._translate(False, False)["body"]
    assert [row[3]["display_value"] for row in cells] == ["−0.223", "undefined", "0"]


def shown(stars):
    styler = tables.marked(system_table.grid(SUMMARY, [CWEX], HOW), SYSTEMS, [CWEX], stars, HOW)
    cells = styler._translate(False, False)["body"]
    return [row[-1]["display_value"] for row in cells]


def test_a_cell_shows_value_and_star():
    assert shown({CWEX.text: {"a": "★"}}) == ["−0.123 ★", "undefined", "0.250"]
    assert shown({}) == ["−0.123", "undefined", "0.250"]


def test_stars_of_one_measure_are_no_other_measures():
    assert shown({TED.text: {"a": "★"}}) == ["−0.123", "undefined", "0.250"]


def test_headers_say_where_the_better_end_lies():
    assert [system_table.header(question) for question in (CWEX, GAP, RATIO, TED)] == [
        "CWEx ↑",
        "ExposureGap → 0",
        "GroupExposureRatio → 1",
        "TED ↓",
    ]


def test_a_cell_shows_its_text_and_contains_its_number() -> None:
    table = pd.DataFrame({"system": ["a", "b"], "RaB": [-0.5, 0.25]})
    styler = tables.with_texts(table, {"RaB": ["minus a half", "a quarter"]})
    assert styler.data["RaB"].tolist() == [-0.5, 0.25]
    drawn = styler.to_html()
    assert "minus a half" in drawn
    assert "a quarter" in drawn


def test_a_tooltip_defines_the_measure():
    assert tables.definition(GAP) == (
        "ExposureGap: Exposure of the other genders minus that of the protected one (male − female). "
        "The nearer to 0 the fairer. Here ExposureGap@10."
    )
    assert tables.definition(parse("P@5")) == (
        "P: The percentage of documents in the top k results that are relevant. "
        "The higher the more effective. Here P@5."
    )
    assert "no better direction" in tables.definition(parse("RBDF@10")).lower()


@pytest.mark.parametrize(
    ("change", "text"),
    [(-8.8e-5, "−0.00009"), (3.6e-4, "+0.0004"), (0.0005, "+0.001"), (-0.25, "−0.250"), (1e-15, "0"),
     (np.nan, "undefined")],
)  # fmt: skip
def test_a_change_fits_into_a_column_of_three_decimals(change: float, text: str) -> None:
    assert system_table.change_text(change) == text
