"""The plane of mitigations: its points, its arrows, and names that hold markup."""

import numpy as np
import pandas as pd

from fairviz.figures import mitigation_plane
from fairviz.figures.scatter import Point
from fairviz.measures import parse

NASTY = "neutral<script>alert(1)</script>"
X, Y = parse("nDCG@10"), parse("CWEx@10")


def means(rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["system", "measure", "value", "ci_low", "ci_high"])


def drawn() -> mitigation_plane.Plane:
    rows = [("bm25", X.text, 0.6, 0.5, 0.7), ("bm25", Y.text, 0.2, 0.1, 0.3)]
    rows += [(NASTY, X.text, 0.5, np.nan, np.nan), (NASTY, Y.text, 0.4, 0.3, 0.5), ("half", X.text, 0.5, 0.4, 0.6)]
    return mitigation_plane.info(means(rows), [("bm25", NASTY), ("bm25", "half")], X, Y)


def test_what_is_drawn():
    plane = drawn()
    base, mended = plane.points
    assert base == Point("bm25", 0.6, 0.2, (0.5, 0.7), (0.1, 0.3))
    assert (mended.system, mended.base, mended.x, mended.y) == (NASTY, "bm25", 0.5, 0.4)
    assert plane.systems == ("bm25", NASTY, "half")
    assert plane.absent == ("half",)
    assert plane.x_title == "nDCG@10 → more effective"
    assert "bm25 (0.600, 0.200) to neutral" in plane.alt
    assert plane.across[0] <= 0.5
    assert plane.up[1] >= 0.5


def test_an_arrow_leads_from_the_base_to_each_mitigation():
    figure = mitigation_plane.draw(drawn())
    assert [trace.marker.symbol for trace in figure.data] == ["circle-open", "square"]
    assert len({trace.marker.color for trace in figure.data}) == 2
    (arrow,) = figure.layout.annotations
    assert (arrow.ax, arrow.ay, arrow.x, arrow.y) == (0.6, 0.2, 0.5, 0.4)
    assert figure.data[0].error_x.array[0] > 0
    assert figure.data[1].error_x.array[0] == 0
    assert "<script>" not in figure.to_json().replace("\\u003c", "<")


def test_nothing_to_draw_is_said():
    plane = mitigation_plane.info(means([]), [("a", "b")], X, Y)
    figure = mitigation_plane.draw(plane)
    assert plane.absent == ("b",)
    assert mitigation_plane.NO_POINT in figure.to_json()
