"""The address: a link holds the screen, Back takes one choice back, and a visit adds nothing but the page."""

from urllib.parse import parse_qs, urlsplit

import pytest

from fairviz.ui.state.registry import CHOICES
from tests.browser.conftest import HEADED, PATHS

pytestmark = pytest.mark.browser

PAGES = ("Trade-off", "Read", "Agreement", "Data", "Methods", "GSR", "Words", "Overview")
ORDER = "order: disagreement (entropy)"
SHOWS = """([address, words]) =>
  location.href === address && document.querySelector('[data-testid=stMain]').innerText === words"""
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })"
REFUSING = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')) }"
GIVING = "() => { delete navigator.clipboard.writeText }"
READ = """() => { delete navigator.clipboard
  return navigator.clipboard.readText() }"""


def entries(visitor) -> int:
    """How many entries the browser's history has."""
    return visitor.page.evaluate("() => history.length")


def asked(visitor) -> dict[str, list[str]]:
    return parse_qs(urlsplit(visitor.page.url).query, keep_blank_values=True)


def screen(visitor) -> list[str]:
    """The address and the words of the page, once they stand still."""
    before, now = [], [visitor.page.url, visitor.text()]
    while before != now:
        visitor.settle(0)
        before, now = now, [visitor.page.url, visitor.text()]
    return now


def shows(visitor, seen: list[str]) -> None:
    """Waits until the address and the words of the page are these. The address alone goes before its page."""
    visitor.until(SHOWS, seen)
    visitor.settle(0)
    assert screen(visitor) == seen


def wait_for(visitor, query: str) -> None:
    """Waits until the address holds exactly this query, and the page stands still."""
    visitor.until("query => location.search === query", f"?{query}")
    visitor.settle(0)


def choose(visitor, label: str, option: str) -> None:
    """Takes an option of a select box of the page."""
    visitor.page.get_by_test_id("stMain").get_by_role("combobox", name=label, exact=True).click()
    visitor.page.get_by_role("option", name=option, exact=True).click()


def press_slider(visitor) -> None:
    visitor.page.get_by_test_id("stSidebar").get_by_role("slider").nth(1).focus()
    visitor.page.keyboard.press("ArrowLeft")


def tab(name: str):
    return lambda visitor: visitor.page.get_by_role("tab", name=name, exact=True).click()


ONE_CHOICE = {
    "/": (press_slider, "alpha=0.49"),
    "/data": (tab("Rank"), "data_tab=Rank"),
    "/methods": (tab("Position bias"), "methods_tab=Position+bias"),
    "/tradeoff": (tab("Ranks"), "tradeoff_tab=Ranks"),
    "/compare": (lambda visitor: choose(visitor, "Measure", "RaB"), "measure=RaB"),
    "/gsr": (lambda visitor: choose(visitor, "Debiasing", "regular"), "debias=regular"),
    "/words": (lambda visitor: choose(visitor, "Debiasing", "regular"), "debias=regular"),
    "/read": (lambda visitor: choose(visitor, "Order", ORDER), "inspect_order=disagreement"),
    "/agreement": (lambda visitor: choose(visitor, "Labels", "neutral or gendered"), None),
}  # fmt: skip


@pytest.mark.lengthy
@pytest.mark.parametrize("path", ONE_CHOICE)
def test_back_takes_one_choice_back_and_everything_else_keeps_it(visitor, path):
    """On every page: a choice, Back, Forward, refresh, away and back again."""
    act, chosen = ONE_CHOICE[path]
    plain = "study=newswire"
    told = f"{plain}&{chosen or 'agreement_labels=neutral+or+gendered'}"
    visitor.page.goto("about:blank")
    count = entries(visitor)
    visitor.open(path)
    assert urlsplit(visitor.page.url).query == plain
    assert entries(visitor) == count + 1, "the bare address is not left behind"
    before, count = screen(visitor), entries(visitor)
    act(visitor)
    wait_for(visitor, told)
    after = screen(visitor)
    assert after != before
    assert entries(visitor) == count + 1

    back_forward_and_refreshed(visitor, before, after)
    assert entries(visitor) == count + 1

    path = urlsplit(visitor.page.url).path.strip("/")
    name = next(page for page, page_path in PATHS.items() if page_path == path)
    visitor.go("Methods" if name != "Methods" else "Data")
    is_of_page = told.split("&")[1].split("=")[0] in CHOICES
    assert urlsplit(visitor.page.url).query == (plain if is_of_page else told), "a page's own choices are not others'"
    visitor.go(name)
    shows(visitor, after)
    assert entries(visitor) == count + 3


def back_forward_and_refreshed(visitor, before, after):
    """The screen before comes back, and the one after comes again and stays."""
    visitor.page.go_back()
    shows(visitor, before)
    visitor.page.go_forward()
    shows(visitor, after)
    visitor.page.reload()
    visitor.until(HEADED)
    shows(visitor, after)


