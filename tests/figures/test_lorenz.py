"""Lorenz curves, a panel a system."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import lorenz
from fairviz.figures.style import DARK, LIGHT, group_colour

POINTS = pd.DataFrame(
    [(system, group, x, y) for system in ("<a>", "b", "c", "d", "e") for group in ("female", "male")
     for x, y in ((0, 0), (0.5, 0.25), (1, 1))],
    columns=["system", "group", "documents", "exposure"],
)  # fmt: skip
GINIS = {(system, group): 0.25 for system in "bcde" for group in ("female", "male")}


def test_curves_and_their_alt_text() -> None:
    curves = lorenz.info(POINTS, {**GINIS, ("<a>", "female"): 0.125})
    assert curves.systems == ("<a>", "b", "c", "d", "e")
    assert curves.groups == ("female", "male")
    assert curves.curves[0].exposure == (0.0, 0.25, 1.0)
    assert np.isnan(curves.curves[1].gini)
    assert curves.alt == (
        "Lorenz curves of exposure within the cutoff. Gini coefficients, <a>: female 0.125, male undefined; "
        "b: female 0.250, male 0.250; c: female 0.250, male 0.250; d: female 0.250, male 0.250 …."
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_panel_a_system_with_the_diagonal(theme) -> None:
    figure = lorenz.draw(lorenz.info(POINTS, GINIS), theme)
    assert len(figure.data) == 5 * 3
    assert [trace.name for trace in figure.data if trace.showlegend] == ["equal exposure", "female", "male"]
    female, male = figure.data[1], figure.data[2]
    assert female.line.color == group_colour("female", (), theme)
    assert female.line.dash != male.line.dash
    assert (figure.data[0].x, figure.data[0].y) == ((0, 1), (0, 1))
    titles = [figure.layout[f"xaxis{number or ''}"].title.text for number in ("", 2, 3, 4, 5)]
    assert titles == [None, None, *["share of documents"] * 3]
    assert "<a>" not in str(figure.data)
