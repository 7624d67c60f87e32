"""Effects of labels, other labels and bounds: against recomputation on studies with other labels; the order of systems
after a correction, and the width of intervals over the number of labels."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.correction import order_of, width_curves
from fairviz.analyses.label_effects.label_effects import label_bounds, label_effects, what_if
from fairviz.analyses.label_effects.lists import pair_of
from fairviz.annotation.forms import database
from fairviz.correction import corrected as corrections
from fairviz.correction.corrected import corrected
from fairviz.correction.sampling import draw_sample
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES as REGISTERED
from fairviz.measures import parse
from fairviz.study.tables import QUERIES, conform
from tests.analyses.label_effects.cases import (
    MEASURES,
    choices,
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


@pytest.mark.slow
@given(studies(size=4), choices(), st.sampled_from(MEASURES))
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_every_effect_as_recomputed(study, chosen, measure):
    before = slow_differences(study, chosen, [measure])[measure]
    own = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    for row in label_effects(study, chosen, measure, "one", "two").itertuples():
        assert row.label == own.get(row.doc_id, "")
        assert row.to != row.label
        effects = {
            label: slow_differences(relabelled(study, {row.doc_id: label}), chosen, [measure])[measure] - before
            for label in ("neutral", *study.groups)
            if label != row.label
        }
        assert same(row.effect, effects[row.to])
        sizes = [abs(effect) for effect in effects.values() if not np.isnan(effect)]
        assert same(abs(row.effect), max(sizes, default=np.nan))


def test_effects_by_hand():
    # One rank. one shows f, two shows m, under ExposureGap (male - female): -1 and 1, a difference of -2.
    lists = {("one", "q"): ["f"], ("two", "q"): ["m"], ("one", "r"): ["n"]}  # r is not answered by both
    found = label_effects(study_of(lists, GOLD), Settings(cutoff=1), "ExposureGap", "one", "two")
    assert found[["doc_id", "to", "effect", "priority", "reverses"]].to_numpy().tolist() == [
        ["f", "male", 2.0, 2.0, False], ["m", "female", 2.0, 2.0, False],  # both are 1 away from 0 before and after
    ]  # fmt: skip
    assert found["uncertainty"].tolist() == [1.0, 1.0], "one annotator says nothing about doubt"
    # custom bias 0.2, 0.9, 0: the woman at rank 3 gets nothing, so that both ratios are 0 and both unfairnesses ∞
    study = study_of({("one", "q"): ["m", "n", "f"], ("two", "q"): ["n", "m", "f"]}, GOLD)
    settings = Settings(cutoff=3, position_bias="custom", custom_bias=(0.2, 0.9, 0.0))
    assert not label_effects(study, settings, "GroupExposureRatio", "one", "two")["reverses"].any()


def test_priority_is_effect_times_entropy():
    # Three annotators on f (2 : 1) and m (3 : 0): entropy of (2/3, 1/3) over log 3 is 0.5794, of (1, 0) it is 0.
    labels = [*GOLD, ("f", "b", "female"), ("f", "c", "male"), ("m", "b", "male"), ("m", "c", "male")]
    study = study_of({("one", "q"): ["n", "f"], ("two", "q"): ["m"]}, labels)
    found = label_effects(study, Settings(annotator="a"), "CWEx", "one", "two").set_index("doc_id")
    np.testing.assert_allclose(found.loc["f", "uncertainty"], 0.5793801643)
    assert (found.loc["m", "uncertainty"], found.loc["n", "uncertainty"]) == (0, 1)
    np.testing.assert_allclose(found["priority"], found["effect"].abs() * found["uncertainty"])
    assert (np.diff(found["priority"]) <= 0).all()
    only = label_effects(study, Settings(annotator="a", voters=("b", "c")), "CWEx", "one", "two")
    np.testing.assert_allclose(only.set_index("doc_id").loc["f", "uncertainty"], np.log(2) / np.log(3))
    # a decided document leaves the queue
    study = study_of({("one", "q"): ["f"], ("two", "q"): ["m"]}, [*GOLD, ("f", "adjudicated", "male")])
    found = label_effects(study, Settings(annotator="a"), "CWEx", "one", "two")
    assert found[["doc_id", "uncertainty"]].to_numpy().tolist() == [["m", 1], ["f", 0]]


def test_errors():
    study = study_of({("one", "q"): ["f"], ("two", "r"): ["m"]}, GOLD)
    for second, message in {
        "one": "'one' is compared with itself\nChoose two systems.",
        "two": "'one' and 'two' have no query in common\nChoose two other systems.",
        "three": "the study 'made-up' has no system 'three'\nUse one of one, two.",
    }.items():
        with refused(message):
            label_effects(study, Settings(), "CWEx", "one", second)
    with pytest.raises(FairvizError, match="has no annotator 'z'"):
        label_effects(study, Settings(voters=("z",)), "CWEx", "one", "two")
    with refused("'woman' is not a label of this study\nUse one of neutral, female, male."):
        what_if(study, Settings(), "CWEx", {"f": "woman"})
    with refused("the study 'made-up' has no document 'g'\nCheck the id."):
        what_if(study, Settings(), "CWEx", {"g": "female"})
    of_labels = [name for name, measure in REGISTERED.items() if measure.family == "labels"]
    assert of_labels[:2] == ["CWEx", "Exposure"]
    with refused(f"nDCG@10 is not a measure of labels\nUse one of {', '.join(of_labels)}.", UsageError):
        what_if(study, Settings(), "nDCG", {"f": "male"})
    with pytest.raises(FairvizError, match="it has no gender labels"):
        what_if(study_of({("one", "q"): ["f"]}, []), Settings(), "CWEx", {})


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
    study = study_of({("one", "q"): ["f", "m"], ("two", "q"): ["m", "f"]}, GOLD)
    found = what_if(study, Settings(cutoff=2, position_bias="reciprocal"), "CWEx", {"f": "neutral"})
    assert found["system"].tolist() == ["one", "two"]
    np.testing.assert_allclose(found["before"], [-1 / 6, -1 / 6])
    np.testing.assert_allclose(found["after"], [1 / 6, -1 / 6])
    np.testing.assert_allclose(found["difference"], [1 / 3, 0], atol=1e-15)
    assert found[["rank_before", "rank_after"]].to_numpy().tolist() == [[1, 1], [1, 2]]
    top = Settings(cutoff=1)
    found = what_if(study, top, "CWEx", {"m": "neutral"}, rankings=align(study, top)).set_index("system")["difference"]
    assert found["one"] == 0, "a document beyond the cutoff does nothing"
    # rank one is fairest whatever the direction
    study = study_of({("one", "q"): ["f"], ("two", "q"): ["n"], ("three", "q"): ["m"]}, GOLD)
    found = what_if(study, Settings(), "ExposureGap", {"n": "male"})  # gaps -1, 0, 1: nearest 0 is fairest
    assert dict(zip(found["system"], found["rank_before"], strict=True)) == {"one": 2, "two": 1, "three": 2}
    assert found["rank_after"].tolist() == [1, 1, 1]
    described = what_if(study, Settings(), "Exposure(group='male')", {"n": "male"})
    ranks = dict(zip(described["system"], described["rank_before"], strict=True))
    assert ranks == {"one": 2, "two": 2, "three": 1}, "a measure that only describes ranks the highest first"


def test_lists_are_those_of_the_settings_whatever_was_asked_before_of_the_arrays():
    lists = {
        ("one", "q1"): ["f1", "m1", "n1"], ("one", "q2"): ["m1", "m2", "f1"],
        ("two", "q1"): ["n1", "m2", "f1"], ("two", "q2"): ["f1", "n1", "m1"],
    }  # fmt: skip
    labels = [("f1", "a", "female"), ("m1", "a", "male"), ("m2", "a", "male"), ("n1", "a", "neutral")]
    topics = pd.DataFrame({"query_id": ["q1", "q2"], "text": ["x", "y"], "topic": ["work", "home"]}, dtype="str")
    study = replace(study_of(lists, labels), queries=conform(topics, QUERIES))
    work, home = ({"filter_column": "topic", "filter_values": (name,)} for name in ("work", "home"))
    one, other = ({"position_bias": "custom", "custom_bias": weights} for weights in ((0.9, 0.5, 0.1), (0.1, 0.9, 0.5)))
    for first, then in (
        ({}, {"position_bias": "uniform"}),
        ({"position_bias": "rbp(p=0.5)"}, {"position_bias": "rbp(p=0.9)"}),
        (one, other),
        (work, home),
        ({}, home),
        ({"cutoff": 2}, {"cutoff": 3}),
        ({"alpha": 0.2}, {"alpha": 0.8}),
    ):
        rankings = align(study, Settings())
        asked, found = (what_if(study, Settings(**each), "CWEx", {}, rankings=rankings) for each in (first, then))
        assert dict(zip(found["system"], found["before"], strict=True)) == pytest.approx(
            slow_means(study, Settings(**then), "CWEx")
        )
        assert asked["before"].tolist() != found["before"].tolist()
    assert found["system"].tolist() == ["one", "two"]
    assert what_if(study, Settings(systems=("two",)), "CWEx", {}, rankings=rankings)["system"].tolist() == ["two"]
    assert pair_of(study, Settings(), "CWEx", ("two", "one"), rankings).systems == ("two", "one")


def all_means(study, settings, measures):
    """The range of every system's mean by every measure, over all labellings of what has no label."""
    open_ = sorted(set(study.runs["doc_id"].astype("str")) - set(study.labels["doc_id"]))
    means = pd.concat(
        fairviz.summarise(fairviz.evaluate(relabelled(study, dict(zip(open_, way, strict=True))), measures, settings))
        for way in product(("neutral", *study.groups), repeat=len(open_))
    )
    ends = means.groupby(["measure", "system"], observed=True)["value"].agg(["min", "max"])
    return {name: {system: tuple(ends.loc[(text, system)]) for system in study.systems}
            for name, text in named(measures, settings).items()}  # fmt: skip