def settings_of(visitor):
    """The address without the question of Sensitivity, which that page states."""
    return {key: value for key, value in asked(visitor).items() if not key.startswith("robustness_")}


@pytest.mark.lengthy
def test_a_visit_adds_the_page_and_nothing_else(visitor):
    visitor.open("/?alpha=0.3&study=newswire")  # in another order than the app writes it
    count = entries(visitor)
    for number, name in enumerate(PAGES, start=1):
        visitor.go(name)
        assert settings_of(visitor) == {"study": ["newswire"], "alpha": ["0.3"]}, name
        assert entries(visitor) == count + number, name
    for name in reversed(PAGES[:-1]):
        visitor.page.go_back()
        visitor.arrived(name)
        assert settings_of(visitor) == {"study": ["newswire"], "alpha": ["0.3"]}, name
    assert entries(visitor) == count + len(PAGES)


@pytest.mark.lengthy
def test_back_walks_through_documents_and_filters_of_inspect(visitor):
    visitor.open("/read?study=newswire&voters=all")
    first = screen(visitor)
    visitor.page.get_by_test_id("stMain").get_by_role("button", name="Next").first.click()
    visitor.until("() => new URLSearchParams(location.search).has('document')")
    visitor.settle(0)
    second = screen(visitor)
    choose(visitor, "Which documents?", "project, lexicon and mentions disagree")
    visitor.until("() => new URLSearchParams(location.search).has('inspect_disagreement')")
    visitor.settle(0)
    third = screen(visitor)
    visitor.go("Methods")
    visitor.go("Read")
    shows(visitor, third)
    for name in ("Methods", "Read"):
        visitor.page.go_back()
        visitor.arrived(name)
    shows(visitor, third)
    visitor.page.go_back()
    shows(visitor, second)
    visitor.page.go_back()
    shows(visitor, first)


SAID_ONCE = "line => document.querySelector('[data-testid=stMain]').innerText.split(line).length === 2"


@pytest.mark.lengthy
def test_a_link_that_cannot_be_honoured_says_so_each_time(visitor):
    link = "/tradeoff?study=newswire&filter_column=query_id&filter_values=nobody&tradeoff_x=zzz&inspect_last_rank=x"
    lines = (
        "The address sets filter_values to 'nobody', not in this study; it was ignored. All queries are shown.",
        "The address sets tradeoff_x to 'zzz', which is not offered here; it was ignored.",
        "The address sets inspect_last_rank to 'x' (not a number); the default was used.",
    )
    visitor.open(link)
    count = entries(visitor)
    for _ in range(2):
        for line in lines:
            visitor.page.get_by_test_id("stMain").get_by_text(line).wait_for()
            visitor.until(SAID_ONCE, line)
        visitor.page.reload()
        visitor.until(HEADED)
        visitor.settle(0)
    press_slider(visitor)
    wait_for(visitor, "study=newswire&filter_column=query_id&alpha=0.49")
    assert entries(visitor) == count + 1
    visitor.page.go_back()
    for line in lines:
        visitor.page.get_by_test_id("stMain").get_by_text(line).wait_for()
        visitor.until(SAID_ONCE, line)


@pytest.mark.lengthy
@pytest.mark.parametrize(
    "path", ["/", "/data", "/methods", "/tradeoff", "/compare", "/measures", "/gsr", "/words", "/read", "/agreement"]
)
def test_copy_link_gives_the_address(visitor, path):
    visitor.open(f"{path}?study=football&alpha=0.25")
    visitor.share()
    visitor.copy("Copy link")
    copied = visitor.page.evaluate("() => navigator.clipboard.readText()")
    assert copied == visitor.page.url == f"{visitor.address}{path}?study=football&alpha=0.25"


def test_back_takes_a_choice_back_and_a_page_s_own_are_kept_in_no_other_address_and_links_are_copied(visitor):
    visitor.open("/data?study=football&alpha=0.25")
    before, count = screen(visitor), entries(visitor)
    own = {"study": ["football"], "data_tab": ["Rank"], "alpha": ["0.25"]}
    other = {"study": ["football"], "alpha": ["0.25"]}
    tab("Rank")(visitor)
    visitor.until("() => new URLSearchParams(location.search).has('data_tab')")
    after = screen(visitor)
    assert asked(visitor) == own
    back_forward_and_refreshed(visitor, before, after)
    count += 1
    assert entries(visitor) == count

    for number, (name, query) in enumerate((("Overview", other), ("Data", own)), start=1):
        visitor.go(name)
        assert asked(visitor) == query
        assert entries(visitor) == count + number
        visitor.share()
        visitor.copy("Copy link")
        assert visitor.page.evaluate("() => navigator.clipboard.readText()") == visitor.page.url
        visitor.page.keyboard.press("Escape")
    rank = visitor.page.get_by_role("tab", name="Rank", exact=True)
    assert rank.get_attribute("aria-selected") == "true"
    for name, query in (("Overview", other), ("Data", own)):
        visitor.page.go_back()
        visitor.arrived(name)
        assert asked(visitor) == query
    assert rank.get_attribute("aria-selected") == "true"
    visitor.go("Overview")
    visitor.go("Data")
    assert asked(visitor) == own, "Back forgets no choice of a page that it passes"


