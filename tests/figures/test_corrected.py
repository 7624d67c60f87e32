"""The figure of corrected means, and that of the width of their intervals."""

import pandas as pd

from fairviz.figures import corrected, width_curve

ROW = {
    "machine": 0.1,
    "people": 0.3,
    "people_low": 0.1,
    "people_high": 0.5,
    "value": 0.2,
    "ci_low": 0.1,
    "ci_high": 0.3,
}


def table(*measures: str, systems: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    return pd.DataFrame([{"system": system, "measure": measure, **ROW} for measure in measures for system in systems])


def test_each_system_has_three_marks_in_each_panel() -> None:
    data = corrected.info(table("CWEx(alpha=0.5)@10", "AWRF@10"), "lexicon", "anna")
    figure = corrected.draw(data)
    assert [trace.name for trace in figure.data] == ["lexicon alone", "anna alone", "corrected"] * 2
    assert [trace.showlegend for trace in figure.data] == [True] * 3 + [False] * 3
    assert figure.data[0].marker.symbol == "circle-open"
    assert figure.data[0].error_x.array is None
    assert [told[2] for told in figure.data[2].customdata] == [0.2, 0.2]
    assert figure.layout.xaxis.title.text == "CWEx@10"
    assert data.alt.startswith("Corrected means, 95 % intervals. CWEx(alpha=0.5)@10 of a 0.100 by the machine, 0.200")
    assert not figure.layout.shapes


def test_a_name_of_more_than_24_characters_is_shortened() -> None:
    figure = corrected.draw(corrected.info(table("AWRF@10", systems=("x" * 24, "y" * 25))))
    assert figure.layout.yaxis.ticktext == ("x" * 24, "y" * 23 + "…")


def test_two_panels_of_one_measure_keep_their_parameters() -> None:
    figure = corrected.draw(corrected.info(table("CWEx(alpha=0)@10", "CWEx(alpha=1)@10")))
    assert [figure.layout.xaxis.title.text, figure.layout.xaxis2.title.text] == ["CWEx(alpha=0)@10", "CWEx(alpha=1)@10"]


def test_differences_have_a_line_at_0_and_name_the_baseline() -> None:
    figure = corrected.draw(corrected.info(table("CWEx@10"), against="bm25"))
    assert figure.layout.title.text == "Corrected differences from bm25, 95 % intervals"
    assert figure.layout.shapes


def test_a_line_for_each_design() -> None:
    curves = pd.DataFrame({"design": ["queries"] * 2 + ["documents"] * 2, "labels": [50.0, 100, 50, 100],
                           "half_width": [0.2, 0.1, 0.15, float("nan")]})  # fmt: skip
    data = width_curve.info(curves, "CWEx@10 of a", 100)
    assert data.lines == {"queries": ((50.0, 100.0), (0.2, 0.1)), "documents": ((50.0,), (0.15,))}
    assert [trace.name for trace in width_curve.draw(data).data] == ["drawn queries", "drawn documents"]
    assert "drawn queries: ±0.200 with 50 labels, ±0.100 with 100" in data.alt
