"""The figures over a weight of senses: what is drawn, from a table as `fairviz.steer` gives it."""

import numpy as np
import pandas as pd
import pytest

from fairviz.extensions.backpack.figures import sense_bars, weight_curves, weight_plane, weight_scores
from fairviz.extensions.backpack.figures.weight_curves import Axis
from fairviz.figures.frame import Line
from fairviz.figures.style import LIGHT

UP, FAIR = Axis("nDCG", "nDCG@10", "higher"), Axis("RaB", "RaB@10", "zero")
NAN = float("nan")


def table(*, placebo: bool = True) -> pd.DataFrame:
    rows = []
    for number, measure in enumerate((UP.text, FAIR.text)):
        for stop, weight in enumerate((0.0, 1.0, 2.0)):
            value = number + stop / 10
            rows.append((measure, "backpack", "", "1 2", weight, value, value - 0.05, value + 0.05))
            rows.append((measure, "backpack", "other", "3 4", weight, value + 0.01, NAN, NAN))
            if placebo:
                rows.append((measure, "placebo", "", "mean", weight, value - 0.1, NAN, NAN))
                rows.append((measure, "placebo", "other", "mean", weight, 9.0, NAN, NAN))
                rows += [(measure, "placebo", "", pair, weight, value + 1, NAN, NAN) for pair in ("3 4", "3 5")]
        rows.append((measure, "bm25", "", "", NAN, 0.7, NAN, NAN))
        rows.append((measure, "bi_encoder", "", "", NAN, NAN, NAN, NAN))
    return pd.DataFrame(rows, columns=["measure", "ranker", "model", "senses", "weight", "value", "ci_low", "ci_high"])


def test_the_lines_of_a_measure() -> None:
    plane = weight_plane.info(table(), UP, [FAIR], 2.0)
    assert plane.weights == (0.0, 1.0, 2.0)
    lines = plane.panels[0]
    assert lines.own == Line((1.0, 1.1, 1.2), pytest.approx((0.95, 1.05, 1.15)), pytest.approx((1.05, 1.15, 1.25)))
    assert lines.placebo is not None
    assert lines.placebo.values == pytest.approx((0.9, 1.0, 1.1))
    assert lines.pairs == ((2.0, 2.1, 2.2), (2.0, 2.1, 2.2))
    assert lines.seeds == (pytest.approx((1.01, 1.11, 1.21)),)
    assert lines.references["bm25"] == 0.7
    assert plane.alt == "nDCG against RaB, a point a sense weight: nDCG is 0.000 at weight 0 and 0.200 at weight 2."


def test_what_is_drawn() -> None:
    plane = weight_plane.draw(weight_plane.info(table(), UP, [FAIR], 2.0))
    own = next(trace for trace in plane.data if trace.name == "gender senses")
    assert list(own.marker.size) == [5, 5, 11]
    assert [trace.name for trace in plane.data].count("each placebo") == 2
    assert "MiniLM" not in [trace.name for trace in plane.data]  # it has no value
    curves = weight_curves.info(table(), [UP, FAIR], 1.0)
    figure = weight_curves.draw(curves)
    assert [trace.name for trace in figure.data if trace.showlegend] == [
        "each placebo, lowest to highest", "BM25", "other seeds", "placebo, mean", "gender senses",
    ]  # fmt: skip
    assert "RaB 1.100 at weight 1 and 1.100 at 1 (placebo 1.000)" in curves.alt
    assert weight_curves.info(table(placebo=False), [UP], 0.0).panels[0].placebo is None
    nothing = weight_curves.draw(weight_curves.info(table().assign(value=np.nan), [UP], 0.0))
    assert nothing.layout.annotations[0].text == "No measure has a value."


def test_bars_of_senses_mark_those_that_get_the_weight() -> None:
    held = pd.DataFrame({"sense": [1, 2, 3], "sensitivity": [0.6, 0.4, 0.7], "ci_low": [0.5, 0.3, 0.6],
                         "ci_high": [0.7, 0.5, 0.8], "pairs": 9})  # fmt: skip
    bars = sense_bars.info(held, [2])
    assert bars.alt.endswith("sense 1 0.600, sense 2 0.400, sense 3 0.700. The weight goes to 2.")
    figure = sense_bars.draw(bars)
    assert [list(trace.x) for trace in figure.data] == [["sense 2"], ["sense 1", "sense 3"]]
    assert [trace.name for trace in figure.data] == [sense_bars.SCALED, sense_bars.OTHER]
    assert [trace.marker.pattern.shape for trace in figure.data] == ["/", ""]
    assert [trace.marker.color for trace in figure.data] == [sense_bars.COLOUR[False], LIGHT.muted]


def test_scores_of_documents_are_text_and_no_markup() -> None:
    drawn = weight_scores.info({"<img src=x>": [0.1, 0.2], "b": [0.3, 0.1]}, {"b": "female"}, ("female",), (0, 1), 1)
    figure = weight_scores.draw(drawn)
    assert [trace.name for trace in figure.data] == ["&lt;img src=x&gt;", "b (female)"]
    assert drawn.alt == "Scores of 2 documents over the sense weight; at 1: <img src=x> 0.200, b 0.100."
