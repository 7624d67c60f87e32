"""The coefficients against the packages, against arithmetic in sight, and against drawing documents one by one."""

import math
import warnings
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from fairviz.annotation import agreement
from fairviz.annotation.agreement import coefficients, overall, pairs
from fairviz.annotation.agreement.coefficients import (
    COEFFICIENTS,
    accuracy,
    cohen_kappa,
    resample_coefficients,
    resample_tables,
    tally,
)

TABLES = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=size, max_size=size)
)
COUNTS = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any), min_size=1, max_size=12
    )
)


def values(counts: np.ndarray) -> dict[str, float]:
    sums = tally(counts, np.ones((1, len(counts))))
    return {name: float(of(sums)[0]) for name, of in COEFFICIENTS.items()}


@given(TABLES)
def test_accuracy_and_kappa_are_those_of_scikit_learn(cells: list[list[int]]) -> None:
    from sklearn.metrics import accuracy_score, cohen_kappa_score  # a second, for each process that collects tests

    table = np.array(cells)
    if not table.sum():
        assert math.isnan(accuracy(table))
        assert math.isnan(cohen_kappa(table))
        return
    rows, columns = np.indices(table.shape).reshape(2, -1)
    assert accuracy(table) == pytest.approx(accuracy_score(rows, columns, sample_weight=table.ravel()))
    if (table.sum(axis=0) * table.sum(axis=1)).sum() == table.sum() ** 2:
        assert math.isnan(cohen_kappa(table)), "one label only: chance alone would agree always"
        return
    assert cohen_kappa(table) == pytest.approx(cohen_kappa_score(rows, columns, sample_weight=table.ravel()))


@given(COUNTS)
def test_alpha_is_that_of_krippendorff_whatever_the_holes(cells: list[list[int]]) -> None:
    """And percent agreement is the mean share of agreeing pairs of votes."""
    counts = np.array(cells)
    found = values(counts)
    pairable = counts[counts.sum(axis=1) >= 2]
    if not len(pairable) or (pairable.sum(axis=0) > 0).sum() < 2:
        assert math.isnan(found["Krippendorff's alpha"])
    else:
        expected = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
        assert found["Krippendorff's alpha"] == pytest.approx(expected)
    shares = [np.mean([a == b for a, b in combinations(np.repeat(range(len(row)), row), 2)]) for row in pairable]
    assert found["percent agreement"] == pytest.approx(np.mean(shares) if shares else math.nan, nan_ok=True)


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=12))
def test_fleiss_is_that_of_statsmodels_where_votes_are_equally_many(votes: list[list[int]]) -> None:
    counts = np.array([[row.count(label) for label in range(3)] for row in votes])
    with warnings.catch_warnings():  # statsmodels divides by zero where only one label was given
        warnings.simplefilter("ignore", RuntimeWarning)
        theirs = fleiss_of_statsmodels(counts)
    assert values(counts)["Fleiss' kappa"] == pytest.approx(theirs, nan_ok=True)


def test_gwet_by_hand_with_holes() -> None:
    """Two say f, f; f, m, m; and one alone m. p_a = (1 + 1/3) / 2 = 2/3. Shares of f 1, 1/3, 0: π = (4/9, 5/9).

    p_e = 2 · (4/9 · 5/9) = 40/81 over L − 1 = 1. AC1 = (54/81 − 40/81) / (41/81) = 14/41. With a third label that
    nobody gave, L − 1 = 2: p_e = 20/81, AC1 = 34/61. Fleiss: p_e = 16/81 + 25/81 = 41/81, (54 − 41)/(81 − 41) = 13/40.
    """
    counts = np.array([[2, 0], [1, 2], [0, 1]])
    assert values(counts)["Gwet's AC1"] == pytest.approx(14 / 41)
    assert values(counts)["Fleiss' kappa"] == pytest.approx(13 / 40)
    assert values(np.c_[counts, [0, 0, 0]])["Gwet's AC1"] == pytest.approx(34 / 61)
    assert math.isnan(values(np.array([[2], [3]]))["Gwet's AC1"])


