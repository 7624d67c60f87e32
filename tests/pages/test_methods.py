"""The page Methods: a link opens the definition of its measure, and how things are computed is told."""

import pytest

from fairviz.measures import MEASURES
from tests.pages.conftest import first_run, html_of


@pytest.mark.parametrize(("linked", "expected"), [("GSR", ["GSR"]), ("", []), ("nobody", [])])
def test_a_link_opens_its_measure_alone(linked: str, expected: list[str]) -> None:
    page = first_run("methods.py", study="football", methods_measure=linked)
    assert [one.label for one in page.expander if one.proto.expanded and one.label in MEASURES] == expected
    assert ("scrollIntoView" in html_of(page)) == bool(expected)


def test_the_first_table_defines_every_measure_and_the_text_how_systems_are_compared() -> None:
    page = first_run("methods.py", study="football")
    table = page.dataframe[0].value
    assert table["measure"].tolist() == list(MEASURES)
    assert table["definition"].tolist() == [record.summary for record in MEASURES.values()]
    for told in (
        "All pairs of the systems shown, within a measure.",
        "Name a baseline before looking at the results.",
        "A verdict needs 10 common queries and half of all queries.",
    ):
        assert told in html_of(page)
