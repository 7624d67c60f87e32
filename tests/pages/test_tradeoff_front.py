"""The achievable front on Trade-off: drawn on request, and not where the measures have none."""

import json

from streamlit.testing.v1 import AppTest

import fairviz
from tests.pages.test_first_run import first_run


def opened(**chosen: str) -> AppTest:
    app = first_run("tradeoff.py", study="newswire", **chosen)
    assert not app.exception
    return app


def scatter_of(app: AppTest) -> dict:
    charts = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return next(chart for chart in charts if "Fairness against" in str(chart["layout"]["title"]) or "One fairness"
                in str(chart["layout"]["title"]))  # fmt: skip


def names(app: AppTest) -> list[str]:
    return [str(trace.get("name")) for trace in scatter_of(app)["data"]]


def test_the_front_is_drawn_on_request() -> None:
    assert "Best achievable" not in names(opened())
    app = opened(tradeoff_front="on")
    assert names(app)[0] == "Best achievable"
    distances = fairviz.front_distances(fairviz.open_study("newswire")).set_index("system")["value"]
    bm25 = next(trace for trace in scatter_of(app)["data"] if trace["name"] == "bm25")
    assert f"Distance to ◇: {distances['bm25']:.4f}" in bm25["hovertemplate"]


def test_two_measures_of_fairness_have_no_front() -> None:
    app = opened(tradeoff_front="on", tradeoff_x="NFaiRR")
    assert "Best achievable" not in names(app)
    assert app.toggle(key="tradeoff_front").disabled
