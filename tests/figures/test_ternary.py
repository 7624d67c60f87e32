import numpy as np
import pandas as pd

from fairviz.figures import ternary
from fairviz.figures.style import LIGHT, system_styles

STYLES = system_styles(["a", "b"])


def shares(**systems):
    rows = [(name, *values) for name, values in systems.items()]
    return pd.DataFrame(rows, columns=["system", "neutral", "female", "male"])


def test_a_point_a_system_neutral_on_top_and_axes_are_zoomed():
    drawn = ternary.info(shares(a=(0.5, 0.3, 0.2), b=(0.4, 0.25, 0.35), c=(np.nan, np.nan, np.nan)))
    assert [point.shares for point in drawn.points] == [(0.5, 0.3, 0.2), (0.4, 0.25, 0.35)], "c has no labels"
    figure = ternary.draw(drawn, STYLES)
    first, second = figure.data
    assert (first.a[0], first.b[0], first.c[0]) == (0.5, 0.3, 0.2)
    assert first.marker.symbol == STYLES["a"].symbol
    assert second.customdata[0][0] == "b"
    axes = figure.layout.ternary
    assert axes.aaxis.title.text == "neutral 65 %"
    assert (axes.aaxis.min, axes.baxis.min, axes.caxis.min) == (0.35, 0.2, 0.15)
    corner = ternary.draw(ternary.info(shares(a=(1.0, 0.0, 0.0))), STYLES).layout.ternary
    assert corner.baxis.min == corner.caxis.min == 0
    assert corner.aaxis.min < 1
    assert corner.aaxis.title.text == "neutral"


def test_references_do_not_set_the_axes():
    near = {"a": (0.5, 0.3, 0.2), "b": (0.4, 0.25, 0.35)}
    table = shares(random=(0.02, 0.18, 0.8), **near)
    drawn = ternary.info(table, "a")
    figure = ternary.draw(drawn, system_styles(["random", "a", "b"]))
    axes, alone = figure.layout.ternary, ternary.draw(ternary.info(shares(**near)), STYLES).layout.ternary
    assert [(one.min) for one in (axes.aaxis, axes.baxis, axes.caxis)] == [
        one.min for one in (alone.aaxis, alone.baxis, alone.caxis)
    ]
    assert [trace.name for trace in figure.data] == ["<b>a</b>", "b", "random"]
    last = figure.data[-1]
    assert np.isclose(last.a[0] + last.b[0] + last.c[0], 1)
    assert (last.a[0], last.b[0]) == (axes.aaxis.min, axes.baxis.min)  # at the corner next to it
    assert last.text[0] == "random 0.02 / 0.18 / 0.80"
    assert "male 0.800" in last.hovertext[0]


def test_queries_are_gathered_until_they_are_few_enough_and_none_is_lost():
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.dirichlet([1, 1, 1], 24_000), columns=["neutral", "female", "male"])
    table.insert(0, "query_id", [str(place % 2000) for place in range(24_000)])
    table.insert(0, "system", [f"s{place // 2000}" for place in range(24_000)])
    drawn = ternary.info(table)
    assert len(drawn.points) <= ternary.MOST_POINTS
    assert sum(point.queries for point in drawn.points) == 24_000
    assert drawn.cell > 0
    assert drawn.note == f"Queries gathered in cells of {drawn.cell:g}, larger where more."


def test_equal_queries_become_one_larger_point_at_their_mean_and_the_selected_one_is_ringed():
    table = shares(a=(0.5, 0.3, 0.2))
    table = pd.concat([table, table, shares(a=(0.1, 0.1, 0.8))]).assign(query_id=["1", "2", "3"])
    drawn = ternary.info(table[["system", "query_id", "neutral", "female", "male"]], query="3")
    assert [(point.queries, point.shares) for point in drawn.points] == [(2, (0.5, 0.3, 0.2)), (1, (0.1, 0.1, 0.8))]
    assert drawn.note.endswith(" Ringed: the selected query.")
    points, *_, ring = ternary.draw(drawn, STYLES).data
    assert points.marker.size[0] > points.marker.size[1]
    assert (ring.name, ring.marker.line.width, list(ring.c)) == ("selected query", 2.5, [0.8])


def test_other_numbers_of_groups_are_drawn_as_bars_with_patterns():
    table = pd.DataFrame({"system": ["a"], "neutral": [0.4], "female": [0.2], "male": [0.3], "diverse": [0.1]})
    figure = ternary.draw(ternary.info(table), STYLES, LIGHT)
    assert [trace.type for trace in figure.data] == ["bar"] * 4
    assert [trace.y[0] for trace in figure.data] == [0.4, 0.2, 0.3, 0.1]
    patterns = [trace.marker.pattern.shape for trace in figure.data]
    assert len(set(patterns)) == 4
