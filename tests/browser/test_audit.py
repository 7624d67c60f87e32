"""The page Audit in a browser: its default run and its folds, and old links to views that are a page now."""

import pytest

from fairviz.study.study import save_study
from tests.analyses.gender_swap.cases import triples

pytestmark = pytest.mark.browser


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
    visitor.assert_well()


def test_an_old_link_opens_the_mitigations(visitor) -> None:
    visitor.open("/audit?study=football&audit_view=Mended+encoders")
    visitor.arrived("Mitigations")
    visitor.shows("No encoder is fine-tuned on football yet.")
    visitor.assert_well()
