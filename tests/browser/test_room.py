"""Room on the page: little width, a zoomed browser; what is being made; files that say what they are."""

from pathlib import Path

import pandas as pd
import pytest

from tests.browser.conftest import OPTIONS, Visitor, running

pytestmark = pytest.mark.browser
PATHS = ("/", "/data", "/methods", "/tradeoff", "/gsr", "/words", "/read", "/agreement")
CARDS = ("/tradeoff", "/gsr", "/words", "/agreement")
SCREENS = {
    "800 pixels": (800, 900, 1, "light"),
    "zoomed to 150 %": (933, 600, 1.5, "light"),
    "dark": (1400, 900, 1, "dark"),
}
CHARTS = """() => {
  const main = document.querySelector('[data-testid=stMainBlockContainer]');
  const style = getComputedStyle(main), padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  const shown = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stPlotlyChart]')];
  return shown.filter(one => one.offsetParent).map(one => one.clientWidth / (main.clientWidth - padding));
}"""
CUT_WORDS = """() => [...document.querySelectorAll('[data-testid=stMain] button p')]
  .filter(one => one.offsetParent && one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"""
# Text that an element which hides what is too wide for it cuts, or the edge of a figure. What can be scrolled is not
# cut, nor is the beginning of a document, which is meant to be one.
CUT_TEXT = """() => {
  const main = document.querySelector('[data-testid=stMain]'), found = [];
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const one = node.parentElement, range = document.createRange();
    const apart = 'style, script, canvas, .katex-mathml, [aria-hidden=true], .fv-near td:last-child';
    if (!node.textContent.trim() || one.closest(apart)) continue;
    if (!one.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    for (let over = one; over && over !== main; over = over.parentElement) {
      const flow = getComputedStyle(over).overflowX;
      if (flow === 'auto' || flow === 'scroll') break;
      if (flow !== 'hidden' && flow !== 'clip') continue;
      const edge = over.getBoundingClientRect();
      if (edge.width > 1 && (box.right > edge.right + 1.5 || box.left < edge.left - 1.5)) {
        found.push(node.textContent.trim()); break;
      }
    }
  }
  return found;
}"""
OVER = "() => (one => one.scrollWidth - one.clientWidth)(document.querySelector('[data-testid=stMain]'))"
BAR = """one => [one.scrollWidth - one.clientWidth, one.offsetHeight - one.clientHeight,
  !getComputedStyle(one).scrollbarColor.startsWith('rgba(0, 0, 0, 0)')]"""
