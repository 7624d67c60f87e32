"""One annotator's labels in place of another's, label noise drawn as the annotators said, and annotators left out one
by one: against `evaluate` under each, and by hand."""

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
    noise_between_people,
    noise_of_errors,
    noise_ranges,
    order_in_draws,
    posterior,
    replaced,
    reversals,
    uncertainty,
    votes,
    without_note,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, make_study
from tests.analyses.label_effects.cases import relabelled, same, slow_means, study_of
from tests.conftest import refused, simulated
from tests.slow_max_t import slow_rows

LISTS = {
    ("one", "q1"): ["a", "b", "c"], ("one", "q2"): ["c", "d", "a"],
    ("two", "q1"): ["c", "a", "d"], ("two", "q2"): ["d", "b", "a"],
}  # fmt: skip
ANN = [("a", "ann", "female"), ("b", "ann", "male"), ("c", "ann", "neutral"), ("d", "ann", "neutral")]
RULE = [("a", "rule", "male"), ("b", "rule", "female"), ("c", "rule", "neutral"), ("d", "rule", "female")]
CWEX = "CWEx(alpha=0.5)@3"


def two_labelled(*more: tuple[str, str, str], kinds: dict[str, str] | None = None) -> Study:
    made = study_of(LISTS, [*ANN, *RULE, *more])
    known = {"ann": "person", "rule": "rule"} | (kinds or {})
    return make_study("made-up", runs=made.runs, labels=made.labels, lexicon=made.lexicon,
                      annotators={name: Annotator(name, kind) for name, kind in known.items()})  # fmt: skip


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
    made = study_of(lists, labels)
    whole = make_study("made-up", runs=made.runs, labels=made.labels, lexicon=made.lexicon,
                       annotators={name: Annotator(name, "rule") for name in ("ann", "rule", "other")})  # fmt: skip
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
    ranges = noise_ranges(neutral).set_index("system").loc["two"]
    assert ranges[["low", "high"]].tolist() == [two.min(), two.max()]


def test_how_often_the_order_turns() -> None:
    ranks = {"rank_before": [1.0, 2.0, 3.0, 3.0, 1.0], "rank_after": [2.0, 1.0, 3.0, 2.0, 1.0]}
    table = pd.DataFrame({"annotator": "x", "system": ["a", "b", "c", "d", "perfect"], **ranks})
    assert reversals(table).to_numpy().tolist() == [["x", 5, 1, 1]], "c and d had none; perfect is no contender"
    means = replaced(two_labelled(), Settings(), CWEX, ["rule"], "ann").set_index("system")["before"]
    same, turned = means.to_numpy(), means.to_numpy()[::-1]
    values = np.array([same, turned, same, turned]).T.ravel()
    drawn = pd.DataFrame({"system": np.repeat(list(means.index), 4), "draw": [1, 2, 3, 4] * 2, "value": values})
    assert order_in_draws(two_labelled(), Settings(), CWEX, drawn, "ann") == (1, 0.5, 0.5)


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


@pytest.mark.parametrize(("by_code", "decided"), [(True, False), (False, True)], ids=["rules", "people, decisions"])
@pytest.mark.parametrize("annotator", ["", "majority", "dawid-skene", "adjudicated", "project"])
def test_without_one_annotator_starts_from_the_value_on_the_page(annotator, by_code, decided):
    """On newswire: the value that `evaluate` and `summarise` give under the settings, for every consensus; where one
    annotator counts, under the majority that is said instead."""
    study = newswire_of(by_code=by_code, decided=decided)
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
    study = newswire_of(by_code=False)
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
        leave_one_annotator_out(study_of(VOTED, [("a", "adjudicated", "male")]), Settings(), "CWEx")
    assert str(caught.value).startswith("in the study 'made-up' nobody votes: none can be left out\n")
    called = study_of(VOTED, [("a", "majority", "male"), ("b", "dawid-skene", "male")])
    with refused(
        "annotators of the study 'made-up' are called majority and dawid-skene, as the consensuses are\n"
        "Rename them in the file of labels."
    ):
        leave_one_annotator_out(called, Settings(annotator="majority"), "CWEx")
