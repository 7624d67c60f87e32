"""Cells that hold a number and show more."""

import numpy as np
import pandas as pd
import pytest

from fairviz.ui.kit import numbers


@pytest.mark.parametrize(
    ("values", "mark", "said"),
    [
        ((0.25, 0.2, 0.3), "★", "0.250 ★ [.20, .30]"),
        ((-1.052, -1.188, -0.926), "", "−1.052 [−1.19, −.93]"),
        ((0.999, 0.996, 1.0), "", "0.999 [1.00, 1.00]"),
        ((12.345, -0.001, 123.4), "", "12.3 [.00, 123]"),
        ((0.5, np.nan, np.nan), "★", "0.500 ★"),
        ((np.nan, np.nan, np.nan), "", "undefined"),
    ],
)
def test_a_value_with_its_interval_is_short(values, mark, said):
    assert numbers.with_interval(*values, mark) == said
    assert ";" not in said


def test_what_is_shown_is_not_what_is_held():
    table = pd.DataFrame({"system": ["a", "b"], "RaB": [-0.5, 0.25]})
    styler = numbers.shown(table, {"RaB": ["minus a half", "a quarter"]})
    assert styler.data["RaB"].tolist() == [-0.5, 0.25]
    drawn = styler.to_html()
    assert "minus a half" in drawn
    assert "a quarter" in drawn
