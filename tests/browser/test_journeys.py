"""What a person does in the app, in a real browser: no exception, no error on the console, no request elsewhere."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import HEADED, started, visiting

pytestmark = pytest.mark.browser

PAGES = (
    "Overview", "Data", "Methods", "Trade-off", "Query", "Two systems", "Sensitivity", "GSR", "Words", "Read",
    "Agreement", "Annotate",
)  # fmt: skip
GOOD_RUN = "".join(f"best-player Q0 {doc} {rank} {9 - rank} mine\n" for rank, doc in enumerate(("f1", "m1"), start=1))


def address(visitor):
    return parse_qs(urlsplit(visitor.page.url).query)


def upload(visitor, label, name, content):
    field = visitor.page.get_by_test_id("stFileUploader").filter(has_text=label)
    with visitor.asking():
        field.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
            {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
        )


def open_tab(visitor, name):
    tab = visitor.page.get_by_role("tab", name=name, exact=True)
    if tab.get_attribute("aria-selected") != "true":
        with visitor.asking():
            tab.click()


@pytest.mark.lengthy
def test_every_slider_moves_and_is_written_to_the_address(visitor):
    visitor.open("/tradeoff?study=occupations&position_bias=rbp(p%3D0.8)")
    sidebar = visitor.page.get_by_test_id("stSidebar")
    sliders = sidebar.get_by_role("slider")
    assert sliders.count() == 3
    for place in range(3):
        sliders.nth(place).focus()
        before = visitor.page.url
        visitor.page.keyboard.press("ArrowLeft")
        visitor.until("before => location.href !== before", before)
        visitor.settle(0)
    assert address(visitor) == {
        "study": ["occupations"],
        "cutoff": ["9"],
        "alpha": ["0.49"],
        "position_bias": ["rbp(p=0.79)"],
    }
    visitor.assert_well()
    for name in PAGES:  # and every page keeps them
        visitor.go(name)
        assert address(visitor)["alpha"] == ["0.49"]


@pytest.mark.lengthy
def test_saved_studies_survive_a_refresh(visitor):
    visitor.open("/data?study=football")
    open_tab(visitor, "Add and save")
    upload(visitor, "A run (TREC, JSON, a table)", "saved.run", GOOD_RUN)
    open_tab(visitor, "Add and save")
    visitor.page.get_by_label("Name", exact=True).fill("kept")
    with visitor.asking():
        visitor.page.keyboard.press("Enter")
    open_tab(visitor, "Add and save")
    with visitor.asking():
        visitor.page.get_by_role("button", name="Save", exact=True).click()
    assert address(visitor) == {"study": ["kept"], "data_tab": ["Add and save"]}
    visitor.page.reload()
    visitor.until(HEADED)
    visitor.settle(0)
    open_tab(visitor, "What is here")
    assert "3 systems" in visitor.text()
    visitor.go("Overview")


@pytest.mark.lengthy
def test_text_from_data_neither_runs_nor_fetches_anything(visitor):
    visitor.open("/?study=hostile")
    for name in PAGES:
        visitor.go(name)
        for fold in visitor.page.get_by_test_id("stMain").get_by_test_id("stExpander").filter(visible=True).all()[:5]:
            fold.locator("summary").click()
        for fold in visitor.page.get_by_test_id("stSidebar").get_by_test_id("stExpander").all():
            fold.locator("summary").click()
        visitor.settle()
        assert visitor.page.evaluate("() => window.hacked") is None
        assert visitor.page.locator("script:text('hacked')").count() == 0
    visitor.go("Trade-off")
    points = visitor.page.get_by_test_id("stMain").locator(".js-plotly-plot .scatterlayer .points path")
    points.first.hover(force=True)
    visitor.settle()
    assert visitor.page.evaluate("() => window.hacked") is None


@pytest.mark.lengthy
def test_each_query_is_shown_on_demand(visitor):
    visitor.open("/tradeoff?study=occupations&systems=S")
    before = visitor.page.locator(".ternarylayer .points path").count()
    visitor.page.get_by_text("each query", exact=True).click()
    visitor.until("() => new URLSearchParams(location.search).has('tradeoff_per_query')")
    visitor.settle(0)
    assert visitor.page.locator(".ternarylayer .points path").count() >= before == 1


def fill_rankers(visitor, text):
    visitor.page.get_by_test_id("stPopoverButton").filter(has_text="Parameters").click()
    visitor.page.get_by_role("textbox", name="Edit as text").fill(text)
    with visitor.asking():
        visitor.page.keyboard.press("Enter")
    visitor.page.keyboard.press("Escape")


@pytest.mark.lengthy
def test_ranking_on_the_data_page_can_be_stopped_and_refused_and_done(browser, tmp_path):
    # a server of its own: the run that joins its study would be in other tests' pictures
    with started(tmp_path) as alone, visiting(browser, alone, "/data?study=occupations") as visitor:
        rank(visitor)


def rank(visitor):
    open_tab(visitor, "Rank")
    visitor.page.get_by_role("button", name="How many words do the vectors cover?").click()
    visitor.page.get_by_text("different words of this study").wait_for()

    fill_rankers(visitor, "bm25(k9=1)")
    visitor.page.get_by_role("button", name="Rank", exact=True).click()
    visitor.page.locator(".fv-error").wait_for()
    assert "bm25 has no parameter" in visitor.page.locator(".fv-error").inner_text()

    fill_rankers(visitor, "bi_encoder")
    visitor.page.get_by_role("button", name="Rank", exact=True).click()
    visitor.page.get_by_role("button", name="Stop", exact=True).click()
    visitor.page.get_by_text("Ranking was stopped; no run was added.").wait_for()
    open_tab(visitor, "What is here")
    assert "3 systems" in visitor.text()

    open_tab(visitor, "Rank")
    fill_rankers(visitor, "random(seed=7)")
    visitor.page.get_by_role("button", name="Rank", exact=True).click()
    visitor.page.get_by_text("random-seed=7: ranked.").wait_for()
    visitor.settle(0)
    open_tab(visitor, "What is here")
    assert "4 systems" in visitor.text()
