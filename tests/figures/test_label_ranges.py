import numpy as np
import pandas as pd

from fairviz.figures import label_ranges
from fairviz.figures.style import system_styles

SUMMARY = pd.DataFrame({"system": ["a", "<b>"], "value": [0.2, 0.4], "ci_low": [0.1, 0.3], "ci_high": [0.3, 0.5]})
NOISE = pd.DataFrame(
    {"system": ["a"] * 41 + ["<b>"] * 41, "draw": [*range(41)] * 2, "value": [*np.arange(41) / 40, *[0.4] * 41]}
)
BOUNDS = pd.DataFrame({"system": ["a", "<b>"], "low": [0.0, np.nan], "high": [0.9, np.nan], "exact": [True, False]})
STYLES = system_styles(("a", "<b>"))


def test_draws_become_a_range_beside_that_over_queries() -> None:
    table = label_ranges.info(SUMMARY, "CWEx@10", "higher", noise=NOISE).table
    rows = table.set_index(["kind", "system"])
    assert rows.loc[("over queries", "a")].tolist() == [0.1, 0.2, 0.3]
    np.testing.assert_allclose(rows.loc[("over labels", "a")].astype(float), [0.025, 0.5, 0.975])
    np.testing.assert_allclose(rows.loc[("over labels", "<b>")].astype(float), [0.4, 0.4, 0.4])


def test_bounds_keep_the_value_and_nothing_is_drawn_for_what_is_undefined() -> None:
    ranges = label_ranges.info(SUMMARY, "CWEx@10", "higher", bounds=BOUNDS)
    rows = ranges.table.set_index(["kind", "system"])
    assert rows.loc[("any labels", "a")].tolist() == [0.0, 0.2, 0.9]
    figure = label_ranges.draw(ranges, STYLES)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert [trace.name for trace in lines] == ["95 % interval over queries", "any labels for what is unlabelled"]
    np.testing.assert_array_equal(lines[1].x, [0.0, 0.9, np.nan])
    assert len({trace.line.dash for trace in lines}) == 2


def test_the_figure_names_its_systems_and_escapes_them() -> None:
    ranges = label_ranges.info(SUMMARY, "CWEx@10", "higher", noise=NOISE)
    figure = label_ranges.draw(ranges, STYLES)
    assert figure.layout.title.text == "How far labels carry, beside queries"
    assert figure.layout.xaxis.title.text == "CWEx@10 → fairer"
    assert list(figure.layout.yaxis.ticktext) == ["a", "&lt;b&gt;"]
    markers = [trace for trace in figure.data if trace.mode == "markers"]
    assert list(markers[0].marker.symbol) == ["circle", "square"]
    assert "a over queries 0.100 to 0.300" in ranges.alt


def test_without_an_interval_the_figure_says_so() -> None:
    empty = SUMMARY.assign(ci_low=np.nan, ci_high=np.nan)
    figure = label_ranges.draw(label_ranges.info(empty, "CWEx@10", "higher"), STYLES)
    assert figure.layout.annotations[0].text == "No interval can be computed."
