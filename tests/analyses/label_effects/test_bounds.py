"""Bounds over every labelling: against trying all of them with evaluate."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.label_effects import label_bounds
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES as REGISTERED
from tests.analyses.label_effects.cases import (
    CUSTOM,
    MEASURES,
    choices,
    labellings,
    random_study,
    relabelled,
    same,
    slow_means,
    studies,
    study_of,
)


def all_means(study, settings, measure):
    """The range of every system's mean over all labellings of what has no label."""
    named = set(study.labels["doc_id"])
    open_ = sorted(set(study.runs["doc_id"].astype("str")) - named)
    means = [slow_means(relabelled(study, way), settings, measure) for way in labellings(open_, study.groups)]
    found = {}
    for system in study.systems:
        values = [mean[system] for mean in means if not np.isnan(mean[system])]
        found[system] = (min(values), max(values)) if values else (np.nan, np.nan)
    return found


@pytest.mark.slow
@given(studies(size=5), choices(), st.sampled_from(MEASURES))
@examples(max_examples=40, deadline=None)
def test_exact_where_every_labelling_is_tried(study, settings, measure):
    slow = all_means(study, settings, measure)
    for row in label_bounds(study, settings, measure).itertuples():
        assert row.exact
        assert same(row.low, slow[row.system][0])
        assert same(row.high, slow[row.system][1])


@pytest.mark.slow
@given(studies(size=5), choices(), st.sampled_from(MEASURES), st.sampled_from([0, 1, 2]))
@examples(max_examples=60, deadline=None)
def test_an_outer_bound_holds_every_labelling(study, settings, measure, most):
    slow = all_means(study, settings, measure)
    for row in label_bounds(study, settings, measure, most=most).itertuples():
        low, high = slow[row.system]
        if row.exact:
            assert same(row.low, low)
            assert same(row.high, high)
        else:
            assert np.isnan(low) or row.low <= low + 1e-9
            assert np.isnan(high) or row.high >= high - 1e-9


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("bias", ["log2", "custom"])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_outer_bounds_in_full_lists(seed, bias, measure):
    study = random_study(seed)
    settings = Settings(cutoff=6, position_bias=bias, custom_bias=CUSTOM if bias == "custom" else ())
    slow = all_means(study, settings, measure)
    for most in (0, 10):
        for row in label_bounds(study, settings, measure, most=most).itertuples():
            low, high = slow[row.system]
            assert row.low <= low + 1e-12
            assert row.high >= high - 1e-12
            if row.exact:
                assert same(row.low, low)
                assert same(row.high, high)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.4, 0.8])
@pytest.mark.parametrize("seed", range(4))
def test_the_outer_bound_of_cwex_is_reached_by_many_small_places(seed, alpha):
    """With many unlabelled places of equal weight, giving them out in fractions is nearly giving them out whole."""
    study = random_study(seed, documents=9, open_=5)
    settings = Settings(cutoff=9, position_bias="uniform")
    lists = {("one", "q"): study.runs["doc_id"].astype("str").unique().tolist()}
    labels = study.labels.itertuples(index=False, name=None)
    study = study_of(lists, [tuple(row)[:3] for row in labels], study.groups)
    exact = label_bounds(study, settings, f"CWEx(alpha={alpha})").iloc[0]
    outer = label_bounds(study, settings, f"CWEx(alpha={alpha})", most=0).iloc[0]
    np.testing.assert_allclose(outer["low"], exact["low"], atol=1e-12)
    assert exact["high"] - 1e-12 <= outer["high"] <= exact["high"] + 1 / 9


def test_by_hand():
    # Weights 1 and 1/2, the second place unknown. Exposure of female: 2/3 without it, 1 with it.
    study = study_of({("one", "q"): ["f", "u"]}, [("f", "a", "female")])
    settings = Settings(cutoff=2, position_bias="reciprocal")
    found = label_bounds(study, settings, "Exposure(group='female')").iloc[0]
    np.testing.assert_allclose([found["low"], found["high"]], [2 / 3, 1])
    # CWEx: neutral 1/3 and a gap of 2/3: -1/6; female: -1/2; male: -1/2 · 1/3 = -1/6.
    found = label_bounds(study, settings, "CWEx").iloc[0]
    np.testing.assert_allclose([found["low"], found["high"]], [-1 / 2, -1 / 6])


