import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures import best_achievable, scatter
from fairviz.figures.axes import ROOM
from fairviz.figures.style import LIGHT, system_styles, under_one_legend
from fairviz.measures import parse

NDCG, CWEX = parse("nDCG@10"), parse("CWEx@10")
BEST = best_achievable.info(
    "DPFR", [(0.9, 0.1), (0.2, 0.5)], (0.55, 0.3), {"a": (0.25, 0.2, 0.3), "b": (np.nan,) * 3}, exact=True
)


def table() -> pd.DataFrame:
    rows = [(name, question.text, value, np.nan, np.nan) for question, values in ((NDCG, (0.5, 0.6)), (CWEX, (0.1, 0)))
            for name, value in zip("ab", values, strict=True)]  # fmt: skip
    return pd.DataFrame(rows, columns=["system", "measure", "value", "ci_low", "ci_high"])


def test_axes_reach_the_front_and_tooltips_have_the_distance() -> None:
    plain = scatter.info(table(), NDCG, CWEX)
    data = best_achievable.with_front(plain, BEST)
    # nDCG from 0.2 to 0.9, and half the usual room beyond
    np.testing.assert_allclose(data.across, (0.2 - ROOM / 2 * 0.7, 0.9 + ROOM / 2 * 0.7))
    assert data.up[0] == plain.up[0]  # already below the front
    assert data.up[1] > 0.5
    first, second = data.points
    assert first.hover("x", "y").endswith("<br>Distance to ◇: 0.2500 (0.2000 to 0.3000)")
    assert second.note == ""
    assert best_achievable.with_front(plain, None) == plain


def test_the_line_and_the_reference_are_beneath_the_points() -> None:
    data = best_achievable.with_front(scatter.info(table(), NDCG, CWEX), BEST)
    figure = scatter.draw(data, system_styles(["a", "b"]))
    count = len(figure.data)
    best_achievable.add(figure, BEST, data.x_title, data.y_title, LIGHT)
    line, reference = figure.data[:2]
    assert len(figure.data) == count + 2
    assert (line.name, line.line.dash, list(line.x), list(line.y)) == (
        "Best achievable",
        "solid",
        [0.9, 0.2],
        [0.1, 0.5],
    )
    assert (list(reference.x), list(reference.y), reference.marker.symbol) == ([0.55], [0.3], "diamond-open")
    assert line.customdata is None  # no click opens a list of the front
    under_one_legend(figure, LIGHT)
    assert figure.layout.annotations[-1].text == "— Best achievable   ┄ Pareto front"


def test_a_searched_front_is_dashed_and_named_so() -> None:
    searched = best_achievable.info("DPFR", BEST.points, BEST.reference, BEST.distances, exact=False)
    figure = go.Figure()
    best_achievable.add(figure, searched, "x", "y", LIGHT)
    assert figure.data[0].line.dash == "dash"
    assert "Best achievable (searched): from (0.900, 0.100) to (0.200, 0.500)" in searched.alt


def test_alt_text_and_table_have_the_distances() -> None:
    data = scatter.info(table(), NDCG, CWEX)
    assert best_achievable.alt(data, BEST).endswith("; a is the nearest to its middle (0.250).")
    assert best_achievable.alt(data, None) == data.alt
    rows = best_achievable.with_distances(table(), BEST)
    assert rows.iloc[-1].tolist() == ["a", "DPFR", 0.25, 0.2, 0.3]
    assert len(rows) == 5
    assert best_achievable.with_distances(table(), None).equals(table())
