"""The line on narrow ranges, on Overview under AppTest."""

import pytest

from tests.pages.test_first_run import first_run, html_of

LINE = "no order of candidates moves"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"study": "newswire"}, ""),
        ({"study": "newswire", "cutoff": "1"}, "On 39 of 39 queries, no order of candidates moves AWRF"),
        ({"study": "occupations"}, "On 20 of 20 queries, no order of candidates moves CWEx by more than"),
    ],
)
def test_the_line_appears_where_most_ranges_are_narrow(query: dict, text: str) -> None:
    page = first_run("overview.py", **query)
    assert not page.exception
    lines = html_of(page)
    assert text in lines if text else LINE not in lines
