"""The figures of annotators and of what their labels change: agreement, confusion, ranges and corrected means."""

import math

import numpy as np
import pandas as pd

from fairviz.figures import annotator_values, confusion, corrected, intervals, kappa_matrix, label_ranges, width_curve
from fairviz.figures.style import DARK, system_styles

NAN = math.nan
NAME, SAFE = "<img src=x>", "&lt;img src=x&gt;"
STYLES = system_styles(("a", NAME))
COMPARED = pd.DataFrame(
    [("a", 40, 0.9, 0.8, 1.0, 0.5, -0.2, 0.7), (NAME, 1, 0.0, NAN, NAN, NAN, NAN, NAN)],
    columns=["annotator", "documents", "accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low", "kappa_high"],
)
SERIES = [("accuracy", "accuracy", "accuracy_low", "accuracy_high"), ("kappa", "kappa", "kappa_low", "kappa_high")]


def test_intervals_have_a_line_an_annotator_and_a_series_a_value():
    drawn = intervals.info("Title", COMPARED, "annotator", SERIES)
    assert drawn.alt == f"Title. a: accuracy 0.900, kappa 0.500; {NAME}: accuracy 0.000, kappa undefined."
    figure = intervals.draw(drawn, DARK)
    accuracy, kappa = figure.data
    assert (list(accuracy.x), list(kappa.text)) == ([0.9, 0.0], ["0.50", ""])
    assert np.allclose([accuracy.error_x.array, kappa.error_x.arrayminus], [[0.1, 0], [0.7, 0]])
    assert accuracy.marker.symbol != kappa.marker.symbol
    assert list(kappa.y) > list(accuracy.y), "series stand beside one another"
    assert figure.layout.xaxis.range[0] < -0.2
    assert figure.layout.yaxis.ticktext == ("a", SAFE)
    assert accuracy.customdata[0][1] == "0.900 (0.800 to 1.000), 40 documents"
    assert list(kappa.customdata[1]) == [SAFE, "undefined (no interval), 1 document"]


def test_many_lines_of_intervals_carry_no_numbers_and_the_least_agreeing_are_kept():
    values = {"documents": [10] + [30] * 29, "kappa": [place / 30 for place in range(30)]}
    kept = intervals.fewest(pd.DataFrame({"annotator": [f"a{place}" for place in range(30)]} | values), 20)
    assert kept["annotator"].tolist() == [f"a{place}" for place in range(1, 13)]
    assert intervals.fewest(COMPARED, 20) is COMPARED
    drawn = intervals.draw(intervals.info("Title", kept, "annotator", [("kappa", "kappa", "kappa", "kappa")]))
    assert drawn.data[0].mode == "markers"
    assert not drawn.layout.showlegend


def test_confusion_is_one_annotators_with_shares_of_rows_summed_over_other_columns():
    cells = pd.DataFrame(
        [("a", "n", "n", 3), ("a", "n", "f", 1), ("a", "f", "n", 0), ("a", "f", "f", 0), ("b", "n", "n", 9)],
        columns=["annotator", "reference", "said", "documents"],
    )
    drawn = confusion.info(cells, NAME, "a")
    assert drawn.alt == f"a and {NAME} give the same label to 3 of 4 documents."
    figure = confusion.draw(drawn)
    assert figure.layout.title.text == f"Labels by a against {SAFE}"
    (heat,) = figure.data
    assert [list(row) for row in heat.z] == [[0.75, 0.25], [0, 0]]
    assert [list(row) for row in heat.text] == [["3 (75 %)", "1 (25 %)"], ["0 (0 %)", "0 (0 %)"]]
    assert (heat.zmin, heat.zmax) == (0, 1)
    twice = pd.concat([cells.assign(topic="x"), cells.assign(topic="y")])
    assert confusion.info(twice, "gold", "a").documents == ((6, 2), (0, 0))


