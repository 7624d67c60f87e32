"""Cells that hold a number and show more."""

import pandas as pd

from fairviz.ui.kit import numbers


def test_what_is_shown_is_not_what_is_held():
    table = pd.DataFrame({"system": ["a", "b"], "RaB": [-0.5, 0.25]})
    styler = numbers.shown(table, {"RaB": ["minus a half", "a quarter"]})
    assert styler.data["RaB"].tolist() == [-0.5, 0.25]
    drawn = styler.to_html()
    assert "minus a half" in drawn
    assert "a quarter" in drawn
