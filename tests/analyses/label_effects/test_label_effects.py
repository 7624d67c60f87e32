"""Effects of labels and fewest flips: against recomputation on studies with other labels."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.label_effects import Moves, fewest_flips, label_effects
from fairviz.analyses.label_effects.lists import lists_of
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import unfairness
from tests.analyses.label_effects.cases import (
    MEASURES,
    choices,
    random_study,
    relabelled,
    same,
    slow_difference,
    slow_means,
    studies,
    study_of,
)

GOLD = [("f", "a", "female"), ("m", "a", "male"), ("n", "a", "neutral")]


def labels_by_document(study):
    return dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))


@pytest.mark.slow
@given(studies(), choices(), st.sampled_from(MEASURES))
@examples(max_examples=60, deadline=None)
def test_every_effect_as_recomputed(study, settings, measure):
    found = label_effects(study, settings, measure, "one", "two")
    before = slow_difference(study, settings, measure)
    own = labels_by_document(study)
    for row in found.itertuples():
        assert row.label == own.get(row.doc_id, "")
        assert row.to != row.label
        effects = {
            label: slow_difference(relabelled(study, {row.doc_id: label}), settings, measure) - before
            for label in ("neutral", *study.groups)
            if label != row.label
        }
        assert same(row.effect, effects[row.to])
        sizes = [abs(effect) for effect in effects.values() if not np.isnan(effect)]
        assert same(abs(row.effect), max(sizes, default=np.nan))


@given(studies(), choices(), st.sampled_from(MEASURES), st.data())
@examples(max_examples=60, deadline=None)
def test_moves_after_flips_are_those_of_the_flipped_labels(study, settings, measure, data):
    lists = lists_of(study, settings, measure)
    moves = Moves(lists)
    for _ in range(3):
        document = data.draw(st.integers(0, len(lists.doc_ids) - 1))
        moves.flip(document, data.draw(st.integers(0, len(lists.names) - 1)))
    fresh = Moves(lists_of(study, settings, measure))
    fresh.__init__(replaced(lists, moves.codes))
    np.testing.assert_allclose(moves.means(), fresh.means(), atol=1e-12)
    np.testing.assert_allclose(moves.means_after(), fresh.means_after(), atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("policy", ["skip", "neutral"])
@pytest.mark.parametrize("seed", [0, 1])
def test_effects_in_full_lists(seed, policy, measure):
    study = random_study(seed)
    settings = Settings(cutoff=6, position_bias="linear", unlabelled=policy)
    found = label_effects(study, settings, measure, "one", "two")
    before = slow_difference(study, settings, measure)
    assert found["effect"].notna().any()
    for row in found.itertuples():
        after = slow_difference(relabelled(study, {row.doc_id: row.to}), settings, measure)
        assert same(row.effect, after - before)


def replaced(lists, codes):
    from dataclasses import replace

    return replace(lists, codes=codes)


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


def test_on_newswire_the_effects_are_those_of_recomputing():
    study, settings = fairviz.open_study("newswire"), Settings()
    found = label_effects(study, settings, "CWEx", "bm25", "tfidf")
    before = slow_means(study, settings, "CWEx")
    labels = labels_by_document(study.__class__("x", labels=study.labels[study.labels["annotator"] == "project"]))
    assert len(found) == found["doc_id"].nunique() > 200
    from fairviz.analyses.label_effects.label_effects import what_if

    for row in found.head(12).itertuples():
        assert labels[row.doc_id] == row.label
        after = what_if(study, settings, "CWEx", {row.doc_id: row.to}).set_index("system")["after"]
        change = (after["bm25"] - after["tfidf"]) - (before["bm25"] - before["tfidf"])
        np.testing.assert_allclose(row.effect, change, atol=1e-12)


def ahead(study, settings, measure):
    """How much fairer one is than two, over common queries; None where that has no sign."""
    both = study.runs.groupby("query_id", observed=True)["system"].nunique()
    from fairviz.evaluation.scores import evaluate

    table = evaluate(study, [measure], settings)
    table = table[table["query_id"].isin(both[both == 2].index)]
    means = table.groupby("system", observed=True)["value"].mean()[["one", "two"]].to_numpy()
    question = ask(measure, settings)
    fair = means if question.direction == "none" else -unfairness(question, means)
    with np.errstate(invalid="ignore"):
        value = fair[0] - fair[1]
    return None if np.isnan(value) or abs(value) < 1e-12 else np.sign(value)


@given(studies(size=4), choices(), st.sampled_from(MEASURES))
@examples(max_examples=60, deadline=None)
def test_fewest_flips_are_the_fewest(study, settings, measure):
    found = fewest_flips(study, settings, measure, "one", "two")
    start = ahead(study, settings, measure)
    if start is None:
        assert found == type(found)((), (), found.before, found.after, False, False)
        return
    own = labels_by_document(study)
    if found.reversed:
        flipped = relabelled(study, dict(zip(found.doc_ids, found.labels, strict=True)))
        assert ahead(flipped, settings, measure) == -start
        assert same(found.after, slow_difference(flipped, settings, measure))
        assert all(own[name] != label for name, label in zip(found.doc_ids, found.labels, strict=True))
        assert len(set(found.doc_ids)) == len(found.doc_ids)
    assume(found.reversed)
    assert found.exact, "so small a case is tried out"
    for size in range(1, len(found.doc_ids)):
        for names in combinations(own, size):
            for labels in product(*[[x for x in ("neutral", *study.groups) if x != own[name]] for name in names]):
                changes = dict(zip(names, labels, strict=True))
                assert ahead(relabelled(study, changes), settings, measure) != -start


def test_greedy_is_an_upper_bound_and_says_so():
    study = fairviz.open_study("newswire")
    wide = fewest_flips(study, Settings(), "CWEx", "w2v_add", "random", trials=0)
    assert wide.reversed
    assert not wide.exact
    assert len(wide.doc_ids) > 3
    assert wide.before > 0 > wide.after
    few = fewest_flips(study, Settings(), "CWEx", "w2v_add", "random", trials=0, most=3)
    assert not few.reversed
    assert few.doc_ids == wide.doc_ids[:3]


@pytest.mark.parametrize(("seed", "measure", "greedy", "fewest"), [(4, "GroupExposureRatio", 3, 2), (93, "AWRF", 3, 2)])
def test_where_greed_takes_too_many_trying_finds_fewer(seed, measure, greedy, fewest):
    study, settings = random_study(seed), Settings(cutoff=6)
    taken = fewest_flips(study, settings, measure, "one", "two", trials=0)
    tried = fewest_flips(study, settings, measure, "one", "two")
    assert (len(taken.doc_ids), taken.reversed, taken.exact) == (greedy, True, False)
    assert (len(tried.doc_ids), tried.reversed, tried.exact) == (fewest, True, True)
    flipped = relabelled(study, dict(zip(tried.doc_ids, tried.labels, strict=True)))
    assert ahead(flipped, settings, measure) == -ahead(study, settings, measure)


def test_one_flip_is_exact_without_trying():
    study = study_of({("one", "q"): ["f", "n"], ("two", "q"): ["n", "m"]}, GOLD)
    found = fewest_flips(study, Settings(cutoff=2), "CWEx(alpha=1)", "one", "two", trials=0)
    assert found.reversed
    assert found.exact
    assert len(found.doc_ids) == 1


def test_a_tie_cannot_be_reversed():
    study = study_of({("one", "q"): ["f"], ("two", "q"): ["m"]}, GOLD)
    found = fewest_flips(study, Settings(), "CWEx", "one", "two")
    assert (found.doc_ids, found.before, found.after, found.reversed, found.exact) == ((), 0.0, 0.0, False, False)


def test_errors():
    study = study_of({("one", "q"): ["f"], ("two", "r"): ["m"]}, GOLD)
    for asked in (label_effects, fewest_flips):
        with pytest.raises(FairvizError) as caught:
            asked(study, Settings(), "CWEx", "one", "one")
        assert str(caught.value) == "'one' is compared with itself\nChoose two systems."
        with pytest.raises(FairvizError) as caught:
            asked(study, Settings(), "CWEx", "one", "two")
        assert str(caught.value) == "'one' and 'two' have no query in common\nChoose two other systems."
        with pytest.raises(FairvizError) as caught:
            asked(study, Settings(), "CWEx", "one", "three")
        assert str(caught.value) == "the study 'made-up' has no system 'three'\nUse one of one, two."
    with pytest.raises(FairvizError, match="has no annotator 'z'"):
        label_effects(study, Settings(voters=("z",)), "CWEx", "one", "two")


def test_two_that_are_infinitely_unfair_are_tied():
    # custom bias 0.2, 0.9, 0: the woman at rank 3 gets nothing, so that both ratios are 0 and both unfairnesses ∞
    lists = {("one", "q"): ["m", "n", "f"], ("two", "q"): ["n", "m", "f"]}
    study = study_of(lists, GOLD)
    settings = Settings(cutoff=3, position_bias="custom", custom_bias=(0.2, 0.9, 0.0))
    found = fewest_flips(study, settings, "GroupExposureRatio", "one", "two")
    assert (found.doc_ids, found.before, found.reversed) == ((), 0.0, False)
    assert not label_effects(study, settings, "GroupExposureRatio", "one", "two")["reverses"].any()
