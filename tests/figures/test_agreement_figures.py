"""The figures of the Agreement page: what is drawn, and that text from data stays text."""

import math

import pandas as pd

from fairviz.figures import confusion, intervals, kappa_matrix
from fairviz.figures.style import DARK

NAME = "<img src=x>"
COMPARED = pd.DataFrame(
    {
        "annotator": ["a", NAME],
        "documents": [40, 1],
        "accuracy": [0.9, 0.0],
        "accuracy_low": [0.8, math.nan],
        "accuracy_high": [1.0, math.nan],
        "kappa": [0.5, math.nan],
        "kappa_low": [-0.2, math.nan],
        "kappa_high": [0.7, math.nan],
    }
)
SERIES = [("accuracy", "accuracy", "accuracy_low", "accuracy_high"), ("kappa", "kappa", "kappa_low", "kappa_high")]


def test_a_line_an_annotator_a_series_a_value():
    drawn = intervals.info("Title", COMPARED, "annotator", SERIES)
    assert drawn.lines == ("a", NAME)
    assert drawn.series[1].values[0] == 0.5
    assert drawn.series[0].texts[1] == "0.000 (no interval), 1 document"
    figure = intervals.draw(drawn)
    accuracy, kappa = figure.data
    assert list(accuracy.x) == [0.9, 0.0]
    assert [round(value, 3) for value in accuracy.error_x.array] == [0.1, 0]
    assert [round(value, 3) for value in kappa.error_x.arrayminus] == [0.7, 0]
    assert accuracy.marker.symbol != kappa.marker.symbol
    assert list(kappa.text) == ["0.50", ""]
    assert list(kappa.y) > list(accuracy.y), "series stand beside one another"


def test_an_interval_below_zero_is_on_the_axis_and_markup_is_text():
    figure = intervals.draw(intervals.info("Title", COMPARED, "annotator", SERIES), DARK)
    assert figure.layout.xaxis.range[0] < -0.2
    assert figure.layout.yaxis.ticktext == ("a", "&lt;img src=x&gt;")
    assert figure.data[0].customdata[1][0] == "&lt;img src=x&gt;"
    assert figure.data[0].customdata[0][1] == "0.900 (0.800 to 1.000), 40 documents"
    assert figure.data[1].customdata[1][1] == "undefined (no interval), 1 document"


def test_many_lines_carry_no_numbers_and_the_least_agreeing_are_kept():
    rows = 30
    table = pd.DataFrame(
        {
            "annotator": [f"a{place}" for place in range(rows)],
            "documents": [10] + [30] * (rows - 1),
            "kappa": [place / rows for place in range(rows)],
        }
    )
    kept = intervals.fewest(table, 20)
    assert kept["annotator"].tolist() == [f"a{place}" for place in range(1, 13)]
    assert intervals.fewest(COMPARED, 20) is COMPARED
    drawn = intervals.draw(intervals.info("Title", kept, "annotator", [("kappa", "kappa", "kappa", "kappa")]))
    assert drawn.data[0].mode == "markers"
    assert not drawn.layout.showlegend


def test_alt_text_and_the_empty_figure():
    drawn = intervals.info("Title", COMPARED, "annotator", SERIES)
    assert drawn.alt == f"Title. a: accuracy 0.900, kappa 0.500; {NAME}: accuracy 0.000, kappa undefined."
    empty = intervals.draw(intervals.info("Title", COMPARED.iloc[:0], "annotator", SERIES))
    assert empty.layout.annotations[0].text == "Nothing to compare: no document has two labels."
    assert not empty.data


CELLS = pd.DataFrame(
    [("a", "n", "n", 3), ("a", "n", "f", 1), ("a", "f", "n", 0), ("a", "f", "f", 0), ("b", "n", "n", 9)],
    columns=["annotator", "reference", "said", "documents"],
)


def test_confusion_is_one_annotators_with_shares_of_rows():
    drawn = confusion.info(CELLS, "gold", "a")
    assert drawn.documents == ((3, 1), (0, 0))
    assert drawn.alt == "a and gold give the same label to 3 of 4 documents."
    heat = confusion.draw(drawn).data[0]
    assert [list(row) for row in heat.z] == [[0.75, 0.25], [0, 0]]
    assert [list(row) for row in heat.text] == [["3 (75 %)", "1 (25 %)"], ["0 (0 %)", "0 (0 %)"]]
    assert (heat.zmin, heat.zmax) == (0, 1)


def test_confusion_is_summed_over_the_values_of_a_column():
    twice = pd.concat([CELLS.assign(topic="x"), CELLS.assign(topic="y")])
    assert confusion.info(twice, "gold", "a").documents == ((6, 2), (0, 0))


def test_nothing_in_common():
    figure = confusion.draw(confusion.info(CELLS, "gold", "nobody"))
    assert figure.layout.annotations[0].text == "They labelled no document in common."
    title = confusion.draw(confusion.info(CELLS, NAME, "a")).layout.title.text
    assert title == "Labels by a against &lt;img src=x&gt;"


def test_an_estimated_confusion_is_in_percent():
    cells = pd.DataFrame(
        [("a", "f", "f", 0.9), ("a", "f", "m", 0.1), ("a", "m", "f", 0.0), ("a", "m", "m", 1.0)],
        columns=["annotator", "true", "said", "probability"],
    )
    drawn = confusion.info_estimated(cells, "a")
    assert drawn.documents == ((0.9, 0.1), (0.0, 1.0))
    assert drawn.alt == "Dawid and Skene's model: share of right labels by a: f 90 %, m 100 %."
    figure = confusion.draw(drawn)
    assert [list(row) for row in figure.data[0].text] == [["90 %", "10 %"], ["0 %", "100 %"]]
    assert figure.layout.title.text == "Labels by a against the truth, as estimated"


def pairs(size: int) -> pd.DataFrame:
    rows = [(f"a{i}", f"a{j}", 20 + i, i / 100) for i in range(size) for j in range(i + 1, size)]
    return pd.DataFrame(rows, columns=["first", "second", "documents", "kappa"])


def test_the_matrix_is_symmetric_with_holes():
    table = pd.DataFrame(
        [("a", "b", 30, 0.4), ("b", "c", 25, math.nan)], columns=["first", "second", "documents", "kappa"]
    )
    drawn = kappa_matrix.info(table, 20)
    assert drawn.annotators == ("a", "b", "c")
    assert drawn.kappa[0][1] == drawn.kappa[1][0] == 0.4
    assert drawn.documents[2][1] == 25
    assert drawn.documents[0][2] == 0
    assert drawn.alt == "Kappa of 1 pair of annotators, from 0.40 to 0.40."
    heat = kappa_matrix.draw(drawn).data[0]
    assert heat.z[0][0] is None
    assert heat.customdata[0][1] == "a and b<br>kappa 0.400, 30 documents"
    assert heat.texttemplate == "%{z:.2f}"


def test_a_large_matrix_keeps_thirty_annotators_and_says_so():
    drawn = kappa_matrix.info(pairs(40), 20)
    assert len(drawn.annotators) == 30
    assert drawn.note == "10 more annotators are in the table."
    assert kappa_matrix.draw(drawn).data[0].texttemplate == ""


def test_no_pair_with_enough_documents():
    drawn = kappa_matrix.info(pairs(0), 20)
    assert drawn.alt == "No pair of annotators has 20 documents in common."
    assert kappa_matrix.draw(drawn).layout.annotations[0].text == drawn.alt