def test_an_estimated_confusion_is_in_percent():
    cells = pd.DataFrame(
        [("a", "f", "f", 0.9), ("a", "f", "m", 0.1), ("a", "m", "f", 0.0), ("a", "m", "m", 1.0)],
        columns=["annotator", "true", "said", "probability"],
    )
    drawn = confusion.info_estimated(cells, "a")
    assert drawn.alt == "Dawid and Skene's model: share of right labels by a: f 90 %, m 100 %."
    figure = confusion.draw(drawn)
    assert [list(row) for row in figure.data[0].text] == [["90 %", "10 %"], ["0 %", "100 %"]]
    assert figure.layout.title.text == "Labels by a against the truth, as estimated"


def test_the_matrix_of_kappa_is_symmetric_with_holes_and_a_large_one_keeps_thirty_annotators():
    columns = ["first", "second", "documents", "kappa"]
    drawn = kappa_matrix.info(pd.DataFrame([("a", "b", 30, 0.4), ("b", "c", 25, NAN)], columns=columns), 20)
    assert drawn.annotators == ("a", "b", "c")
    assert drawn.kappa[0][1] == drawn.kappa[1][0] == 0.4
    assert (drawn.documents[2][1], drawn.documents[0][2]) == (25, 0)
    assert drawn.alt == "Kappa of 1 pair of annotators, from 0.40 to 0.40."
    heat = kappa_matrix.draw(drawn).data[0]
    assert heat.z[0][0] is None
    assert heat.customdata[0][1] == "a and b<br>kappa 0.400, 30 documents"
    assert heat.texttemplate == "%{z:.2f}"
    rows = [(f"a{i}", f"a{j}", 20 + i, i / 100) for i in range(40) for j in range(i + 1, 40)]
    drawn = kappa_matrix.info(pd.DataFrame(rows, columns=columns), 20)
    assert (len(drawn.annotators), drawn.note) == (30, "10 more annotators are in the table.")
    nobody = kappa_matrix.info(pd.DataFrame([], columns=columns), 20)
    assert nobody.alt == "No pair of annotators has 20 documents in common."


def test_values_under_annotators_begin_with_the_replaced_one_and_bars_are_of_noise_and_of_the_change() -> None:
    rows = [(NAME, "a", 0.2, 0.3, 0.05, 0.15, 9), (NAME, "two", 0.4, NAN, NAN, NAN, 0)]
    table = pd.DataFrame(rows, columns=["annotator", "system", "before", "after", "ci_low", "ci_high", "queries"])
    noise = pd.DataFrame({"system": ["a"], "low": [0.1], "high": [0.25]})
    drawn = annotator_values.info(table, "ann", "CWEx@10", "higher", noise)
    assert drawn.table.round(9).fillna(-1).to_numpy().tolist() == [
        ["ann", "a", 0.2, 0.1, 0.25], ["ann", "two", 0.4, -1, -1],
        [NAME, "a", 0.3, 0.25, 0.35], [NAME, "two", -1, -1, -1],
    ]  # fmt: skip
    assert drawn.alt.startswith("CWEx@10 under each annotator's labels. ann: a 0.200, two 0.400; ")
    figure = annotator_values.draw(drawn, system_styles(["a", "two"]))
    assert [trace.name for trace in figure.data] == ["a", "two"]
    assert list(figure.layout.yaxis.ticktext) == ["ann", SAFE]
    assert np.round(figure.data[0].error_x.array, 9).tolist() == [0.05, 0.05]
    assert figure.data[1].text[1] == f"<b>two</b>, labels by {SAFE}: undefined"


SUMMARY = pd.DataFrame({"system": ["a", NAME], "value": [0.2, 0.4], "ci_low": [0.1, 0.3], "ci_high": [0.3, 0.5]})


def test_draws_of_labels_become_a_range_beside_that_over_queries() -> None:
    draws = [*np.arange(41) / 40, *[0.4] * 41]
    noise = pd.DataFrame({"system": ["a"] * 41 + [NAME] * 41, "draw": [*range(41)] * 2, "value": draws})
    ranges = label_ranges.info(SUMMARY, "CWEx@10", "higher", noise=noise)
    rows = ranges.table.set_index(["kind", "system"]).astype(float)
    assert rows.loc[("over queries", "a")].tolist() == [0.1, 0.2, 0.3]
    of_labels = rows.loc[[("over labels", "a"), ("over labels", NAME)]]
    np.testing.assert_allclose(of_labels, [[0.025, 0.5, 0.975], [0.4, 0.4, 0.4]])
    assert "a over queries 0.100 to 0.300" in ranges.alt
    figure = label_ranges.draw(ranges, STYLES)
    layout = figure.layout
    assert (layout.title.text, layout.xaxis.title.text) == ("How far labels carry, beside queries", "CWEx@10 → fairer")
    assert list(layout.yaxis.ticktext) == ["a", SAFE]
    markers = next(trace for trace in figure.data if trace.mode == "markers")
    assert list(markers.marker.symbol) == ["circle", "square"]


