"""The scale of a mean: range and chance band in one table."""

import pandas as pd

import fairviz
from fairviz.orders.ranges import value_scales

MEASURES = ("CWEx@5", "NFaiRR@5", "nDCG@5")


def test_the_table_is_that_of_ranges_beside_that_of_chance() -> None:
    study = fairviz.open_study("newswire")
    settings = fairviz.Settings(systems=("bm25", "w2v_si"), filter_column="category", filter_values=("sport", "work"))
    for candidates in ("run", "judged"):
        table = value_scales(study, MEASURES, settings, candidates=candidates)
        reach = fairviz.ranges(study, MEASURES, settings, candidates=candidates)
        bands = fairviz.chance(study, MEASURES, settings, candidates=candidates)
        assert table["system"].tolist() == ["bm25", "w2v_si"] * 3
        pd.testing.assert_frame_equal(table[["value", "worst", "best"]], reach[["value", "worst", "best"]])
        names = {"low": "chance_low", "high": "chance_high"}
        expected = bands[["chance", "low", "high", "outside"]].rename(columns=names)
        pd.testing.assert_frame_equal(table[list(expected)], expected)


def test_random_orders_are_between_the_worst_and_the_best() -> None:
    table = value_scales(
        fairviz.open_study("football"), ["CWEx@4", "NFaiRR@4"], candidates="run", background="collection"
    )
    assert len(table) == 4
    assert (table["worst"] <= table["chance_low"]).all()
    assert (table["chance_high"] <= table["best"]).all()