WIDE = "() => document.querySelector('[data-testid=stDataFrame]').getBoundingClientRect().width > 1300"
FIGURES = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stPlotlyChart]')]
  .map(one => Math.round(one.getBoundingClientRect().top))"""


@pytest.mark.parametrize(
    "screen",
    [name if not place else pytest.param(name, marks=pytest.mark.lengthy) for place, name in enumerate(SCREENS)],
)
def test_no_page_overflows_no_text_is_cut_and_cards_stand_as_there_is_room(browser, server, screen):
    width, height, scale, scheme = SCREENS[screen]
    visitor = Visitor(browser, server, device_scale_factor=scale, color_scheme=scheme)
    visitor.page.set_viewport_size({"width": width, "height": height})
    for path in PATHS:
        visitor.open(path)
        assert visitor.page.evaluate(CUT_WORDS) == [], path
        assert visitor.page.evaluate(CUT_TEXT) == [], path
        assert visitor.page.evaluate(OVER) <= 0, path
        shares = visitor.page.evaluate(CHARTS)
        assert bool(shares) or path not in CARDS
        stacked, side_by_side = all(share > 0.8 for share in shares), min(shares, default=0) < 0.6
        assert side_by_side if width >= 1400 and len(shares) > 1 else stacked, (path, shares)
    dark = visitor.page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert (dark == "rgb(255, 255, 255)") == (scheme == "light")
    visitor.assert_well()
    visitor.context.close()


@pytest.mark.lengthy
def test_the_finding_never_moves_the_figures(visitor):
    tops = set()
    for alpha in ("0.05", "0.3", "0.5", "0.7", "0.95"):
        visitor.open(f"/tradeoff?alpha={alpha}")
        tops.add(tuple(visitor.page.evaluate(FIGURES)))
    assert len(tops) == 1, tops


def test_a_long_formula_and_a_wide_table_scroll_and_show_that_they_do(browser, chromium, server):
    """In a browser that shows scroll bars, which a driven one hides unless it is told not to."""
    shown = browser.browser_type.launch(
        executable_path=chromium, args=list(OPTIONS), ignore_default_args=["--hide-scrollbars"]
    )
    visitor = Visitor(shown, server)
    visitor.page.set_viewport_size({"width": 800, "height": 900})
    visitor.open("/methods")
    for name in ("CWEx", "NFaiRR", "GSR"):
        visitor.page.get_by_test_id("stExpander").filter(has_text=name).last.locator("summary").click()
    visitor.still(visitor.page.locator(".katex-display:visible").last)
    formulas = visitor.page.locator(".katex-display:visible").all()
    sizes = [one.evaluate(BAR) for one in formulas]
    assert max(hidden for hidden, _, _ in sizes) > 50, "none of these formulas is long"
    assert all(bar >= 8 and seen for hidden, bar, seen in sizes if hidden > 0), sizes
    assert visitor.page.evaluate(OVER) <= 0
    visitor.open("/")
    hidden, bar, seen = visitor.page.locator(".dvn-scroller").first.evaluate(BAR)
    assert hidden > 50
    assert bar >= 8
    assert seen
    shown.close()


WATCH = """() => { window.order = []; const look = () => {
  for (const [name, one] of [['skeleton', '.fv-coming'], ['finding', '.fv-notice']])
    if (!window.order.includes(name) && document.querySelector(one)) window.order.push(name);
  const spinner = document.querySelector('[data-testid=stSidebar] [data-testid=stSpinner]');
  if (spinner && spinner.offsetParent) window.order.push('spinner in the sidebar');
  requestAnimationFrame(look); }; look(); }"""


def test_the_first_visit_shows_a_skeleton_before_the_page(browser, home):
    with running(home) as (address, _):
        visitor = Visitor(browser, address)
        visitor.page.add_init_script(f"({WATCH})()")
        visitor.open("/tradeoff")
        assert visitor.page.evaluate("() => window.order") == ["skeleton", "finding"]
        assert visitor.page.locator(".fv-coming").count() == 0
        visitor.assert_well()
        visitor.context.close()


def test_a_table_in_full_screen_takes_the_window(visitor):
    visitor.open("/methods")
    frame = visitor.page.get_by_test_id("stDataFrame").first
    frame.hover()
    visitor.page.get_by_role("button", name="Fullscreen").first.click()
    visitor.page.wait_for_function(WIDE)
    box = frame.bounding_box()
    assert box["x"] < 60
    assert box["width"] > 1300
    visitor.page.keyboard.press("Escape")


def test_downloads_say_what_they_are(visitor, tmp_path: Path):
    visitor.open("/data?study=football&position_bias=reciprocal")
    with visitor.asking():
        visitor.page.get_by_role("tab", name="Download").click()
    got = {}
    for label in ("CSV: a row a system", "CSV: a row a query", "LaTeX: a row a value", "LaTeX: systems × measures"):
        with visitor.page.expect_download() as download:
            visitor.page.get_by_role("button", name=label).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        got[label] = path
    names = [path.name for path in got.values()]
    assert names == [f"football-scores{end}" for end in (".csv", "-per-query.csv", ".tex", "-wide.tex")]
    table = pd.read_csv(got["CSV: a row a system"])
    assert set(table["study"]) == {"football"}
    assert table["date"].str.fullmatch(r"\d{4}-\d\d-\d\d").all()
    assert set(pd.read_csv(got["CSV: a row a query"])["k"]) == {10}
    assert got["LaTeX: systems × measures"].read_text().startswith("% study: football\n% measures: CWEx(alpha=0.5)@10")
    visitor.assert_well()


def test_a_wide_card_has_its_buttons_whole_and_the_legend_in_sight(visitor: Visitor) -> None:
    visitor.open("/tradeoff?study=newswire&tradeoff_wide=scatter")
    visitor.page.locator(".st-key-tradeoff_scatter .main-svg").first.wait_for()
    buttons = visitor.page.locator('[class*="st-key-tradeoff_wide_"] button')
    assert (
        buttons.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)")
        == []
    )
    narrow, close = (
        visitor.page.locator(f".st-key-tradeoff_wide_{name} button:visible").first for name in ("scatter", "close")
    )
    assert narrow.bounding_box()["y"] == pytest.approx(close.bounding_box()["y"], abs=2), "in one row"
    visitor.page.locator(".st-key-tradeoff_scatter").evaluate("node => node.scrollIntoView({ block: 'end' })")
    visitor.still(visitor.page.locator(".st-key-page_bar"))
    legend, header = visitor.page.locator(".st-key-legend"), visitor.page.get_by_test_id("stHeader")
    box = header.bounding_box()
    assert box["y"] + box["height"] - 2 <= legend.bounding_box()["y"] < 150
    visitor.assert_well()


def test_no_tools_lie_on_figures_and_text_where_nothing_hovers(browser, server) -> None:
    phone = Visitor(browser, server, has_touch=True, is_mobile=True)
    phone.page.set_viewport_size({"width": 390, "height": 844})
    phone.open("/?study=football")
    phone.page.locator(".st-key-overview_order .main-svg").first.wait_for()
    assert phone.page.locator(".modebar-container").count()
    assert phone.page.locator(".modebar-container:visible").count() == 0
    assert phone.page.locator('[data-testid="stDataFrame"]').count()
    assert phone.page.locator('[data-testid="stElementToolbar"]:visible').count() == 0
    phone.assert_well()
    phone.context.close()


def test_the_tour_frames_what_is_there_and_is_offered_once_a_browser(browser, server) -> None:
    visitor = Visitor(browser, server)
    visitor.open("/?study=football")
    with visitor.asking():
        visitor.page.get_by_role("button", name="Take the tour").click()
    last = visitor.page.get_by_role("button", name="Done")
    while True:
        selector = visitor.page.locator(".st-key-tour style").inner_text().removeprefix(":is(").split(") {")[0]
        assert any(one.bounding_box()["width"] > 20 for one in visitor.page.locator(f":is({selector}):visible").all())
        if last.count():
            break
        with visitor.asking():
            visitor.page.get_by_role("button", name="Next").click()
    visitor.page.wait_for_function("() => document.cookie.includes('fairviz_tour=')")
    visitor.open("/?study=football")  # another session of the same browser
    assert visitor.page.locator(".st-key-tour_take").count() == 0
    visitor.assert_well()
    visitor.context.close()
    other = Visitor(browser, server)
    other.open("/?study=football")
    assert other.page.locator(".st-key-tour_take").count() == 1, "another browser is another person"
    other.context.close()
