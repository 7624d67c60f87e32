"""Every page on a desk, a projector and a phone, zoomed and in the dark: few words above the fold, nothing cut off, and
the frame, its menus and its tour within reach."""

from pathlib import Path

import pandas as pd
import pytest

from tests.annotation.forms.small import formed, saved
from tests.browser.conftest import OPTIONS, PATHS, Visitor, running, visiting

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


WORDS = Path(__file__).with_name("words.js").read_text(encoding="utf-8")
FOLD = 900  # pixels, of a screen of 1400 × 900
MOST, MOST_OF_A_REFERENCE = 120, 150


def words(visitor: Visitor) -> tuple[list[str], list[str], list[str]]:
    """The words of prose, the labels of figures and tables, and the words of documents, above the fold."""
    return visitor.page.evaluate(WORDS, FOLD)


@pytest.mark.parametrize("name", PATHS)
def test_a_page_has_few_words_above_the_fold(name: str, visitor: Visitor) -> None:
    visitor.page.set_viewport_size({"width": 1400, "height": FOLD})
    visitor.open(f"/{PATHS[name]}")
    prose, labels, _ = words(visitor)
    limit = MOST_OF_A_REFERENCE if name == "Methods" else MOST
    assert len(prose) + len(labels) <= limit, " ".join([*prose, "|", *labels])
    assert prose, name  # the page is there


def test_words_of_figures_count_once_and_those_of_documents_apart(visitor: Visitor) -> None:
    visitor.open("/methods")
    visitor.page.evaluate(
        """() => {
            document.querySelector('[data-testid="stMain"]').innerHTML = `<p>Two words, 3 a</p>
                <table><tr><td>bm25</td><td>bm25</td></tr></table><div class="fv-text">of a document</div>
                <p style="visibility: hidden">not seen</p>`
        }"""
    )
    assert words(visitor) == [["Two", "words,"], ["bm25"], ["of", "document"]]


SIZES = {"desk": (1400, 900), "projector": (1024, 768), "enlarged": (933, 600)}
ENDS = "nodes => nodes.map(node => node.getBoundingClientRect().bottom)"
WIDER = "() => document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_every_slider_is_on_the_first_screen(visit, size):
    visitor = visit()
    visitor.page.set_viewport_size({"width": size[0], "height": size[1]})
    visitor.open("/?study=newswire&position_bias=rbp(p%3D0.8)")
    side = visitor.page.get_by_test_id("stSidebar")
    ends = side.get_by_test_id("stSlider").evaluate_all(ENDS)
    assert len(ends) == 3
    assert max(ends) < size[1]
    assert visitor.page.evaluate(WIDER) <= 0
    assert [label.strip() for label in side.get_by_test_id("stExpander").locator("summary p").all_inner_texts()] == [
        "Systems & queries · 9 of 9",
        "Labels · project",
        "Word list · built-in, τ 1",
        "Tests · paired t, maxT",
    ]


def test_a_phone_shows_the_page_first_and_reaches_every_other(visit):
    visitor = visit()
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    visitor.open("/tradeoff?study=football")
    title = visitor.page.locator(".st-key-heading h1").bounding_box()
    side = visitor.page.get_by_test_id("stSidebar").bounding_box()
    assert side is None or side["x"] + side["width"] <= title["x"]
    visitor.page.get_by_test_id("stExpandSidebarButton").click()
    links = visitor.page.get_by_test_id("stSidebarNavLink")
    links.get_by_text("Backpack", exact=True).wait_for()
    assert links.count() >= 16
    visitor.still(links.last)
    links.get_by_text("Methods", exact=True).click()
    visitor.arrived("Methods")
    assert visitor.page.evaluate(WIDER) <= 0


def test_the_tour_is_under_help_on_every_page_and_leads_to_overview(visitor):
    visitor.open("/methods?study=football")
    menus = visitor.page.locator(".st-key-menus")
    menus.get_by_role("button", name="Help").click()
    visitor.page.locator(".st-key-help_tour").get_by_role("button").click()
    visitor.arrived("Overview")
    card = visitor.page.locator(".st-key-tour")
    card.get_by_text("1 of 5").wait_for()
    for number in range(2, 6):
        with visitor.asking():
            card.get_by_role("button", name="Next").click()
        card.get_by_text(f"{number} of 5").wait_for()
    visitor.settle()
    with visitor.asking():
        card.get_by_role("button", name="Done").click()
    card.wait_for(state="detached")


ROOMY = ("/", "/data", "/methods", "/tradeoff", "/gsr", "/words", "/read", "/agreement")
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
def test_no_page_overflows_no_text_is_cut_and_cards_stand_as_there_is_room(visit, screen):
    width, height, scale, scheme = SCREENS[screen]
    visitor = visit(device_scale_factor=scale, color_scheme=scheme)
    visitor.page.set_viewport_size({"width": width, "height": height})
    for path in ROOMY:
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
    with running(home) as (address, _), visiting(browser, address, "") as visitor:
        visitor.page.add_init_script(f"({WATCH})()")
        visitor.open("/tradeoff")
        assert visitor.page.evaluate("() => window.order") == ["skeleton", "finding"]
        assert visitor.page.locator(".fv-coming").count() == 0


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


def test_no_tools_lie_on_figures_and_text_where_nothing_hovers(visit) -> None:
    phone = visit(has_touch=True, is_mobile=True)
    phone.page.set_viewport_size({"width": 390, "height": 844})
    phone.open("/?study=football")
    phone.page.locator(".st-key-overview_order .main-svg").first.wait_for()
    assert phone.page.locator(".modebar-container").count()
    assert phone.page.locator(".modebar-container:visible").count() == 0
    assert phone.page.locator('[data-testid="stDataFrame"]').count()
    assert phone.page.locator('[data-testid="stElementToolbar"]:visible').count() == 0


def test_the_tour_frames_what_is_there_and_is_offered_once_a_browser(visit) -> None:
    visitor = visit()
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
    other = visit()
    other.open("/?study=football")
    assert other.page.locator(".st-key-tour_take").count() == 1, "another browser is another person"


OTHERS = [pytest.param(f"/{page}?debias=strong", marks=pytest.mark.lengthy) for page in ("gsr", "words")]
INKS = {"light": "rgb(31, 39, 51)", "dark": "rgb(230, 233, 238)"}


@pytest.mark.parametrize("theme", INKS)
@pytest.mark.parametrize("path", ["/tradeoff?study=occupations", *OTHERS])
def test_titles_of_figures_have_the_ink_of_the_theme_and_nothing_is_cut_off(visit, path, theme):
    visitor = visit(color_scheme=theme)
    visitor.page.set_viewport_size({"width": 1280, "height": 900})
    visitor.open(path)
    assert visitor.page.evaluate(OVER) <= 0
    title = visitor.page.locator(".js-plotly-plot .gtitle").first
    assert title.evaluate("node => getComputedStyle(node).fill") == INKS[theme]
