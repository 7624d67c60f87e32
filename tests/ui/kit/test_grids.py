"""Columns of tables: kinds of cells, columns beside each other, optional ones, and heights."""

import pandas as pd
import pytest

from fairviz.evaluation.columns import (
    NONE,
    Cell,
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
from fairviz.ui.kit import grids

NAN = float("nan")


@pytest.mark.parametrize(
    ("cell", "row", "text"),
    [
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
    ],
)
def test_kinds_of_cells(cell: Cell, row: dict, text: object) -> None:
    assert cell(row) == text


def test_rows_become_one_where_columns_stand_beside_each_other() -> None:
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


def test_an_optional_column_without_a_value_is_left_out() -> None:
    columns = (Column("a", plain("a")), Column("b", share("b"), optional=True))
    assert cells(pd.DataFrame({"a": [1, 1], "b": [NAN, NAN]}), columns).columns.tolist() == ["a"]
    assert cells(pd.DataFrame({"a": [1, 1], "b": [NAN, 0.5]}), columns)["b"].tolist() == [NONE, "50%"]
    assert cells(pd.DataFrame({"a": [], "b": []}), columns).empty


def test_a_table_scrolls_above_its_most_rows() -> None:
    assert [grids.height(rows, 12, 35) for rows in (1, 12, 13)] == [73, 458, 458]