@pytest.mark.slow
@given(studies(size=4), choices(), st.sampled_from(MEASURES), st.sampled_from([0, 1, 2, 10, 10]))
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_bounds_are_exact_where_every_labelling_is_tried_and_else_hold_every_one(study, chosen, measure, most):
    slow = all_means(study, chosen, [measure])[measure]
    for row in label_bounds(study, chosen, measure, most=most).itertuples():
        low, high = slow[row.system]
        assert row.exact or most < 10
        if row.exact:
            assert same(row.low, low)
            assert same(row.high, high)
        else:
            assert np.isnan(low) or row.low <= low + 1e-9
            assert np.isnan(high) or row.high >= high - 1e-9


def test_the_outer_bound_of_cwex_is_reached_by_many_small_places():
    """With many unlabelled places of equal weight, giving them out in fractions is nearly giving them out whole."""
    settings = Settings(cutoff=9, position_bias="uniform")
    for seed, alpha in product(range(4), [0.0, 0.2, 0.4, 0.8]):
        study = random_study(seed, documents=9, open_=5)
        lists = {("one", "q"): study.runs["doc_id"].astype("str").unique().tolist()}
        labels = study.labels.itertuples(index=False, name=None)
        study = study_of(lists, [tuple(row)[:3] for row in labels], study.groups)
        exact, outer = (label_bounds(study, settings, f"CWEx(alpha={alpha})", most=most).iloc[0] for most in (10, 0))
        assert exact["exact"]
        np.testing.assert_allclose(outer["low"], exact["low"], atol=1e-12)
        assert exact["high"] - 1e-12 <= outer["high"] <= exact["high"] + 1 / 9


