"""Pinned pictures: hollow marks and thin lines after all others, at the pinned values, within axes wide enough."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from fairviz.figures import alpha_curve, bump, cutoff_curve, scatter, ternary
from fairviz.figures.axes import widen
from fairviz.figures.frame import PINNED, PINNED_WIDTH
from fairviz.figures.style import LIGHT, system_styles, under_one_legend
from fairviz.measures import parse

NDCG, CWEX, CWEX5, TEXFAIR = (parse(text) for text in ("nDCG@10", "CWEx@10", "CWEx(alpha=0.2)@5", "TExFAIR@10"))
STYLES = system_styles(["a", "b", "random"])


def summary(question, **values):
    rows = [(name, question.text, value, value - 0.01, value + 0.01) for name, value in values.items()]
    return pd.DataFrame(rows, columns=["system", "measure", "value", "ci_low", "ci_high"])


def split(figure: go.Figure) -> tuple[list, list]:
    """The traces of now and those of what is pinned, which come after them."""
    flags = [trace.meta == PINNED for trace in figure.data]
    assert flags == sorted(flags)
    return [t for t in figure.data if t.meta is None], [t for t in figure.data if t.meta == PINNED]


def test_without_a_pin_nothing_is_added() -> None:
    drawn = scatter.info(pd.concat([summary(NDCG, a=0.5, b=0.6), summary(CWEX, a=0.2, b=0.1)]), NDCG, CWEX)
    assert scatter.draw(drawn, STYLES) == scatter.draw(drawn, STYLES, LIGHT, 300, None)


def test_pinned_points_are_hollow_in_their_own_look_and_within_the_axes() -> None:
    now = scatter.info(pd.concat([summary(NDCG, a=0.5, b=0.6), summary(CWEX, a=0.2, b=0.1)]), NDCG, CWEX)
    then = scatter.info(pd.concat([summary(NDCG, a=0.1, b=0.62), summary(CWEX, a=0.3, b=0.12)]), NDCG, CWEX)
    figure = scatter.draw(now, STYLES, LIGHT, 300, then)
    _, (front, first, second) = split(figure)
    assert (list(front.x), list(front.y), front.line.width) == ([0.1, 0.62], [0.3, 0.12], PINNED_WIDTH)
    assert [(one.x[0], one.y[0], one.customdata[0]) for one in (first, second)] == [(0.1, 0.3, "a"), (0.62, 0.12, "b")]
    assert (first.marker.symbol, first.marker.color) == (f"{STYLES['a'].symbol}-open", STYLES["a"].colour)
    assert first.hovertemplate.startswith("<b>%{text}</b>, kept<br>nDCG@10 → more effective: 0.1000")
    low, high = figure.layout.xaxis.range
    assert 0 <= low < 0.1
    assert high >= 0.62
    assert figure.layout.yaxis.range[1] > 0.3
    assert not any(trace.showlegend for trace in (front, first, second))


def test_a_pinned_reference_sets_no_axis_and_stands_at_its_edge() -> None:
    now = scatter.info(pd.concat([summary(NDCG, a=0.5, b=0.6), summary(CWEX, a=0.2, b=0.1)]), NDCG, CWEX)
    then = scatter.info(pd.concat([summary(NDCG, a=0.5, random=0.01), summary(CWEX, a=0.2, random=0.1)]), NDCG, CWEX)
    figure = scatter.draw(now, STYLES, LIGHT, 300, then)
    *_, far = split(figure)[1]
    assert figure.layout.xaxis.range == now.across
    assert (far.x[0], far.marker.symbol, far.cliponaxis) == (now.across[0], "triangle-left-open", False)
    assert "0.0100" in far.hovertemplate


@pytest.mark.parametrize(
    ("ends", "values", "others", "expected"),
    [
        ((0.2, 0.4), [0.3], (0.0, 1.0), (0.2, 0.4)),
        ((0.2, 0.4), [], (0.0, 1.0), (0.2, 0.4)),
        ((0.2, 0.4), [np.nan, 0.1], (0.0, 1.0), (0.1 - 0.06 * 0.3, 0.4)),
        ((0.2, 0.4), [0.9], (0.0, 0.92), (0.2, 0.92)),
        ((0.2, 0.4), [0.0, 1.0], (0.0, 1.0), (0.0, 1.0)),
    ],
)
def test_an_axis_is_moved_as_far_as_is_needed(ends, values, others, expected) -> None:
    assert widen(ends, iter(values), others) == pytest.approx(expected)


def shares(**systems):
    return pd.DataFrame(
        [(name, *values) for name, values in systems.items()], columns=["system", "neutral", "female", "male"]
    )


def test_the_triangle_holds_the_pinned_point() -> None:
    now, then = ternary.info(shares(a=(0.5, 0.3, 0.2))), ternary.info(shares(a=(0.1, 0.5, 0.4)))
    figure = ternary.draw(now, STYLES, LIGHT, 300, then)
    _, (ghost,) = split(figure)
    assert (ghost.a[0], ghost.b[0], ghost.c[0]) == (0.1, 0.5, 0.4)
    assert ghost.marker.symbol.endswith("-open")
    assert figure.layout.ternary.aaxis.min <= 0.1
    assert ghost.hovertext[0] == "<b>a</b>, kept<br>neutral 0.100<br>female 0.500<br>male 0.400"


def test_pinned_bars_stand_hollow_over_those_of_now() -> None:
    columns = ["system", "neutral", "female"]
    now, then = (ternary.info(pd.DataFrame([("a", *row)], columns=columns)) for row in ((0.7, 0.3), (0.4, 0.6)))
    bars, ghosts = split(ternary.draw(now, STYLES, LIGHT, 300, then))
    assert [list(bar.y) for bar in ghosts] == [[0.4], [0.6]]
    assert [bar.offsetgroup for bar in ghosts] == [bar.offsetgroup for bar in bars] == ["neutral", "female"]
    assert {bar.marker.color for bar in ghosts} == {"rgba(0,0,0,0)"}


def alphas(**lines):
    at = [0.0, 0.5, 1.0]
    rows = [(name, alpha, value) for name, values in lines.items() for alpha, value in zip(at, values, strict=True)]
    return pd.DataFrame(rows, columns=["system", "alpha", "value"])


def test_pinned_lines_over_alpha_are_thin_and_their_alpha_is_marked() -> None:
    now = alpha_curve.info(alphas(a=(0.1, 0.1, 0.1), b=(0.2, 0.2, 0.2)), 0.5, 10)
    then = alpha_curve.info(alphas(a=(0.1, 0.1, 0.1), b=(0.9, 0.9, 0.9)), 0.3, 10)
    figure = alpha_curve.draw(now, STYLES, LIGHT, 300, then)
    _, (first, second) = split(figure)
    assert list(second.y) == pytest.approx([0.4, 0.4, 0.4])
    assert first.line.width == PINNED_WIDTH
    assert figure.layout.yaxis.range[1] > 0.4
    assert [shape.x0 for shape in figure.layout.shapes] == [0.3, 0.5]
    assert len(alpha_curve.draw(now, STYLES, LIGHT, 300, now).layout.shapes) == 1


def cutoffs(question, **systems):
    rows = [
        (name, question.text.rpartition("@")[0], k, value, value - 0.01, value + 0.01)
        for name, values in systems.items()
        for k, value in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows, columns=["system", "measure", "cutoff", "value", "ci_low", "ci_high"])


def test_pinned_lines_over_the_cutoff_stand_in_the_panel_of_their_measure() -> None:
    table = pd.concat([cutoffs(CWEX, a=(0.1, 0.2)), cutoffs(TEXFAIR, a=(0.5, 0.6))])
    now = cutoff_curve.info(table, [CWEX, TEXFAIR], 2)
    then = cutoff_curve.info(cutoffs(CWEX5, a=(0.4, 0.3)), [CWEX5], 1)
    figure = cutoff_curve.draw(now, STYLES, LIGHT, 300, then)
    _, (ghost,) = split(figure)
    assert (list(ghost.y), ghost.yaxis, ghost.fill) == ([0.4, 0.3], "y", None)
    assert figure.layout.yaxis.range[1] > 0.4
    assert figure.layout.yaxis2.range == now.panels[1].up
    lines = [(shape.x0, shape.line.dash) for shape in figure.layout.shapes if shape.type == "line"]
    assert lines == [(1, "dot"), (2, "dash")]


def test_pinned_ranks_follow_the_measures_of_now_and_break_where_one_was_not_asked() -> None:
    def ranks(*questions, **values):
        return bump.info(pd.concat([summary(question, **values) for question in questions]), questions)

    now, then = ranks(TEXFAIR, CWEX, NDCG, a=0.1, b=0.2), ranks(CWEX5, TEXFAIR, a=0.2, b=0.1, random=0.15)
    figure = bump.draw(now, STYLES, LIGHT, 300, then)
    _, ghosts = split(figure)
    assert [list(ghost.y) for ghost in ghosts] == [[1, 1, None], [2, 2, None], [1.5, 1.5, None]]
    assert ghosts[0].x == figure.data[0].x
    assert "not ranked" in ghosts[2].hovertemplate


def test_under_one_legend_a_figure_has_none_and_says_the_rest_itself() -> None:
    drawn = scatter.info(pd.concat([summary(NDCG, a=0.5, b=0.6), summary(CWEX, a=0.2, b=0.1)]), NDCG, CWEX)
    figure = scatter.draw(drawn, STYLES)
    assert figure.layout.showlegend
    under_one_legend(figure, LIGHT, 3)
    assert figure.layout.showlegend is False
    assert figure.layout.title.text == "Fairness against effectiveness, 95 % intervals · 3 hidden"
    assert [note.text for note in figure.layout.annotations] == ["┄ Pareto front"]
    alone = scatter.draw(scatter.info(pd.concat([summary(NDCG, a=0.5), summary(CWEX, a=0.2)]), NDCG, CWEX), STYLES)
    under_one_legend(alone, LIGHT)
    assert (alone.layout.title.text, alone.layout.annotations) == (drawn.title, ())
