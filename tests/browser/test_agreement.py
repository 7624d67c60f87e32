"""A person at the Agreement page, on published annotations."""

import os
from pathlib import Path

import pytest

from fairviz.datasets import fetch
from tests.browser.conftest import Visitor, started

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WORDS = Path("fairness-retrieval-results") / "wordlist_gender_representative.txt"


@pytest.fixture
def published(browser, shared_data):
    """A visitor of a server that has fetched Grep-BiasIR and CrowS-Pairs."""
    for name in ("grep-biasir", "crows-pairs"):
        fetch(name, shared_data)
    with started(Path(os.environ["FAIRVIZ_HOME"])) as address:
        visitor = Visitor(browser, address)
        yield visitor
        visitor.context.close()


def written(visitor, title: str) -> list[str]:
    """The values that the chart of this title writes beside its points."""
    chart = visitor.page.locator('[data-testid="stPlotlyChart"]', has=visitor.page.locator(f'text="{title}"'))
    return chart.locator(".scatterlayer text").all_text_contents()


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
    published.assert_well()


@pytest.mark.lengthy
def test_annotators_of_crows_pairs(published):
    published.open("/agreement?study=crows-pairs")
    text = published.text()
    assert "287 annotators disagree on 288 of 1,508 documents (19 %); Krippendorff's alpha is 0.648 (0.6" in text
    published.choose("Leave out labels without", "bias_types")
    published.page.get_by_text("Krippendorff's alpha is 0.776").wait_for()
    values = written(published, "All annotators together")
    assert values[2] == "0.65"
    assert values[6] == "0.78"
    published.choose("Split by", "bias_type")
    assert "Krippendorff's alpha by bias_type" in published.text()
    with published.asking():
        published.page.get_by_role("tab", name="Documents").click()
    assert "The text is offensive" in published.text()
    published.assert_well()


def test_hostile_names_and_texts_stay_text(visitor):
    visitor.open("/agreement?study=hostile")
    assert "votes, and one annotator cannot disagree" in visitor.text()
    assert visitor.page.evaluate("window.hacked") is None
    visitor.assert_well()
