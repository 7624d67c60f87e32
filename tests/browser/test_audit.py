"""The page Audit in a browser: run as a job, and read."""

import pytest

from fairviz.study.study import save_study
from tests.analyses.counterfactuals.cases import triples

pytestmark = pytest.mark.browser


def test_a_run_and_its_cards(visitor, home) -> None:
    save_study(triples(), home / "studies" / "threefold")
    visitor.open("/audit?study=threefold&audit_rankers=bm25")
    page = visitor.page
    page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True).click()
    page.locator(".st-key-audit_pair_card mark").first.wait_for()
    visitor.settle()
    assert page.locator('[aria-label="Answers to this pair"] tr').count() == 2
    assert page.locator(".st-key-audit_integrity_card [data-testid=stDataFrame]").count() > 0
    visitor.assert_well()
