"""The page What-if in a browser: from Query, a row moved by keys and another by hand, a label flipped, and saved."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROW = "li[data-id]"


@pytest.fixture
def _added(home: Path) -> Iterator[None]:
    """Other tests find newswire with the systems that it came with."""
    yield
    shutil.rmtree(home / "additions" / "newswire", ignore_errors=True)


def ids(page) -> list[str]:
    return page.locator(ROW).evaluate_all("rows => rows.map(row => row.dataset.id)")


def until(page, text: str) -> None:
    page.get_by_test_id("stMain").get_by_text(text, exact=False).first.wait_for()


@pytest.mark.lengthy
@pytest.mark.usefixtures("_added")
def test_from_query_to_a_new_system(visitor) -> None:
    visitor.open("/query?study=newswire&query=q02")
    page = visitor.page
    page.get_by_role("button", name="Open in What-if").click()
    page.locator(ROW).nth(9).wait_for()
    visitor.settle()
    start, before = ids(page), page.locator(".fv-lab").first.inner_text()
    page.locator(ROW).nth(4).focus()
    line = page.locator(ROW).nth(4).bounding_box()["height"]
    assert line < 40  # one line a document until it is opened
    page.keyboard.press("Enter")
    assert page.locator(ROW).nth(4).bounding_box()["height"] > line
    for _ in range(3):  # quicker than the page answers
        page.keyboard.press("Alt+ArrowUp")
    until(page, f"3. {start[4]} from rank 3 to 2")
    visitor.settle()
    assert ids(page)[:5] == [start[0], start[4], start[1], start[2], start[3]]
    focused = "[...document.querySelectorAll('*')].map(one => one.shadowRoot?.activeElement?.dataset.id).find(Boolean)"
    assert page.evaluate(focused) == start[4]
    page.locator(ROW).nth(6).drag_to(page.locator(ROW).nth(0), target_position={"x": 40, "y": 4})
    until(page, f"4. {start[6]} from rank 7 to 1")
    visitor.settle()
    moved = page.locator(".fv-lab").first.inner_text()
    assert moved != before
    page.locator(f"{ROW} select").nth(1).select_option("female")
    until(page, f"5. {start[0]} from male to female")
    visitor.settle()
    assert page.locator(".fv-lab").first.inner_text() != moved
    page.locator(f"{ROW} input").nth(2).click()
    page.locator(f"{ROW} input").nth(3).click()
    page.locator("button.swap").click()
    until(page, f"6. {start[4]} (rank 3) and {start[1]} (rank 4) swapped")
    visitor.settle()
    order = ids(page)
    page.reload()  # what was done is not lost
    page.locator(ROW).nth(9).wait_for()
    visitor.settle()
    assert ids(page) == order
    page.get_by_role("button", name="Save", exact=True).click()
    until(page, "bm25, edited: saved. Every page shows it.")
    visitor.settle()
    visitor.assert_well()
    visitor.go("Overview")
    page.locator("[data-testid=stDataFrame] td", has_text="bm25, edited").first.wait_for(state="attached")
    visitor.assert_well()


def test_hostile_names_are_text(visitor) -> None:
    visitor.open("/what_if?study=hostile")
    page = visitor.page
    page.locator(ROW).nth(1).wait_for()
    page.locator(ROW).nth(1).focus()
    page.keyboard.press("Alt+ArrowUp")
    until(page, "from rank 2 to 1")
    visitor.settle()
    assert page.evaluate("window.hacked") is None
    assert page.locator(f"{ROW} img").count() == 0
    visitor.assert_well()
