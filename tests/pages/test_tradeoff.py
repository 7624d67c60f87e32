"""The page Trade-off: every system in every figure, the achievable front, the pinned picture, and wide cards."""

import json
import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.gsr.cards import CARDS as STEREOTYPES
from fairviz.ui.kit.wide import HEIGHT
from fairviz.ui.tradeoff.cards import CARDS, CURVES, DIFFERENCES, RANKS
from tests.pages.conftest import Seen, first_run, html_of, numbers_of


def figures(page: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]


LENGTHY = [pytest.param(tab, marks=pytest.mark.lengthy) for tab in ("Ranks", "Chance and range")]


@pytest.mark.parametrize("tab", ["Differences", "Over α or k", *LENGTHY])
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


def test_a_study_that_answers_no_measure_of_fairness_has_the_reasons_and_no_figure(newswire: Study) -> None:
    lists = make_study("lists", runs=newswire.runs)
    page = first_run("tradeoff.py", own=lists)
    assert "CWEx" in html_of(page)
    assert [chart.key for chart in page.get("plotly_chart")] == ["bias_curve"]  # that of the sidebar


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


# The pinned picture, the legend's choice and wide cards on the pages: every number is that of `evaluate`


PIN = "study=newswire&cutoff=5&position_bias=reciprocal"
THEN = {"cutoff": 5, "position_bias": "reciprocal"}
TABS = (DIFFERENCES, CURVES, RANKS)
FEW = ["bm25", "w2v_si", "rrf"]


def every_tab(seen: Seen, **query: object) -> list[AppTest]:
    """The Trade-off page, once with each of its tabs open."""
    return [seen("tradeoff.py", study="newswire", tradeoff_tab=tab, **query) for tab in TABS]


def titled(page: AppTest) -> dict[str, dict]:
    """The figures of the page by the first word of their titles."""
    specs = [json.loads(element.proto.spec) for element in page.get("plotly_chart")]
    return {spec["layout"]["title"]["text"].split()[0]: spec for spec in specs if spec["layout"]["title"].get("text")}


def then(*measures: str, systems: list[str] = FEW) -> dict[tuple[str, str], float]:
    """The means of the pinned settings, asked of the library, by system and name of the measure."""
    table = fairviz.summarise(fairviz.evaluate(fairviz.open_study("newswire"), list(measures), systems=systems, **THEN))
    return {(row.system, row.measure.split("(")[0].split("@")[0]): row.value for row in table.itertuples()}


def test_a_pin_changes_no_figure(seen: Seen) -> None:
    free = seen("tradeoff.py", study="newswire", tradeoff_tab=DIFFERENCES, systems=FEW)
    assert titled(every_tab(seen, pin=PIN, systems=FEW)[0]) == titled(free)


def test_tables_hold_pinned_values_and_differences(seen: Seen) -> None:
    pages = every_tab(seen, pin=PIN, systems=FEW)
    frames = [element.value for page in pages for element in page.dataframe]
    means = then("CWEx@5", "nDCG@5", "NFaiRR@5", "TExFAIR@5")
    points = next(frame for frame in frames if "value kept" in frame and "coverage" in frame)
    assert len(points) == 6
    for row in points.itertuples(index=False):
        before = means[row[0], row[1].split("(")[0].split("@")[0]]
        assert (row[-2], row[-1]) == pytest.approx((before, row.value - before), rel=1e-12)
    found = numbers_of(pages[0], "tradeoff_differences")
    table = fairviz.compare(
        fairviz.evaluate(fairviz.open_study("newswire"), [m.replace("10", "5") for m in found["measure"].unique()],
                         systems=FEW, **THEN)
    )  # fmt: skip
    names = found["measure"].str.split("[(@]", regex=True).str[0]
    for row, name in zip(found.itertuples(), names, strict=True):
        rows = table[(table["system"] == row.system) & table["measure"].str.startswith(name)]
        pinned = found.loc[row.Index, ["baseline kept", "difference kept", "verdict kept"]].tolist()
        if len(rows):
            assert pinned == rows[["baseline", "difference", "verdict"]].iloc[0].tolist()
        else:  # the best of that measure then
            assert pd.isna(pinned).all()
    ranks = next(frame for frame in frames if "CWEx kept" in frame)
    assert (ranks["CWEx change"] == ranks["CWEx"] - ranks["CWEx kept"]).all()
    assert any({"alpha", "value kept", "value change"} <= set(frame) for frame in frames)
    assert any("neutral change" in frame for frame in frames)


def test_the_overview_shows_differences_to_the_pin() -> None:
    page = first_run("overview.py", study="newswire", pin=PIN)
    (table,) = [element.value for element in page.dataframe if "CWEx ↑" in element.value]
    means = then("CWEx@5", "RaB@5", systems=list(table["system"].str.removesuffix(" (reference)")))
    for name, column in (("CWEx", "CWEx ↑"), ("RaB", "RaB → 0")):
        before = [means[system.removesuffix(" (reference)"), name] for system in table["system"]]
        assert table[f"Δ {name}"].tolist() == pytest.approx((table[column] - before).tolist(), rel=1e-12, abs=1e-15)
    text = html_of(page)
    assert "<b>Kept</b> (Δ = now − kept): k = 5, α = 0.5, position bias reciprocal. " in text
    assert "Changed: <b>k → 10</b> and <b>position bias → log2</b>." in text


