"""Effects of labels, other labels and bounds: against recomputation on studies with other labels."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.label_effects import label_bounds, label_effects, what_if
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES as REGISTERED
from tests.analyses.label_effects.cases import (
    CUSTOM,
    MEASURES,
    choices,
    labellings,
    named,
    random_study,
    relabelled,
    same,
    slow_differences,
    slow_means,
    studies,
    study_of,
)
from tests.conftest import refused

GOLD = [("f", "a", "female"), ("m", "a", "male"), ("n", "a", "neutral")]


def labels_by_document(study):
    return dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))


@pytest.mark.slow
@given(studies(size=4), choices(), st.sampled_from(MEASURES))
def test_every_effect_as_recomputed(study, settings, measure):
    found = label_effects(study, settings, measure, "one", "two")

    def difference(of):
        return slow_differences(of, settings, [measure])[measure]

    before = difference(study)
    own = labels_by_document(study)
    for row in found.itertuples():
        assert row.label == own.get(row.doc_id, "")
        assert row.to != row.label
        effects = {
            label: difference(relabelled(study, {row.doc_id: label})) - before
            for label in ("neutral", *study.groups)
            if label != row.label
        }
        assert same(row.effect, effects[row.to])
        sizes = [abs(effect) for effect in effects.values() if not np.isnan(effect)]
        assert same(abs(row.effect), max(sizes, default=np.nan))


@pytest.mark.parametrize("policy", ["skip", "neutral"])
@pytest.mark.parametrize("seed", [0, 1])
def test_effects_in_full_lists(seed, policy):
    study = random_study(seed)
    settings = Settings(cutoff=6, position_bias="linear", unlabelled=policy)
    before = slow_differences(study, settings, MEASURES)
    documents = study.runs["doc_id"].astype("str").unique()
    after = {
        (name, label): slow_differences(relabelled(study, {name: label}), settings, MEASURES)
        for name in documents
        for label in ("neutral", *study.groups)
    }
    for measure in MEASURES:
        found = label_effects(study, settings, measure, "one", "two")
        assert found["effect"].notna().any()
        for row in found.itertuples():
            assert same(row.effect, after[row.doc_id, row.to][measure] - before[measure]), measure


def test_by_hand():
    # One rank. one shows f, two shows m, under ExposureGap (male - female): -1 and 1, a difference of -2.
    study = study_of({("one", "q"): ["f"], ("two", "q"): ["m"]}, GOLD)
    found = label_effects(study, Settings(cutoff=1), "ExposureGap", "one", "two")
    assert found["doc_id"].tolist() == ["f", "m"]
    assert found["to"].tolist() == ["male", "female"]
    assert found["effect"].tolist() == [2.0, 2.0]
    assert found["uncertainty"].tolist() == [1.0, 1.0], "one annotator says nothing about doubt"
    assert found["priority"].tolist() == [2.0, 2.0]
    assert found["reverses"].tolist() == [False, False], "both are 1 away from 0 before and after"


def test_priority_is_effect_times_entropy():
    # Three annotators on f (2 : 1) and m (3 : 0): entropy of (2/3, 1/3) over log 3 is 0.5794, of (1, 0) it is 0.
    labels = [*GOLD, ("f", "b", "female"), ("f", "c", "male"), ("m", "b", "male"), ("m", "c", "male")]
    study = study_of({("one", "q"): ["n", "f"], ("two", "q"): ["m"]}, labels)
    found = label_effects(study, Settings(annotator="a"), "CWEx", "one", "two").set_index("doc_id")
    np.testing.assert_allclose(found.loc["f", "uncertainty"], 0.5793801643)
    assert found.loc["m", "uncertainty"] == 0
    assert found.loc["n", "uncertainty"] == 1
    np.testing.assert_allclose(found["priority"], found["effect"].abs() * found["uncertainty"])
    assert (np.diff(found["priority"]) <= 0).all()
    only = label_effects(study, Settings(annotator="a", voters=("b", "c")), "CWEx", "one", "two")
    np.testing.assert_allclose(only.set_index("doc_id").loc["f", "uncertainty"], np.log(2) / np.log(3))


def test_a_decided_document_leaves_the_queue():
    study = study_of({("one", "q"): ["f"], ("two", "q"): ["m"]}, [*GOLD, ("f", "adjudicated", "male")])
    found = label_effects(study, Settings(annotator="a"), "CWEx", "one", "two").set_index("doc_id")
    assert found.loc["f", "uncertainty"] == 0
    assert found.loc["m", "uncertainty"] == 1
    assert found.index.tolist() == ["m", "f"]


def test_only_queries_that_both_answer():
    study = study_of({("one", "q"): ["f"], ("two", "q"): ["m"], ("one", "r"): ["n"]}, GOLD)
    found = label_effects(study, Settings(), "CWEx", "one", "two")
    assert set(found["doc_id"]) == {"f", "m"}


def test_errors():
    study = study_of({("one", "q"): ["f"], ("two", "r"): ["m"]}, GOLD)
    messages = {
        "one": "'one' is compared with itself\nChoose two systems.",
        "two": "'one' and 'two' have no query in common\nChoose two other systems.",
        "three": "the study 'made-up' has no system 'three'\nUse one of one, two.",
    }
    for second, message in messages.items():
        with refused(message):
            label_effects(study, Settings(), "CWEx", "one", second)
    with pytest.raises(FairvizError, match="has no annotator 'z'"):
        label_effects(study, Settings(voters=("z",)), "CWEx", "one", "two")


def test_two_that_are_infinitely_unfair_are_tied():
    # custom bias 0.2, 0.9, 0: the woman at rank 3 gets nothing, so that both ratios are 0 and both unfairnesses ∞
    lists = {("one", "q"): ["m", "n", "f"], ("two", "q"): ["n", "m", "f"]}
    study = study_of(lists, GOLD)
    settings = Settings(cutoff=3, position_bias="custom", custom_bias=(0.2, 0.9, 0.0))
    assert not label_effects(study, settings, "GroupExposureRatio", "one", "two")["reverses"].any()


@pytest.mark.slow
@given(studies(), choices(), st.sampled_from(MEASURES), st.data())
def test_as_a_study_of_other_labels(study, settings, measure, data):
    names = sorted(set(study.runs["doc_id"].astype("str")))
    label = st.sampled_from(["neutral", *study.groups])
    changes = data.draw(st.dictionaries(st.sampled_from(names), label, min_size=1, max_size=3))
    found = what_if(study, settings, measure, changes)
    before, after = slow_means(study, settings, measure), slow_means(relabelled(study, changes), settings, measure)
    for row in found.itertuples():
        assert same(row.before, before[row.system])
        assert same(row.after, after[row.system])
        assert same(row.difference, after[row.system] - before[row.system])


def test_relabelled_by_hand():
    # Weights 1 and 1/2. one: female, male: shares 2/3 and 1/3. two: male, female. CWEx = 0 - 1/2 · 1/3 = -1/6 for both.
    # With f neutral, one has neutral 2/3 and a gap of 1/3: 1/3 - 1/6 = 1/6; two has 1/3 and 2/3: 1/6 - 1/3 = -1/6.
    study = study_of({("one", "q"): ["f", "m"], ("two", "q"): ["m", "f"]}, [("f", "a", "female"), ("m", "a", "male")])
    found = what_if(study, Settings(cutoff=2, position_bias="reciprocal"), "CWEx", {"f": "neutral"})
    assert found["system"].tolist() == ["one", "two"]
    np.testing.assert_allclose(found["before"], [-1 / 6, -1 / 6])
    np.testing.assert_allclose(found["after"], [1 / 6, -1 / 6])
    np.testing.assert_allclose(found["difference"], [1 / 3, 0], atol=1e-15)
    assert found["rank_before"].tolist() == [1, 1]
    assert found["rank_after"].tolist() == [1, 2]


def test_rank_one_is_fairest_whatever_the_direction():
    lists = {("one", "q"): ["f"], ("two", "q"): ["n"], ("three", "q"): ["m"]}
    study = study_of(lists, [("f", "a", "female"), ("n", "a", "neutral"), ("m", "a", "male")])
    found = what_if(study, Settings(), "ExposureGap", {"n": "male"})  # gaps -1, 0, 1: nearest 0 is fairest
    assert dict(zip(found["system"], found["rank_before"], strict=True)) == {"one": 2, "two": 1, "three": 2}
    assert found["rank_after"].tolist() == [1, 1, 1]
    described = what_if(study, Settings(), "Exposure(group='male')", {"n": "male"})
    ranks = dict(zip(described["system"], described["rank_before"], strict=True))
    assert ranks == {"one": 2, "two": 2, "three": 1}, "a measure that only describes ranks the highest first"


def test_places_are_used_and_a_relabelled_document_beyond_the_cutoff_does_nothing():
    study = study_of({("one", "q"): ["f", "m"]}, [("f", "a", "female"), ("m", "a", "male")])
    settings = Settings(cutoff=1)
    rankings = align(study, settings)
    assert what_if(study, settings, "CWEx", {"m": "neutral"}, rankings=rankings)["difference"].tolist() == [0]


def test_systems_and_queries_that_the_settings_choose(newswire):
    settings = Settings(systems=("tfidf", "bm25"), filter_column="sensitive", filter_values=("yes",))
    if "sensitive" not in newswire.queries:
        settings = Settings(systems=("tfidf", "bm25"))
    found = what_if(newswire, settings, "CWEx", {})
    slow = slow_means(newswire, settings, "CWEx")
    assert found["system"].tolist() == ["tfidf", "bm25"]
    np.testing.assert_allclose(found["before"], [slow["tfidf"], slow["bm25"]])
    pd.testing.assert_series_equal(found["before"], found["after"], check_names=False)


def test_errors_of_relabelling():
    study = study_of({("one", "q"): ["f"]}, [("f", "a", "female")])
    with refused("'woman' is not a label of this study\nUse one of neutral, female, male."):
        what_if(study, Settings(), "CWEx", {"f": "woman"})
    with refused("the study 'made-up' has no document 'g'\nCheck the id."):
        what_if(study, Settings(), "CWEx", {"g": "female"})
    of_labels = [name for name, measure in REGISTERED.items() if measure.family == "labels"]
    assert of_labels[:2] == ["CWEx", "Exposure"]
    with refused(
        f"nDCG@10 is not a measure of labels\nUse one of {', '.join(of_labels)}.",
        UsageError,
    ):
        what_if(study, Settings(), "nDCG", {"f": "male"})
    bare = study_of({("one", "q"): ["f"]}, [])
    with pytest.raises(FairvizError, match="it has no gender labels"):
        what_if(bare, Settings(), "CWEx", {})


def all_means(study, settings, measures):
    """The range of every system's mean by every measure, over all labellings of what has no label."""
    open_ = sorted(set(study.runs["doc_id"].astype("str")) - set(study.labels["doc_id"]))
    means = pd.concat(
        fairviz.summarise(fairviz.evaluate(relabelled(study, way), measures, settings))
        for way in labellings(open_, study.groups)
    )
    ends = means.groupby(["measure", "system"], observed=True)["value"].agg(["min", "max"])
    return {name: {system: tuple(ends.loc[(text, system)]) for system in study.systems}
            for name, text in named(measures, settings).items()}  # fmt: skip


