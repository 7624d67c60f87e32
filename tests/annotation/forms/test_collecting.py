"""People's answers become labels of the study: whose come in, whose are left out, and what an expert has to decide."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_accuracy.comparisons import table as compare
from fairviz.analyses.annotator_accuracy.labellers import annotator_table, disagreements, shared_documents
from fairviz.analyses.label_effects.replacing import votes
from fairviz.analyses.reading.filters import catalogue
from fairviz.annotation.adjudications import decide
from fairviz.annotation.agreement import ordinary, overall, read_votes, with_themselves
from fairviz.annotation.forms import forms
from fairviz.annotation.forms.answering import answer, open_batch, rename
from fairviz.annotation.forms.collecting import annotator_names, collect, sentences, status
from fairviz.annotation.forms.database import store
from fairviz.annotation.forms.forms import Link
from fairviz.annotation.voters import consensus, kind_of, quality_control, voters_of, voting_labels
from fairviz.datasets import save_labels
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import add_labels
from tests.annotation.forms.small import answer_all, bring_in, formed, saved
from tests.conftest import refused


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return saved(tmp_path_factory.mktemp("studies"))


@pytest.fixture
def study(made: Study, tmp_path: Path) -> Study:
    """A copy of the study, which a test may change."""
    shutil.copytree(made.folder, tmp_path / "small")
    return replace(made, folder=tmp_path / "small")


def right_and(other: str, name: str, right: str) -> str:
    """Who knows every test question, and calls all else the same."""
    return right or other


def again(study: Study) -> Study:
    return open_study(str(study.folder))


def answered(study: Study, *others: str) -> tuple[Link, ...]:
    """The links of a form that three people answered, each calling the documents so."""
    links = formed(study)
    for link, other in zip(links, others, strict=False):
        answer_all(study, link, partial(right_and, other))
    return forms.links(study)


def test_answers_are_labels_of_people(study: Study) -> None:
    links = answered(study, "male", "male", "female")
    file, found = bring_in(study, with_tests=False)
    assert file == study.folder / "labels.csv"
    now = again(study)
    mine = now.labels[now.labels["annotator"] != "expert"]
    asked = {one.doc_id for one in links[0].answers if not one.right_answer}
    assert len(asked) == 9
    assert mine.groupby("annotator")["label"].agg(list).to_dict() == {
        "person-1": ["male"] * 9, "person-2": ["male"] * 9, "person-3": ["female"] * 9,
    }  # fmt: skip
    assert set(mine["doc_id"]) == asked
    assert [kind_of(now, name) for name in ("person-1", "person-3")] == ["person", "person"]
    assert voters_of(now) == ("expert", "person-1", "person-2", "person-3")
    assert now.annotators["person-1"].description == "A person's answers to labelling form 1, link person-1."
    assert sentences(found) == [
        f"person-{number}: 12 of 12 questions answered, 0 of them undecided; 3 of 3 test questions right"
        for number in (1, 2, 3)
    ]
    assert "test_label" not in now.labels
    # Fleiss' kappa of two who agree and one who never does: every document 2 of 3 alike, a third by chance
    kappa = overall(mine, ("neutral", "female", "male")).set_index("coefficient").loc["Fleiss' kappa"]
    assert kappa["value"] == pytest.approx((1 / 3 - 5 / 9) / (1 - 5 / 9))
    assert kappa[["documents", "annotators", "votes"]].tolist() == [9, 3, 27]


def test_what_is_undecided_is_no_label_and_a_comment_is_a_rationale(study: Study) -> None:
    links = formed(study, test_every=0)
    answer(links[0].token, 1, "undecided", comment="both?")
    answer(links[0].token, 2, "label", "male", "a king, she said")
    table = status(study, forms.links(study))
    assert table[["answered", "undecided", "tests_right", "open"]].to_numpy().tolist() == [
        [2, 1, 0, True], [0, 0, 0, True], [0, 0, 0, True],
    ]  # fmt: skip
    _, found = bring_in(study)
    (row,) = found.labels.to_dict("records")
    assert (row["annotator"], row["label"], row["rationale"]) == ("person-1", "male", "a king, she said")
    assert again(study).labels["rationale"].tolist() == [*[""] * 9, "a king, she said"]
    assert sentences(found) == ["person-1: 2 of 9 questions answered, 1 of them undecided; no test question answered"]


def test_test_questions_come_in_and_change_nothing_but_the_record(study: Study) -> None:
    """Every table of agreement, the consensuses and the votes are those without them; wrong answers among them too."""
    links = formed(study)
    for link, other in zip(links[::2], ("male", "female"), strict=True):
        answer_all(study, link, partial(right_and, other))
    answer_all(study, links[1], lambda _, right: "male" if right in ("", "neutral") else right)
    _, found = bring_in(study, least_tests=0.6, with_tests=False)
    plain = again(study)
    _, found = bring_in(plain, least_tests=0.6)
    now = again(study)
    assert (now.labels["test_label"] != "").sum() == 9
    lines = sentences(found, 0.6)
    assert lines[-1].startswith("no majority on 9 documents"), "who votes nowhere breaks no tie"
    assert lines[3:-1] == [
        "person-2 is in the study, but votes in no consensus: 2 of 3 test questions right, fewer than 80 %; "
        "fairviz study-form --collect --without-tests would let those labels vote",
        "3 test questions are left out (9 answers): what is right was known before, so they count in no coefficient "
        "and no vote.",
    ]
    everyone = ("expert", "person-1", "person-2", "person-3")
    asked, voters = Comparison(reference="expert"), Settings(voters=("expert", "person-1", "person-3"))
    for what in ("overall", "against", "pairs", "confusion", "documents", "confused"):
        first, second = (
            table[table["annotator"].isin(everyone)] if "annotator" in table else table
            for table in (compare(one, voters, asked, what) for one in (plain, now))
        )
        pd.testing.assert_frame_equal(first.reset_index(drop=True), second.reset_index(drop=True))
    for method in ("majority", "dawid-skene"):
        first, second = (consensus(voting_labels(one, everyone, everyone=True), method) for one in (plain, now))
        pd.testing.assert_frame_equal(first, second)
    told = [annotator_table(one, everyone, "expert") for one in (plain, now)]
    pd.testing.assert_frame_equal(*told)
    assert (catalogue(plain, voters).votes == catalogue(now, voters).votes).all()
    pd.testing.assert_frame_equal(*(disagreements(one, everyone, "expert") for one in (plain, now)))
    assert shared_documents(now, everyone, {}) == shared_documents(plain, everyone, {})
    ids = pd.Index(now.documents["doc_id"])
    assert (votes(plain, ids, voters) == votes(now, ids, voters)).all()
    record = compare(now, Settings(voters=everyone), asked, "annotators").set_index("annotator")
    assert record.loc[list(everyone), "test_questions"].tolist() == [0, 3, 3, 3]
    assert record.loc[list(everyone), "failed"].tolist() == [0, 0, 1, 0]
    assert record.loc[list(everyone), "dropped"].tolist() == [False, False, True, False]


def test_who_fails_test_questions_is_left_out_and_named(study: Study) -> None:
    links = formed(study)
    answer_all(study, links[1], lambda _, right: "neutral")  # one of three test questions is neutral
    before = (study.folder / "labels.csv").read_bytes()
    with refused(
        "no answer can be brought into small: too few test questions are right: person-2 (1 of 3 test questions "
        "right)\n"
        "Labels that were brought in before stay as they are."
    ):
        bring_in(study)
    assert (study.folder / "labels.csv").read_bytes() == before
    answer_all(study, links[0], partial(right_and, "male"))
    answer_all(study, links[2], lambda _, right: "?" if right else "male")
    _, found = bring_in(study)
    assert list(found.people) == ["person-1"]
    assert sentences(found)[1:] == [
        "left out: person-2, 1 of 3 test questions right, fewer than 80 %",
        "left out: person-3, 0 of 3 test questions right, fewer than 80 %",
        "3 test questions are left out (3 answers): what is right was known before, so they count in no coefficient "
        "and no vote.",
    ]
    assert set(again(study).labels["annotator"]) == {"expert", "person-1"}
    _, found = bring_in(again(study), least_tests=1 / 3)
    assert list(found.people) == ["person-1", "person-2"]
    record = quality_control(again(study).labels).record
    assert record[["annotator", "test_questions", "failed", "dropped"]].to_numpy().tolist() == [
        ["person-1", 3, 0, False], ["person-2", 3, 2, True],
    ]  # fmt: skip
    assert voters_of(again(study)) == ("expert", "person-1")
    bring_in(again(study))
    assert set(again(study).labels["annotator"]) == {"expert", "person-1"}, "who is left out now is taken out"
    answer_all(study, links[0], lambda _, right: right or "?")
    answer_all(study, links[1], lambda _, right: right or "male")
    bring_in(again(study))
    assert set(again(study).labels["annotator"]) == {"expert", "person-2"}, "only test questions are answered"


def test_answers_that_came_later_take_the_place_of_earlier_ones(study: Study) -> None:
    links = formed(study)
    answer_all(study, links[0], partial(right_and, "male"))

    def ended(*arguments: Any, **options: Any) -> Path:
        save_labels(*arguments, **options)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring_in(study, ended)
    bring_in(again(study))
    assert open_batch(links[0].token).named
    with refused("your answers are in the study already, as person-1\nContact the sender of the link."):
        rename(links[0].token, "Ada")
    answer_all(study, links[0], partial(right_and, "female"))
    bring_in(again(study), with_tests=False)
    labels = again(study).labels
    assert labels[labels["annotator"] != "expert"].groupby("annotator")["label"].unique().map(list).to_dict() == {
        "person-1": ["female"]
    }
    assert len(labels) == 18


def test_a_document_shown_twice_counts_once_and_is_compared_with_itself(study: Study) -> None:
    """Of two repeats the person changes one answer; the second label is beside the first, and is no vote."""
    (link, *_) = formed(study, documents=12, people=2, repeat=0.2)
    with store().reading() as database:
        asked = "SELECT doc_id, number FROM questions WHERE token = ? ORDER BY number"
        numbers = pd.DataFrame(database.execute(asked, (link.token,)), columns=["doc_id", "number"])
    by_document = numbers.groupby("doc_id", sort=False)["number"].agg(list)
    changed, kept = by_document[by_document.str.len() == 2].index
    answer_all(study, link, lambda _, right: right or "male")
    answer(link.token, by_document[changed][1], "label", "female")
    _, found = bring_in(study)
    rows = found.labels[found.labels["test_label"] == ""].set_index("doc_id")
    assert len(rows) == 12
    assert rows["label"].eq("male").all()
    assert rows.loc[rows["label_again"] != "", "label_again"].to_dict() == {changed: "female", kept: "male"}
    now = again(study)
    assert (len(read_votes(now.labels).label), set(forms.given_out(study))) == (9 + 12, set(rows.index))
    told = with_themselves(now.labels).to_dict("records")
    assert [(row["annotator"], row["documents"], row["value"]) for row in told] == [("person-1", 2, 0.5)]
    assert sentences(found)[0].startswith("person-1: 18 of 18 questions answered")
    change = partial(bring_in, again(study), with_tests=False)
    answer(link.token, by_document[changed][1], "undecided")
    change()
    assert with_themselves(again(study).labels)[["documents", "value"]].to_numpy().tolist() == [[1, 1.0]]
    answer(link.token, by_document[kept][0], "undecided")
    change()
    assert "label_again" not in collect(again(study)).labels, "without a first label there is nothing to compare"


def test_people_of_one_name_stay_apart(study: Study) -> None:
    """Also from annotators whom the study has already, and from what a consensus is called."""
    links = answered(study, "male", "male", "female")

    def names(now: Study = study) -> list[str]:
        return list(annotator_names(now, forms.links(study)))

    for link, name in zip(links, ("Ada", "Ada", "expert"), strict=True):
        rename(link.token, name)
    assert names() == ["Ada (person-1)", "Ada (person-2)", "expert (person-3)"]
    rename(links[1].token, "majority")
    assert names()[:2] == ["Ada", "majority (person-2)"]
    given = pd.DataFrame({"doc_id": ["apart"], "annotator": "Ada", "label": "female"})
    assert names(add_labels(study, given))[0] == "Ada (person-1)", "free when the person gave it, and taken by now"
    bring_in(study)
    expert = again(study).labels["annotator"] == "expert"
    assert expert.sum() == 9, "nobody's labels were replaced"
    assert [link.person for link in formed(study, documents=3)] == ["person-4", "person-5", "person-6"]
    forms.name_annotators([(links[0].token, "ann"), (links[1].token, "bob")])
    forms.rename_annotator(study, "ann", "anna")
    named = {link.token: link.annotator for link in forms.links(study, form=1)}
    assert (named[links[0].token], named[links[1].token]) == ("anna", "bob"), "a new name is that of its own links"


def test_a_second_form_asks_about_other_documents(study: Study) -> None:
    """But about those of a form that was closed before anybody answered."""
    formed(study, documents=6, test_every=0)
    first = forms.given_out(study)
    assert len(first) == 6
    (link, *_) = formed(study, documents=6, test_every=0)
    assert len(forms.given_out(study)) == 12
    answer(link.token, 1, "undecided")
    forms.close(study)
    assert len(forms.given_out(study)) == 6
    assert forms.given_out(study).isdisjoint(first)


def test_documents_without_majority_are_an_experts(study: Study) -> None:
    links = answered(study, "male", "neutral", "female")
    _, found = bring_in(study)
    asked = {one.doc_id for one in links[0].answers if not one.right_answer}
    assert set(found.divided) == asked
    assert sentences(found)[-1].startswith("no majority on 9 documents, for an expert to decide: secret-")
    decide(again(study), found.divided[0], "male")
    assert set(collect(again(study)).divided) == asked - {found.divided[0]}
    documents = study.documents.copy()
    documents.loc[documents["doc_id"] == found.divided[0], "text"] = "something else"
    found = collect(replace(study, documents=documents))
    assert len(ordinary(found.labels)) == 3 * 8
    changed = documents.loc[documents["text"] == "something else", "doc_id"].item()
    assert f"left out: the answers about 1 document with another text now: {changed}" in sentences(found)


def test_a_study_with_other_groups_now_is_left_as_it_is(study: Study) -> None:
    (link, *_) = formed(study)
    answer(link.token, 1, "label", "male")
    toml = Path(str(study.folder)) / "study.toml"
    toml.write_text('groups = ["woman", "man"]\nneutral = "none"\n', encoding="utf-8")
    (toml.parent / "labels.csv").unlink()
    with refused(
        "labelling form 1 was answered with male, and the labels of small are none, woman, man now\n"
        "Give study.toml the groups of then, or bring in other forms alone: --form NUMBER."
    ):
        bring_in(open_study(str(study.folder)))
    assert open_study(str(study.folder)).groups == ("woman", "man")


def test_a_built_in_study_gets_its_labels_beside_it() -> None:
    study = open_study("football")
    (link, *_) = formed(study, documents=3, people=1)
    with refused("nobody has answered a labelling form of football yet\nSend people their links: --status shows them."):
        bring_in(study)
    with refused("football has no labelling form 7\nIts forms: 1."):
        bring_in(study, form=7)
    answer_all(study, link, partial(right_and, "male"))
    file, _ = bring_in(study)
    assert not file.is_relative_to(study.folder)
    assert "person-1" in set(open_study("football").labels["annotator"])
    bring_in(open_study("football"))
