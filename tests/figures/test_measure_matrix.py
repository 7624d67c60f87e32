"""The matrix of measures against measures."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import measure_matrix
from fairviz.figures.style import DARK

TABLE = pd.DataFrame(
    [
        ("<b>x", "TED", "queries", "a", 0.5, 0.4),
        ("<b>x", "TED", "queries", "b", 0.1, 0.2),
        ("<b>x", "TED", "systems", "", np.nan, 0.7),
        ("<b>x", "RaB", "queries", "a", np.nan, np.nan),
    ],
    columns=["first", "second", "over", "system", "pearson", "kendall"],
)
MEASURES = ("<b>x", "TED", "RaB")


def test_means_over_systems_with_the_least_and_the_greatest() -> None:
    found = measure_matrix.info(TABLE, MEASURES)
    assert found.value[0] == pytest.approx((1, 0.3, np.nan), nan_ok=True)
    assert found.value[1][0] == found.value[0][1]
    assert found.alt == "Pearson's r of two measures over queries, mean over 2 systems: 1 pair, from 0.30 to 0.30."
    figure = measure_matrix.draw(found, DARK)
    assert figure.data[0].z[0] == [1.0, pytest.approx(0.3), None]
    assert figure.data[0].customdata[0][1] == "&lt;b&gt;x and TED<br>0.300, from 0.100 to 0.500 by system"
    assert figure.data[0].customdata[1][1] == "TED and TED<br>1.000"
    found = measure_matrix.info(TABLE, MEASURES, "kendall", "b")
    assert (found.value[0][1], found.scope) == (0.2, "of b")
    found = measure_matrix.info(TABLE, MEASURES, "order")
    assert (found.value[0][1], found.scope) == (0.7, "of the systems")
