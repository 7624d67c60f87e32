"""Comparisons apart for each value of a column of the queries."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairviz
from fairviz.comparison.compare import MOST_SLICES, comparison, sizes, slices_of
from fairviz.comparison.pairs import UNTESTED
from fairviz.comparison.ranking_sentences import family_text
from fairviz.errors import UsageError
from fairviz.study.record import Study
from tests.comparison.test_compare import MEASURES, made
from tests.conftest import refused

SLICES = {"q0": "sport", "q1": "sport", "q2": "health", "q3": "sport", "q4": None}


def test_slices_and_pairs_are_one_family() -> None:
    """Three systems in two slices of 12 and 14 queries are six tests: Bonferroni multiplies each p by 6."""
    generator = np.random.default_rng(2)
    values = {name: list(generator.normal(size=26) + lift) for name, lift in (("a", 0.0), ("b", 0.5), ("c", 0.2))}
    table = made(**values)
    halves = {f"q{n}": "first" if n < 12 else "second" for n in range(26)}
    found = comparison(table, "a", slices=halves, tests="bonferroni")
    assert (found.family, tuple(found.sizes_by_family.values()), family_text(found)) == (
        6,
        (6,),
        "all 6 pairs, paired t, Bonferroni",
    )
    for row in found.table.itertuples():
        part = slice(0, 12) if row.slice == "first" else slice(12, 26)
        p = stats.ttest_rel(values[row.system][part], values["a"][part]).pvalue
        assert (row.p, row.p_corrected) == pytest.approx((p, min(6 * p, 1)))
    apart = comparison(table[table["query_id"].map(halves) == "first"], "a", draws=999).table["p_corrected"]
    together = comparison(table, "a", slices=halves, draws=999).table
    assert (together.loc[together["slice"] == "first", "p_corrected"].to_numpy() >= apart.to_numpy() - 0.05).all()


def test_each_slice_holds_the_numbers_of_its_queries(newswire: Study) -> None:
    scores = fairviz.evaluate(newswire, MEASURES)
    categories = slices_of(newswire, "category")
    assert (categories["q01"], categories.name, len(categories)) == ("sport", "category", 40)
    assert sum(sizes(scores, categories).values()) == 40
    found = comparison(scores, "bm25", slices=categories, tests="none").table
    kept = ["measure", "system", "value", "difference", "queries", "queries_all", "verdict"]
    for name in dict.fromkeys(newswire.queries["category"]):
        queries = newswire.queries.loc[newswire.queries["category"] == name, "query_id"]
        part = comparison(scores[scores["query_id"].isin(queries)], "bm25", tests="none").table
        sliced = found.loc[found["slice"] == name, kept].reset_index(drop=True)
        pd.testing.assert_frame_equal(sliced, part[kept], rtol=1e-9)
        if len(queries) < 10:
            assert set(sliced["verdict"]) == {UNTESTED, "reference"}


def test_slices_stand_in_their_order_and_queries_without_one_last() -> None:
    found = fairviz.compare(made(a=[0.1, 0.5, 0.3, 0.4, 0.2, 0.9], b=[0.2] * 6), "b", slices=SLICES)
    assert found["slice"].tolist() == ["sport", "health", "(none)"]
    assert found["queries"].tolist() == [3, 1, 2]  # q5 is in no slice, q4 in an empty one
    assert found["difference"].tolist() == pytest.approx([(0.1 + 0.5 + 0.4) / 3 - 0.2, 0.1, 0.35])
    assert found["verdict"].tolist()[1] == UNTESTED
    best = fairviz.compare(made(a=[0.9, 0.9, 0.1], b=[0.2, 0.2, 0.2]), slices=SLICES)
    assert best["baseline"].tolist() == ["a", "b"], "each slice has a best system of its own"


def test_a_column_that_cannot_slice(newswire: Study, football: Study) -> None:
    for column, hint in (("categroy", "Did you mean category? "), ("query_id", "")):
        what = f"the queries of 'newswire' have no column {column!r} to slice by"
        with refused(f"{what}\n{hint}Use one of category, bias_sensitive.", UsageError):
            slices_of(newswire, column)
    with refused(
        "the queries of 'football' have no column 'category' to slice by\n"
        "Add a column to the file of queries, such as category.",
        UsageError,
    ):
        slices_of(football, "category")
    queries = pd.DataFrame({"query_id": [f"q{n}" for n in range(MOST_SLICES + 1)], "text": "a"})
    study = fairviz.make_study("many", queries=queries.assign(note=queries["query_id"]))
    with refused(
        "the column 'note' of the queries of 'many' cuts into 101 slices, more than 100\n"
        "Slice by a column of few values, such as category.",
        UsageError,
    ):
        slices_of(study, "note")
    with pytest.raises(UsageError, match=r"^slices is 'category'"):
        fairviz.compare(made(a=[0.1], b=[0.2]), "b", slices="category")
