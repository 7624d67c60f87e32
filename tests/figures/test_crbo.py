"""CRBO beside its placebos, ranker by ranker and query by query."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import crbo, crbo_queries
from fairviz.figures.style import DARK, LIGHT, group_colour

TABLE = pd.DataFrame(
    [("<a>", "CRBO", 0.9, 0.85, 0.95), ("<a>", "placebo", 0.8, np.nan, np.nan), ("b", "placebo", 1.0, 1.0, 1.0)],
    columns=["system", "measure", "value", "low", "high"],
)
COLUMNS = ["system", "measure", "value", "low", "high"]
QUERIES = pd.DataFrame(
    [("a", "q1", "<i>one", 0.9, 0.95), ("a", "q2", "two", 1.0, 0.8), ("a", "q3", "", 0.7, 0.7),
     ("a", "q4", "", np.nan, 1), ("b", "q1", "", 0.5, 0.5)],
    columns=["system", "query_id", "text", "crbo", "placebo"],
)  # fmt: skip


def test_lines_and_series() -> None:
    found = crbo.info(TABLE, "Lists", "RBO", ["CRBO", "placebo"], COLUMNS)
    assert found.lines == ("<a>", "b")
    assert [series.values[0] for series in found.series] == [0.9, 0.8]
    assert np.isnan(found.series[0].values[1])
    assert found.series[0].low[0] == 0.85
    assert found.alt == "Lists. <a>: CRBO 0.900, placebo 0.800; b: CRBO undefined, placebo 1.000."


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_points_with_intervals(theme) -> None:
    figure = crbo.draw(crbo.info(TABLE, "Lists", "RBO", ["CRBO", "placebo"], COLUMNS, even=0.5), theme)
    assert [trace.name for trace in figure.data] == ["CRBO", "placebo"]
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert figure.data[0].error_x.array[0] == pytest.approx(0.05)
    assert figure.data[0].customdata[0][1] == "0.900 (0.850 to 0.950)"
    assert figure.data[1].customdata[0][1] == "0.800 (no interval)"
    assert figure.layout.shapes[0].x0 == 0.5
    assert "<a>" not in str(figure)


def test_wordings_have_the_colours_of_their_groups() -> None:
    drawn = crbo.info(TABLE.assign(measure="female"), "Words", "share", ["female"], COLUMNS, genders=True)
    (alone,) = crbo.draw(drawn).data
    assert alone.marker.color == group_colour("female", ["female"])
    three = crbo.info(
        TABLE.assign(measure="female"), "Words", "share", ["neutral", "female", "x"], COLUMNS, genders=True
    )
    beside = crbo.draw(three).data
    assert beside[1].marker.symbol == alone.marker.symbol, "a group has one marker, whoever stands beside it"
    assert len({trace.marker.symbol for trace in beside}) == 3


def test_shares_that_are_all_alike_have_the_axis_of_shares() -> None:
    alike = TABLE.assign(value=0.5, low=0.5, high=0.5)
    names = sorted(set(TABLE[COLUMNS[1]]))
    assert crbo.draw(crbo.info(alike, "Words", "share", names, COLUMNS, even=0.5)).layout.xaxis.range == (0, 1)
    assert crbo.draw(crbo.info(TABLE, "Words", "share", names, COLUMNS, even=0.5)).layout.xaxis.range is None


def test_queries_on_either_side() -> None:
    found = crbo_queries.info(QUERIES, "a", "placebo", "placebo", "q2")
    assert found.queries == ("q1", "q2", "q3")
    assert found.sides == (0, 1, 2)
    assert found.alt == (
        "CRBO of a against the placebo, 3 queries: gender moves it more on 1, the placebo moves it more on 1, "
        "alike on 1."
    )
    figure = crbo_queries.draw(found)
    assert [trace.name for trace in figure.data] == [
        "gender moves it more: 1", "the placebo moves it more: 1", "alike: 1",
    ]  # fmt: skip
    assert [trace.customdata[0][0] for trace in figure.data] == ["q1", "q2", "q3"]
    assert figure.data[1].marker.size[0] > figure.data[0].marker.size[0]
    assert "<i>" not in figure.data[0].text[0]
    assert len({trace.marker.symbol for trace in figure.data}) == 3
