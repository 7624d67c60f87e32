"""Pages that are understood at a glance: the words above the fold on the default study."""

from pathlib import Path

import pytest

from tests.browser.conftest import PATHS, Visitor

pytestmark = pytest.mark.browser
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
