"""The page Methods: a link opens the definition of its measure."""

import pytest

from fairviz.measures import MEASURES
from tests.pages.test_first_run import first_run, html_of


def opened(page) -> list[str]:
    return [one.label for one in page.expander if one.proto.expanded and one.label in MEASURES]


@pytest.mark.parametrize(("linked", "expected"), [("GSR", ["GSR"]), ("", []), ("nobody", [])])
def test_a_link_opens_its_measure_alone(linked: str, expected: list[str]) -> None:
    page = first_run("methods.py", study="football", methods_measure=linked)
    assert not page.exception
    assert opened(page) == expected
    assert ("scrollIntoView" in html_of(page)) == bool(expected)


def test_the_first_table_defines_every_measure() -> None:
    table = first_run("methods.py", study="football").dataframe[0].value
    assert table["measure"].tolist() == list(MEASURES)
    assert table["definition"].tolist() == [record.summary for record in MEASURES.values()]
