"""The ends of each measure over all orders of tied documents, against every order tried one by one."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.evaluation.choices import aligned
from fairviz.evaluation.settings import Settings
from fairviz.orders.ties import EXACT, SEARCHED, ties
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, runs_of
from tests.orders import cases
from tests.orders.cases import EFFECTIVE, FAIR, TEXTS, evidence


def study_of(scores: list[float], labels: list[str], texts: list[str | None], grades: list[int]) -> Study:
    """One list in the order of the names, with these scores from the top."""
    study = cases.study_of({"a": range(len(scores))}, labels, texts, grades)
    parts = {part: getattr(study, part) for part in ("queries", "documents", "labels", "qrels")}
    return make_study("tied", runs=study.runs.assign(score=[float(score) for score in scores]), **parts)


def brute(study: Study, measures: list[str], **choices: object) -> dict[str, np.ndarray]:
    """The value of each measure under every order of the tied documents."""
    groups = [list(rows["doc_id"].astype(str)) for _, rows in study.runs.groupby("score", sort=False)]
    orders = (list(itertools.chain(*order)) for order in itertools.product(*map(itertools.permutations, groups)))
    return cases.brute(study, orders, measures, **choices)


def agrees(study: Study, measures: list[str], **choices: object) -> pd.DataFrame:
    """Compare the table, by measure, with every order."""
    table = ties(study, measures, per_query=True, **choices).set_index("measure")
    for text, values in brute(study, list(table.index), **choices).items():
        row, defined = table.loc[text], [value for value in values if not np.isnan(value)]
        assert row["undefined"] == (0 < len(defined) < len(values)), text
        if not defined:
            assert np.isnan([row["smallest"], row["largest"]]).all()
            continue
        assert not row["outer_smallest"] > min(defined) + 1e-9, text
        assert not row["outer_largest"] < max(defined) - 1e-9, text
        assert min(defined) - 1e-9 <= row["smallest"] <= row["largest"] <= max(defined) + 1e-9, text
        if row["smallest_is"] == EXACT:
            assert row["smallest"] == pytest.approx(min(defined), abs=1e-9), text
        if row["largest_is"] == EXACT:
            assert row["largest"] == pytest.approx(max(defined), abs=1e-9), text
    return table


SCORES = st.lists(st.integers(0, 2), min_size=2, max_size=5).map(lambda scores: sorted(scores, reverse=True))


@given(
    study=st.builds(lambda scores, found: study_of(scores, *found), SCORES, evidence(6)),
    bias=st.sampled_from(["log2", "uniform", "linear"]),
    unlabelled=st.sampled_from(["skip", "skip", "neutral", "strict"]),
)
@settings(max_examples=settings.default.max_examples // 5)
def test_every_measure_has_the_ends_that_all_orders_have(study: Study, bias: str, unlabelled: str) -> None:
    agrees(study, FAIR + EFFECTIVE, position_bias=bias, unlabelled=unlabelled)


SIX = study_of(
    [1] * 6, ["female", "male", "neutral", "male", "", "neutral"], [*TEXTS[:5], "her"], [0, 1, 2, None, 0, 1]
)


def test_long_ties_of_a_sum_are_exact_and_others_are_marked_as_searched() -> None:
    table = agrees(SIX, FAIR + EFFECTIVE)
    how = {text: (row["smallest_is"], row["largest_is"]) for text, row in table.iterrows()}
    both = {text for text, said in how.items() if said == (EXACT, EXACT)}
    assert {text.partition("(")[0].partition("@")[0] for text in both} == {
        "Exposure", "ExposureGap", "NFaiRR", "FaiRR", "RBDF", "RaB", "ARaB", "nDCG", "RR", "P", "R", "AP", "Success",
        "ERR", "RBP", "Judged", "CWEx", "AbsExposureGap",  # both reach their bounds
    }  # fmt: skip
    assert how["AWRF@3"] == (SEARCHED, EXACT)
    assert how["TExFAIR@3"] == how["GroupExposureRatio@3"] == (SEARCHED, SEARCHED)
    every = brute(SIX, list(table.index))
    for text in ("CWEx(alpha=0.5)@3", "TExFAIR@3", "GroupExposureRatio@3"):  # the search finds the ends of six
        values, row = every[text], table.loc[text]
        assert row[["smallest", "largest"]].tolist() == pytest.approx([np.nanmin(values), np.nanmax(values)], abs=1e-9)
    assert row[["outer_smallest", "outer_largest"]].isna().all(), "ends without a bound are left open"
    rising = {"position_bias": "custom", "custom_bias": (0.1, 0.2, 1.0)}
    agrees(SIX, ["Exposure@3", "CWEx@3", "FaiRR@3"], **rising)


TIED = study_of([1] * 6, ["female", "male", "male", "neutral", "female", "neutral"], list(TEXTS), [0] * 6)
BOUNDED = ["CWEx(alpha=0.3)@4", "CWEx(alpha=0.5)@4", "AbsExposureGap@4", "AWRF@4", "AWRF(distance='jsd')@4"]


@pytest.mark.parametrize("study", [SIX, TIED], ids=["one unlabelled", "all labelled"])
def test_no_order_passes_the_bounds_beside_searched_ends(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without orders by chance the search misses ends; the bounds hold all the same."""
    monkeypatch.setattr("fairviz.orders.ties.TRIED", 0)
    table = ties(study, BOUNDED, per_query=True).set_index("measure")
    for text, values in brute(study, BOUNDED).items():
        row = table.loc[text]
        assert row["outer_smallest"] <= np.nanmin(values) + 1e-9, text
        assert row["outer_largest"] >= np.nanmax(values) - 1e-9, text
        ends = [np.nanmin(values), np.nanmax(values)]
        assert row[["outer_smallest", "outer_largest"]].tolist() == pytest.approx(ends, abs=0.1), text


