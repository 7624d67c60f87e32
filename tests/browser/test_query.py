"""The page Query in a browser: two queries compared by keyboard alone, the waterfall, and on to Inspect."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
    visitor.assert_well()


def test_lists_of_hostile_texts_run_and_fetch_nothing(visitor) -> None:
    visitor.open("/query?study=hostile")
    visitor.page.locator("[data-listens]").wait_for()
    visitor.page.locator(".fv-hit").first.hover()
    assert visitor.page.locator(".fv-hit.fv-same").count() == 2  # the same document in both lists is outlined
    hit = visitor.page.locator(".fv-hit").filter(has_text="<script>").first
    name = hit.locator("button").first.inner_text()
    assert name.startswith("<script>")
    assert visitor.page.evaluate("() => window.hacked") is None
    hit.click()
    visitor.page.locator(".fv-doc bdi").wait_for()
    visitor.settle()
    assert name.startswith(visitor.page.locator(".fv-doc bdi").inner_text())  # a long name is cut there
    assert visitor.page.evaluate("() => window.hacked") is None
    visitor.assert_well()
