"""Every page on a desk, a projector and a phone, zoomed and in the dark: few words above the fold, nothing cut off, and
the frame, its menus and its tour within reach."""

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import OPTIONS, PATHS, SCREEN, Visitor

pytestmark = pytest.mark.browser

SIZES = {"desk": SCREEN, "projector": {"width": 1024, "height": 768}, "enlarged": {"width": 933, "height": 600}}
SMALL, PHONE = {"width": 800, "height": 900}, {"width": 390, "height": 844}
LOWEST = 300  # pixels of a figure on a phone
STRIPS = ("overview_order", "tradeoff_order")  # the figures of systems ordered by each measure
WORDS = Path(__file__).with_name("words.js").read_text(encoding="utf-8")
MOST = 100  # words of prose and labels above the fold
ROOMY = ("Overview", "Data", "Methods", "Trade-off", "GSR", "Words", "Read", "Agreement")
CARDS = ("Trade-off", "GSR", "Words", "Agreement")
OWN_WIDTH = ("Backpack", "Audit")  # whose figures are not as wide as their places
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
# Whether each figure is as wide as its place. After a resize those follow that were so before.
FITTING = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stPlotlyChart]')].map(one =>
  !one.offsetParent || Math.abs(one.querySelector('.main-svg')?.getBoundingClientRect().width - one.clientWidth) < 2)"""
FITTED = f"before => (now => before.every((fitted, place) => !fitted || now[place] !== false))(({FITTING})())"
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
# What a figure does for each of its texts, many times: it draws it apart from the page, and asks how wide it is.
TIMES, FEW = 5, 100  # elements that the browser may style anew for it, of the thousands of the page
MEASURE = """times => {
  const space = 'http://www.w3.org/2000/svg', apart = document.body.appendChild(document.createElementNS(space, 'svg'));
  for (let time = 0; time < times; time++) {
    const text = document.createElementNS(space, 'text');
    text.setAttribute('class', 'legendtext');
    apart.appendChild(text).getBoundingClientRect();
    text.remove();
  }
  apart.remove();
}"""
OPENED = "name => document.querySelector('.st-key-heading h1')?.textContent.startsWith(name)"
INKS = {"light": "rgb(31, 39, 51)", "dark": "rgb(230, 233, 238)"}
INK = "node => getComputedStyle(node).fill"


def resize(visitor: Visitor, size: dict[str, int], *, follow: bool = True) -> None:
    """Gives the window this size, and waits until the figures, where they follow, are as wide as their places."""
    before = visitor.page.evaluate(FITTING) if follow else []
    visitor.page.set_viewport_size(size)
    visitor.until(FITTED, before)
    visitor.settle()


def overlapping(texts: list) -> list[tuple[str, str]]:
    """Return the pairs of texts whose boxes overlap."""
    return [
        (first[0], second[0])
        for place, first in enumerate(texts)
        for second in texts[:place]
        if first[1] < second[3] - SLACK and second[1] < first[3] - SLACK
        and first[2] < second[4] - SLACK and second[2] < first[4] - SLACK
    ]  # fmt: skip


def assert_fits(visitor: Visitor) -> None:
    """Nothing is wider than the window, and names in the figures of ordered systems do not overlap."""
    assert visitor.page.evaluate(OVER) <= 0
    for key in STRIPS:
        strips = visitor.page.locator(f".st-key-{key} .js-plotly-plot")
        if strips.count():
            texts = strips.evaluate(TEXTS)
            assert texts, key
            assert overlapping(texts) == []


def assert_roomy(visitor: Visitor, name: str, width: int) -> None:
    """No text is cut, and cards stand beside one another where there is room."""
    assert visitor.page.evaluate(CUT_WORDS) == []
    assert visitor.page.evaluate(CUT_TEXT) == []
    assert visitor.page.evaluate(OVER) <= 0
    shares = visitor.page.evaluate(CHARTS)
    assert bool(shares) or name not in CARDS
    stacked, side_by_side = all(share > 0.8 for share in shares), min(shares, default=0) < 0.6
    assert side_by_side if width >= 1400 and len(shares) > 1 else stacked, shares


def assert_few_words(visitor: Visitor) -> None:
    prose, labels, _ = visitor.page.evaluate(WORDS, SCREEN["height"])
    assert len(prose) + len(labels) <= MOST, " ".join([*prose, "|", *labels])
    assert prose  # the page is there


def assert_quickly_measured(visitor: Visitor) -> None:
    """A text that a figure measures restyles no more than a few elements of the page."""
    browser = visitor.context.browser
    browser.start_tracing(page=visitor.page, categories=["devtools.timeline"])
    visitor.page.evaluate(MEASURE, TIMES)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    counts = [event["args"].get("elementCount") for event in events if event["name"] == "UpdateLayoutTree"]
    assert sum(count is not None and count < FEW for count in counts) >= TIMES, counts


def assert_address(visitor: Visitor, name: str, study: str) -> None:
    """A page adds nothing to the address but the question of Sensitivity, which is stated."""
    asked = parse_qs(urlsplit(visitor.page.url).query)
    assert asked.pop("study") == [study]
    assert all(key.startswith("robustness_") for key in asked)
    assert bool(asked) == (name == "Sensitivity")


def assert_few_words_and_fits(visitor: Visitor, name: str) -> None:
    """The page that is open on a desk, and then on smaller screens."""
    follow = name not in OWN_WIDTH
    assert_few_words(visitor)
    if name in CARDS:
        assert_quickly_measured(visitor)
    if name == "Trade-off":
        assert visitor.page.locator(".js-plotly-plot .gtitle").first.evaluate(INK) == INKS["light"]
    if name == "Methods":
        assert_a_table_takes_the_window(visitor)
    if name in ROOMY:
        resize(visitor, SMALL, follow=follow)
        assert_fits(visitor)
        assert_roomy(visitor, name, SMALL["width"])
    if name == "Methods":
        assert [hidden for hidden, _, seen in formulas(visitor) if hidden > 0 and not seen] == []
    resize(visitor, PHONE, follow=follow)
    assert_fits(visitor)
    assert [each for each in visitor.page.evaluate(HEIGHTS) if each[1] < LOWEST] == []
    visitor.assert_well()


def go_wide(visitor: Visitor, name: str) -> None:
    """To a page by the menus of a desk, without drawing the page of a phone that is left for the desk again."""
    main = visitor.page.get_by_test_id("stMain")
    main.evaluate("main => { main.style.contentVisibility = 'hidden' }")
    visitor.page.set_viewport_size(SCREEN)
    visitor.click_menu(name)
    visitor.until(OPENED, name)
    main.evaluate("main => { main.style.contentVisibility = '' }")
    visitor.arrived(name)


def test_every_page_opens_from_the_menu_has_few_words_and_fits_every_screen(visitor: Visitor, subtests) -> None:
    visitor.open("/?study=newswire")
    for name in (name for name in PATHS if name != "Backpack"):  # of which test_pages.py asks the same
        with subtests.test(name):
            if name != "Overview":  # which is open
                go_wide(visitor, name)
            assert_address(visitor, name, "newswire")
            assert_few_words_and_fits(visitor, name)


@pytest.mark.lengthy
@pytest.mark.parametrize("study", ["football", "occupations"])
def test_every_page_of_a_small_study_opens_and_fits_a_projector(visitor: Visitor, study: str) -> None:
    visitor.page.set_viewport_size(SIZES["projector"])
    visitor.open(f"/?study={study}")
    for name in PATHS:
        visitor.go(name)
        assert visitor.page.evaluate(OVER) <= 0
        visitor.assert_well()
        assert visitor.page.locator(".st-key-heading h1").count() == 1
        assert_address(visitor, name, study)


@pytest.mark.lengthy
@pytest.mark.parametrize("scheme", INKS)
def test_no_page_overflows_and_no_text_is_cut_in_the_dark_and_zoomed(visit, scheme: str) -> None:
    visitor = visit(device_scale_factor=1 if scheme == "dark" else 1.5, color_scheme=scheme)
    visitor.page.set_viewport_size(SCREEN if scheme == "dark" else SIZES["enlarged"])
    for name in ROOMY:
        visitor.open(f"/{PATHS[name]}")
        assert_roomy(visitor, name, visitor.page.viewport_size["width"])
    dark = visitor.page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert (dark == "rgb(255, 255, 255)") == (scheme == "light")
    for path in ("gsr", "words"):
        visitor.open(f"/{path}?debias=strong")
        assert visitor.page.evaluate(OVER) <= 0
        assert visitor.page.locator(".js-plotly-plot .gtitle").first.evaluate(INK) == INKS[scheme]


def test_words_of_figures_count_once_and_those_of_documents_apart(visitor: Visitor) -> None:
    visitor.page.set_content(
        """<div data-testid="stMain"><p>Two words, 3 a</p>
        <table><tr><td>bm25</td><td>bm25</td></tr></table><div class="fv-text">of a document</div>
        <p style="visibility: hidden">not seen</p></div>"""
    )
    assert visitor.page.evaluate(WORDS, SCREEN["height"]) == [["Two", "words,"], ["bm25"], ["of", "document"]]


ENDS = "nodes => nodes.map(node => node.getBoundingClientRect().bottom)"
WIDER = "() => document.documentElement.scrollWidth - innerWidth"


def test_a_phone_shows_the_page_first_and_reaches_every_other(visitor: Visitor) -> None:
    page, side = visitor.page, visitor.page.get_by_test_id("stSidebar")
    links = page.get_by_test_id("stSidebarNavLink")
    page.set_viewport_size(PHONE)
    visitor.open("/tradeoff?study=newswire")
    title, box = page.locator(".st-key-heading h1").bounding_box(), side.bounding_box()
    assert box is None or box["x"] + box["width"] <= title["x"]

    # a slider and its figure are on one screen
    page.get_by_test_id("stExpandSidebarButton").click()
    slider = side.locator(".st-key-slider_alpha")
    slider.scroll_into_view_if_needed()
    visitor.still(side)
    figure = page.locator(".st-key-tradeoff_order .js-plotly-plot")
    figure.evaluate("figure => figure.scrollIntoView({ block: 'start' })")
    visitor.still(figure)
    top, bottom = figure.evaluate(
        "figure => { const box = figure.getBoundingClientRect(); return [box.top, box.bottom] }"
    )
    assert top >= 0
    assert bottom <= side.bounding_box()["y"] + 1
    box = slider.bounding_box()
    assert side.bounding_box()["y"] <= box["y"] < box["y"] + box["height"] <= PHONE["height"]

    # two lists of a query are below one another
    assert links.count() >= 16
    links.get_by_text("Query", exact=True).click()
    visitor.arrived("Query")
    hits = page.locator(".fv-lines .fv-words")
    assert hits.count() == 20
    widths = hits.evaluate_all("hits => hits.map(hit => hit.getBoundingClientRect()).map(box => [box.left, box.width])")
    assert min(width for _, width in widths) > 100
    assert max(left + width for left, width in widths) <= PHONE["width"]
    assert page.evaluate(WIDER) <= 0


def test_no_tools_lie_on_figures_and_tables_where_nothing_hovers(visit) -> None:
    phone = visit()
    phone.page.set_viewport_size(PHONE)
    session = phone.context.new_cdp_session(phone.page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    phone.open("/?study=football")
    assert phone.page.locator(".modebar-container").count()
    assert phone.page.locator(".modebar-container:visible").count() == 0
    assert phone.page.get_by_test_id("stDataFrame").count()
    assert phone.page.locator('[data-testid="stElementToolbar"]:visible').count() == 0


def assert_sliders_are_on_the_first_screen(visitor: Visitor) -> None:
    side = visitor.page.get_by_test_id("stSidebar")
    assert [label.strip() for label in side.get_by_test_id("stExpander").locator("summary p").all_inner_texts()] == [
        "Systems & queries · 2 of 2",
        "Labels · project",
        "Word list · built-in, τ 1",
        "Tests · paired t, maxT",
    ]
    for size in SIZES.values():
        visitor.page.set_viewport_size(size)
        visitor.still(side.get_by_test_id("stSlider").last)
        ends = side.get_by_test_id("stSlider").evaluate_all(ENDS)
        assert len(ends) == 3
        assert max(ends) < size["height"]
        assert visitor.page.evaluate(WIDER) <= 0


def test_every_slider_is_on_the_first_screen_and_a_tour_is_offered_once_a_browser_and_is_under_help(visitor) -> None:
    visitor.open("/?study=football&position_bias=rbp(p%3D0.8)")
    assert_sliders_are_on_the_first_screen(visitor)
    visitor.page.set_viewport_size(SCREEN)
    page = visitor.page
    card, last = page.locator(".st-key-tour"), page.get_by_role("button", name="Done")
    with visitor.asking():
        page.get_by_role("button", name="Take the tour").click()
    for number in range(1, 7):  # one more than without a changed choice
        card.get_by_text(f"{number} of 6").wait_for()
        selector = page.locator(".st-key-tour style").inner_text().removeprefix(":is(").split(") {")[0]
        assert any(one.bounding_box()["width"] > 20 for one in page.locator(f":is({selector}):visible").all())
        with visitor.asking():
            (last if number == 6 else card.get_by_role("button", name="Next")).click()
    card.wait_for(state="detached")
    visitor.until("() => document.cookie.includes('fairviz_tour=')")
    visitor.open("/methods?study=football")  # another session of the same browser
    assert page.locator(".st-key-tour_take").count() == 0
    page.locator(".st-key-menus").get_by_role("button", name="Help").click()
    page.locator(".st-key-help_tour").get_by_role("button").click()
    visitor.arrived("Overview")
    card.get_by_text("1 of 5").wait_for()


FIGURES = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stPlotlyChart]')]
  .map(one => Math.round(one.getBoundingClientRect().top))"""


