"""Pages in a browser, a journey each: from a control, a point or a row to what it opens."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from fairviz.datasets import fetch
from fairviz.study.study import save_study
from tests.analyses.test_gender_swap import triples
from tests.browser.conftest import PATHS, started, visiting
from tests.browser.test_screens import assert_few_words_and_fits

pytestmark = pytest.mark.browser


def test_a_tick_opens_the_document(visitor):
    visitor.open(f"/{PATHS['Never shown']}?study=football")
    page = visitor.page
    grid = page.locator(".st-key-analysis_never-shown_documents_card [data-testid=stDataFrame]").first
    grid.wait_for()
    visitor.assert_well()
    assert page.locator(".js-plotly-plot").count() >= 2
    grid.scroll_into_view_if_needed()
    visitor.still(grid)
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 52)  # the tick of the first row
    page.wait_for_url("**/read?**document=m2**")
    visitor.settle()
    assert "No scorer in the history of the club" in visitor.text()


def test_a_run_its_sentence_its_table_and_on_to_the_query(visitor) -> None:
    visitor.open("/gender_swap?study=football&counterfactual_seeds=1")
    page = visitor.page
    assert page.locator("mark").count() > 0
    visitor.settle()
    run = page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True)
    if run.is_enabled():  # on a busy machine the run is not short enough to begin by itself
        run.click()
    page.get_by_text("bm25: CRBO is 1 by construction:").wait_for(state="attached")
    visitor.settle()
    assert page.locator('[aria-label="The two lists"]').count() == 1
    assert page.locator(".st-key-counterfactual_table_card [data-testid=stDataFrame]").count() > 0
    assert "12 words and names replaced in 6 of 10 documents." in visitor.text()
    visitor.assert_well()
    page.get_by_role("button", name="Open on Query").click()
    visitor.arrived("Query")
    visitor.until("() => location.search.includes('query=best-player')")
    visitor.settle()


@pytest.mark.lengthy
def test_a_run_and_its_cards(visitor, home) -> None:
    save_study(triples(), home / "studies" / "threefold")
    visitor.open("/audit?study=threefold&audit_rankers=bm25")
    page = visitor.page
    page.locator(".st-key-audit_shares_chart .main-svg").first.wait_for()
    page.get_by_text("pairs, word by word").click()
    page.locator(".st-key-audit_pair_card mark").first.wait_for()
    visitor.settle()
    assert page.locator('[aria-label="Answers to this pair"] tr').count() == 2
    page.get_by_text("Are the answers answers?").click()
    page.locator(".st-key-audit_integrity_fold [data-testid=stDataFrame]").first.wait_for()


def test_an_old_link_opens_the_page_of_fine_tuning(visitor) -> None:
    visitor.open("/audit?study=football&audit_view=Mended+encoders")
    visitor.arrived("Fine-tuning")
    visitor.shows("No encoder is fine-tuned on football yet.")


FIGURE = "() => document.querySelector('.st-key-backpack_scores_chart .js-plotly-plot')"
MOVED = r"▲ \d"  # ▲ alone stands for a gender too
MARK = "layout.annotations[0].text"


def test_the_weight_moves_lists_and_figures_which_fit_every_screen(visitor) -> None:
    visitor.open("/backpack?study=recruitment&backpack_weight=1&backpack_figure=figure+2")
    page = visitor.page
    page.locator(".st-key-backpack_scores_chart .js-plotly-plot .main-svg").first.wait_for()
    visitor.settle()
    lists = page.locator(".st-key-backpack_lists_card .fv-lists")
    assert not re.search(MOVED, lists.inner_text())
    handle = page.locator(".st-key-backpack_weight").get_by_role("slider")
    handle.focus()
    page.keyboard.press("Home")
    visitor.until(f"() => ({FIGURE})()?.{MARK} === 'weight 0'")
    visitor.until(f"() => /{MOVED}/.test(document.querySelector('.st-key-backpack_lists_card').innerText)")
    visitor.until("() => location.search.includes('backpack_weight=0')")
    sizes = (
        "document.querySelector('.st-key-backpack_chart .js-plotly-plot').data.find(t => t.name === 'gender senses')"
    )
    visitor.until(f"() => ({sizes}).marker.size[0] > ({sizes}).marker.size[5]")
    visitor.settle()
    assert_few_words_and_fits(visitor, "Backpack")


TABLE = '[aria-label="The two lists"]'


def test_a_bar_shows_the_two_lists_of_its_query_and_a_file_says_what_it_was_made_of(visitor, tmp_path):
    visitor.open("/compare?study=newswire&system=w2v_add&baseline=bm25")
    visitor.assert_well()
    first = visitor.page.locator(TABLE).inner_text()
    bar = visitor.page.locator(".st-key-compare_by_query .barlayer .point path").first
    bar.wait_for(state="attached")
    bar.click(force=True)  # the greatest fall; what stands there first is the widest difference, a rise
    visitor.until("() => location.search.includes('query=')")
    visitor.settle(0)
    query = parse_qs(urlsplit(visitor.page.url).query)["query"]
    assert len(query) == 1
    assert visitor.page.locator(TABLE).inner_text() != first
    visitor.page.get_by_role("tab", name="All systems against the baseline").click()
    visitor.page.locator(".st-key-compare_table_export button").first.click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="Markdown").click()
    assert download.value.suggested_filename == "compare_table.md"
    download.value.save_as(tmp_path / "table.md")
    text = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- study: newswire -->\n")
    assert "| bm25 | −0.209 |" in text
    assert "margins: 0.02" in text
    visitor.page.keyboard.press("Escape")
    visitor.page.locator(".st-key-compare_queries_export button").first.click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == "compare_queries.svg"


ADDRESS = "/sensitivity?study=newswire&robustness_measures=NFaiRR&robustness_choices=tau&robustness_choices=tokenizer"


def test_a_click_on_a_combination_sets_the_whole_app(visitor, tmp_path):
    visitor.open(ADDRESS)
    visitor.assert_well()
    first = visitor.page.locator(".fv-notice").text_content()
    assert "under 6 of 6 combinations" in visitor.page.locator(".st-key-robustness_words").text_content()
    marks = visitor.page.locator(".st-key-robustness_curve .scatterlayer .trace .points path.point")
    marks.first.wait_for(state="attached")
    marks.first.click(force=True)
    visitor.page.get_by_text("The whole app is set to this combination, by NFaiRR:").wait_for()
    visitor.settle()
    said = visitor.page.locator(".fv-good").inner_text().rstrip(".").partition(": ")[2]
    set_now = dict(part.split(" ") for part in said.split(", "))
    assert set(set_now) == {"tau", "tokenizer"}
    asked = parse_qs(urlsplit(visitor.page.url).query)
    usual = {"tau": "1", "tokenizer": "word"}
    assert {name: asked.get(name, [usual[name]])[0] for name in usual} == set_now != usual
    assert visitor.page.locator(".fv-notice").text_content() == first  # the map is the same, another one is the present
    visitor.go("Two systems")
    chips = visitor.page.locator(".st-key-chips").inner_text()
    for name, level in set_now.items():
        assert (f"{name} {level}" in chips) == (level != usual[name])
    with visitor.asking():
        visitor.page.get_by_role("tab", name="All systems against the baseline").click()
    visitor.page.locator(".st-key-compare_table_export button").first.click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="CSV", exact=True).click()
    download.value.save_as(tmp_path / "compared.csv")
    assert f"NFaiRR(tau={set_now['tau']})@10" in (tmp_path / "compared.csv").read_text(encoding="utf-8")
    assert "in NFaiRR" in visitor.page.locator(".fv-notice").inner_text()


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
    visitor.open("/query?study=newswire&query=q02&system=bm25")
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


def test_queries_by_keyboard_and_a_document_on_inspect(visitor) -> None:
    visitor.open("/query?study=newswire&baseline=w2v_si&measure=TExFAIR")
    page = visitor.page
    first = page.locator(".fv-lists").inner_text()
    assert "1 of 40 queries · difference in TExFAIR" in visitor.text()
    page.keyboard.press("n")
    page.get_by_text("2 of 40 queries · difference in TExFAIR").wait_for()
    visitor.settle(0)
    assert page.locator(".fv-lists").inner_text() != first
    page.keyboard.press("p")
    page.get_by_text("1 of 40 queries · difference in TExFAIR").wait_for()
    visitor.settle(0)
    assert page.locator(".fv-lists").inner_text() == first
    page.get_by_text("The calculation, step by step").click()
    page.get_by_test_id("stMain").get_by_text("difference", exact=True).click()
    page.get_by_text("TExFAIR@10 of bm25 minus w2v_si for", exact=False).first.wait_for()
    visitor.settle(0)
    visitor.assert_well()
    document = page.locator(".fv-hit button").first.inner_text()
    page.locator(".fv-hit button").first.press("Enter")
    visitor.arrived("Read")
    page.locator(".fv-doc bdi").wait_for()
    visitor.settle(0)
    assert page.locator(".fv-doc bdi").inner_text() == document


def test_names_and_texts_of_a_hostile_study_run_and_fetch_nothing(visitor) -> None:
    page = visitor.page

    def assert_harmless() -> None:
        assert page.evaluate("window.hacked") is None
        visitor.assert_well()

    visitor.open("/what_if?study=hostile")
    page.locator(ROW).nth(1).wait_for()
    page.locator(ROW).nth(1).focus()
    page.keyboard.press("Alt+ArrowUp")
    until(page, "from rank 2 to 1")
    visitor.settle()
    assert page.locator(f"{ROW} img").count() == 0
    assert_harmless()
    visitor.go("Trade-off")
    names = page.get_by_role("group", name="Systems shown").get_by_role("button").all_text_contents()
    assert "<img src=x onerror=window.hacked=1>" in names
    assert_harmless()
    visitor.go("Query")
    page.locator("[data-listens]").wait_for()
    page.locator(".fv-hit").first.hover()
    page.locator(".fv-hit.fv-same").nth(1).wait_for()  # the same document in both lists is outlined
    hit = page.locator(".fv-hit").filter(has_text="<script>").first
    name = hit.locator("button").first.inner_text()
    assert name.startswith("<script>")
    assert_harmless()
    hit.click()
    visitor.arrived("Read")
    page.locator(".fv-doc bdi").wait_for()
    assert name.startswith(page.locator(".fv-doc bdi").inner_text())  # a long name is cut there
    assert_harmless()


WORDS = Path("fairness-retrieval-results") / "wordlist_gender_representative.txt"


@pytest.fixture
def published(browser, shared_data):
    """A visitor of a server that has fetched Grep-BiasIR and CrowS-Pairs."""
    for name in ("grep-biasir", "crows-pairs"):
        fetch(name, shared_data)
    with started(Path(os.environ["FAIRVIZ_HOME"])) as address, visiting(browser, address, "") as visitor:
        yield visitor


def written(visitor, title: str) -> list[str]:
    """The values that the chart of this title writes beside its points."""
    chart = visitor.page.locator('[data-testid="stPlotlyChart"]', has=visitor.page.locator(f'text="{title}"'))
    return chart.locator(".scatterlayer text").all_text_contents()


@pytest.mark.lengthy
def test_the_word_list_of_the_papers_against_gold(published, shared_data):
    published.open("/agreement?study=grep-biasir&tau=0")
    assert "Only gold votes, and one annotator cannot disagree." in published.text()
    published.page.get_by_role("button", name="List from a file").click()
    published.page.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(shared_data / WORDS)
    published.page.get_by_text("326 words against gold").wait_for()
    published.settle(0)
    published.page.keyboard.press("Escape")
    values = written(published, "The word list as annotator: neutral or gendered")
    assert values == ["0.90", "0.90", "0.63", "0.79", "0.79", "0.34"]


@pytest.mark.lengthy
def test_annotators_of_crows_pairs(published):
    published.open("/agreement?study=crows-pairs")
    text = published.text()
    assert "287 annotators disagree on 288 of 1,508 documents (19 %); Krippendorff's alpha is 0.648 (0.6" in text
    published.choose("Leave out labels without", "bias_types")
    published.page.get_by_text("Krippendorff's alpha is 0.776").wait_for()
    published.settle(0)
    values = written(published, "All annotators together")
    assert values[2] == "0.65"
    assert values[6] == "0.78"
    published.choose("Split by", "bias_type")
    assert "Krippendorff's alpha by bias_type" in published.text()
    with published.asking():
        published.page.get_by_role("tab", name="Documents").click()
    assert "The text is offensive" in published.text()
