"""A reviewer's question about a ranker, answered by at most four clicks in a real browser."""

import pytest

import fairviz
from fairviz.datasets import fetch
from fairviz.extensions.ranker_audits.pairwise import short_sentences
from tests.browser.conftest import Visitor
from tests.browser.conftest import browser as browser
from tests.browser.conftest import chromium as chromium
from tests.browser.test_questions import MOST_CLICKS, Clicks
from tests.browser.test_questions import at_own_home as at_own_home

pytestmark = [pytest.mark.browser, pytest.mark.lengthy]


def test_which_wording_a_ranker_prefers_on_grep_biasir(at_own_home: Visitor, shared_data) -> None:
    visitor, page = at_own_home, at_own_home.page
    fetch("grep-biasir", shared_data)
    study = fairviz.open_study("grep-biasir")
    found = fairviz.audit(study, "bm25,bi_encoder")  # encodes for half a minute; the page finds what was encoded
    clicks = Clicks(visitor, "grep-biasir")
    clicks.page("Audit")
    run = page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True)
    if run.is_enabled():  # what takes under five seconds runs by itself
        clicks.on(run)
    card = page.locator(".st-key-audit_shares_card")
    card.get_by_text("bi_encoder").first.wait_for()
    visitor.settle()
    kind, judged = card.locator("input").first.input_value().split(", ", 1)
    rows = found.table[(found.table["kind"] == kind) & (found.table["judged"] == judged)].reset_index(drop=True)
    (sentence,) = [each for each in short_sentences(study, found.integrity, rows) if each.startswith("bi_encoder")]
    assert sentence in " ".join(card.text_content().split())
    assert clicks.count <= MOST_CLICKS
    visitor.assert_well()
