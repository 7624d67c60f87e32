"""Values of systems under one annotator after another: what is drawn."""

import numpy as np
import pandas as pd

from fairviz.figures import annotator_values
from fairviz.figures.style import system_styles


def table() -> pd.DataFrame:
    rows = [("<b>rule</b>", "one", 0.2, 0.3, 0.05, 0.15, 9), ("<b>rule</b>", "two", 0.4, np.nan, np.nan, np.nan, 0)]
    return pd.DataFrame(rows, columns=["annotator", "system", "before", "after", "ci_low", "ci_high", "queries"])


def test_the_replaced_one_stands_first_and_bars_are_those_of_noise_and_of_the_change() -> None:
    noise = pd.DataFrame({"system": ["one"], "low": [0.1], "high": [0.25]})
    drawn = annotator_values.info(table(), "ann", "CWEx@10", "higher", noise)
    assert drawn.annotators == ("ann", "<b>rule</b>")
    assert drawn.table.round(9).fillna(-1).to_numpy().tolist() == [
        ["ann", "one", 0.2, 0.1, 0.25], ["ann", "two", 0.4, -1, -1],
        ["<b>rule</b>", "one", 0.3, 0.25, 0.35], ["<b>rule</b>", "two", -1, -1, -1],
    ]  # fmt: skip
    assert drawn.alt.startswith("CWEx@10 under each annotator's labels. ann: one 0.200, two 0.400; ")
    figure = annotator_values.draw(drawn, system_styles(["one", "two"]))
    assert [trace.name for trace in figure.data] == ["one", "two"]
    assert list(figure.layout.yaxis.ticktext) == ["ann", "&lt;b&gt;rule&lt;/b&gt;"]
    assert np.round(figure.data[0].error_x.array, 9).tolist() == [0.05, 0.05]
    assert figure.data[1].text[1] == "<b>two</b>, labels by &lt;b&gt;rule&lt;/b&gt;: undefined"


def test_nothing_to_draw_is_said() -> None:
    empty = table().assign(before=np.nan, after=np.nan)
    figure = annotator_values.draw(annotator_values.info(empty, "ann", "CWEx@10", "higher"), system_styles(["one"]))
    assert not figure.data
    assert "No list has a value" in figure.layout.annotations[0].text
