"""Tables as a person reads them: sorted by number, the selected row ticked, and the sheet as wide as the page."""

import pytest

pytestmark = pytest.mark.browser


def column(visitor, place):
    """The cells of a column of the first table, from the top, as a screen reader is told them."""
    rows = visitor.page.get_by_test_id("stDataFrame").first.locator("table tbody tr")
    return [row.locator("td").nth(place).text_content() for row in rows.all()]


def test_a_column_of_negative_values_sorts_by_number(visitor):
    visitor.open("/")
    grid = visitor.page.get_by_test_id("stDataFrame").first
    grid.locator("table thead th").nth(1).wait_for(state="attached")
    heads = grid.locator("table thead th").all_text_contents()
    place = next(at for at, head in enumerate(heads) if head.startswith("CWEx"))
    box = grid.bounding_box()
    visitor.page.mouse.click(box["x"] + 210, box["y"] + 15)  # the head of the second column
    visitor.page.wait_for_function(
        "place => { const told = [...document.querySelectorAll('[data-testid=stDataFrame] table tbody tr')]"
        ".map(row => parseFloat(row.querySelectorAll('td')[place].textContent));"
        " return told.length > 5 && told.every((one, at) => !at || told[at - 1] <= one) }",
        arg=place,
    )
    values = [float(cell) for cell in column(visitor, place)]
    assert values == sorted(values)
    assert values[0] < 0


def test_the_selected_system_is_ticked_wherever_it_was_selected(visitor):
    visitor.open("/?system=rrf")
    ticked = visitor.page.get_by_test_id("stDataFrame").first.locator("table tbody tr[aria-selected=true]")
    ticked.first.wait_for(state="attached")
    assert "rrf" in ticked.first.text_content()
    visitor.go("Trade-off")
    visitor.go("Overview")
    ticked.first.wait_for(state="attached")
    assert "rrf" in ticked.first.text_content()


@pytest.mark.parametrize("width", [1400, 800])
def test_the_sheet_is_as_wide_as_the_page_and_gives_a_file(visit, width):
    visitor = visit()
    visitor.page.set_viewport_size({"width": width, "height": 900})
    visitor.open("/tradeoff")
    visitor.page.get_by_test_id("stMain").get_by_role("button", name="Export").last.click()
    drawer = visitor.page.get_by_test_id("stPopoverBody")
    drawer.get_by_test_id("stDataFrame").wait_for()
    box = drawer.bounding_box()
    assert (box["x"], box["width"]) == (0, width)
    assert box["y"] + box["height"] == pytest.approx(900, abs=1)
    drawer.get_by_test_id("stDataFrame").hover()  # no tools of the table itself come between
    with visitor.page.expect_download() as download:
        drawer.get_by_role("button", name="CSV", exact=True).click()
    assert download.value.suggested_filename.endswith(".csv")
    visitor.page.keyboard.press("Escape")
    drawer.wait_for(state="detached")
