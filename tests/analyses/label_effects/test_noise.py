"""Label noise: drawn as the annotators said, the same draws for all systems; annotators left out one by one."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.label_effects.replacing import (
    all_together,
    label_noise,
    leave_one_annotator_out,
    posterior,
    uncertainty,
    votes,
    without_note,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels
from tests.analyses.label_effects.cases import relabelled, same, slow_means, study_of
from tests.conftest import refused, simulated

LISTS = {("one", "q1"): ["a", "b", "c"], ("one", "q2"): ["b", "d"], ("two", "q1"): ["d", "c"], ("two", "q2"): ["e"]}
# a: female or male, 2 : 1. b: neutral or female, 1 : 1. c: all say male. d: one annotator alone. e: nobody.
LABELS = [
    *[("a", "x", "female"), ("a", "y", "female"), ("a", "z", "male")],
    *[("b", "x", "neutral"), ("b", "y", "female")],
    *[("c", "x", "male"), ("c", "y", "male"), ("c", "z", "male")],
    ("d", "x", "female"),
]


@pytest.fixture
def study():
    return study_of(LISTS, LABELS)


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
    only = study_of(LISTS, [row for row in LABELS if row[1] == "x"])
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
    decided = study_of(LISTS, [*LABELS, ("a", "adjudicated", "male"), ("b", "adjudicated", "neutral")])
    assert label_noise(decided, settings, "CWEx", draws=30)["value"].nunique() > 2
    drawn = label_noise(decided, Settings(annotator="adjudicated"), "CWEx", draws=30)
    assert drawn.groupby("system")["value"].nunique().tolist() == [1, 1], "a decision that counts is no noise"
    only = study_of(LISTS, [row for row in LABELS if row[1] == "x"])
    means = slow_means(relabelled(only, {"a": "male", "b": "neutral"}), Settings(), "CWEx")
    assert same(drawn["value"].iloc[0], means["one"])


def test_votes_their_entropy_and_their_posterior_by_hand(study):
    ids = pd.Index(["a", "b", "c", "d", "e"], dtype="str")
    given = votes(study, ids, Settings())
    assert given.tolist() == [[0, 2, 1], [1, 1, 0], [0, 0, 3], [0, 1, 0], [0, 0, 0]]
    two_thirds = -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3)) / np.log(3)
    np.testing.assert_allclose(uncertainty(study, ids, Settings()), [two_thirds, np.log(2) / np.log(3), 0, 1, 1])
    likely = posterior(study, ids, given, Settings())
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
        rest = study_of(LISTS, [row for row in LABELS if row[1] != left])
        expected = slow_means(rest, settings, "Exposure(group='female')")
        assert dict(zip(rows["system"], rows["value"], strict=True)) == pytest.approx(expected)
    everyone = slow_means(study, settings, "Exposure(group='female')")
    np.testing.assert_allclose(found["baseline"], found["system"].map(everyone), atol=1e-12)
    np.testing.assert_allclose(found["change"], found["value"] - found["baseline"], atol=1e-12)
    called = study_of(LISTS, [(doc, "majority" if who == "x" else who, label) for doc, who, label in LABELS])
    found = leave_one_annotator_out(called, Settings(annotator="majority"), "CWEx")
    assert set(found["annotator"]) == {"majority", "y", "z"}, "one called as a consensus is left out as any other"
    expected = leave_one_annotator_out(study, Settings(annotator="dawid-skene"), "CWEx")
    np.testing.assert_allclose(found["value"], expected["value"])


def newswire(*, by_code: bool = True, decided: bool = False) -> Study:
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


@pytest.mark.parametrize(("by_code", "decided"), [(True, False), (False, True)], ids=["rules", "people, decisions"])
@pytest.mark.parametrize("annotator", ["", "majority", "dawid-skene", "adjudicated", "project"])
def test_without_one_annotator_starts_from_the_value_on_the_page(annotator, by_code, decided):
    """On newswire: the value that `evaluate` and `summarise` give under the settings, for every consensus; where one
    annotator counts, under the majority that is said instead."""
    study = newswire(by_code=by_code, decided=decided)
    settings = Settings(annotator=annotator)
    found = leave_one_annotator_out(study, settings, "CWEx")
    assert set(found["annotator"]) == {"project", *(("lexicon", "mentions") if by_code else ("ann", "bob"))}
    page = all_together(study, settings)
    chosen = chosen_annotator(study, settings)
    consensus = chosen in ("majority", "dawid-skene") or (chosen == "adjudicated" and not by_code)
    assert (page == settings) == consensus
    assert page.annotator == (annotator if consensus else "majority")
    summary = fairviz.summarise(fairviz.evaluate(study, "CWEx", page)).set_index("system")["value"]
    np.testing.assert_allclose(found["baseline"], found["system"].map(summary), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["change"], found["value"] - found["baseline"], rtol=0, atol=1e-15)
    assert found["change"].abs().max() > 1e-3


def test_newswire_has_one_who_votes():
    """Two word lists do not vote beside a reader, so that nobody can be left out, nothing is drawn, and no label has a
    second voice; named, they vote."""
    study = fairviz.open_study("newswire")
    ids = pd.Index(["lee-001", "lee-002"], dtype="str")
    assert uncertainty(study, ids, Settings()).tolist() == [1, 1]
    with pytest.raises(FairvizError, match="project \\(model with a reader\\) alone votes"):
        leave_one_annotator_out(study, Settings(), "CWEx")
    assert label_noise(study, Settings(), "CWEx", draws=3).groupby("system")["value"].nunique().max() == 1
    named = Settings(voters=("project", "lexicon", "mentions"))
    assert len(leave_one_annotator_out(study, named, "CWEx")) == 27
    assert label_noise(study, named, "CWEx", 3).groupby("system")["value"].nunique().min() == 3


def test_what_without_one_annotator_is_compared_with():
    study = newswire(by_code=False)
    voters = "project, ann and bob (model with a reader, kind not named)"
    start = "CWEx@10 of each system without one annotator, minus its value under"
    for method in ("majority", "dawid-skene"):
        assert without_note(study, Settings(annotator=method), "CWEx@10") == (
            f"{start} {method} of {voters}, which is the value on this page."
        )
    assert without_note(study, Settings(annotator="ann"), "CWEx@10") == (
        f"{start} majority of {voters}. The other figures of this page count ann (kind not named) instead; choose "
        "majority as the annotator to see that value everywhere."
    )
    assert without_note(fairviz.open_study("newswire"), Settings(), "CWEx@10") == ""


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
        leave_one_annotator_out(study_of(LISTS, [("a", "adjudicated", "male")]), Settings(), "CWEx")
    assert str(caught.value).startswith("in the study 'made-up' nobody votes: none can be left out\n")
    called = study_of(LISTS, [("a", "majority", "male"), ("b", "dawid-skene", "male")])
    with refused(
        "annotators of the study 'made-up' are called majority and dawid-skene, as the consensuses are\n"
        "Rename them in the file of labels."
    ):
        leave_one_annotator_out(called, Settings(annotator="majority"), "CWEx")