def test_bounds_by_hand(newswire):
    # Weights 1 and 1/2, the second place unknown. Exposure of female: 2/3 without it, 1 with it.
    # CWEx: neutral 1/3 and a gap of 2/3: -1/6; female: -1/2; male: -1/2 · 1/3 = -1/6.
    study, settings = study_of({("one", "q"): ["f", "u"]}, GOLD), Settings(cutoff=2, position_bias="reciprocal")
    for measure, ends in (("Exposure(group='female')", [2 / 3, 1]), ("CWEx", [-1 / 2, -1 / 6])):
        found = label_bounds(study, settings, measure).iloc[0]
        np.testing.assert_allclose([found["low"], found["high"]], ends)
    # Each list alone could have all of u's weight on either side; together they cannot.
    study = study_of({("one", "q1"): ["f", "u"], ("one", "q2"): ["m", "u"]}, GOLD)
    settings = Settings(cutoff=2, position_bias="uniform")
    for most, expected in ((10, [0.5, 0.5, True]), (0, [0.0, 1.0, False])):
        found = label_bounds(study, settings, "AbsExposureGap", most=most).iloc[0]
        assert found[["low", "high", "exact"]].tolist() == expected
    study = study_of({("one", "q"): ["n"], ("two", "q"): ["u"]}, GOLD)
    found = label_bounds(study, Settings(), "AWRF").set_index("system")
    assert found.loc["one"].isna().tolist() == [True, True, False], "it is never defined"
    assert found.loc["two"].tolist() == [1.0, 1.0, True], "one gendered document is as unequal as can be"
    study, unseen = study_of({("one", "q"): ["n", "u"]}, GOLD), Settings(position_bias="custom", custom_bias=(1.0, 0.0))
    found = label_bounds(study, unseen, "GroupExposureRatio", most=0).iloc[0]
    assert np.isnan([found["low"], found["high"]]).all(), "no label of an unseen place makes a ratio"
    means = slow_means(newswire, Settings(), "CWEx")  # where no label is open there is no width
    for row in label_bounds(newswire, Settings(), "CWEx").itertuples():
        assert row.exact
        assert row.low == row.high
        assert same(row.low, means[row.system])


