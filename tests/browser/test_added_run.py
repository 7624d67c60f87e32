"""A run of one's own, from the Overview to its verdict, and the pair in view from page to page."""

import pytest

import fairviz
from tests.browser.test_journeys import address, upload

pytestmark = pytest.mark.browser


def own_run() -> str:
    """The lists of bm25 upside down, as a TREC run."""
    rows = fairviz.open_study("newswire").runs
    rows = rows[rows["system"] == "bm25"]
    lines = zip(rows["query_id"], rows["doc_id"], rows["rank"], strict=True)
    return "".join(f"{query} Q0 {document} {201 - rank} {rank} mine\n" for query, document, rank in lines)


def test_the_verdict_of_an_uploaded_run_is_three_clicks_from_the_overview(visitor) -> None:
    visitor.open("/?study=newswire")
    with visitor.asking():
        visitor.page.get_by_role("button", name="Use your own runs").click()  # 1
    upload(visitor, "A run (TREC, JSON, a table)", "mine.run", own_run())  # 2
    line = "mine is tested: 7 → 8 systems, 28 pairs; "
    assert visitor.text().count(line) == 1
    visitor.go("Overview")  # 3
    assert visitor.text().count(line) == 1
    assert "all 28 pairs, maxT" in visitor.text()
    with visitor.asking():
        visitor.page.get_by_role("button", name="Test without it").click()
    assert line not in visitor.text()
    assert "all 21 pairs, maxT" in visitor.text()
    visitor.assert_well()


def test_the_pair_goes_from_page_to_page_and_back(visitor) -> None:
    visitor.open("/compare?study=newswire&system=w2v_add&baseline=rrf&measure=RaB")
    pair = {"study": ["newswire"], "system": ["w2v_add"], "baseline": ["rrf"], "measure": ["RaB"]}
    for name in ("Measures", "Query", "Sensitivity", "Two systems"):
        visitor.page.mouse.move(700, 880)  # from a chip, whose tooltip would cover the menu
        visitor.go(name)
        boxes = visitor.page.get_by_test_id("stMain").get_by_test_id("stSelectbox")
        assert boxes.nth(0).locator("input").input_value() == "w2v_add"
        assert boxes.nth(1).locator("input").input_value() == "rrf"
        assert {key: value for key, value in address(visitor).items() if key in pair} == pair
    visitor.page.mouse.move(700, 880)
    visitor.go("Trade-off")
    assert address(visitor)["baseline"] == ["rrf"]
    visitor.page.mouse.move(700, 880)
    visitor.go("Read")
    assert address(visitor)["baseline"] == ["rrf"]
    visitor.assert_well()
