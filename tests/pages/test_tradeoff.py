"""The page Trade-off: every system in every figure, and the achievable front, drawn on request."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.study.record import Study
from tests.pages.conftest import Seen, first_run, html_of


def figures(page: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]


@pytest.mark.parametrize("tab", ["Differences", "Over α or k", "Ranks", "Chance and range"])
def test_figures_hold_every_system(tab: str) -> None:
    test = first_run("tradeoff.py", study="occupations", tradeoff_tab=tab)
    specs = [element.proto.spec for element in test.get("plotly_chart")]
    order, *cards = [figure for figure in specs if "tozeroy" not in figure]  # all but that of the sidebar
    assert len(cards) == 3
    assert all('"title"' in figure for figure in cards)
    if tab == "Differences":
        assert re.search(r'"ticktext": ?\["N", ?"S", ?"CS"\]', cards.pop())  # by CWEx, the fairest first
    for figure in (order, *cards):
        assert all(re.search(f'"name": ?"{system}"', figure) for system in ("S", "N", "CS"))


def test_a_link_to_the_sweep_that_is_gone_says_so() -> None:
    page = first_run("tradeoff.py", study="occupations", tradeoff_curve="sweep α")
    told = "The address sets tradeoff_curve to &#x27;sweep α&#x27;, which is not offered here; it was ignored."
    assert told in html_of(page)
    assert any("All of α" in str(figure["layout"]["title"]) for figure in figures(page))


def scatter_of(**chosen: str) -> tuple[AppTest, dict[str, dict]]:
    """The page, and the traces of its scatter by name."""
    page = first_run("tradeoff.py", study="occupations", **chosen)
    titles = ("Fairness against", "One fairness")
    scatter = next(one for one in figures(page) if any(title in str(one["layout"]["title"]) for title in titles))
    return page, {str(trace.get("name")): trace for trace in scatter["data"]}


def test_the_front_is_drawn_on_request(occupations: Study) -> None:
    assert "Best achievable" not in scatter_of()[1]
    _, traces = scatter_of(tradeoff_front="on")
    assert next(iter(traces)) == "Best achievable"
    distances = fairviz.front_distances(occupations).set_index("system")["value"]
    assert f"Distance to ◇: {distances['S']:.4f}" in traces["S"]["hovertemplate"]


def test_two_measures_of_fairness_have_no_front() -> None:
    page, traces = scatter_of(tradeoff_front="on", tradeoff_x="NFaiRR")
    assert "Best achievable" not in traces
    assert page.toggle(key="tradeoff_front").disabled


def test_the_order_of_systems_has_its_legend_on_the_overview_and_shares_that_of_the_trade_off(seen: Seen) -> None:
    legends = {}
    for page in ("overview", "tradeoff"):
        charts = seen(f"{page}.py", study="football").get("plotly_chart")
        (order,) = (chart for chart in charts if chart.key == f"{page}_order")
        legends[page] = json.loads(order.proto.spec)["layout"]["showlegend"]
    assert legends == {"overview": True, "tradeoff": False}