@pytest.mark.lengthy
def test_the_finding_never_moves_the_figures(visitor):
    tops = set()
    for alpha in ("0.05", "0.3", "0.5", "0.7", "0.95"):
        visitor.open(f"/tradeoff?alpha={alpha}")
        tops.add(tuple(visitor.page.evaluate(FIGURES)))
    assert len(tops) == 1, tops


BAR = """one => [one.scrollWidth - one.clientWidth, one.offsetHeight - one.clientHeight,
  !getComputedStyle(one).scrollbarColor.startsWith('rgba(0, 0, 0, 0)')]"""
WIDE = "() => document.querySelector('[data-testid=stDataFrame]').getBoundingClientRect().width > 1300"


def assert_a_table_takes_the_window(visitor: Visitor) -> None:
    frame = visitor.page.get_by_test_id("stDataFrame").first
    frame.hover()
    visitor.page.get_by_role("button", name="Fullscreen").first.click()
    visitor.until(WIDE)
    box = frame.bounding_box()
    assert box["x"] < 60
    assert box["width"] > 1300
    visitor.page.keyboard.press("Escape")


def formulas(visitor: Visitor) -> list[tuple[int, int, bool]]:
    """How much of each long formula is hidden, how high its scroll bar is, and whether that has a colour."""
    for name in ("CWEx", "NFaiRR", "GSR"):
        visitor.page.get_by_test_id("stExpander").filter(has_text=name).last.locator("summary").click()
    visitor.still(visitor.page.locator(".katex-display:visible").last)
    sizes = [one.evaluate(BAR) for one in visitor.page.locator(".katex-display:visible").all()]
    assert max(hidden for hidden, _, _ in sizes) > 50, "none of these formulas is long"
    assert visitor.page.evaluate(OVER) <= 0
    return sizes


@pytest.mark.lengthy
def test_a_long_formula_and_a_wide_table_scroll_and_show_that_they_do(browser, chromium, server):
    """In a browser that shows scroll bars, which a driven one hides unless it is told not to."""
    shown = browser.browser_type.launch(
        executable_path=chromium, args=list(OPTIONS), ignore_default_args=["--hide-scrollbars"]
    )
    visitor = Visitor(shown, server)
    visitor.page.set_viewport_size({"width": 800, "height": 900})
    visitor.open("/methods")
    sizes = formulas(visitor)
    assert all(bar >= 8 and seen for hidden, bar, seen in sizes if hidden > 0), sizes
    visitor.open("/")
    hidden, bar, seen = visitor.page.locator(".dvn-scroller").first.evaluate(BAR)
    assert hidden > 50
    assert bar >= 8
    assert seen
    shown.close()
