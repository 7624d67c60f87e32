"""The chance band against every order of the candidates, against closed forms, and under random rankings."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import questions_of
from fairviz.measures import MEASURES
from fairviz.orders import candidates
from fairviz.orders import chance as bands_by_chance
from fairviz.orders.chance import Moments, chance, chance_of_query
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import simulated
from tests.made import documents_of, labels_of, qrels_of, runs_of
from tests.orders.cases import EFFECTIVE, FAIR, GENDERS, NAMES, TEXTS, brute, evidence, pools_of, study_of

WEIGHTED = [name for name, measure in MEASURES.items() if measure.weighted]
LEVEL = 0.8


def exactly(row: pd.Series, values: np.ndarray, text: object) -> None:
    assert row["chance"] == pytest.approx(values.mean(), abs=1e-9), text
    assert row["deviation"] == pytest.approx(values.std(), abs=1e-9), text
    if row["bands"] == "exact":
        ends = np.quantile(np.sort(values), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="inverted_cdf")
        assert row[["low", "high"]].tolist() == pytest.approx(ends.tolist(), abs=1e-9), text


def one_of_many(row: pd.Series, values: np.ndarray, text: object) -> None:
    error = 5 / np.sqrt(row["draws"] / 2)  # some draws may be undefined
    assert abs(row["chance"] - values.mean()) <= error * values.std() + 1e-9, text
    assert abs(row["deviation"] - values.std()) <= error * np.ptp(values) + 1e-9, text
    for end, share in (("low", (1 - LEVEL) / 2), ("high", (1 + LEVEL) / 2)):
        below, up_to = (values < row[end] - 1e-9).mean(), (values <= row[end] + 1e-9).mean()
        assert below - error / 2 <= share <= up_to + error / 2, text


@given(
    study=evidence(5).map(lambda found: study_of({"a": range(4), "b": range(2, 5)}, *found)),
    source=st.sampled_from(["study", "run", "judged"]),
    unlabelled=st.sampled_from(["skip", "skip", "neutral", "strict"]),
    bias=st.sampled_from(["log2", "uniform"]),
)
@settings(max_examples=settings.default.max_examples // 6)
def test_every_measure_has_the_band_of_all_orders(study: Study, source: str, unlabelled: str, bias: str) -> None:
    """Mean and deviation are within Monte Carlo error of those over all orders, and each end is a quantile."""
    measures = [*FAIR, "RaB(magnitude='bool')@1", "FaiRR(tau=0)@3", *EFFECTIVE]
    choices = {"position_bias": bias, "unlabelled": unlabelled}
    table = chance(study, measures, candidates=source, per_query=True, level=LEVEL, **choices).set_index("measure")
    for system, orders in pools_of(study, source).items():
        rows = table[table["system"] == system]
        values = brute(study, orders, list(rows.index), **choices)
        for text, row in rows.iterrows():
            defined = values[str(text)][~np.isnan(values[str(text)])]
            if not len(defined):
                assert np.isnan(row[["chance", "low", "high"]].to_numpy(dtype=float)).all(), text
            elif row["draws"]:
                one_of_many(row, defined, text)
            else:
                exactly(row, defined, text)


def test_one_female_document_of_three_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of({"a": range(3)}, ["female", "neutral", "male"], list(TEXTS[:3]), [1, 0, 0])
    row = chance(study, "Exposure(group='female')@2", position_bias="uniform", per_query=True).iloc[0]
    assert row["value"] == 0.5  # at rank 1 of two
    assert row["chance"] == pytest.approx(1 / 3)  # it is within the first two with probability 2/3, and then has 1/2
    assert row["deviation"] == pytest.approx(np.sqrt(2 / 9) / 2)
    assert (row["low"], row["high"], row["bands"], row["draws"], row["outside"]) == (0.0, 0.5, "exact", 0, False)

    def first_is_female(ranking: pd.DataFrame) -> float:
        return float(ranking["label"].iloc[0] == "female")

    for module in (candidates, bands_by_chance):
        monkeypatch.setattr(module, "BLOCK", 300)
    row = chance(study, first_is_female, per_query=True).iloc[0]
    assert row["chance"] == pytest.approx(1 / 3, abs=0.08)
    assert (row["low"], row["high"]) == (0.0, 1.0)


WHOLE = ["female", "male", "neutral", "male", "female", "neutral"], ["her", *TEXTS[1:5], "a rose"], [0, 1, 2, 0, 0, 1]
PART = ["female", "male", "neutral", "male", "", ""], ["her", "he", "a tree", "his", "she", "a rose"], [1]
CLOSED = [*(f"{name}@3" for name in WEIGHTED), "RaB(magnitude='tc')@6", "Exposure(group='male')@2", "NFaiRR(tau=0)@9"]
EXACT = [
    f"{name}@{cutoff}" for cutoff in (1, 2, 3, 5) for name in
    ("Exposure(group='female')", "Exposure(group='neutral')", "RBDF", "FaiRR(tau=0)", "NFaiRR(tau=0)")
]  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "texts", "bias", "unlabelled"),
    [
        *((WHOLE, CLOSED, bias, "skip") for bias in ("log2", "linear", "rbp(p=0.5)")),
        (PART, EXACT, "uniform", "neutral"),
    ],
)
def test_closed_forms_are_the_moments_of_all_orders_and_exact_bands_their_quantiles(
    evidence: tuple, texts: list[str], bias: str, unlabelled: str
) -> None:
    study = study_of({"a": range(4), "b": range(1, 6)}, *evidence)
    choices = {"position_bias": bias, "unlabelled": unlabelled}
    table = chance(study, texts, per_query=True, level=LEVEL, **choices)
    assert texts is CLOSED or set(table["bands"]) == {"exact"}
    for system, length in (("a", 4), ("b", 5)):
        rows = table[table["system"] == system].set_index("measure")
        values = brute(study, permutations(NAMES[:6], length), list(rows.index), **choices)
        for text, row in rows.iterrows():
            exactly(row, values[str(text)], text)


def made_up(queries: int, systems: int, documents: int, depth: int, seed: int = 0) -> Study:
    """Random orders of each query's documents, which have random labels and texts."""
    generator = np.random.default_rng(seed)
    ids = [f"q{query}-{place}" for query in range(queries) for place in range(documents)]
    runs = runs_of(
        {
            (f"s{system}", f"q{query}"): [f"q{query}-{place}" for place in generator.permutation(documents)[:depth]]
            for system in range(systems)
            for query in range(queries)
        }
    )
    words = generator.choice(["she", "he", "a", "her son", "tree"], size=(len(ids), 4))
    return make_study(
        "made up",
        documents=documents_of({name: " ".join(row) for name, row in zip(ids, words, strict=True)}),
        runs=runs,
        labels=labels_of(dict(zip(ids, generator.choice(GENDERS, size=len(ids)), strict=True))),
    )