def test_bounds_of_labels_keep_the_value_and_what_is_undefined_is_not_drawn() -> None:
    bounds = pd.DataFrame({"system": ["a", NAME], "low": [0.0, NAN], "high": [0.9, NAN], "exact": [True, False]})
    ranges = label_ranges.info(SUMMARY, "CWEx@10", "higher", bounds=bounds)
    assert ranges.table.set_index(["kind", "system"]).loc[("any labels", "a")].tolist() == [0.0, 0.2, 0.9]
    lines = [trace for trace in label_ranges.draw(ranges, STYLES).data if trace.mode == "lines"]
    assert [trace.name for trace in lines] == ["95 % interval over queries", "any labels for what is unlabelled"]
    np.testing.assert_array_equal(lines[1].x, [0.0, 0.9, NAN])
    assert len({trace.line.dash for trace in lines}) == 2


def corrected_table(*measures: str, systems: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    row = {"machine": 0.1, "people": 0.3, "people_low": 0.1, "people_high": 0.5, "value": 0.2, "ci_low": 0.1}
    rows = [{"system": system, "measure": measure, **row} for measure in measures for system in systems]
    return pd.DataFrame(rows).assign(ci_high=0.3)


def test_each_system_has_three_marks_in_each_panel_of_corrected_means() -> None:
    data = corrected.info(corrected_table("CWEx(alpha=0.5)@10", "AWRF@10"), "lexicon", "anna")
    assert data.alt.startswith("Corrected means, 95 % intervals. CWEx(alpha=0.5)@10 of a 0.100 by the machine, 0.200")
    figure = corrected.draw(data)
    assert [trace.name for trace in figure.data] == ["lexicon alone", "anna alone", "corrected"] * 2
    assert [trace.showlegend for trace in figure.data] == [True] * 3 + [False] * 3
    assert figure.data[0].marker.symbol == "circle-open"
    assert figure.data[0].error_x.array is None
    assert [told[2] for told in figure.data[2].customdata] == [0.2, 0.2]
    assert figure.layout.xaxis.title.text == "CWEx@10"
    assert not figure.layout.shapes
    alike = corrected.draw(corrected.info(corrected_table("CWEx(alpha=0)@10", "CWEx(alpha=1)@10")))
    assert [alike.layout.xaxis.title.text, alike.layout.xaxis2.title.text] == ["CWEx(alpha=0)@10", "CWEx(alpha=1)@10"]
    long = corrected.draw(corrected.info(corrected_table("AWRF@10", systems=("x" * 24, "y" * 25))))
    assert long.layout.yaxis.ticktext == ("x" * 24, "y" * 23 + "…")
    apart = corrected.draw(corrected.info(corrected_table("CWEx@10"), against="bm25"))
    assert apart.layout.title.text == "Corrected differences from bm25, 95 % intervals"
    assert apart.layout.shapes, "a line at 0"


def test_the_width_of_intervals_has_a_line_for_each_design() -> None:
    curves = pd.DataFrame({"design": ["queries"] * 2 + ["documents"] * 2, "labels": [50.0, 100, 50, 100],
                           "half_width": [0.2, 0.1, 0.15, NAN]})  # fmt: skip
    data = width_curve.info(curves, "CWEx@10 of a", 100)
    assert data.lines == {"queries": ((50.0, 100.0), (0.2, 0.1)), "documents": ((50.0,), (0.15,))}
    assert [trace.name for trace in width_curve.draw(data).data] == ["drawn queries", "drawn documents"]
    assert "drawn queries: ±0.200 with 50 labels, ±0.100 with 100" in data.alt
