"""Two systems on every query."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import query_differences
from fairviz.figures.query_differences import MOST_BARS
from fairviz.figures.style import DARK, LIGHT, system_styles
from fairviz.measures import parse

CWEX, TED, RAB = parse("CWEx@10"), parse("TED@10"), parse("RaB@10")
STYLES = system_styles(("a", "b"))


def table(ours: list[float], theirs: list[float]) -> pd.DataFrame:
    rows = pd.DataFrame({"value": ours, "baseline_value": theirs})
    return rows.assign(query_id=[f"q{n}" for n in range(len(ours))], difference=rows["value"] - rows["baseline_value"])


def test_queries_are_sorted_by_their_difference() -> None:
    drawn = query_differences.info(table([0.5, 0.1, 0.3], [0.2, 0.4, 0.3]), CWEX, ("a", "b"), {"q0": "nurse"}, "q0")
    assert drawn.queries == ("q1", "q2", "q0")
    assert drawn.differences == pytest.approx((-0.3, 0, 0.3))
    assert drawn.fairer == (1, 2, 0)
    assert drawn.counts == (1, 1, 1)
    assert drawn.texts == ("", "", "nurse")
    assert drawn.mean == pytest.approx(0)
    assert drawn.title == "CWEx(alpha=0.5)@10: a minus b"
    assert drawn.alt == (
        "CWEx(alpha=0.5)@10 of a minus b on 3 queries, from -0.300 to 0.300, mean -0.000: a is fairer on 1, b on 1, "
        "neither on 1."
    ).replace("-0.000", f"{drawn.mean:.3f}")


def test_who_is_fairer_goes_by_the_direction_of_the_measure() -> None:
    rows = table([0.5, 0.1], [0.2, 0.4])
    assert query_differences.info(rows, TED, ("a", "b"), {}).fairer == (0, 1)  # less is fairer
    signs = table([-2.0, 0.5], [1.0, 0.8])
    assert query_differences.info(signs, RAB, ("a", "b"), {}).fairer == (1, 0)  # nearer to 0 is
    only_describes = parse("Exposure(group='female')@10")
    assert query_differences.info(rows, only_describes, ("a", "b"), {}).counts == (0, 0, 2)
    assert query_differences.info(rows, parse("nDCG@10"), ("a", "b"), {}).better == "more effective"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_bar_carries_its_query(theme) -> None:
    drawn = query_differences.info(table([0.5, 0.1, 0.3], [0.2, 0.4, 0.3]), CWEX, ("a", "b"), {"q0": "<i>x"}, "q0")
    figure = query_differences.draw(drawn, STYLES, theme)
    assert [trace.type for trace in figure.data] == ["bar"] * 3
    assert [trace.name for trace in figure.data] == ["a fairer: 1", "b fairer: 1", "neither: 1"]
    assert list(figure.data[0].customdata[0]) == ["q0"]
    assert list(figure.data[0].marker.line.width) == [2.5]  # the selected one
    assert list(figure.data[1].marker.line.width) == [0]
    assert "&lt;i&gt;x" in figure.data[0].text[0]
    assert len({trace.marker.pattern.shape for trace in figure.data}) == 3  # never colour alone


def test_many_queries_are_points() -> None:
    generator = np.random.default_rng(1)
    many = table(*generator.normal(size=(2, MOST_BARS + 1)).tolist())
    figure = query_differences.draw(query_differences.info(many, CWEX, ("a", "b"), {}), STYLES)
    assert all(trace.type.startswith("scatter") for trace in figure.data)
    assert sum(len(trace.x) for trace in figure.data) == MOST_BARS + 1


def test_no_query() -> None:
    drawn = query_differences.info(table([], []), CWEX, ("a", "b"), {})
    assert drawn.alt == "No query has a value of CWEx(alpha=0.5)@10 for both systems."
    assert np.isnan(drawn.mean)
    assert not query_differences.draw(drawn, STYLES).data
