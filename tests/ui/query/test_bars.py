"""The bars next to the lists: one for each rank from the same 0, the other parts, and the sum."""

import re

import numpy as np

from fairviz.figures.style import LIGHT
from fairviz.ui.query.bars import margin
from tests.ui.query.test_steps import anatomy, ranked


def test_every_bar_begins_at_the_same_zero() -> None:
    made = margin(anatomy(ranked([1.0, -0.25, 0.0]), column="value", systems=("<a>", "b")), "CWEx", 3, LIGHT)
    bars = {rank: re.findall(r"left:([\d.]+)%;width:([\d.]+)%", cell) for rank, cell in made.cells.items()}
    assert bars == {1: [("20.00", "80.00")], 2: [("0.00", "20.00")], 3: [("20.00", "0.00")]}
    assert [re.findall(r"<span>(.+?)</span>", cell) for cell in made.cells.values()] == [["+1.000"], ["−0.250"], ["0"]]
    assert made.foot == "<b>sum +0.750</b>"
    assert ">CWEx: &lt;a&gt; minus b</span>" in made.head
    assert made.place == 2


def test_parts_without_a_bar_are_named_below() -> None:
    table = ranked([0.5, 0.25, 0.125])
    table.loc[3] = {"rank": None, "doc_id": None, "value": 1.0, "formula": "max(TED)"}
    made = margin(anatomy(table), "TExFAIR", 1, LIGHT)
    assert list(made.cells) == [1]
    assert made.foot == "<div>constant +1.000</div><div>ranks from 2 +0.375</div><b>sum +1.875</b>"


def test_an_undefined_value_has_no_bars() -> None:
    made = margin(anatomy(ranked([np.nan])), "CWEx", 1, LIGHT)
    assert (made.cells, made.foot) == ({}, "<b>undefined</b>")
