"""Who votes, and consensus labels. That every figure and verb asks the same voters: tests/test_same_voters.py."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.annotator_accuracy.comparisons import Comparison, coefficients, table
from fairviz.analyses.annotator_accuracy.raters import kind_of
from fairviz.analyses.label_effects.replacing import uncertainty, votes
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


def slow_dawid_skene(labels: pd.DataFrame, steps: int = 100) -> tuple[dict[str, float], dict[tuple, float]]:
    """Expectation and maximisation, read off the paper's equations 2.3 to 2.5, for labels f and m."""
    votes = list(labels.itertuples(index=False, name=None))
    documents, people = list(dict.fromkeys(v[0] for v in votes)), list(dict.fromkeys(v[1] for v in votes))
    chance = {d: {q: sum(v[0] == d and v[2] == q for v in votes) for q in "fm"} for d in documents}
    chance = {d: {q: held[q] / sum(held.values()) for q in "fm"} for d, held in chance.items()}
    by_person = {k: [(d, said) for d, who, said in votes if who == k] for k in people}
    by_document = {d: [(who, said) for doc, who, said in votes if doc == d] for d in documents}
    for _ in range(steps):
        prior = {q: sum(chance[d][q] for d in documents) / len(documents) for q in "fm"}
        error = {}
        for k in people:
            for q in "fm":
                total = sum(chance[d][q] for d, _ in by_person[k])
                for said in "fm":
                    error[k, q, said] = sum(chance[d][q] for d, s in by_person[k] if s == said) / total
        for d in documents:
            held = {q: prior[q] * np.prod([error[k, q, s] for k, s in by_document[d]]) for q in "fm"}
            chance[d] = {q: held[q] / sum(held.values()) for q in "fm"}
    return {d: chance[d]["f"] for d in documents}, error


def test_dawid_skene_is_the_model_of_the_paper() -> None:
    labels, truth = simulated()
    model = dawid_skene(labels)
    slow, errors = slow_dawid_skene(labels)
    assert model.posterior["f"].to_dict() == pytest.approx(slow, abs=1e-6)
    np.testing.assert_allclose(model.posterior.sum(axis=1), 1)
    for row in model.confusions.itertuples():
        assert row.probability == pytest.approx(errors[row.annotator, row.true, row.said], abs=1e-6)
    assert list(dict.fromkeys(model.confusions["annotator"])) == ["good", "fair", "fine", "contrary"]
    assert errors["contrary", "f", "m"] > 0.8
    assert model.priors.sum() == pytest.approx(1)
    right = consensus(labels, "dawid-skene").set_index("doc_id")["label"]
    expected = pd.Series(["fm"[label] for label in truth], index=[f"d{doc}" for doc in range(200)])
    assert (right == expected.reindex(right.index)).mean() > 0.95


def hard(seed: int) -> pd.DataFrame:
    """24 documents of three labels by three annotators who are often wrong."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 3, 24)
    rows = []
    for who, right in (("a", 0.6), ("b", 0.7), ("c", 0.55)):
        said = np.where(generator.random(24) < right, truth, generator.integers(0, 3, 24))
        rows += [(f"d{doc}", who, "fmn"[label]) for doc, label in enumerate(said)]
    return frame(rows)


@pytest.mark.lengthy  # for the import alone
def test_the_fit_is_that_of_crowd_kit_which_stops_early_by_default() -> None:
    from crowdkit.aggregation import DawidSkene

    labels = hard(37)
    model = dawid_skene(labels)
    votes = labels.rename(columns={"doc_id": "task", "annotator": "worker"})
    early, same = DawidSkene(100, 1e-5), DawidSkene(model.rounds, -1.0)  # a negative tolerance never stops
    with warnings.catch_warnings():  # crowd-kit 1.4.2 calls pandas in a way that pandas 3.1 will retire
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        early, same = (
            fit.fit(votes).probas_.reindex(index=labels["doc_id"].drop_duplicates(), columns=["f", "m", "n"])
            for fit in (early, same)
        )
    assert (early.idxmax(axis=1) != model.posterior.idxmax(axis=1)).sum() == 2
    np.testing.assert_allclose(model.posterior, same, atol=1e-6)


def test_the_fit_goes_on_until_more_rounds_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = dawid_skene(hard(37))
    assert model.converged
    assert model.rounds > 100
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
    shown = coefficients(newswire, Settings(), Comparison())
    assert set(labels["annotator"]) < set(shown["annotator"])
    words = shown[(shown["annotator"] == WORDS) & (shown["coefficient"] == "accuracy")].iloc[0]
    assert (round(words["value"], 4), words["documents"]) == (0.8367, 343)
    whole = coefficients(newswire, Settings(voters=("all",)), Comparison())["value"]
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
