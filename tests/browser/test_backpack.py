"""The page Backpack in a browser: a hand moves the sense weight, and lists and figures move."""

import re

import pytest

pytestmark = pytest.mark.browser
FIGURE = "() => document.querySelector('.st-key-backpack_scores_chart .js-plotly-plot')"
MOVED = r"▲ \d"  # ▲ alone stands for a gender too
MARK = "layout.annotations[0].text"


def test_the_weight_moves_lists_and_figures(visitor) -> None:
    visitor.open("/backpack?study=recruitment&backpack_weight=1&backpack_figure=figure+2")
    page = visitor.page
    page.locator(".st-key-backpack_scores_chart .js-plotly-plot .main-svg").first.wait_for()
    visitor.settle()
    lists = page.locator(".st-key-backpack_lists_card .fv-lists")
    assert not re.search(MOVED, lists.inner_text())
    handle = page.locator(".st-key-backpack_weight").get_by_role("slider")
    handle.focus()
    page.keyboard.press("Home")
    page.wait_for_function(f"() => ({FIGURE})()?.{MARK} === 'weight 0'")
    page.wait_for_function(f"() => /{MOVED}/.test(document.querySelector('.st-key-backpack_lists_card').innerText)")
    page.wait_for_function("() => location.search.includes('backpack_weight=0')")
    sizes = (
        "document.querySelector('.st-key-backpack_chart .js-plotly-plot').data.find(t => t.name === 'gender senses')"
    )
    page.wait_for_function(f"() => ({sizes}).marker.size[0] > ({sizes}).marker.size[5]")
    visitor.settle()
    visitor.assert_well()
