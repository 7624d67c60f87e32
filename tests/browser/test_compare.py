"""The page Two systems in a real browser: from a bar to the two lists of its query, and the files for a paper."""

from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.browser

TABLE = '[aria-label="The two lists"]'


def test_a_bar_shows_the_two_lists_of_its_query_and_a_file_says_what_it_was_made_of(visitor, tmp_path):
    visitor.open("/compare?study=newswire&system=w2v_add&baseline=bm25")
    visitor.assert_well()
    first = visitor.page.locator(TABLE).inner_text()
    bar = visitor.page.locator(".st-key-compare_by_query .barlayer .point path").first
    bar.wait_for(state="attached")
    bar.click(force=True)  # the greatest fall; what stands there first is the widest difference, a rise
    visitor.page.wait_for_function("() => location.search.includes('query=')")
    visitor.settle(0)
    query = parse_qs(urlsplit(visitor.page.url).query)["query"]
    assert len(query) == 1
    assert visitor.page.locator(TABLE).inner_text() != first
    visitor.page.get_by_role("tab", name="All systems against the baseline").click()
    visitor.page.locator(".st-key-compare_table_export button").click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="Markdown").click()
    assert download.value.suggested_filename == "compare_table.md"
    download.value.save_as(tmp_path / "table.md")
    text = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- study: newswire -->\n")
    assert "| bm25 | −0.209 |" in text
    assert "margins: 0.02" in text
    visitor.page.keyboard.press("Escape")
    visitor.page.locator(".st-key-compare_queries_export button").click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == "compare_queries.svg"
    visitor.assert_well()
