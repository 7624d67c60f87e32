"""Every page on a phone and on a projector: nothing is cut off at the right, lies on other text, or is too small."""

from pathlib import Path

import pytest

from tests.annotation.forms.small import formed, saved
from tests.browser.conftest import PATHS, Visitor

pytestmark = pytest.mark.browser
PHONE, PROJECTOR = {"width": 390, "height": 844}, {"width": 1024, "height": 768}
LOWEST = 300  # pixels of a figure on a phone
STRIPS = ("overview_order", "tradeoff_order")  # the figures of systems ordered by each measure
WIDTHS = """() => { const main = document.querySelector('[data-testid=stMain]')
  return [main.scrollWidth, main.clientWidth] }"""
HEIGHTS = """() => [...document.querySelectorAll('[data-testid=stMain] .js-plotly-plot')]
  .filter(figure => figure.checkVisibility() && figure.getBoundingClientRect().height)
  .map(figure => [figure.closest('[class*=st-key-]').className, figure.getBoundingClientRect().height])"""
TEXTS = """figure => [...figure.querySelectorAll('.annotation-text, .legendtext')]
  .map(text => {
    const boxes = [...text.querySelectorAll('tspan, a')].filter(part => part.checkVisibility())
    const shown = (boxes.length ? boxes : [text]).map(part => part.getBoundingClientRect()).filter(box => box.width)
    return [text.textContent, Math.min(...shown.map(box => box.left)), Math.min(...shown.map(box => box.top)),
      Math.max(...shown.map(box => box.right)), Math.max(...shown.map(box => box.bottom))]
  })"""
SLACK = 2  # pixels of a line's box above and below its letters


@pytest.fixture(scope="module")
def screens(browser):
    """One context for all pages and sizes."""
    context = browser.new_context(viewport=PHONE)
    yield context
    context.close()


@pytest.fixture
def reader(browser, server, screens):
    visitor = Visitor(browser, server, screens)
    yield visitor
    visitor.leave()


def assert_fits(reader: Visitor) -> None:
    width, room = reader.page.evaluate(WIDTHS)
    assert width <= room


def overlapping(texts: list) -> list[tuple[str, str]]:
    """Return the pairs of texts whose boxes overlap."""
    return [
        (first[0], second[0])
        for place, first in enumerate(texts)
        for second in texts[:place]
        if first[1] < second[3] - SLACK and second[1] < first[3] - SLACK
        and first[2] < second[4] - SLACK and second[2] < first[4] - SLACK
    ]  # fmt: skip


@pytest.mark.parametrize("screen", [PHONE, PROJECTOR], ids=["phone", "projector"])
@pytest.mark.parametrize("name", PATHS)
def test_a_page_fits_the_screen(name: str, screen: dict, reader: Visitor) -> None:
    reader.page.set_viewport_size(screen)
    reader.open(f"/{PATHS[name]}")
    assert_fits(reader)
    if screen == PHONE:
        heights = reader.page.evaluate(HEIGHTS)
        assert [(key, height) for key, height in heights if height < LOWEST] == []
    for key in STRIPS:
        strips = reader.page.locator(f".st-key-{key} .js-plotly-plot")
        if strips.count():
            texts = strips.evaluate(TEXTS)
            assert texts, key
            assert overlapping(texts) == []
    reader.assert_well()


@pytest.mark.parametrize("screen", [PHONE, PROJECTOR], ids=["phone", "projector"])
def test_the_labelling_page_fits_the_screen(
    screen: dict, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Visitor
) -> None:
    monkeypatch.setenv("FAIRVIZ_HOME", str(home))
    (link,) = formed(saved(tmp_path), people=1)
    reader.page.set_viewport_size(screen)
    reader.open(f"/label?token={link.token}")
    reader.shows("0 of 12 answered")
    assert_fits(reader)
    reader.assert_well()


def test_a_slider_and_its_figure_are_on_one_screen_of_a_phone(reader: Visitor) -> None:
    reader.page.set_viewport_size(PHONE)
    reader.open("/tradeoff")
    reader.page.get_by_test_id("stExpandSidebarButton").click()
    sheet = reader.page.get_by_test_id("stSidebar")
    slider = sheet.locator(".st-key-slider_alpha")
    slider.scroll_into_view_if_needed()
    reader.still(sheet)
    figure = reader.page.locator(".st-key-tradeoff_order .js-plotly-plot")
    figure.evaluate("figure => figure.scrollIntoView({ block: 'start' })")
    reader.still(figure)
    top, bottom = figure.evaluate(
        "figure => { const box = figure.getBoundingClientRect(); return [box.top, box.bottom] }"
    )
    assert top >= 0
    assert bottom <= sheet.bounding_box()["y"] + 1
    box = slider.bounding_box()
    assert sheet.bounding_box()["y"] <= box["y"] < box["y"] + box["height"] <= PHONE["height"]
    reader.assert_well()


def test_two_lists_of_a_query_are_below_one_another_on_a_phone(reader: Visitor) -> None:
    reader.page.set_viewport_size(PHONE)
    reader.open("/query")
    hits = reader.page.locator(".fv-lines .fv-words")
    assert hits.count() == 20
    widths = hits.evaluate_all("hits => hits.map(hit => hit.getBoundingClientRect()).map(box => [box.left, box.width])")
    assert min(width for _, width in widths) > 100
    assert max(left + width for left, width in widths) <= PHONE["width"]
