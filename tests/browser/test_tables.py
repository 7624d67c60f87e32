"""Tables as a person reads them: sorted by number, the selected row ticked, and the sheet as wide as the page."""

import pytest

from tests.browser.conftest import SCREEN

pytestmark = pytest.mark.browser


def column(visitor, place):
    """The cells of a column of the first table, from the top, as a screen reader is told them."""
    rows = visitor.page.get_by_test_id("stDataFrame").first.locator("table tbody tr")
    return [row.locator("td").nth(place).text_content() for row in rows.all()]


def test_a_tick_is_kept_the_sheet_is_as_wide_as_the_page_and_numbers_are_sorted(visitor):
    page = visitor.page
    visitor.open("/?study=occupations&system=CS")
    grid = page.get_by_test_id("stDataFrame").first
    ticked = grid.locator("table tbody tr[aria-selected=true]")
    ticked.first.wait_for(state="attached")
    assert "CS" in ticked.first.text_content()

    for width in (1400, 800):
        page.set_viewport_size({"width": width, "height": 900})
        page.get_by_test_id("stMain").get_by_role("button", name="Export").last.click()
        drawer = page.get_by_test_id("stPopoverBody")
        drawer.get_by_test_id("stDataFrame").wait_for()
        visitor.still(drawer)
        box = drawer.bounding_box()
        assert (box["x"], box["width"]) == (0, width)
        assert box["y"] + box["height"] == pytest.approx(900, abs=1)
        # no tools of the table itself come between; what a "?" below the sheet says may stay above it
        drawer.get_by_test_id("stDataFrame").hover(force=True)
        with page.expect_download() as download:
            drawer.get_by_role("button", name="CSV", exact=True).click()
        assert download.value.suggested_filename.endswith(".csv")
        page.keyboard.press("Escape")
        drawer.wait_for(state="detached")
    page.set_viewport_size(SCREEN)

    visitor.go("Methods")
    visitor.go("Overview")
    ticked.first.wait_for(state="attached")
    assert "CS" in ticked.first.text_content()
    heads = grid.locator("table thead th").all_text_contents()
    place = next(at for at, head in enumerate(heads) if head.startswith("CWEx"))
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 210, box["y"] + 15)  # the head of the second column
    visitor.until(
        "place => { const told = [...document.querySelectorAll('[data-testid=stDataFrame] table tbody tr')]"
        ".map(row => parseFloat(row.querySelectorAll('td')[place].textContent));"
        " return told.length > 2 && told.every((one, at) => !at || told[at - 1] <= one) }",
        arg=place,
    )
    values = [float(cell) for cell in column(visitor, place)]
    assert values == sorted(values)
    assert values[0] < 0
