"""The trade-off of one query with the front of a list's reorderings."""

import numpy as np
import pandas as pd

from fairviz.figures import list_front
from fairviz.figures.style import system_styles
from fairviz.measures import parse

NDCG, CWEX = parse("nDCG@10"), parse("CWEx@10")
SCORES = pd.DataFrame(
    {
        "system": ["a", "b", "a", "b"],
        "measure": [NDCG.text, NDCG.text, CWEX.text, CWEX.text],
        "value": [0.5, 0.6, -0.5, 0.1],
    }
)


def test_points_front_and_the_list_as_it_is_now() -> None:
    info = list_front.info(SCORES, NDCG, CWEX, "a", [(1.0, -0.2, 3), (0.2, 0.4, 1)], (0.5, -0.4), exact=True)
    assert info.front == ((0.2, 0.4, 1), (1.0, -0.2, 3))
    assert info.alt == (
        "This list now, and its best reorderings: 2 systems; 2 reorderings that no other beats (exact), from "
        "(0.200, 0.400) to (1.000, −0.200); the list is at (0.500, −0.400)."
    )
    figure = list_front.draw(info, system_styles(["a", "b"]))
    first, second, line, now = figure.data
    assert [trace.text[0] for trace in (first, second)] == ["a", "b"]
    assert (line.x, line.y, line.customdata) == ((0.2, 1.0), (0.4, -0.2), (1, 3))
    assert line.line.dash == "solid"
    assert (line.text, line.textposition) == (("", "best reorderings"), "bottom left")
    assert now.text == "now"
    assert (now.x, now.y, now.marker.symbol) == ((0.5,), (-0.4,), "circle-open")
    low, high = figure.layout.xaxis.range
    assert low < 0.2
    assert high > 1.0
    low, high = figure.layout.yaxis.range
    assert low < -0.5
    assert high > 0.4


def test_a_greedy_front_and_a_list_without_a_value() -> None:
    info = list_front.info(SCORES, NDCG, CWEX, "<b>", now=(0.5, np.nan))
    assert "0 reorderings that no other beats (greedy, so that better ones may exist)" in info.alt
    assert info.alt.endswith("the list has no value.")
    assert len(list_front.draw(info, system_styles(["a", "b"])).data) == 2
    info = list_front.info(SCORES, NDCG, CWEX, "<b>", [(0.5, 0.2, 1)], (0.5, 0.2))
    line, now = list_front.draw(info, system_styles(["a", "b"])).data[2:]
    assert line.line.dash == "dot"
    assert line.text == ("best reorderings (greedy)",)
    assert "&lt;b&gt;" in now.hovertemplate
