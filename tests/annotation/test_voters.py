"""Who votes, consensus labels, and how far annotators agree. That every figure and verb asks the same voters:
tests/test_same_voters.py."""

import math
import warnings
from dataclasses import replace
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison, table
from fairviz.analyses.annotator_accuracy.raters import kind_of
from fairviz.analyses.label_effects.replacing import uncertainty, votes
from fairviz.annotation import agreement
from fairviz.annotation.agreement import coefficients, pairs
from fairviz.annotation.agreement.coefficients import (
    COEFFICIENTS,
    accuracy,
    cohen_kappa,
    resample_coefficients,
    resample_tables,
    tally,
)
from fairviz.annotation.annotators.annotating import DEMONSTRATION, annotate
from fairviz.annotation.voters import (
    CONSENSUSES,
    annotator_names,
    annotators_alongside,
    consensus,
    dawid_skene,
    labels_alongside,
    labels_of,
    open_ties,
    quality_control,
    voters_of,
    voting_labels,
    with_labels_alongside,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, make_study
from tests.conftest import refused

DECIDED = ("d1", "adjudicated", "male")


def frame(rows: list[tuple[str, ...]]) -> pd.DataFrame:
    """Document, annotator, label, and the right answer where it is a test question."""
    columns = ["doc_id", "annotator", "label", "test_label"][: len(rows[0])]
    return pd.DataFrame(rows, columns=columns, dtype="str")


def study_of(rows: list[tuple[str, ...]], **kinds: str) -> Study:
    """The study of these labels. kinds: of annotators, where they are named."""
    made = make_study("made-up", labels=frame(rows))
    named = {name: Annotator(name, kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    return replace(made, annotators={**made.annotators, **named})


def by(*names: str) -> list[tuple[str, ...]]:
    return [("d1", name, "male") for name in names]


@pytest.mark.parametrize(
    ("study", "vote"),
    [
        (study_of(by("ann", "bob")), ("ann", "bob")),
        (study_of(by("list", "ann", "machine"), list="rule", machine="model"), ("ann", "machine")),
        (study_of(by("list", "both", "ann", "new"), list="rule", both="mixed", ann="person"), ("ann",)),
        (study_of(by("list", "machine", "both"), list="rule", machine="model", both="mixed"), ("machine", "both")),
        (study_of(by("list", "other"), list="rule", other="rule"), ("list", "other")),
        (study_of(by("machine", "adjudicated"), machine="model", adjudicated="person"), ("machine",)),
        (study_of(by("ann", "adjudicated")), ("ann",)),
        (study_of(by("adjudicated")), ()),
        (make_study("empty"), ()),
    ],
    ids=["kinds not named", "an unknown kind is no person", "people alone", "no people", "rules alone",
         "a model and decisions", "a person and decisions", "decisions alone", "nobody"],
)  # fmt: skip
def test_who_votes(study: Study, vote: tuple[str, ...]) -> None:
    assert voters_of(study) == vote


def record_of(study: Study, **choices) -> pd.DataFrame:
    return table(study, Settings(**choices), Comparison(), "annotators").set_index("annotator")


def test_a_decision_breaks_no_tie_of_two_models() -> None:
    """One model says male, one female: the consensus leaves the document open, whatever a reader decided on it."""
    rows = [("d1", "one", "male"), ("d1", "two", "female"), ("d2", "one", "male"), ("d2", "two", "male")]
    plain, decided = (study_of(part, one="model", two="model") for part in (rows, [*rows, DECIDED]))
    for method in CONSENSUSES:
        assert labels_of(decided, method).equals(labels_of(plain, method))
    assert labels_of(decided, "majority").to_numpy().tolist() == [["d2", "majority", "male"]]
    assert table(decided, Settings(), Comparison(), "ties").to_numpy().tolist() == [["d1", "female 1, male 1"]]
    ids = pd.Index(["d1"], dtype="str")
    alone = votes(decided, ids, Settings(annotator="adjudicated")).tolist()
    assert (votes(decided, ids, Settings()).tolist(), alone) == ([[0, 1, 1]], [[0, 0, 1]])


ROWS = [(f"d{number}", who, label) for number in range(1, 7)
        for who, label in (("ann", "male"), ("bob", "female"), ("list", "male"))]  # fmt: skip


def test_records_are_of_those_who_vote() -> None:
    """Of two people, whose ties a word list does not break; without people, with the majority of two models against a
    rule, and a decision votes in no record."""
    record = record_of(study_of(ROWS, list="rule", ann="person", bob="person"))
    assert record["compared"].to_dict() == {"ann": 6, "bob": 6, "list": 0}, "the people are compared with each other"
    rows = [("d1", "one", "male"), ("d1", "two", "male"), ("d1", "list", "female"), ("d1", "adjudicated", "female")]
    record = record_of(study_of(rows, one="model", two="model", list="rule"))
    assert record.loc[["one", "two", "list", "adjudicated"], "with_majority"].tolist() == [1, 1, 0, 0]


def test_the_named_vote_whatever_they_are_but_no_decision() -> None:
    study = study_of([*ROWS, DECIDED], list="rule")
    assert voters_of(study, ["list", "ann"]) == ("list", "ann")
    with refused(
        "'adjudicated' cannot vote: a reader's decisions are made on the others' labels\n"
        "Leave adjudicated out of the voters."
    ):
        voters_of(study, ["ann", "adjudicated"])
    with refused(
        "the study 'made-up' has no annotator 'nobody'\n"
        "Use people, all but rules, all, or names among ann, bob, list, adjudicated."
    ):
        voters_of(study, ["nobody"])
    with pytest.raises(FairvizError, match=r"w18, w19 and 3 more\.$"):
        voters_of(study_of(by(*(f"w{number}" for number in range(23)))), ["nobody"])


# --- consensus labels


LABELS = frame([("a", "x", "f"), ("a", "y", "f"), ("a", "z", "m"), ("b", "x", "m"), ("b", "y", "f"), ("c", "z", "n")])


def test_consensus_by_hand() -> None:
    """A tie is left open; test questions decide who votes only where there are any; Dawid and Skene's model is of one
    document or one annotator, too."""
    assert consensus(LABELS, "majority").to_numpy().tolist() == [["a", "majority", "f"], ["c", "majority", "n"]]
    assert open_ties(LABELS).to_numpy().tolist() == [["b", "f 1, m 1"]]
    assert open_ties(LABELS[LABELS["annotator"] != "y"]).to_numpy().tolist() == [["a", "f 1, m 1"]]
    for labels in (LABELS, LABELS.assign(test_label="")):
        assert quality_control(labels).dropped == ()
        assert len(quality_control(labels).labels) == len(LABELS)
    with pytest.raises(FairvizError, match="unknown consensus 'median'"):
        consensus(LABELS, "median")
    alone = consensus(LABELS[LABELS["annotator"] == "z"], "dawid-skene")
    assert alone.to_numpy().tolist() == [["a", "dawid-skene", "m"], ["c", "dawid-skene", "n"]]
    single = dawid_skene(LABELS[LABELS["doc_id"] == "c"])
    assert single.ending == "Dawid and Skene's model converged after 1 round"
    assert single.posterior.to_dict() == {"n": {"c": 1}}
    with refused("there are no labels to fit Dawid and Skene's model to\nName annotators who gave labels."):
        dawid_skene(LABELS.iloc[:0])


def test_who_fails_more_than_a_fifth_of_the_test_questions_votes_only_where_everyone_does() -> None:
    """Ten documents that are all f, each a test question; an annotator's answers are a word of ten letters."""
    answers = {"good": "ffffffffff", "just": "mmffffffff", "bad": "mmmfffffff", "worse": "mmmmmmmmmm"}
    rows = [(f"d{place}", who, said, "f") for who, letters in answers.items() for place, said in enumerate(letters)]
    rows += [("e", "good", "f", ""), ("e", "bad", "m", ""), ("e", "worse", "m", "")]
    rows += [("g", "good", "f", ""), ("g", "just", "f", "")]
    labels = frame(rows)
    quality = quality_control(labels)
    assert quality.dropped == ("bad", "worse")
    assert quality.record.to_numpy().tolist() == [
        ["good", 10, 0, 0.0, False], ["just", 10, 2, 0.2, False], ["bad", 10, 3, 0.3, True],
        ["worse", 10, 10, 1.0, True],
    ]  # fmt: skip
    assert set(quality.labels["annotator"]) == {"good", "just"}
    study = make_study("asked", labels=labels, groups=("f", "m"), neutral="n")
    assert consensus(voting_labels(study), "majority")["label"].tolist() == ["f", "f"]
    assert consensus(voting_labels(study, everyone=True), "majority")["label"].tolist() == ["m", "f"]
    assert consensus(voting_labels(study), "dawid-skene")["label"].tolist() == ["f", "f"]
    assert len(voting_labels(study, ["worse"])) == 0
    assert voters_of(study) == voters_of(study, ["good", "just", "bad"]) == ("good", "just")
    assert voters_of(study, ["just", "worse"], everyone=True) == ("just", "worse")
    ids = pd.Index(["d1", "g"], dtype="str")
    assert votes(study, ids, Settings()).tolist() == [[0, 0, 0], [0, 2, 0]], "d1 was nothing but a test question"
    assert uncertainty(study, ids, Settings()).tolist() == [1, 0]
    assert record_of(study)["dropped"].tolist() == [False, False, True, True]
    # people who all fail leave nobody, and no rule takes their place
    failed = study_of([("d1", "worse", "female", "male"), ("d1", "list", "male", "")], list="rule", worse="person")
    assert voters_of(failed) == ()
    assert labels_of(failed, "majority").empty
    assert chosen_annotator(failed, Settings()) == "majority"


@pytest.mark.parametrize("method", CONSENSUSES)
def test_answers_to_test_questions_do_not_vote(method: str) -> None:
    """`only` was nothing but a test question, and has no consensus. Of `both` an expert gave a label of her own, and it
    alone counts. `odd` has right answers that differ."""
    rows = [("only", who, said, "f") for who, said in zip("xyz", "mmf", strict=True)]
    rows += [("both", who, "m", "n") for who in "xyz"] + [("both", "expert", "n", "")]
    rows += [("odd", "x", "f", "f"), ("odd", "y", "f", "m")]
    rows += [("plain", who, "f", "") for who in "xyz"]
    rows += [(f"n{place}", who, "n", "") for place in range(3) for who in (*"xyz", "expert")]  # the model trusts her
    labels = frame(rows)
    found = consensus(labels, method)
    assert found[["doc_id", "label"]].to_numpy().tolist()[:2] == [["both", "n"], ["plain", "f"]]
    assert {"only", "odd"}.isdisjoint(found["doc_id"])
    assert {"only", "odd"}.isdisjoint(dawid_skene(labels).posterior.index)
    assert not len(open_ties(labels)), "what is known is for no expert to decide"
    assert not len(consensus(labels[labels["doc_id"] == "only"], method))


def simulated() -> tuple[pd.DataFrame, np.ndarray]:
    """200 documents labelled by a good, a fair and a contrary annotator, with holes; and the truth."""
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 2, 200)
    rows = []
    for who, right in (("good", 0.95), ("fair", 0.8), ("fine", 0.9), ("contrary", 0.1)):
        said = np.where(generator.random(200) < right, truth, 1 - truth)
        rows += [(f"d{doc}", who, "fm"[label]) for doc, label in enumerate(said) if generator.random() < 0.9]
    return frame(rows), truth


def slow_dawid_skene(labels: pd.DataFrame, groups: str, steps: int) -> tuple[dict[str, dict], dict[tuple, float]]:
    """Expectation and maximisation, read off the paper's equations 2.3 to 2.5, for labels of one letter."""
    votes = list(labels.itertuples(index=False, name=None))
    documents, people = list(dict.fromkeys(v[0] for v in votes)), list(dict.fromkeys(v[1] for v in votes))
    chance = {d: {q: sum(v[0] == d and v[2] == q for v in votes) for q in groups} for d in documents}
    chance = {d: {q: held[q] / sum(held.values()) for q in groups} for d, held in chance.items()}
    by_person = {k: [(d, said) for d, who, said in votes if who == k] for k in people}
    by_document = {d: [(who, said) for doc, who, said in votes if doc == d] for d in documents}
    for _ in range(steps):
        prior = {q: sum(chance[d][q] for d in documents) / len(documents) for q in groups}
        error = {}
        for k in people:
            for q in groups:
                total = sum(chance[d][q] for d, _ in by_person[k])
                for said in groups:
                    error[k, q, said] = sum(chance[d][q] for d, s in by_person[k] if s == said) / total
        for d in documents:
            held = {q: prior[q] * np.prod([error[k, q, s] for k, s in by_document[d]]) for q in groups}
            chance[d] = {q: held[q] / sum(held.values()) for q in groups}
    return chance, error


def hard(seed: int) -> pd.DataFrame:
    """24 documents of three labels by three annotators who are often wrong."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 3, 24)
    rows = []
    for who, right in (("a", 0.6), ("b", 0.7), ("c", 0.55)):
        said = np.where(generator.random(24) < right, truth, generator.integers(0, 3, 24))
        rows += [(f"d{doc}", who, "fmn"[label]) for doc, label in enumerate(said)]
    return frame(rows)


def test_dawid_skene_is_the_model_of_the_paper() -> None:
    labels, truth = simulated()
    model = dawid_skene(labels)
    slow, errors = slow_dawid_skene(labels, "fm", 100)
    assert model.posterior["f"].to_dict() == pytest.approx({name: of["f"] for name, of in slow.items()}, abs=1e-6)
    np.testing.assert_allclose(model.posterior.sum(axis=1), 1)
    for row in model.confusions.itertuples():
        assert row.probability == pytest.approx(errors[row.annotator, row.true, row.said], abs=1e-6)
    assert list(dict.fromkeys(model.confusions["annotator"])) == ["good", "fair", "fine", "contrary"]
    assert errors["contrary", "f", "m"] > 0.8
    assert model.priors.sum() == pytest.approx(1)
    right = consensus(labels, "dawid-skene").set_index("doc_id")["label"]
    expected = pd.Series(["fm"[label] for label in truth], index=[f"d{doc}" for doc in range(200)])
    assert (right == expected.reindex(right.index)).mean() > 0.95


def test_the_fit_goes_on_until_more_rounds_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = dawid_skene(hard(37))
    assert model.converged
    assert model.rounds > 100
    slow, _ = slow_dawid_skene(hard(37), "fmn", model.rounds)
    np.testing.assert_allclose(model.posterior[list("fmn")], pd.DataFrame(slow).T.loc[model.posterior.index], atol=1e-6)
    monkeypatch.setattr("fairviz.annotation.agreement.votes.CHANGE", -1.0)
    monkeypatch.setattr("fairviz.annotation.agreement.votes.ROUNDS", 4 * model.rounds)
    np.testing.assert_allclose(model.posterior, dawid_skene(hard(37)).posterior, atol=1e-5)
    monkeypatch.setattr("fairviz.annotation.agreement.votes.ROUNDS", 3)
    model = dawid_skene(hard(37))
    assert not model.converged
    assert model.ending == "Dawid and Skene's model did not converge in 3 rounds: check its labels"


# --- labels that come with the program and lie beside newswire and Grep-BiasIR


WORDS = "classifier-features=words"
SMOLLM2 = "logprob-model=smollm2"


def test_labels_alongside_are_shown_and_counted_nowhere(newswire: Study, football: Study) -> None:
    labels = labels_alongside(newswire)
    assert list(annotators_alongside(newswire)) == list(labels["annotator"].drop_duplicates())
    for _, rows in labels.groupby("annotator"):
        assert rows["doc_id"].tolist() == newswire.documents["doc_id"].tolist()
    kinds = {name: who.kind for name, who in annotators_alongside(newswire).items()}
    assert kinds.pop(SMOLLM2) == "model"
    assert set(kinds.values()) == {"rule"}
    assert annotators_alongside(newswire)[SMOLLM2].description.endswith(DEMONSTRATION)
    assert annotator_names(newswire) == ("project", "lexicon", "mentions")
    both = with_labels_alongside(newswire)
    assert voters_of(newswire) == voters_of(both) == ("project",)
    assert voters_of(both, ["all"]) == ("project", "lexicon", "mentions")
    assert chosen_annotator(both, Settings()) == "project"
    shown = comparisons.coefficients(newswire, Settings(), Comparison())
    assert set(labels["annotator"]) < set(shown["annotator"])
    words = shown[(shown["annotator"] == WORDS) & (shown["coefficient"] == "accuracy")].iloc[0]
    assert (round(words["value"], 4), words["documents"]) == (0.8367, 343)
    whole = comparisons.coefficients(newswire, Settings(voters=("all",)), Comparison())["value"]
    assert whole.tolist()[1] == pytest.approx(0.5861, abs=1e-4)
    pairs = table(newswire, Settings(), Comparison(), "pairs")
    assert not set(annotators_alongside(newswire)) & {*pairs.iloc[:, 0], *pairs.iloc[:, 1]}
    assert (kind_of(newswire, WORDS), kind_of(newswire, SMOLLM2)) == ("trained classifier", "language model")
    # they come out of the code again: the vote is the first-named where all three say another
    wide = labels.pivot_table(index="doc_id", columns="annotator", values="label", aggfunc="first")
    made = annotate(newswire, "lexicon(tau=0)").labels.set_index("doc_id")["label"]
    assert made.to_dict() == wide["lexicon-tau=0"].to_dict()
    voters = ["lexicon-tau=0", "classifier", WORDS]
    for said, voted in zip(wide[voters].to_numpy().tolist(), wide[f"vote+{'+'.join(voters)}"], strict=True):
        assert voted == max(said, key=said.count)
    assert labels_alongside(football).empty
    assert list(labels_alongside(football)) == list(football.labels)
    assert with_labels_alongside(football) is football


def test_labels_made_anew_stand_for_those_beside(newswire: Study) -> None:
    made = newswire.documents[["doc_id"]].assign(annotator=WORDS, label="neutral").astype("str")
    own = add_labels(newswire, made)
    assert WORDS not in annotators_alongside(own)
    assert set(labels_alongside(own)["annotator"]) == set(annotators_alongside(own))
    both = with_labels_alongside(own)
    assert with_labels_alongside(own) is both
    assert set(both.labels.loc[both.labels["annotator"] == WORDS, "label"]) == {"neutral"}
    assert both.annotators["project"] == Annotator("project", "mixed", newswire.annotators["project"].description)


def test_grep_biasir_has_some_where_its_texts_are_those_that_were_labelled(published) -> None:
    """The figures are those of docs/explanation/results.md."""
    study = published("grep-biasir")
    labels = labels_alongside(study)
    for _, rows in labels.groupby("annotator"):
        assert rows["doc_id"].tolist() == study.documents["doc_id"].tolist()
    assert voters_of(with_labels_alongside(study)) == ("gold",)
    gold = study.labels.set_index("doc_id")["label"]
    right = (labels["label"] == labels["doc_id"].map(gold)).groupby(labels["annotator"], sort=False).mean()
    assert right.round(3).to_dict() == {
        "lexicon": 0.724, "lexicon-tau=0": 0.893, "mentions": 0.893, "prototypes": 0.849, "classifier": 0.877,
        "classifier-features=tfidf": 0.849, WORDS: 0.906, f"vote+lexicon-tau=0+classifier+{WORDS}": 0.905,
        SMOLLM2: 0.420,
    }  # fmt: skip
    texts = study.documents["text"].where(study.documents["doc_id"] != "7", "another text")
    assert labels_alongside(replace(study, documents=study.documents.assign(text=texts))).empty


# --- Coefficients of agreement: against the packages, by hand, and against drawing documents one by one


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


# --- the tables of agreement on labels small enough to count by hand, and on published annotations


VOTES = [
    ("d1", "x", "f"), ("d1", "y", "f"), ("d1", "z", "m"),
    ("d2", "x", "m"), ("d2", "y", "f"),
    ("d3", "x", "n"), ("d3", "y", "n"),
    ("d4", "z", "n"),
]  # fmt: skip


VOTED = frame(VOTES)
DOMAIN = ("n", "f", "m")


def test_votes_are_codes_in_the_order_of_the_labels() -> None:
    votes = agreement.read_votes(VOTED, DOMAIN)
    assert votes.labels == DOMAIN
    assert votes.annotators == ("x", "y", "z")
    assert votes.counts.tolist() == [[0, 2, 1], [0, 1, 1], [2, 0, 0], [1, 0, 0]]
    assert agreement.read_votes(VOTED).labels == ("f", "m", "n")
    assert agreement.read_votes(VOTED, ("n", "q")).labels == ("n", "q", "f", "m")
    assert agreement.majority(votes.counts).tolist() == [1, -1, 0, 0]
    assert agreement.majority(np.zeros((2, 0), dtype=int)).tolist() == [-1, -1], "of no label at all"
    assert agreement.majority(np.zeros((0, 3), dtype=int)).tolist() == []
    assert agreement.count_texts(votes.counts, votes.labels) == ["f 2, m 1", "f 1, m 1", "n 2", "n 1"]
    counts = agreement.label_counts(VOTED, pd.Index(["d3", "d0", "d1"], dtype="str"), ("f", "n"))
    assert counts.tolist() == [[0, 2], [0, 0], [2, 0]]


def test_all_annotators_together() -> None:
    """d1: 1/3 of the pairs agree, d2: none, d3: all. d4 has one vote. Mean 4/9."""
    table = agreement.overall(VOTED, DOMAIN)
    assert table["coefficient"].tolist() == list(agreement.COEFFICIENTS)
    row = table.iloc[0]
    assert row["value"] == pytest.approx(4 / 9)
    assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert (row["documents"], row["annotators"], row["votes"]) == (3, 3, 8)
    pd.testing.assert_frame_equal(table, agreement.overall(VOTED, DOMAIN))
    # a value needs two votes, and an interval two documents
    alone = agreement.overall(VOTED[VOTED["annotator"] == "x"])
    assert alone[["value", "ci_low", "ci_high"]].isna().all(axis=None)
    assert alone["documents"].tolist() == [0] * 4
    assert len(agreement.overall(VOTED.iloc[:0])) == 4
    single = agreement.overall(VOTED[VOTED["doc_id"] == "d1"])
    assert single["value"].iloc[0] == pytest.approx(1 / 3)
    assert single["ci_low"].isna().all()
    same = agreement.overall(frame([("d1", "x", "f"), ("d1", "y", "f"), ("d2", "x", "f"), ("d2", "y", "f")]))
    assert same["value"].iloc[0] == 1
    assert same["value"].iloc[1:].isna().all(), "with one label, nothing can be told from chance"


def test_each_annotator_against_a_reference() -> None:
    """y agrees with x on d1 and d3, not on d2. Of n, f, m x gave 1 each, y 1, 2, 0: p_e = 3/9, kappa 1/2."""
    table = agreement.against(VOTED, "x", DOMAIN).set_index("annotator")
    assert table["documents"].to_dict() == {"y": 3, "z": 1}
    assert table["accuracy"].tolist() == pytest.approx([2 / 3, 0])
    assert table.loc["y", "kappa"] == pytest.approx(1 / 2)
    assert 0 <= table.loc["y", "accuracy_low"] <= table.loc["y", "accuracy_high"] <= 1
    assert math.isnan(table.loc["z", "accuracy_low"])
    cells = agreement.confusions(VOTED, "x", DOMAIN)
    assert list(dict.fromkeys(cells["annotator"])) == ["y", "z"]
    own = cells[cells["annotator"] == "y"].pivot(index="reference", columns="said", values="documents")
    assert own.loc[list(DOMAIN), list(DOMAIN)].to_numpy().tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert agreement.confused(VOTED, DOMAIN).to_numpy().tolist() == [["f", "m", 2]]
    nobody = agreement.against(VOTED, "nobody", DOMAIN)
    assert nobody["documents"].tolist() == [0, 0, 0]
    assert nobody["accuracy"].isna().all()
    # without any label nothing is compared, as of documents that nobody labelled where labels are no genders
    for domain in ((), DOMAIN):
        assert agreement.against(VOTED.iloc[:0], "x", domain).empty
        assert agreement.confusions(VOTED.iloc[:0], "x", domain).empty
    majority = agreement.against(VOTED.iloc[:0], "x", voters=("x", "y"), consensuses=("majority",))
    assert majority[["annotator", "documents"]].to_numpy().tolist() == [["majority", 0]]


def test_pairs_with_enough_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    table = agreement.pairwise(VOTED, DOMAIN, common=2)
    assert table[["first", "second", "documents"]].to_numpy().tolist() == [["x", "y", 3]]
    expected = agreement.against(VOTED[VOTED["annotator"] != "z"], "x", DOMAIN)
    for column in ("accuracy", "kappa", "kappa_low", "kappa_high"):
        assert table[column].iloc[0] == pytest.approx(expected[column].iloc[0])
    assert len(agreement.pairwise(VOTED, DOMAIN)) == 0
    generator = np.random.default_rng(0)
    drawn = [(f"d{doc}", f"a{who}", "nfm"[generator.integers(3)]) for doc in range(40) for who in range(5)]
    labels = frame([row for row in drawn if generator.random() < 0.7])
    for row in agreement.pairwise(labels, DOMAIN, common=1).itertuples():
        two = labels[labels["annotator"].isin([row.first, row.second])]
        single = agreement.against(two, row.first, DOMAIN).iloc[0]
        assert (row.documents, row.accuracy, row.kappa) == (single.documents, single.accuracy, single.kappa)
    monkeypatch.setattr(pairs, "MOST_INTERVALS", 1)
    table = agreement.pairwise(VOTED, DOMAIN, common=1)
    assert table["accuracy_low"].notna().tolist() == [True, False, False], "beyond many pairs the smallest have none"


def test_records_of_annotators() -> None:
    table = agreement.records(VOTED).set_index("annotator")
    assert table["labels"].to_dict() == {"x": 3, "y": 3, "z": 2}
    # d1: x and y give f, z gives m, so that only z has a majority of others; d2 and d3 have two votes, d4 one
    assert table["compared"].to_dict() == {"x": 0, "y": 0, "z": 1}
    assert table.loc["z", "with_majority"] == 0.0
    assert table["test_questions"].sum() == 0
    assert table["failed_share"].isna().all()
    among = agreement.records(VOTED, ["y", "z"]).set_index("annotator")
    assert among["compared"].to_dict() == {"x": 0, "y": 1, "z": 1}, "two voters are compared with each other"
    assert among["with_majority"].fillna(-1).to_dict() == {"x": -1.0, "y": 0.0, "z": 0.0}
    rows = [("d1", "x", "f", "f"), ("d2", "x", "m", "f"), ("d3", "x", "m", ""), ("d1", "y", "n", "f")]
    asked = agreement.records(frame(rows))
    assert asked[["annotator", "test_questions", "failed", "failed_share"]].to_numpy().tolist() == [
        ["x", 2, 1, 0.5], ["y", 1, 1, 1.0],
    ]  # fmt: skip


def test_the_most_divided_documents_come_first_and_agreement_within_groups() -> None:
    """d1: shares 2/3 and 1/3, d2: 1/2 and 1/2, of three labels."""
    table = agreement.disagreements(VOTED, DOMAIN)
    assert table["doc_id"].tolist() == ["d2", "d1"]
    expected = [math.log(2) / math.log(3), -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)) / math.log(3)]
    assert table["entropy"].tolist() == pytest.approx(expected)
    assert table["said"].tolist() == ["f 1, m 1", "f 2, m 1"]
    assert len(agreement.disagreements(VOTED.iloc[:0])) == 0
    groups = pd.DataFrame({"doc_id": ["d1", "d2", "d3", "d3"], "value": ["b", "b", "a", "b"]})
    table = agreement.within(VOTED, groups, lambda part: agreement.overall(part, DOMAIN), "topic")
    first = table[table["coefficient"] == "percent agreement"].set_index("topic")
    assert first["value"].tolist() == pytest.approx([1, 4 / 9])
    assert first["documents"].tolist() == [1, 3]
    groups = pd.DataFrame({"doc_id": ["d1", "d1"], "annotator": ["x", "y"], "value": ["sure", "sure"]})
    table = agreement.within(VOTED, groups, agreement.overall)
    assert table["value"].iloc[0] == 1
    assert len(agreement.within(VOTED, groups.iloc[:0], agreement.overall)) == 0
    assert agreement.within(VOTED, groups.iloc[:0], agreement.disagreements).columns[0] == "group"
    for column in ("value", "documents"):
        assert agreement.within(VOTED, groups, agreement.overall, column).columns[0] == f"{column} (column)"