def test_the_search_misses_an_end_that_its_bound_holds_and_one_that_reaches_its_bound_is_exact() -> None:
    row = ties(TIED, "CWEx@4", per_query=True).iloc[0]
    assert (row["smallest_is"], row["largest_is"]) == (EXACT, SEARCHED)
    row = ties(TIED, "AWRF@4", per_query=True).iloc[0]
    smallest = min(brute(TIED, ["AWRF@4"])["AWRF@4"])
    assert row["smallest_is"] == SEARCHED
    assert row["outer_smallest"] <= smallest < row["smallest"]
    study = study_of([1] * 6, ["female"] * 3 + ["neutral"] * 3, list(TEXTS), [0] * 6)
    row = ties(study, "CWEx@3", per_query=True).iloc[0]
    assert (row["largest_is"], row["largest"], row["outer_largest"]) == (EXACT, 0.5, 0.5)


def test_two_tied_documents_of_which_one_is_seen() -> None:
    def two(scores: list[float], measure: str = "Exposure(group='female')@1", **choices: object) -> pd.Series:
        study = study_of(scores, ["female", "neutral"], list(TEXTS), [1, 0])
        return ties(study, measure, **choices).iloc[0][["smallest", "value", "largest", "tied", "undefined"]]

    assert two([1.0, 1.0]).tolist() == [0, 1, 1, 1, 0]
    assert two([2.0, 1.0]).tolist() == [1, 1, 1, 0, 0]
    near = [1.000000001, 1.0]  # which only trec_eval takes for equal
    assert two(near)["tied"] == 0
    assert two(near, ties="trec_eval")["tied"] == 1
    # AWRF has no value with the neutral one first, which is counted, and the ends are of the other order
    assert two([1, 1], "AWRF@1", per_query=True)[["smallest", "largest", "undefined"]].tolist() == [1, 1, True]
    assert two([1, 1], "AWRF@1")["undefined"] == 1
    assert two([1, 1], "AWRF@2")["undefined"] == 0


def test_ties_below_the_cutoff_change_nothing_and_cutoffs_below_the_list_are_its_end() -> None:
    study = study_of([3, 2, 1, 1], ["female", "male", "neutral", "male"], list(TEXTS), [1, 0, 0, 0])
    row = ties(study, "CWEx@2").iloc[0]
    assert (row["tied"], row["smallest_is"], row["largest_is"]) == (0, EXACT, EXACT)
    assert row["smallest"] == row["value"] == row["largest"]
    assert ties(study, "CWEx@3").iloc[0]["tied"] == 1
    for name in ("CWEx", "AWRF", "NFaiRR", "nDCG"):
        deep, whole = (ties(study, f"{name}@{cutoff}").drop(columns="measure") for cutoff in (50, 4))
        pd.testing.assert_frame_equal(deep, whole)


def test_means_are_those_of_the_queries_and_gsr_has_none(football: Study) -> None:
    table = ties(football, ["TExFAIR@4", "GSR@4", "RR@4"])
    assert list(dict.fromkeys(table["measure"])) == ["TExFAIR@4", "RR@4"]
    scores = fairviz.summarise(fairviz.evaluate(football, ["TExFAIR@4", "RR@4"]))
    assert table["value"].tolist() == pytest.approx(scores["value"].tolist())
    assert (table["smallest"] <= table["value"]).all()
    assert (table["largest"] >= table["value"]).all()


def test_orders_cached_for_another_question_do_not_change_the_ends() -> None:
    labels = ["female", "female", "female", "neutral", "male", "male", "male", "male"]
    runs = runs_of({"a": cases.NAMES})
    study = make_study(
        "seven tied",
        runs=runs.assign(score=-(runs["rank"] > 1).astype(float)),
        labels=labels_of(dict(zip(cases.NAMES, labels, strict=True))),
    )
    rankings = aligned(study, Settings(), None)
    rising = Settings(position_bias="custom", custom_bias=(0.1, 0.2, 1.0))
    questions = [
        (text, chosen)
        for text in ("ExposureGap@3", "CWEx(alpha=0.2)@3", "CWEx(alpha=0.9)@3", "AWRF@3", "ExposureGap@2")
        for chosen in (Settings(), rising, Settings(position_bias="rbp(p=0.5)"))
    ]
    for text, chosen in [*questions, *questions[:3]]:
        pd.testing.assert_frame_equal(ties(study, text, chosen, rankings=rankings), ties(study, text, chosen))