def test_a_resample_of_patterns_is_a_resample_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means and spreads of both ways agree; drawing document by document is the slow reference."""
    counts = np.array([[3, 0]] * 30 + [[2, 1]] * 12 + [[0, 3]] * 10 + [[1, 1]] * 5)
    patterns, multiplicity = np.unique(counts, axis=0, return_counts=True)
    fast = resample_coefficients(patterns, multiplicity, 3000, 1)
    generator = np.random.default_rng(2)
    slow = [values(counts[generator.integers(0, len(counts), len(counts))]) for _ in range(1500)]
    monkeypatch.setattr(coefficients, "_CELLS", 21)
    few = resample_coefficients(patterns, multiplicity, 3000, 1)
    for name in COEFFICIENTS:
        drawn = np.array([one[name] for one in slow])
        assert fast[name].mean() == pytest.approx(drawn.mean(), abs=0.01)
        assert fast[name].std() == pytest.approx(drawn.std(), rel=0.1)
        np.testing.assert_allclose(few[name], fast[name], rtol=1e-12, atol=1e-12)  # however many are held at a time
    table = np.array([[20, 5], [10, 15]])
    tables = resample_tables(table, 2000, 0)
    assert (tables.sum(axis=(1, 2)) == 50).all()
    np.testing.assert_allclose(tables.mean(axis=0), table, atol=0.3)
    assert resample_tables(np.zeros((2, 2), dtype=int)).sum() == 0
    assert coefficients.interval(np.array([0.0, np.nan, 1.0])) == pytest.approx((0.025, 0.975))
    assert all(math.isnan(bound) for bound in coefficients.interval(np.array([np.nan])))


@pytest.mark.parametrize("name", list(COEFFICIENTS))
def test_value_and_interval_are_of_one_function(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"d{place}", who, "fm"[place % 3 == 0]) for place in range(9) for who in "ab"]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"]).astype("str")
    monkeypatch.setitem(COEFFICIENTS, name, lambda sums: np.full(len(sums.agreement), 0.25))
    row = overall(labels).set_index("coefficient").loc[name]
    assert row[["value", "ci_low", "ci_high"]].tolist() == [0.25, 0.25, 0.25]


# --- the tables of agreement on labels small enough to count by hand, and on published annotations


ROWS = [
    ("d1", "x", "f"), ("d1", "y", "f"), ("d1", "z", "m"),
    ("d2", "x", "m"), ("d2", "y", "f"),
    ("d3", "x", "n"), ("d3", "y", "n"),
    ("d4", "z", "n"),
]  # fmt: skip


def frame(rows: list[tuple], *more: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["doc_id", "annotator", "label", *more], dtype="str")


LABELS = frame(ROWS)
DOMAIN = ("n", "f", "m")


def test_votes_are_codes_in_the_order_of_the_labels() -> None:
    votes = agreement.read_votes(LABELS, DOMAIN)
    assert votes.labels == DOMAIN
    assert votes.annotators == ("x", "y", "z")
    assert votes.counts.tolist() == [[0, 2, 1], [0, 1, 1], [2, 0, 0], [1, 0, 0]]
    assert agreement.read_votes(LABELS).labels == ("f", "m", "n")
    assert agreement.read_votes(LABELS, ("n", "q")).labels == ("n", "q", "f", "m")
    assert agreement.majority(votes.counts).tolist() == [1, -1, 0, 0]
    assert agreement.majority(np.zeros((2, 0), dtype=int)).tolist() == [-1, -1], "of no label at all"
    assert agreement.majority(np.zeros((0, 3), dtype=int)).tolist() == []
    assert agreement.count_texts(votes.counts, votes.labels) == ["f 2, m 1", "f 1, m 1", "n 2", "n 1"]
    counts = agreement.label_counts(LABELS, pd.Index(["d3", "d0", "d1"], dtype="str"), ("f", "n"))
    assert counts.tolist() == [[0, 2], [0, 0], [2, 0]]


def test_all_annotators_together() -> None:
    """d1: 1/3 of the pairs agree, d2: none, d3: all. d4 has one vote. Mean 4/9."""
    table = agreement.overall(LABELS, DOMAIN)
    assert table["coefficient"].tolist() == list(agreement.COEFFICIENTS)
    row = table.iloc[0]
    assert row["value"] == pytest.approx(4 / 9)
    assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert (row["documents"], row["annotators"], row["votes"]) == (3, 3, 8)
    pd.testing.assert_frame_equal(table, agreement.overall(LABELS, DOMAIN))
    # a value needs two votes, and an interval two documents
    alone = agreement.overall(LABELS[LABELS["annotator"] == "x"])
    assert alone[["value", "ci_low", "ci_high"]].isna().all(axis=None)
    assert alone["documents"].tolist() == [0] * 4
    assert len(agreement.overall(LABELS.iloc[:0])) == 4
    single = agreement.overall(LABELS[LABELS["doc_id"] == "d1"])
    assert single["value"].iloc[0] == pytest.approx(1 / 3)
    assert single["ci_low"].isna().all()
    same = agreement.overall(frame([("d1", "x", "f"), ("d1", "y", "f"), ("d2", "x", "f"), ("d2", "y", "f")]))
    assert same["value"].iloc[0] == 1
    assert same["value"].iloc[1:].isna().all(), "with one label, nothing can be told from chance"


def test_each_annotator_against_a_reference() -> None:
    """y agrees with x on d1 and d3, not on d2. Of n, f, m x gave 1 each, y 1, 2, 0: p_e = 3/9, kappa 1/2."""
    table = agreement.against(LABELS, "x", DOMAIN).set_index("annotator")
    assert table["documents"].to_dict() == {"y": 3, "z": 1}
    assert table["accuracy"].tolist() == pytest.approx([2 / 3, 0])
    assert table.loc["y", "kappa"] == pytest.approx(1 / 2)
    assert 0 <= table.loc["y", "accuracy_low"] <= table.loc["y", "accuracy_high"] <= 1
    assert math.isnan(table.loc["z", "accuracy_low"])
    cells = agreement.confusions(LABELS, "x", DOMAIN)
    assert list(dict.fromkeys(cells["annotator"])) == ["y", "z"]
    own = cells[cells["annotator"] == "y"].pivot(index="reference", columns="said", values="documents")
    assert own.loc[list(DOMAIN), list(DOMAIN)].to_numpy().tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert agreement.confused(LABELS, DOMAIN).to_numpy().tolist() == [["f", "m", 2]]
    nobody = agreement.against(LABELS, "nobody", DOMAIN)
    assert nobody["documents"].tolist() == [0, 0, 0]
    assert nobody["accuracy"].isna().all()
    # without any label nothing is compared, as of documents that nobody labelled where labels are no genders
    for domain in ((), DOMAIN):
        assert agreement.against(LABELS.iloc[:0], "x", domain).empty
        assert agreement.confusions(LABELS.iloc[:0], "x", domain).empty
    majority = agreement.against(LABELS.iloc[:0], "x", voters=("x", "y"), consensuses=("majority",))
    assert majority[["annotator", "documents"]].to_numpy().tolist() == [["majority", 0]]


def test_pairs_with_enough_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    table = agreement.pairwise(LABELS, DOMAIN, common=2)
    assert table[["first", "second", "documents"]].to_numpy().tolist() == [["x", "y", 3]]
    expected = agreement.against(LABELS[LABELS["annotator"] != "z"], "x", DOMAIN)
    for column in ("accuracy", "kappa", "kappa_low", "kappa_high"):
        assert table[column].iloc[0] == pytest.approx(expected[column].iloc[0])
    assert len(agreement.pairwise(LABELS, DOMAIN)) == 0
    generator = np.random.default_rng(0)
    drawn = [(f"d{doc}", f"a{who}", "nfm"[generator.integers(3)]) for doc in range(40) for who in range(5)]
    labels = frame([row for row in drawn if generator.random() < 0.7])
    for row in agreement.pairwise(labels, DOMAIN, common=1).itertuples():
        two = labels[labels["annotator"].isin([row.first, row.second])]
        single = agreement.against(two, row.first, DOMAIN).iloc[0]
        assert (row.documents, row.accuracy, row.kappa) == (single.documents, single.accuracy, single.kappa)
    monkeypatch.setattr(pairs, "MOST_INTERVALS", 1)
    table = agreement.pairwise(LABELS, DOMAIN, common=1)
    assert table["accuracy_low"].notna().tolist() == [True, False, False], "beyond many pairs the smallest have none"


def test_records_of_annotators() -> None:
    table = agreement.records(LABELS).set_index("annotator")
    assert table["labels"].to_dict() == {"x": 3, "y": 3, "z": 2}
    # d1: x and y give f, z gives m, so that only z has a majority of others; d2 and d3 have two votes, d4 one
    assert table["compared"].to_dict() == {"x": 0, "y": 0, "z": 1}
    assert table.loc["z", "with_majority"] == 0.0
    assert table["test_questions"].sum() == 0
    assert table["failed_share"].isna().all()
    among = agreement.records(LABELS, ["y", "z"]).set_index("annotator")
    assert among["compared"].to_dict() == {"x": 0, "y": 1, "z": 1}, "two voters are compared with each other"
    assert among["with_majority"].fillna(-1).to_dict() == {"x": -1.0, "y": 0.0, "z": 0.0}
    rows = [("d1", "x", "f", "f"), ("d2", "x", "m", "f"), ("d3", "x", "m", ""), ("d1", "y", "n", "f")]
    asked = agreement.records(frame(rows, "test_label"))
    assert asked[["annotator", "test_questions", "failed", "failed_share"]].to_numpy().tolist() == [
        ["x", 2, 1, 0.5], ["y", 1, 1, 1.0],
    ]  # fmt: skip


def test_the_most_divided_documents_come_first() -> None:
    """d1: shares 2/3 and 1/3, d2: 1/2 and 1/2, of three labels."""
    table = agreement.disagreements(LABELS, DOMAIN)
    assert table["doc_id"].tolist() == ["d2", "d1"]
    expected = [math.log(2) / math.log(3), -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)) / math.log(3)]
    assert table["entropy"].tolist() == pytest.approx(expected)
    assert table["said"].tolist() == ["f 1, m 1", "f 2, m 1"]
    assert len(agreement.disagreements(LABELS.iloc[:0])) == 0


def test_agreement_within_groups_of_documents_or_labels() -> None:
    groups = pd.DataFrame({"doc_id": ["d1", "d2", "d3", "d3"], "value": ["b", "b", "a", "b"]})
    table = agreement.within(LABELS, groups, lambda part: agreement.overall(part, DOMAIN), "topic")
    first = table[table["coefficient"] == "percent agreement"].set_index("topic")
    assert first["value"].tolist() == pytest.approx([1, 4 / 9])
    assert first["documents"].tolist() == [1, 3]
    groups = pd.DataFrame({"doc_id": ["d1", "d1"], "annotator": ["x", "y"], "value": ["sure", "sure"]})
    table = agreement.within(LABELS, groups, agreement.overall)
    assert table["value"].iloc[0] == 1
    assert len(agreement.within(LABELS, groups.iloc[:0], agreement.overall)) == 0
    assert agreement.within(LABELS, groups.iloc[:0], agreement.disagreements).columns[0] == "group"
    for column in ("value", "documents"):
        assert agreement.within(LABELS, groups, agreement.overall, column).columns[0] == f"{column} (column)"
