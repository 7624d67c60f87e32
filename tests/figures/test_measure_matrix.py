"""The matrix of measures against measures."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import measure_matrix
from fairviz.figures.measure_matrix import MeasureMatrix
from fairviz.figures.style import DARK, LIGHT

TABLE = pd.DataFrame(
    [
        ("CWEx", "TED", "queries", "a", 0.5, 0.4),
        ("CWEx", "TED", "queries", "b", 0.1, 0.2),
        ("CWEx", "TED", "systems", "", np.nan, 0.7),
        ("CWEx", "RaB", "queries", "a", np.nan, np.nan),
    ],
    columns=["first", "second", "over", "system", "pearson", "kendall"],
)
MEASURES = ("CWEx", "TED", "RaB")


def test_means_over_systems_with_the_least_and_the_greatest() -> None:
    found = measure_matrix.info(TABLE, MEASURES)
    assert found.value[0] == pytest.approx((1, 0.3, np.nan), nan_ok=True)
    assert found.value[1][0] == found.value[0][1]
    assert (found.low[0][1], found.high[0][1]) == (0.1, 0.5)
    assert (found.kind, found.scope) == ("pearson", "mean over 2 systems")
    assert found.alt == "Pearson's r of two measures over queries, mean over 2 systems: 1 pair, from 0.30 to 0.30."


def test_one_system_and_kendall() -> None:
    found = measure_matrix.info(TABLE, MEASURES, "kendall", "b")
    assert (found.value[0][1], found.scope) == (0.2, "of b")
    found = measure_matrix.info(TABLE, MEASURES, "order")
    assert (found.value[0][1], found.scope) == (0.7, "of the systems")


def test_nothing_to_draw() -> None:
    empty = measure_matrix.info(TABLE.head(0), ("CWEx",))
    assert empty.alt == "Pearson's r of two measures over queries: no pair of measures has one."
    assert not measure_matrix.draw(empty).data


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_cells_and_what_they_say(theme) -> None:
    figure = measure_matrix.draw(measure_matrix.info(TABLE, MEASURES), theme)
    assert figure.data[0].z[0] == [1.0, pytest.approx(0.3), None]
    assert figure.data[0].customdata[0][1] == "CWEx and TED<br>0.300, from 0.100 to 0.500 by system"
    assert figure.data[0].customdata[0][0] == "CWEx and CWEx<br>1.000"


def test_names_of_data_are_no_markup() -> None:
    matrix = MeasureMatrix(("<b>x", "y"), ((1, 0.5), (0.5, 1)), ((1, 0.5), (0.5, 1)), ((1, 0.5), (0.5, 1)), "order", "")
    assert "<b>" not in str(measure_matrix.draw(matrix).data[0].customdata)