def test_a_slider_adds_to_the_history_when_it_is_released(visitor):
    visitor.open("/methods?study=football")
    count = entries(visitor)
    thumb = visitor.page.get_by_test_id("stSidebar").get_by_role("slider").nth(1).locator("..")
    box = thumb.bounding_box()
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    visitor.page.mouse.move(*at)
    visitor.page.mouse.down()
    for step in (20, 40, 60):
        visitor.page.mouse.move(at[0] + step, at[1])
        visitor.settle()
        assert entries(visitor) == count
    visitor.page.mouse.up()
    visitor.until("() => new URLSearchParams(location.search).has('alpha')")
    visitor.settle(0)
    assert entries(visitor) == count + 1


def test_without_a_clipboard_the_address_stands_in_a_field_and_a_finding_is_copied(visitor):
    """As on another machine's page without https."""
    page = visitor.page
    visitor.open("/compare?study=occupations&compare_system=S&compare_baseline=N")
    page.evaluate(NO_CLIPBOARD)
    field = page.get_by_label("Address of this page")
    visitor.share()
    assert not field.is_visible()
    page.get_by_role("button", name="Copy link").click()
    assert field.input_value() == page.url
    assert field.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)") == page.url
    page.keyboard.press("Escape")
    sentence = page.locator(".fv-notice").first.text_content().strip()
    assert {"S", "N"} <= set(sentence.split())
    for change in (None, REFUSING, GIVING):
        if change:
            page.evaluate(GIVING)
            page.evaluate("() => navigator.clipboard.writeText('')")
            page.evaluate(change)
        visitor.copy("Copy sentence")
        assert page.evaluate(READ).strip() == sentence, change
        page.get_by_role("button", name="Copy sentence").first.wait_for()


@pytest.mark.lengthy
def test_chips_take_choices_back_without_moving_the_page(visitor):
    visitor.open("/tradeoff?study=newswire")
    title = visitor.page.locator(".st-key-heading h1")
    place = title.bounding_box()
    every = "&alpha=0.25&cutoff=5&unlabelled=strict&ties=trec_eval&tau=3&tokenizer=whitespace&effectiveness=AP"
    every += "&background=collection&annotator=lexicon&position_bias=reciprocal&system=bm25&tradeoff_curve=over+k"
    visitor.open("/tradeoff?study=newswire" + every)
    assert title.bounding_box() == place
    chips = visitor.page.locator(".st-key-chips").get_by_role("button")
    assert chips.count() == 12
    assert chips.first.inner_text() == "k 5 ✕"
    visitor.page.locator(".st-key-chips").get_by_role("button", name="alpha 0.25").click()
    visitor.until("() => !new URLSearchParams(location.search).has('alpha')")
    visitor.settle(0)
    assert chips.count() == 11
    assert title.bounding_box() == place


@pytest.mark.lengthy
def test_an_open_group_stays_open_when_its_count_changes(visitor):
    visitor.open("/methods?study=football")
    visitor.unfold("Word list · built-in, τ 1")
    side = visitor.page.get_by_test_id("stSidebar")
    side.get_by_role("combobox", name="Text is cut into").scroll_into_view_if_needed()
    visitor.still(side.get_by_role("combobox", name="Text is cut into"))
    side.get_by_role("combobox", name="Text is cut into").click()
    visitor.page.get_by_role("option", name="whitespace").click()
    side.get_by_text("Word list · built-in, τ 1 · +1", exact=True).wait_for()
    visitor.settle(0)
    assert side.get_by_role("combobox", name="Text is cut into").is_visible()


def test_an_unknown_page_and_an_upload_that_a_link_lacks_are_told(visitor):
    visitor.open("/tradeof?study=football")
    line = "There is no page 'tradeof'; Overview is shown. The nearest name is Trade-off."
    assert line in visitor.text()
    visitor.assert_well()  # without a dialog over it
    visitor.go("Data")
    assert line not in visitor.text()
    visitor.page.get_by_role("tab", name="Add and save").click()
    run = {"name": "mine.run", "mimeType": "text/plain", "buffer": b"q Q0 d1 1 2 t\n"}
    visitor.page.locator("input[type=file]").first.set_input_files(run)
    visitor.shows("mine.run is in the study")
    visitor.go("Overview")
    visitor.share()
    visitor.page.get_by_text("A link to football lacks the run mine: not saved yet.").wait_for()
    visitor.page.get_by_role("button", name="Copy link").click()
    visitor.page.get_by_text("Copied. A link to football lacks the run mine: not saved yet.").wait_for()
    visitor.page.get_by_role("button", name="Save it").click()
    visitor.arrived("Data")
    visitor.shows("Save as study")