@simulated(10_000, 100_000)
def test_closed_forms_of_means_agree_with_permutations(draws: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_closed_forms(lists: candidates.RandomLists, question: object, bias: object, cutoffs: np.ndarray, *_):
        return Moments(*[np.full((len(cutoffs), len(lists.length)), np.nan)] * 4)

    study = made_up(queries=2, systems=2, documents=9, depth=7)
    texts = [
        *(f"{name}@5" for name in WEIGHTED), *(f"RaB(magnitude='{name}')@4" for name in ("tc", "bool")),
        "Exposure(group='female')@3", "NFaiRR(tau=0)@7", "ARaB(magnitude='tc')@7",
    ]  # fmt: skip
    closed = chance(study, texts, position_bias="linear")
    monkeypatch.setattr(candidates, "BLOCK", draws)
    monkeypatch.setattr(bands_by_chance, "BLOCK", draws)
    monkeypatch.setattr(bands_by_chance, "moments", without_closed_forms)
    drawn = chance(study, texts, position_bias="linear")
    assert (drawn["draws"] == draws).all()
    error = closed["deviation"] / np.sqrt(draws)
    assert ((closed["chance"] - drawn["chance"]).abs() <= 4.5 * error + 1e-12).all()
    assert ((closed["deviation"] - drawn["deviation"]).abs() <= 4.5 * error + 1e-12).all()


@simulated(60, 300)
def test_random_rankings_are_outside_in_five_percent_of_queries(draws: int) -> None:
    study = made_up(queries=draws, systems=4, documents=30, depth=30, seed=3)
    table = chance(study, ["Exposure@10", "NFaiRR@10", "CWEx@10", "TExFAIR@10", "ARaB@10"])
    share = table.groupby("measure")["outside"].sum() / table.groupby("measure")["queries"].sum()
    assert share.between(0.025, 0.05 + 3.2 * np.sqrt(0.05 * 0.95 / (4 * draws))).all(), share
    inside = (table["value"] >= table["low"]) & (table["value"] <= table["high"])
    assert inside.mean() >= 0.8
    assert (table["chance"] - table["value"]).abs().le(4 * table["deviation"]).all()


@simulated(50, 150)
def test_means_over_many_queries_are_outside_their_band_as_often(draws: int) -> None:
    study = made_up(queries=12, systems=draws, documents=12, depth=12, seed=5)
    table = chance(study, ["Exposure@6", "CWEx@6", "ARaB@6"])
    outside = (table["value"] < table["low"]) | (table["value"] > table["high"])
    assert outside.groupby(table["measure"]).mean().between(0.01, 0.05 + 2.8 * np.sqrt(0.05 * 0.95 / draws)).all()


def test_draws_do_not_depend_on_what_else_is_asked_and_an_uncertain_end_gets_more(newswire: Study) -> None:
    one = chance(newswire, "CWEx@5", per_query=True)
    several = chance(newswire, ["nDCG@20", "CWEx@5"], per_query=True, systems=("bm25", "rrf"))
    again = several[several["measure"] == one["measure"].iloc[0]].reset_index(drop=True)
    pd.testing.assert_frame_equal(one[one["system"].isin(["bm25", "rrf"])].reset_index(drop=True), again)
    other = chance(newswire, "CWEx@5", per_query=True, seed=1)
    assert (other["chance"] != one["chance"]).any()
    assert (other["value"] == one["value"]).all()
    runs = runs_of({"a": [f"d{place}" for place in range(40)]})
    study = make_study("forty", runs=runs, qrels=qrels_of({"q": "d3"}))
    row = chance(study, "Success@1").iloc[0]  # 1 in 40 orders has the relevant document first: .025
    assert row["draws"] > candidates.BLOCK
    assert row["chance"] == pytest.approx(1 / 40, abs=0.01)
    assert chance(study, "RR@40").iloc[0]["draws"] == candidates.BLOCK


def test_a_short_list_stays_short_and_a_missing_one_has_no_band() -> None:
    lists = {("a", "q"): NAMES[:5], ("b", "q"): NAMES[:1], ("b", "other"): NAMES[:1]}
    labels = labels_of(dict(zip(NAMES, ["female", "male"] * 3, strict=False)))
    documents = documents_of(dict(zip(NAMES, TEXTS, strict=False)))
    study = make_study("two", runs=runs_of(lists), labels=labels, documents=documents)
    table = chance(study, "Exposure(group='female')@3", per_query=True).set_index(["system", "query_id"])
    assert table.loc[("b", "q"), "bands"] == "exact"  # of one document, whatever the position bias
    assert table.loc[("b", "q"), ["chance", "low", "high"]].tolist() == pytest.approx([3 / 5, 0, 1])
    assert np.isnan(table.loc[("a", "other"), "chance"])
    assert table.loc[("a", "other"), "outside"] is pd.NA
    assert chance(study, "Exposure(group='female')@3").set_index("system")["queries"].to_dict() == {"a": 1, "b": 2}
    chosen, rankings = fairviz.Settings(), align(study, fairviz.Settings())
    questions = questions_of(["CWEx@3", "ARaB@3", "NFaiRR@3"], chosen)
    for source in ("study", "run"):
        table = chance_of_query(study, questions, chosen, "a", "other", candidates=source, rankings=rankings)
        assert table[["value", "chance", "low", "high", "outside"]].isna().all(axis=None)


def test_what_cannot_be_is_refused(football: Study) -> None:
    unjudged = make_study("football", runs=football.runs, labels=football.labels, documents=football.documents)
    for arguments, kind, message in (
        ({"measures": "GSR@10"}, FairvizError, "GSR@10 has no chance band: it is a slope over queries"),
        ({"candidates": "all"}, UsageError, "there is no source of candidates 'all'"),
        ({"candidates": "judged"}, FairvizError, "has no relevance judgements to take candidates from"),
        ({"level": 1.5}, UsageError, "level is 1.5"),
        ({"seed": -1}, UsageError, "seed is -1"),
        ({"per_query": 1}, UsageError, "per_query is 1"),
    ):
        with pytest.raises(kind, match=message):
            chance(unjudged, **{"measures": "CWEx@3", **arguments})