@pytest.mark.slow
@given(studies(size=5), choices(), st.sampled_from(MEASURES), st.sampled_from([0, 1, 2, 10, 10]))
def test_bounds_are_exact_where_every_labelling_is_tried_and_else_hold_every_one(study, settings, measure, most):
    slow = all_means(study, settings, [measure])[measure]
    for row in label_bounds(study, settings, measure, most=most).itertuples():
        low, high = slow[row.system]
        assert row.exact or most < 10
        if row.exact:
            assert same(row.low, low)
            assert same(row.high, high)
        else:
            assert np.isnan(low) or row.low <= low + 1e-9
            assert np.isnan(high) or row.high >= high - 1e-9


@pytest.mark.parametrize("bias", ["log2", "custom"])
@pytest.mark.parametrize("seed", [0, 1])
def test_outer_bounds_in_full_lists(seed, bias):
    study = random_study(seed, open_=3 - seed)  # with three groups there are more ways to label a document
    settings = Settings(cutoff=6, position_bias=bias, custom_bias=CUSTOM if bias == "custom" else ())
    slow = all_means(study, settings, MEASURES)
    for measure, most in product(MEASURES, (0, 10)):
        for row in label_bounds(study, settings, measure, most=most).itertuples():
            low, high = slow[measure][row.system]
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


def test_bounds_by_hand():
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


def test_no_open_label_no_width(newswire):
    study, settings = newswire, Settings()
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


def twice_neutral(rankings, parameters, bias, cutoffs):
    """A measure that nobody has heard of."""
    return 2 * rankings.exposure(bias, cutoffs)[0]


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
