"""One query among all as HTML: what is escaped, where marks stand, and what is undefined."""

import base64
import re

import numpy as np
import pandas as pd

from fairviz.figures import strip
from fairviz.figures.style import LIGHT, system_styles
from fairviz.measures import parse
from fairviz.ui.query.stripes import strip_html

CWEX, RATIO = parse("CWEx@2"), parse("GroupExposureRatio@2")
STYLES = system_styles(("<i>", "other"))


def drawn(query: str) -> str:
    rows = [("<i>", "q1", CWEX.text, -0.5), ("<i>", "q2", CWEX.text, 0.5), ("other", "q1", CWEX.text, 0.0),
            ("<i>", "q1", RATIO.text, np.nan), ("other", "q1", RATIO.text, 1.0)]  # fmt: skip
    scores = pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])
    return strip_html(strip.info(scores, (CWEX, RATIO), ("<i>", "other"), query), STYLES, LIGHT)


def test_the_querys_own_values_stand_between_the_ends() -> None:
    found = drawn("q1")
    assert "<i>" not in found
    assert 'title="&lt;i&gt; −0.500" src="data:image' in found
    assert re.search(r'title="&lt;i&gt; −0.500"[^>]*left:0.00%', found)
    assert re.search(r'title="other 0.000"[^>]*left:50.00%', found)
    assert "<span>−0.500</span>" in found
    assert "undefined in &lt;i&gt;" in found


def test_every_query_has_a_faint_mark_that_does_not_move_with_the_query() -> None:
    def faint(query: str) -> str:
        images = re.findall(r'<div><img alt="" src="data:image/svg\+xml;base64,([^"]+)"', drawn(query))
        return base64.b64decode(images[0]).decode()

    assert 'd="M0.0 0V10M500.0 0V10M1000.0 0V10"' in faint("q1")
    assert faint("q1") == faint("q2")


def test_without_any_value() -> None:
    assert strip_html(strip.Strip((), "q"), STYLES, LIGHT) == "<i>No measure has a value for this query.</i>"


def test_the_band_of_random_orders_has_its_ends_as_a_tooltip() -> None:
    rows = pd.DataFrame(
        [("other", "q1", CWEX.text, -0.5), ("other", "q2", CWEX.text, 0.5)],
        columns=["system", "query_id", "measure", "value"],
    )
    all_queries = strip.info(rows, (CWEX,), ("other",), "q1")
    bands = pd.DataFrame({"measure": [CWEX.text], "low": [-0.25], "high": [0.25]})
    found = strip_html(strip.of_query(all_queries, rows, "q1", bands), STYLES, LIGHT)
    assert '<i title="95 % of random orders: −0.250 to 0.250" style="left:25.00%;width:50.00%"></i>' in found
    assert "<i title" not in strip_html(all_queries, STYLES, LIGHT)
