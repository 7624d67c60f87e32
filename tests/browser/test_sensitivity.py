"""The Map of choices in a real browser: a combination is clicked, and the whole app shows exactly its settings."""

from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.browser

ADDRESS = "/sensitivity?study=newswire&robustness_measures=NFaiRR&robustness_choices=tau&robustness_choices=tokenizer"


def test_a_click_on_a_combination_sets_the_whole_app(visitor, tmp_path):
    visitor.open(ADDRESS)
    visitor.assert_well()
    first = visitor.page.locator(".fv-notice").text_content()
    assert "6 distinct combinations." in visitor.page.locator(".st-key-robustness_words").text_content()
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
    visitor.page.locator(".st-key-compare_table_export button").click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="CSV", exact=True).click()
    download.value.save_as(tmp_path / "compared.csv")
    assert f"NFaiRR(tau={set_now['tau']})@10" in (tmp_path / "compared.csv").read_text(encoding="utf-8")
    assert "in NFaiRR" in visitor.page.locator(".fv-notice").inner_text()
    visitor.assert_well()