def test_a_document_in_two_lists_has_one_label():
    """Each list alone could have all of u's weight on either side; together they cannot."""
    lists = {("one", "q1"): ["f", "u"], ("one", "q2"): ["m", "u"]}
    study = study_of(lists, [("f", "a", "female"), ("m", "a", "male")])
    settings = Settings(cutoff=2, position_bias="uniform")
    exact = label_bounds(study, settings, "AbsExposureGap").iloc[0]
    assert (exact["low"], exact["high"], exact["exact"]) == (0.5, 0.5, True)
    apart = label_bounds(study, settings, "AbsExposureGap", most=0).iloc[0]
    assert (apart["low"], apart["high"], apart["exact"]) == (0.0, 1.0, False)


def test_ten_places_exact_eleven_not():
    names = [f"u{number}" for number in range(11)]
    settings = Settings(cutoff=20)
    ten = study_of({("one", "q"): ["f", *names[:10]]}, [("f", "a", "female")])
    eleven = study_of({("one", "q"): ["f", *names]}, [("f", "a", "female")])
    assert label_bounds(ten, settings, "AbsExposureGap")["exact"].tolist() == [True]
    assert label_bounds(eleven, settings, "AbsExposureGap")["exact"].tolist() == [False]
    assert label_bounds(eleven, settings, "ExposureGap")["exact"].tolist() == [True], "a sum needs no trying"


@pytest.mark.parametrize("measure", MEASURES)
def test_more_places_than_can_be_tried_stay_within_the_range_of_the_measure(measure):
    names = [f"u{number}" for number in range(40)]
    study = study_of({("one", "q"): ["f", *names, "m"]}, [("f", "a", "female"), ("m", "a", "male")])
    found = label_bounds(study, Settings(cutoff=50), measure).iloc[0]
    assert found["low"] < found["high"]
    assert found["low"] >= -1
    assert found["high"] <= (20 if "Ratio" in measure else 1)


def test_no_open_label_no_width():
    study, settings = fairviz.open_study("newswire"), Settings()
    means = slow_means(study, settings, "CWEx")
    for row in label_bounds(study, settings, "CWEx").itertuples():
        assert row.exact
        assert row.low == row.high
        assert same(row.low, means[row.system])


def test_never_defined():
    study = study_of({("one", "q"): ["n"], ("two", "q"): ["u"]}, [("n", "a", "neutral")])
    found = label_bounds(study, Settings(), "AWRF").set_index("system")
    assert found.loc["one"].isna().tolist() == [True, True, False]
    assert found.loc["two"].tolist() == [1.0, 1.0, True], "one gendered document is as unequal as can be"


def twice_neutral(places, parameters, bias, cutoffs):
    """A measure that nobody has heard of."""
    return 2 * places.exposure(bias, cutoffs)[0]


@pytest.mark.parametrize("end", [2.0, np.inf])
def test_a_new_measure_without_an_outer_bound_takes_its_whole_range(monkeypatch, end):
    new = replace(
        REGISTERED["Exposure"], name="New", compute=twice_neutral, parameters=(), bounds=(0.0, end), outer=None
    )
    monkeypatch.setitem(REGISTERED._records, "New", new)
    lists = {("one", "q1"): ["f", "u"], ("one", "q2"): ["f", "m"], ("two", "q1"): ["n", "m"]}
    study = study_of(lists, [("f", "a", "female"), ("m", "a", "male"), ("n", "a", "neutral")])
    settings = Settings(cutoff=2, position_bias="uniform")
    exact = label_bounds(study, settings, "New")
    assert exact.to_numpy().tolist() == [["one", 0, 0.5, True], ["two", 1, 1, True]]  # u neutral: (2 · 1/2 + 0) / 2
    outer = label_bounds(study, settings, "New", most=0)
    assert outer.to_numpy().tolist() == [["one", 0, end / 2, False], ["two", 1, 1, True]]


def test_every_measure_of_labels_has_an_outer_bound():
    assert [name for name, record in REGISTERED.items() if record.outer is None and record.of_exposures] == []
