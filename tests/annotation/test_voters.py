"""Who votes: one function, asked the same by every figure that rests on several annotators."""

from dataclasses import replace

import pandas as pd
import pytest

from fairviz.analyses.annotator_accuracy.comparisons import Comparison, table
from fairviz.analyses.label_effects.replacing import posterior, uncertainty, votes
from fairviz.annotation.voters import labels_of, voters_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study

DECIDED = ("d1", "adjudicated", "male")


def study_of(rows: list[tuple[str, ...]], **kinds: str) -> Study:
    """rows: document, annotator, label, and the right answer where it is a test question. kinds: those named."""
    columns = ["doc_id", "annotator", "label", "test_label"][: len(rows[0])]
    made = make_study("made-up", labels=pd.DataFrame(rows, columns=columns, dtype="str"))
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


def test_a_decision_breaks_no_tie_of_two_models() -> None:
    """One model says male, one female: the majority leaves the document open, whatever a reader decided on it."""
    rows = [("d1", "one", "male"), ("d1", "two", "female"), ("d2", "one", "male"), ("d2", "two", "male")]
    plain = study_of(rows, one="model", two="model")
    decided = study_of([*rows, DECIDED], one="model", two="model")
    for method in ("majority", "dawid-skene"):
        for study in (plain, decided):
            assert labels_of(study, method).equals(labels_of(plain, method))
    assert labels_of(decided, "majority").to_numpy().tolist() == [["d2", "majority", "male"]]
    assert table(decided, Settings(), Comparison(), "ties").to_numpy().tolist() == [["d1", "female 1, male 1"]]
    ids = pd.Index(["d2"], dtype="str")
    assert votes(decided, ids, Settings()).tolist() == [[0, 0, 2]]
    d1 = pd.Index(["d1"], dtype="str")
    assert votes(decided, d1, Settings()).tolist() == [[0, 1, 1]]
    assert votes(decided, d1, Settings(annotator="adjudicated")).tolist() == [[0, 0, 1]], "where the decisions count"


ROWS = [
    *[(f"d{n}", who, label) for n in range(1, 7) for who, label in (("ann", "male"), ("bob", "female"))],
    *[(f"d{n}", "list", "male") for n in range(1, 7)],
]


def test_every_figure_asks_the_same_voters() -> None:
    """Two people and a word list: majority, ties, Dawid-Skene, votes, uncertainty and records are of the people."""
    study = study_of(ROWS, list="rule", ann="person", bob="person")
    ids = pd.Index(["d1", "d2"], dtype="str")
    assert voters_of(study) == ("ann", "bob")
    assert labels_of(study, "majority").empty, "ties of two people, which a rule does not break or outvote"
    assert votes(study, ids, Settings()).tolist() == [[0, 1, 1], [0, 1, 1]]
    assert uncertainty(study, ids, Settings()).tolist() == pytest.approx([0.6309297535714574] * 2), "ln 2 / ln 3"
    assert posterior(study, ids, votes(study, ids, Settings()), Settings())[:, 0].tolist() == [0, 0]
    assert len(table(study, Settings(), Comparison(), "ties")) == 6
    assert set(table(study, Settings(), Comparison(), "dawid-skene")["annotator"]) == {"ann", "bob"}
    record = table(study, Settings(), Comparison(), "annotators").set_index("annotator")
    assert record.loc[["ann", "bob"], "compared"].tolist() == [6, 6], "two people are compared with each other"
    assert record.loc["list", "compared"] == 0, "the people tie on every document"


def test_without_people_the_record_is_with_the_majority_of_those_who_vote() -> None:
    """Two models against a rule; a decision votes in no record."""
    rows = [("d1", "one", "male"), ("d1", "two", "male"), ("d1", "list", "female"), ("d1", "adjudicated", "female")]
    study = study_of(rows, one="model", two="model", list="rule")
    record = table(study, Settings(), Comparison(), "annotators").set_index("annotator")
    assert record.loc[["one", "two", "list", "adjudicated"], "with_majority"].tolist() == [1, 1, 0, 0]


def test_who_fails_the_test_questions_drops_out_unless_everyone_is_kept() -> None:
    rows = [("d1", "a", "male", ""), ("d1", "b", "male", ""), ("d1", "worse", "female", "")]
    study = study_of([*rows, ("d2", "worse", "female", "male"), ("d2", "a", "male", "male")])
    assert voters_of(study) == ("a", "b")
    assert voters_of(study, everyone=True) == ("a", "b", "worse")
    assert voters_of(study, ["b", "worse"]) == ("b",)
    assert voters_of(study, ["b", "worse"], everyone=True) == ("b", "worse")
    ids = pd.Index(["d1", "d2"], dtype="str")
    assert votes(study, ids, Settings()).tolist() == [[0, 0, 2], [0, 0, 0]], "d2 was nothing but a test question"
    assert uncertainty(study, ids, Settings()).tolist() == [0, 1]
    assert table(study, Settings(), Comparison(), "annotators")["dropped"].tolist() == [False, False, True]


def test_people_who_all_fail_leave_nobody_and_no_rule_takes_their_place() -> None:
    rows = [("d1", "worse", "female", "male"), ("d1", "list", "male", "")]
    study = study_of(rows, list="rule", worse="person")
    assert voters_of(study) == ()
    assert labels_of(study, "majority").empty
    assert chosen_annotator(study, Settings()) == "majority"


def test_the_named_vote_whatever_they_are_but_no_decision() -> None:
    study = study_of([*ROWS, DECIDED], list="rule")
    assert voters_of(study, ["list", "ann"]) == ("list", "ann")
    with pytest.raises(FairvizError) as error:
        voters_of(study, ["ann", "adjudicated"])
    assert str(error.value) == (
        "'adjudicated' cannot vote: a reader's decisions are made on the others' labels\n"
        "Leave adjudicated out of the voters."
    )
    with pytest.raises(FairvizError) as error:
        voters_of(study, ["nobody"])
    assert str(error.value) == (
        "the study 'made-up' has no annotator 'nobody'\n"
        "Use people, all but rules, all, or names among ann, bob, list, adjudicated."
    )


def test_of_many_names_the_first_are_told() -> None:
    study = study_of(by(*(f"w{number}" for number in range(23))))
    with pytest.raises(FairvizError) as error:
        voters_of(study, ["nobody"])
    assert str(error.value).endswith("w18, w19 and 3 more.")
