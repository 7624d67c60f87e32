"""The page Never shown: from the menu to a document that no list shows."""

import pytest

pytestmark = pytest.mark.browser


def test_a_tick_opens_the_document(visitor):
    visitor.open("/?study=newswire")
    visitor.go("Never shown")
    page = visitor.page
    grid = page.locator(".st-key-analysis_never-shown_documents_card [data-testid=stDataFrame]").first
    grid.wait_for()
    visitor.assert_well()
    assert page.locator(".js-plotly-plot").count() >= 2
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 52)  # the tick of the first row
    page.wait_for_url("**/read?**document=lee-294**")
    visitor.settle()
    assert "strife-torn Democrats" in visitor.text()
