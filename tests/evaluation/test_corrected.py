"""Corrected scores of a study: people on drawn queries, a word list on all."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.corrected import COLUMNS, corrected, draw_queries
from fairviz.statistics.corrected import corrected_mean

MEASURES = ["CWEx@10", "ExposureGap@10"]


@pytest.fixture(scope="module")
def study():
    return fairviz.open_study("newswire")


@pytest.fixture(scope="module")
def tables(study) -> tuple[pd.DataFrame, pd.DataFrame]:
    return tuple(fairviz.evaluate(study, MEASURES, annotator=name) for name in ("lexicon", "project"))


def test_each_row_is_the_corrected_mean_of_its_values(study, tables) -> None:
    machine, people = tables
    drawn = draw_queries(study, 15, seed=4)
    table = corrected(machine, people, drawn)
    assert list(table) == COLUMNS
    assert len(table) == 9 * 2
    row = table[(table["system"] == "bm25") & (table["measure"] == "CWEx(alpha=0.5)@10")].iloc[0]
    values = [
        one[(one["system"] == "bm25") & (one["measure"] == row["measure"])].set_index("query_id")["value"]
        for one in tables
    ]
    wanted = corrected_mean(values[0].to_numpy(), values[1].to_numpy(), values[0].index.isin(drawn))
    assert (row["value"], row["ci_low"], row["ci_high"]) == pytest.approx((wanted.value, wanted.low, wanted.high))
    assert row["machine"] == pytest.approx(values[0].mean())
    assert row["people"] == pytest.approx(values[1][drawn].mean())
    assert (row["drawn"], row["queries"]) == (15, 40)


def test_differences_are_those_of_paired_values(study, tables) -> None:
    drawn = draw_queries(study, 15, seed=4)
    table = corrected(*tables, drawn, against="bm25")
    assert "bm25" not in set(table["system"])
    whole = corrected(*tables, drawn)
    means = whole.pivot(index="measure", columns="system", values="people")
    row = table[(table["system"] == "rrf") & (table["measure"] == means.index[0])].iloc[0]
    assert row["people"] == pytest.approx(means.loc[row["measure"], "rrf"] - means.loc[row["measure"], "bm25"])


def test_people_on_all_queries_leave_nothing_uncertain(study, tables) -> None:
    table = corrected(*tables, draw_queries(study, 40, seed=1))
    assert np.allclose(table["ci_low"], table["ci_high"])
    assert np.allclose(table["value"], fairviz.summarise(tables[1])["value"])


def test_queries_are_drawn_at_random(study) -> None:
    assert draw_queries(study, 5, 1) == draw_queries(study, 5, 1) != draw_queries(study, 5, 2)
    counts = pd.Series([query for seed in range(400) for query in draw_queries(study, 10, seed)]).value_counts()
    assert len(counts) == 40
    assert counts.between(60, 140).all()
    with pytest.raises(UsageError, match="count is 41"):
        draw_queries(study, 41, 1)


def test_what_does_not_fit_is_refused(study, tables) -> None:
    machine, people = tables
    drawn = draw_queries(study, 5, 1)
    with pytest.raises(UsageError, match="the drawn query 'none' is not in the scores"):
        corrected(machine, people, ["none"])
    with pytest.raises(UsageError, match="people's scores lack ExposureGap@10"):
        corrected(machine, people[people["measure"] != "ExposureGap@10"], drawn)
    with pytest.raises(UsageError, match="no system is called 'none'"):
        corrected(machine, people, drawn, against="none")
    short = people.assign(labelled=people["labelled"].where(people["query_id"] != drawn[0], 3))
    with pytest.raises(FairvizError, match=f"people labelled 3 of 10 places of query '{drawn[0]}' in bm25"):
        corrected(machine, short, drawn)
    gsr = fairviz.evaluate(study, "GSR@10")
    with pytest.raises(UsageError, match="which has no value for a query"):
        corrected(gsr, gsr, drawn)
