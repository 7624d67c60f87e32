"""Effects of labels, other labels, bounds, noise, and annotators in place of others or left out: by hand, and against
`evaluate` on studies with other labels; corrected orders, and the width of intervals by the number of labels."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects import replacing
from fairviz.analyses.label_effects.correction import order_of, width_curves
from fairviz.analyses.label_effects.label_effects import label_bounds, label_effects, what_if
from fairviz.analyses.label_effects.lists import pair_of
from fairviz.analyses.label_effects.replacing import (
    label_noise,
    leave_one_annotator_out,
    noise_between_people,
    noise_of_errors,
    replaced,
    votes,
)
from fairviz.annotation.forms import database
from fairviz.correction import corrected as corrections
from fairviz.correction.corrected import corrected
from fairviz.correction.sampling import draw_sample
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align, chosen_annotator
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES as REGISTERED
from fairviz.measures import parse
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels
from fairviz.study.tables import QUERIES, conform
from tests.analyses import cases
from tests.analyses.cases import MEASURES, choices, relabelled, same, slow_means, studies, study_of
from tests.conftest import refused, simulated
from tests.slow_max_t import slow_rows

GOLD = [("f", "a", "female"), ("m", "a", "male"), ("n", "a", "neutral")]


@pytest.mark.slow
@given(studies(size=4), choices(), st.sampled_from(MEASURES))
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_every_effect_as_recomputed(study, chosen, measure):
    before = cases.slow_differences(study, chosen, [measure])[measure]
    own = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    for row in label_effects(study, chosen, measure, "one", "two").itertuples():
        assert row.label == own.get(row.doc_id, "")
        assert row.to != row.label
        effects = {
            label: cases.slow_differences(relabelled(study, {row.doc_id: label}), chosen, [measure])[measure] - before
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


def test_effects_that_cannot_be_asked():
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
@settings(max_examples=settings.default.max_examples * 3 // 5)
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
            for name, text in cases.named(measures, settings).items()}  # fmt: skip


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
        generator, groups = np.random.default_rng(seed), (cases.TWO, cases.THREE)[seed % 2]
        names = [f"d{place}" for place in range(9)]
        labels = [(name, "a", str(generator.choice(["neutral", *groups]))) for name in names[5:]]
        study = study_of({("one", "q"): names}, labels, groups)
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


# --- labels of another annotator, noise, and annotators left out one by one


LISTS = {
    ("one", "q1"): ["a", "b", "c"], ("one", "q2"): ["c", "d", "a"],
    ("two", "q1"): ["c", "a", "d"], ("two", "q2"): ["d", "b", "a"],
}  # fmt: skip
ANN = [("a", "ann", "female"), ("b", "ann", "male"), ("c", "ann", "neutral"), ("d", "ann", "neutral")]
RULE = [("a", "rule", "male"), ("b", "rule", "female"), ("c", "rule", "neutral"), ("d", "rule", "female")]
CWEX = "CWEx(alpha=0.5)@3"


def two_labelled(*more: tuple[str, str, str], kinds: dict[str, str] | None = None) -> Study:
    known = {"ann": "person", "rule": "rule"} | (kinds or {})
    annotators = {name: Annotator(name, kind) for name, kind in known.items()}
    return study_of(LISTS, [*ANN, *RULE, *more], annotators=annotators)


def slow(whole: Study, annotator: str) -> pd.DataFrame:
    """system by query, as every page computes it."""
    table = evaluate(whole, [CWEX], Settings(annotator=annotator))
    return table.pivot(index="system", columns="query_id", values="value")


def test_values_are_those_of_every_page_under_each_annotator() -> None:
    whole = two_labelled()
    table = replaced(whole, Settings(), CWEX, ["rule"], "ann").set_index("system")
    before, after = slow(whole, "ann"), slow(whole, "rule")
    for system in ("one", "two"):
        row = table.loc[system]
        assert row["before"] == pytest.approx(before.loc[system].mean())
        assert row["after"] == pytest.approx(after.loc[system].mean())
        change = (after.loc[system] - before.loc[system]).to_numpy()
        assert row["difference"] == pytest.approx(change.mean())
        assert np.isnan([row["ci_low"], row["ci_high"]]).all(), "two queries are too few"
        assert (row["queries"], row["labelled"], row["labelled_before"]) == (2, 1, 1)


def test_intervals_of_all_changes_are_those_of_one_family() -> None:
    """Twelve queries, two systems, two annotators: four changes, t tests and maxT."""
    generator = np.random.default_rng(0)
    documents, kinds = [f"d{place}" for place in range(8)], ["female", "male", "neutral"]
    lists = {
        (system, f"q{query:02}"): generator.permutation(documents)[:4].tolist()
        for system in ("one", "two")
        for query in range(12)
    }
    labels = [(name, who, str(generator.choice(kinds))) for who in ("ann", "rule", "other") for name in documents]
    whole = study_of(lists, labels, annotators={name: Annotator(name, "rule") for name in ("ann", "rule", "other")})
    table = replaced(whole, Settings(), CWEX, ["rule", "other"], "ann")
    apart = [
        (slow(whole, who) - slow(whole, "ann")).loc[system].to_numpy()
        for who in ("rule", "other")
        for system in ("one", "two")
    ]
    _, below, above = slow_rows(apart, 10_000)
    error = np.std(apart, axis=1, ddof=1) / 12**0.5
    assert table["ci_low"].tolist() == pytest.approx((table["difference"] - below * error).tolist())
    assert table["ci_high"].tolist() == pytest.approx((table["difference"] + above * error).tolist())


def test_missing_labels_leave_queries_out_or_are_filled() -> None:
    whole = two_labelled(("c", "part", "male"), kinds={"part": "rule"})
    alone = replaced(whole, Settings(), CWEX, ["part"], "ann").set_index("system")
    assert alone["queries"].tolist() == [2, 1], "the second list of two holds no labelled document"
    assert alone["labelled"].tolist() == pytest.approx([2 / 6, 1 / 6])
    filled = replaced(whole, Settings(), CWEX, ["part"], "ann", fill=True)
    assert filled["queries"].tolist() == [2, 2]
    assert filled["labelled"].tolist() == [1, 1]
    with pytest.raises(FairvizError, match=r"^'nobody' gave no label in made-up\nName another annotator\.$"):
        replaced(whole, Settings(), CWEX, ["nobody"], "ann")


def test_noise_between_people_is_known_where_two_labelled_the_same() -> None:
    assert noise_between_people(two_labelled(), Settings(), CWEX) is None
    apart = two_labelled(("z", "bob", "male"), kinds={"bob": "person"})
    assert noise_between_people(apart, Settings(), CWEX) is None
    with refused(
        "rule and bob labelled no document in common, so their error rates are unknown\nChoose another reference."
    ):
        noise_of_errors(apart, Settings(), CWEX, "rule", "bob")
    both = two_labelled(("a", "bob", "male"), kinds={"bob": "person"})
    drawn = noise_between_people(both, Settings(), CWEX, 200)
    assert drawn is not None
    assert drawn.groupby("system")["value"].nunique().tolist() == [2, 2], "a is female or male, all else is settled"


def test_errors_are_drawn_as_often_as_they_were_seen() -> None:
    """rule says female of b (male) and d (neutral), each half of the time; male of a, which is female: always."""
    whole, female = two_labelled(), "Exposure(group='female')@3"
    drawn = noise_of_errors(whole, Settings(), female, "rule", "ann", 400)
    table = evaluate(whole, [female], Settings(annotator="ann"))
    share = float(table.loc[table["system"] == "one", "value"].mean())
    assert set(drawn.loc[drawn["system"] == "one", "value"].round(9)) == {round(share, 9)}, "only a is ever female"
    neutral = noise_of_errors(whole, Settings(), "Exposure(group='neutral')@3", "rule", "ann", 2000)
    two = neutral.loc[neutral["system"] == "two", "value"]
    assert two.nunique() == 4, "b and d, each male or neutral"
    ranges = replacing.noise_ranges(neutral).set_index("system").loc["two"]
    assert ranges[["low", "high"]].tolist() == [two.min(), two.max()]


def test_how_often_the_order_turns() -> None:
    ranks = {"rank_before": [1.0, 2.0, 3.0, 3.0, 1.0], "rank_after": [2.0, 1.0, 3.0, 2.0, 1.0]}
    table = pd.DataFrame({"annotator": "x", "system": ["a", "b", "c", "d", "perfect"], **ranks})
    found = replacing.reversals(table).to_numpy().tolist()
    assert found == [["x", 5, 1, 1]], "c and d had none; perfect is no contender"
    means = replaced(two_labelled(), Settings(), CWEX, ["rule"], "ann").set_index("system")["before"]
    same, turned = means.to_numpy(), means.to_numpy()[::-1]
    values = np.array([same, turned, same, turned]).T.ravel()
    drawn = pd.DataFrame({"system": np.repeat(list(means.index), 4), "draw": [1, 2, 3, 4] * 2, "value": values})
    assert replacing.order_in_draws(two_labelled(), Settings(), CWEX, drawn, "ann") == (1, 0.5, 0.5)


VOTED = {("one", "q1"): ["a", "b", "c"], ("one", "q2"): ["b", "d"], ("two", "q1"): ["d", "c"], ("two", "q2"): ["e"]}
# a: female or male, 2 : 1. b: neutral or female, 1 : 1. c: all say male. d: one annotator alone. e: nobody.
LABELS = [
    *[("a", "x", "female"), ("a", "y", "female"), ("a", "z", "male")],
    *[("b", "x", "neutral"), ("b", "y", "female")],
    *[("c", "x", "male"), ("c", "y", "male"), ("c", "z", "male")],
    ("d", "x", "female"),
]


@pytest.fixture
def study():
    return study_of(VOTED, LABELS)


@pytest.mark.parametrize(
    ("measure", "policy"), [("CWEx(alpha=0.3)", "skip"), ("CWEx(alpha=0.3)", "strict"), ("AWRF", "neutral")]
)
@simulated(1500, 6000)
def test_draws_follow_the_shares(study, measure, policy, draws):
    """Four labellings are possible, of shares 2/3 · 1/2 and so on: each comes up as often as it should."""
    settings = Settings(cutoff=3, unlabelled=policy, position_bias="linear", annotator="x")
    drawn = label_noise(study, settings, measure, draws=draws)
    wide = drawn.pivot(index="draw", columns="system", values="value")
    assert wide.shape == (draws, 2)
    expected: dict[tuple, float] = {}
    only = study_of(VOTED, [row for row in LABELS if row[1] == "x"])
    for (first, p), (second, q) in product([("female", 2 / 3), ("male", 1 / 3)], [("neutral", 0.5), ("female", 0.5)]):
        means = slow_means(relabelled(only, {"a": first, "b": second}), settings.changed(annotator=""), measure)
        key = tuple(np.round([means["one"], means["two"]], 9).tolist())
        expected[str(key)] = expected.get(str(key), 0.0) + p * q
    got = pd.Series([str(tuple(row)) for row in (wide[["one", "two"]].to_numpy() + 0.0).round(9).tolist()])
    shares = got.value_counts(normalize=True)
    assert {key.replace("-0.0,", "0.0,") for key in shares.index} <= {k.replace("-0.0,", "0.0,") for k in expected}
    for key, share in shares.items():
        assert abs(share - expected[key]) < 4.8 * np.sqrt(0.25 / draws)


def test_seeds_chunks_and_decisions(study, monkeypatch):
    settings = Settings(annotator="x")
    whole = label_noise(study, settings, "CWEx", draws=50, seed=3)
    assert not label_noise(study, settings, "CWEx", draws=50, seed=4)["value"].equals(whole["value"])
    monkeypatch.setattr("fairviz.analyses.label_effects.replacing.CELLS", 12)
    pd.testing.assert_frame_equal(label_noise(study, settings, "CWEx", draws=50, seed=3), whole)
    decided = study_of(VOTED, [*LABELS, ("a", "adjudicated", "male"), ("b", "adjudicated", "neutral")])
    assert label_noise(decided, settings, "CWEx", draws=30)["value"].nunique() > 2
    drawn = label_noise(decided, Settings(annotator="adjudicated"), "CWEx", draws=30)
    assert drawn.groupby("system")["value"].nunique().tolist() == [1, 1], "a decision that counts is no noise"
    only = study_of(VOTED, [row for row in LABELS if row[1] == "x"])
    means = slow_means(relabelled(only, {"a": "male", "b": "neutral"}), Settings(), "CWEx")
    assert same(drawn["value"].iloc[0], means["one"])


def test_votes_their_entropy_and_their_posterior_by_hand(study):
    ids = pd.Index(["a", "b", "c", "d", "e"], dtype="str")
    given = votes(study, ids, Settings())
    assert given.tolist() == [[0, 2, 1], [1, 1, 0], [0, 0, 3], [0, 1, 0], [0, 0, 0]]
    two_thirds = -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3)) / np.log(3)
    doubt = replacing.uncertainty(study, ids, Settings())
    np.testing.assert_allclose(doubt, [two_thirds, np.log(2) / np.log(3), 0, 1, 1])
    likely = replacing.posterior(study, ids, given, Settings())
    np.testing.assert_allclose(likely[:3].sum(axis=1), 1)
    assert likely[3:].tolist() == [[0, 1, 0], [0, 0, 0]]
    assert likely[2, 2] > 0.9
    drawn = label_noise(study, Settings(annotator="x"), "Exposure(group='male')", 400, source="dawid-skene")
    # two, q1: d (female) above c; two, q2 is unlabelled. Weights 1 and 1/log2(3).
    share = 1 / np.log2(3)
    expected = likely[2, 2] * share / (1 + share)
    assert abs(drawn[drawn["system"] == "two"]["value"].mean() - expected) < 0.03


def test_leave_one_out(study):
    found = leave_one_annotator_out(study, Settings(unlabelled="neutral"), "Exposure(group='female')")
    assert found["annotator"].tolist() == ["x", "x", "y", "y", "z", "z"]
    settings = Settings(unlabelled="neutral", annotator="majority")
    for left, rows in found.groupby("annotator"):
        rest = study_of(VOTED, [row for row in LABELS if row[1] != left])
        expected = slow_means(rest, settings, "Exposure(group='female')")
        assert dict(zip(rows["system"], rows["value"], strict=True)) == pytest.approx(expected)
    everyone = slow_means(study, settings, "Exposure(group='female')")
    np.testing.assert_allclose(found["baseline"], found["system"].map(everyone), atol=1e-12)
    np.testing.assert_allclose(found["change"], found["value"] - found["baseline"], atol=1e-12)
    called = study_of(VOTED, [(doc, "majority" if who == "x" else who, label) for doc, who, label in LABELS])
    found = leave_one_annotator_out(called, Settings(annotator="majority"), "CWEx")
    assert set(found["annotator"]) == {"majority", "y", "z"}, "one called as a consensus is left out as any other"
    expected = leave_one_annotator_out(study, Settings(annotator="dawid-skene"), "CWEx")
    np.testing.assert_allclose(found["value"], expected["value"])


@cache
def newswire_of(*, by_code: bool = True, decided: bool = False) -> Study:
    """Newswire with a vote between three: all by code, or two people more. Every fifth document is decided."""
    study = fairviz.open_study("newswire")
    rows = study.labels[study.labels["annotator"] == "project"].reset_index(drop=True)
    if by_code:
        study = replace(study, annotators={name: Annotator(name, "rule") for name in study.annotators})
    else:
        swapped = rows["label"].map({"neutral": "female", "female": "male", "male": "neutral"})
        for name, every in (("ann", 7), ("bob", 5)):
            moved = rows["label"].where(rows.index % every != 0, swapped)
            study = add_labels(study, rows.assign(annotator=name, label=moved))
    if decided:
        study = add_labels(study, rows[::5].assign(annotator="adjudicated", label="female"))
    return replace(study, annotator="")


@pytest.mark.parametrize(
    ("annotator", "by_code"),
    [("", True), ("", False), ("majority", True), ("dawid-skene", False), ("adjudicated", False), ("project", True)],
)
def test_without_one_annotator_starts_from_the_value_on_the_page(annotator, by_code):
    """On newswire: the value that `evaluate` and `summarise` give under the settings, for every consensus; where one
    annotator counts, under the majority that is said instead."""
    study = newswire_of(by_code=by_code, decided=not by_code)
    settings = Settings(annotator=annotator)
    found = leave_one_annotator_out(study, settings, "CWEx")
    assert set(found["annotator"]) == {"project", *(("lexicon", "mentions") if by_code else ("ann", "bob"))}
    page = replacing.all_together(study, settings)
    chosen = chosen_annotator(study, settings)
    consensus = chosen in ("majority", "dawid-skene") or (chosen == "adjudicated" and not by_code)
    assert (page == settings) == consensus
    assert page.annotator == (annotator if consensus else "majority")
    summary = fairviz.summarise(fairviz.evaluate(study, "CWEx", page)).set_index("system")["value"]
    np.testing.assert_allclose(found["baseline"], found["system"].map(summary), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["change"], found["value"] - found["baseline"], rtol=0, atol=1e-15)
    assert found["change"].abs().max() > 1e-3


def test_word_lists_vote_beside_a_reader_only_where_they_are_named(newswire):
    assert label_noise(newswire, Settings(), "CWEx", draws=3).groupby("system")["value"].nunique().max() == 1
    named = Settings(voters=("project", "lexicon", "mentions"))
    assert len(leave_one_annotator_out(newswire, named, "CWEx")) == 27
    assert label_noise(newswire, named, "CWEx", 3).groupby("system")["value"].nunique().min() == 3


def test_what_without_one_annotator_is_compared_with():
    study = newswire_of(by_code=False)
    voters = "project, ann and bob (model with a reader, kind not named)"
    start = "CWEx@10 of each system without one annotator, minus its value under"
    for method in ("majority", "dawid-skene"):
        assert replacing.without_note(study, Settings(annotator=method), "CWEx@10") == (
            f"{start} {method} of {voters}, which is the value on this page."
        )
    assert replacing.without_note(study, Settings(annotator="ann"), "CWEx@10") == (
        f"{start} majority of {voters}. The other figures of this page count ann (kind not named) instead; choose "
        "majority as the annotator to see that value everywhere."
    )
    assert replacing.without_note(fairviz.open_study("newswire"), Settings(), "CWEx@10") == ""


def test_errors(study, football):
    with refused("unknown source of noise 'coin'\nUse one of annotators, dawid-skene.", UsageError):
        label_noise(study, Settings(), "CWEx", source="coin")
    with refused("the number of draws is 0\nUse 1 or more.", UsageError):
        label_noise(study, Settings(), "CWEx", draws=0)
    with pytest.raises(FairvizError) as caught:
        label_noise(study, Settings(voters=("w",)), "CWEx")
    assert str(caught.value).startswith("the study 'made-up' has no annotator 'w'\nUse people, all but rules, all, or")
    with refused(
        "in the study 'football' project (model with a reader) alone votes: none can be left out\n"
        "Add labels of another annotator, or name more voters."
    ):
        leave_one_annotator_out(football, Settings(), "CWEx")
    with pytest.raises(FairvizError) as caught:
        leave_one_annotator_out(study_of(VOTED, [("a", "adjudicated", "male")]), Settings(), "CWEx")
    assert str(caught.value).startswith("in the study 'made-up' nobody votes: none can be left out\n")
    called = study_of(VOTED, [("a", "majority", "male"), ("b", "dawid-skene", "male")])
    with refused(
        "annotators of the study 'made-up' are called majority and dawid-skene, as the consensuses are\n"
        "Rename them in the file of labels."
    ):
        leave_one_annotator_out(called, Settings(annotator="majority"), "CWEx")