def test_pin_and_unpin_are_two_clicks_and_in_the_address() -> None:
    page = first_run("tradeoff.py", study="football", cutoff="4")
    assert not [button for button in page.button if button.label == "Remove kept"]
    page.button(key="pin_now").click().run()
    page.select_slider(key="cutoff").set_value(3).run()
    assert page.query_params["pin"] == "study=football&cutoff=4"
    assert "Changed: <b>k → 3</b>." in html_of(page)
    page.button(key="pin_let_go").click().run()
    assert "pin" not in page.query_params
    assert "fv-pinned" not in html_of(page)


def test_a_pin_that_cannot_be_honoured_says_so_and_draws_nothing() -> None:
    text = html_of(first_run("tradeoff.py", study="football", pin="study=football&cutoff=0"))
    told = "The address sets pin to &#x27;study=football&amp;cutoff=0&#x27; (cutoff to &#x27;0&#x27; (cutoff is 0)); "
    assert text.count(f"{told}nothing is kept.") == 1
    assert "fv-pinned" not in text


def test_the_pin_of_another_study_waits_for_its_return() -> None:
    page = first_run("tradeoff.py", study="football", pin=PIN)
    assert "The kept picture is of the study newswire: nothing here is compared with it." in html_of(page)
    page.selectbox(key="study").select("newswire").run()
    assert "<b>Kept</b>: k = 5" in html_of(page)


def test_a_measure_without_a_kept_value_is_named() -> None:
    page = first_run("tradeoff.py", study="newswire", effectiveness="RR", pin="study=newswire", systems=FEW)
    assert "RR has no kept value." in html_of(page)


def test_every_figure_sentence_and_table_says_how_many_are_hidden(seen: Seen) -> None:
    page = seen("tradeoff.py", study="newswire", tradeoff_tab=DIFFERENCES, systems=FEW)
    drawn = titled(page)
    assert len(drawn) == 3
    assert all(figure["layout"]["title"]["text"].endswith(" · 6 hidden") for figure in drawn.values())
    text = html_of(page)
    assert text.count("6 of 9 systems are hidden.") == 1 + 3  # the finding, and the head of each card's table
    assert "Tests: all 3 pairs, maxT." in text  # of three systems, in each measure
    overview = html_of(first_run("overview.py", study="newswire", systems=FEW, columns=["CWEx"]))
    assert overview.count("6 of 9 systems are hidden.") == 2
    stereotypes = html_of(first_run("gsr.py", study="newswire", systems=FEW))
    assert stereotypes.count("6 of 9 systems are hidden.") == 3


def test_a_card_is_wide_by_address_or_button_and_can_be_closed() -> None:
    page = first_run("tradeoff.py", study="football", tradeoff_wide="nothing")
    told = "The address sets tradeoff_wide to &#x27;nothing&#x27;, which is not offered here; it was ignored."
    assert told in html_of(page)
    for card in CARDS:
        page.button(key=f"tradeoff_wide_{card}").click().run()
        assert page.query_params["tradeoff_wide"] == card
        *cards, _ = (figure["layout"]["height"] for figure in titled(page).values())  # the differences have their own
        assert [height == HEIGHT for height in cards] == [name == card for name in CARDS]
    page.button(key=f"tradeoff_wide_{CARDS[-1]}").click().run()
    assert "tradeoff_wide" not in page.query_params
    page = first_run("tradeoff.py", study="football", tradeoff_wide=CARDS[1])
    *cards, _ = (figure["layout"]["height"] for figure in titled(page).values())
    assert [height == HEIGHT for height in cards] == [name == CARDS[1] for name in CARDS]
    page.button(key="tradeoff_wide_close").click().run()
    assert "tradeoff_wide" not in page.query_params


def test_cards_of_stereotypes_open_and_close_too() -> None:
    page = first_run("gsr.py", study="occupations", stereotypes_wide=STEREOTYPES[0])
    for card in STEREOTYPES:
        if page.query_params.get("stereotypes_wide") != card:
            page.button(key=f"stereotypes_wide_{card}").click().run()
        assert page.query_params["stereotypes_wide"] in (card, [card])
        layouts = [json.loads(element.proto.spec)["layout"] for element in page.get("plotly_chart")]
        heights = {str(one["title"].get("text")): one["height"] for one in layouts}
        (height,) = [height for title, height in heights.items() if title.startswith("GSR without the most")]
        assert (height == HEIGHT) == (card == "carried")
    page.button(key="stereotypes_wide_close").click().run()
    assert "stereotypes_wide" not in page.query_params
