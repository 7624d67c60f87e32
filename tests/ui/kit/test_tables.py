"""Tables: kinds of cells, columns beside each other, heights, and the grid of systems with stars and pinned values."""

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison import system_table
from fairviz.comparison.family import How
from fairviz.evaluation.columns import (
    NONE,
    Column,
    cells,
    count,
    interval,
    losses,
    mean,
    named,
    of,
    p,
    plain,
    share,
    where,
)
from fairviz.measures import parse
from fairviz.ui.kit import grids, tables

NAN = float("nan")


def test_kinds_of_cells() -> None:
    for cell, row, text in (
        (plain("a"), {"a": 3}, 3),
        (named("a", {"x": "the x"}), {"a": "x"}, "the x"),
        (mean("a"), {"a": 0.25}, "0.250"),
        (mean("a"), {"a": NAN}, "undefined"),
        (interval("a"), {"a": 0.25, "a_low": 0.2, "a_high": 0.3}, "0.250 [.20, .30]"),
        (interval("a", ends="ci"), {"a": 0.25, "ci_low": 0.2, "ci_high": 0.3}, "0.250 [.20, .30]"),
        (interval("a", NONE), {"a": NAN, "a_low": NAN, "a_high": NAN}, NONE),
        (share("a"), {"a": 0.25}, "25%"),
        (share("a"), {"a": 0.25, "a_low": 0.2, "a_high": 0.3}, "25% (20% to 30%)"),
        (share("a"), {"a": NAN}, NONE),
        (p("a", "not tested"), {"a": 0.0001}, "< .001"),
        (p("a", "not tested"), {"a": NAN}, "not tested"),
        (count("a"), {"a": 1200.0}, "1,200"),
        (of("a", "a", "b"), {"a": 12, "b": 1030}, "12 of 1,042"),
        (losses(("too_long", "refused")), {"too_long": 1, "refused": 0}, "1 too long"),
        (losses(("too_long",)), {"too_long": 0}, "none"),
        (where(lambda row: row["a"] > 1, count("a")), {"a": 1}, NONE),
    ):
        assert cell(row) == text


def test_rows_become_one_where_columns_stand_beside_each_other_and_an_optional_column_may_be_left_out() -> None:
    table = pd.DataFrame({"run": ["a", "a", "b"], "measure": ["M", "N", "M"], "value": [0.5, 0.25, 1.0]})
    columns = (
        Column("run", plain("run")),
        Column(lambda row: row["measure"], mean("value")),
        Column(lambda row: "N again" if row["measure"] == "N" else "", mean("value")),
    )
    shown = cells(table, columns)
    assert shown.columns.tolist() == ["run", "M", "N", "N again"]
    assert shown.iloc[0].tolist() == ["a", "0.500", "0.250", "0.250"]
    assert shown.iloc[1, :2].tolist() == ["b", "1.000"]
    columns = (Column("a", plain("a")), Column("b", share("b"), optional=True))
    assert cells(pd.DataFrame({"a": [1, 1], "b": [NAN, NAN]}), columns).columns.tolist() == ["a"]
    assert cells(pd.DataFrame({"a": [1, 1], "b": [NAN, 0.5]}), columns)["b"].tolist() == [NONE, "50%"]
    assert cells(pd.DataFrame({"a": [], "b": []}), columns).empty


CWEX, GAP, RATIO, TED = (parse(text) for text in ("CWEx@10", "ExposureGap@10", "GroupExposureRatio@10", "TED@10"))
SUMMARY = pd.DataFrame(
    [("perfect", CWEX.text, 0.25, 0.2, 0.3), ("a", CWEX.text, -0.1234, NAN, NAN), ("b", CWEX.text, NAN, NAN, NAN)],
    columns=["system", "measure", "value", "ci_low", "ci_high"],
)
SYSTEMS = ("a", "b", "perfect")
HOW = How()


def test_the_grid_holds_numbers_and_references_last_and_a_cell_shows_value_and_star():
    table = system_table.grid(SUMMARY, [CWEX], HOW)
    assert table["system"].tolist() == ["a", "b", "perfect (reference)"]
    assert table["CWEx ↑"].tolist() == pytest.approx([-0.1234, np.nan, 0.25], nan_ok=True)
    assert list(table.columns) == ["system", "CWEx ↑"]
    for stars, star in (({CWEX.text: {"a": "★"}}, " ★"), ({}, ""), ({TED.text: {"a": "★"}}, "")):
        cells = tables.marked(table, SYSTEMS, [CWEX], stars, HOW)._translate(False, False)["body"]
        assert [row[-1]["display_value"] for row in cells] == [f"−0.123{star}", "undefined", "0.250"]
    with_intervals = system_table.grid(SUMMARY, [CWEX], HOW, intervals=True)
    assert with_intervals["CWEx 95 %"].tolist() == ["", "", "0.200 to 0.300"]
    headers = ["CWEx ↑", "ExposureGap → 0", "GroupExposureRatio → 1", "TED ↓"]
    assert [system_table.header(question) for question in (CWEX, GAP, RATIO, TED)] == headers
    assert [grids.height(rows, 12, 35) for rows in (1, 12, 13)] == [73, 458, 458], "it scrolls above its most rows"


def test_a_draft_is_called_not_tested_until_it_is_ticked():
    draft = How(outside=("a",))
    table = system_table.grid(SUMMARY, [CWEX], draft)
    assert table["system"].tolist() == ["b", "perfect (reference)", "a (not tested)"]
    ticked = How(outside=("a",), ticked=("a", "perfect"))
    assert system_table.grid(SUMMARY, [CWEX], ticked)["system"].tolist() == ["perfect", "a", "b"]
    grey = tables.marked(table, ("b", "perfect", "a"), [CWEX], {}, draft)
    assert {row for (row, _), styles in grey._compute().ctx.items() if styles} == {1, 2}


def test_differences_to_pinned_values_stand_beside_the_measures_that_have_some():
    then = SUMMARY.assign(value=[0.25, 0.1, 0.2])[["system", "measure", "value"]]
    table = system_table.grid(SUMMARY, [CWEX, TED], HOW, pinned=then)
    assert list(table.columns) == ["system", "CWEx ↑", "Δ CWEx", "TED ↓"]
    assert table["Δ CWEx"].tolist() == pytest.approx([-0.2234, np.nan, 0.0], nan_ok=True)
    cells = tables.marked(table, SYSTEMS, [CWEX], {}, HOW)._translate(False, False)["body"]
    assert [row[3]["display_value"] for row in cells] == ["−0.223", "undefined", "0"]


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


def test_a_change_fits_into_a_column_of_three_decimals() -> None:
    changes = {-8.8e-5: "−0.00009", 3.6e-4: "+0.0004", 0.0005: "+0.001", -0.25: "−0.250", 1e-15: "0", NAN: "undefined"}
    assert [system_table.change_text(change) for change in changes] == [*changes.values()]
