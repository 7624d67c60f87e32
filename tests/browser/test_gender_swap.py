"""The page Counterfactuals in a browser: run, stopped by nobody, read, and on to the Query page."""

import pytest

pytestmark = pytest.mark.browser


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
    page.wait_for_function("() => location.search.includes('query=best-player')")
    visitor.settle()
    visitor.assert_well()
