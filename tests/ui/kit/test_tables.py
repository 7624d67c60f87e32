import numpy as np
import pandas as pd

from fairviz.measures import parse
from fairviz.ui.kit import tables

CWEX, GAP, RATIO, TED = (parse(text) for text in ("CWEx@10", "ExposureGap@10", "GroupExposureRatio@10", "TED@10"))


def test_the_best_value_follows_the_direction_of_the_measure():
    values = np.array([-0.4, 0.1, 0.5])
    assert tables.best_rows(CWEX, values).tolist() == [False, False, True]
    assert tables.best_rows(GAP, values).tolist() == [False, True, False]
    assert tables.best_rows(TED, values).tolist() == [True, False, False]
    assert tables.best_rows(RATIO, np.array([0.5, 1.9, 3.0])).tolist() == [False, True, False]


def test_nothing_is_best_where_all_are_equal_or_alone():
    assert not tables.best_rows(CWEX, np.array([0.2, 0.2])).any()
    assert not tables.best_rows(CWEX, np.array([0.2, np.nan])).any()
    assert tables.best_rows(CWEX, np.array([0.2, 0.2, 0.1])).tolist() == [True, True, False]


def test_a_cell_holds_value_star_and_interval():
    summary = pd.DataFrame(
        {
            "system": ["a", "b", "c"],
            "measure": CWEX.text,
            "value": [0.25, -0.1234, np.nan],
            "ci_low": [0.2, np.nan, np.nan],
            "ci_high": [0.3, np.nan, np.nan],
        }
    )
    table = tables.grid(summary, [CWEX])
    assert list(table.columns) == ["system", "CWEx ↑"]
    assert table["CWEx ↑"].tolist() == ["0.250 ★ [.20, .30]", "−0.123", "undefined"]


def test_headers_say_where_the_better_end_lies():
    assert [tables.header(question) for question in (CWEX, GAP, RATIO, TED)] == [
        "CWEx ↑",
        "ExposureGap → 0",
        "GroupExposureRatio → 1",
        "TED ↓",
    ]