def test_more_places_than_can_be_tried():
    """Ten places are exact, and eleven are not; bounds of forty stay within the range of each measure."""

    def bounds(places, measure):
        lists = {("one", "q"): ["f", *(f"u{number}" for number in range(places)), "m"]}
        return label_bounds(study_of(lists, GOLD), Settings(cutoff=50), measure).iloc[0]

    assert bounds(10, "AbsExposureGap")["exact"]
    assert not bounds(11, "AbsExposureGap")["exact"]
    assert bounds(11, "ExposureGap")["exact"], "a sum needs no trying"
    for measure in MEASURES:
        found = bounds(40, measure)
        assert -1 <= found["low"] < found["high"] <= (20 if "Ratio" in measure else 1)


@pytest.mark.parametrize("end", [2.0, np.inf])
def test_a_new_measure_without_an_outer_bound_takes_its_whole_range(monkeypatch, end):
    def twice_neutral(rankings, parameters, bias, cutoffs):
        """A measure that nobody has heard of."""
        return 2 * rankings.exposure(bias, cutoffs)[0]

    assert [name for name, record in REGISTERED.items() if record.outer is None and record.of_exposures] == []
    new = replace(
        REGISTERED["Exposure"], name="New", compute=twice_neutral, parameters=(), bounds=(0.0, end), outer=None
    )
    monkeypatch.setitem(REGISTERED._records, "New", new)
    lists = {("one", "q1"): ["f", "u"], ("one", "q2"): ["f", "m"], ("two", "q1"): ["n", "m"]}
    study, settings = study_of(lists, GOLD), Settings(cutoff=2, position_bias="uniform")
    exact, outer = (label_bounds(study, settings, "New", most=most).to_numpy().tolist() for most in (10, 0))
    assert exact == [["one", 0, 0.5, True], ["two", 1, 1, True]]  # u neutral: (2 · 1/2 + 0) / 2
    assert outer == [["one", 0, end / 2, False], ["two", 1, 1, True]]


GAP = parse("ExposureGap", 10)
SETTINGS = Settings(annotator="lexicon", corrected_by="project")


def test_the_order_has_bias_and_ranks_and_more_labels_narrow_both_designs(
    monkeypatch: pytest.MonkeyPatch, newswire
) -> None:
    """Newswire with a sample of twenty queries, as a form would keep it."""
    drawn = {"annotator": "lexicon", "systems": ["bm25", "w2v_add", "rrf"]}
    sample = draw_sample(newswire, "queries", "ExposureGap", 640, **drawn)
    monkeypatch.setattr(corrections, "sample_for", lambda *_: sample)
    order = order_of(corrected(newswire, GAP, SETTINGS), GAP).set_index("system")
    assert order.loc["bm25", "bias"] == pytest.approx(order.loc["bm25", "machine"] - order.loc["bm25", "corrected"])
    for name in ("machine", "corrected"):
        assert order[f"rank_{name}"].tolist() == order[name].abs().rank(method="min").tolist()

    curves = width_curves(newswire, SETTINGS, GAP, "bm25")
    assert set(curves["design"]) == {"queries", "documents"} == set(database.DESIGNS)
    for _, rows in curves.groupby("design"):
        assert (np.diff(rows["labels"]) > 0).all()
        assert (np.diff(rows["half_width"]) <= 1e-9).all()
    by_document = curves[curves["design"] == "documents"]
    row = corrected(newswire, GAP, SETTINGS, sample=draw_sample(newswire, "documents", GAP, 100, **drawn)).iloc[0]
    near = np.interp(100, by_document["labels"], by_document["half_width"])
    assert near == pytest.approx((row["ci_high"] - row["ci_low"]) / 2, rel=0.35)
    assert set(width_curves(newswire, SETTINGS, parse("CWEx", 10), "bm25")["design"]) == {"queries"}
