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


def test_agreement_takes_them_as_they_are(study: Study) -> None:
    """Fleiss' kappa of two who agree and one who never does: every document 2 of 3 alike, a third by chance."""
    answered(study, "male", "male", "female")
    bring_in(study)
    labels = again(study).labels
    table = overall(labels[labels["annotator"] != "expert"], ("neutral", "female", "male")).set_index("coefficient")
    observed, chance = 1 / 3, (2 / 3) ** 2 + (1 / 3) ** 2
    assert table.loc["Fleiss' kappa", "value"] == pytest.approx((observed - chance) / (1 - chance))
    assert table.loc["Fleiss' kappa", ["documents", "annotators", "votes"]].tolist() == [9, 3, 27]


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


def test_who_answered_test_questions_alone_does_not_come_in(study: Study) -> None:
    links = formed(study)
    answer_all(study, links[0], partial(right_and, "male"))
    answer_all(study, links[1], lambda _, right: right or "?")
    bring_in(study)
    assert set(again(study).labels["annotator"]) == {"expert", "person-1"}


def test_who_fails_test_questions_is_left_out_and_named(study: Study) -> None:
    links = formed(study)
    answer_all(study, links[0], partial(right_and, "male"))
    answer_all(study, links[1], lambda _, right: "neutral")  # one of three test questions is neutral
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
    assert set(again(study).labels["annotator"]) == {"expert", "person-1", "person-2"}
    bring_in(again(study))
    assert set(again(study).labels["annotator"]) == {"expert", "person-1"}, "who is left out now is taken out"


def test_test_questions_come_in_for_quality_control(study: Study) -> None:
    links = formed(study)
    answer_all(study, links[0], partial(right_and, "male"))
    answer_all(study, links[1], lambda _, right: "neutral")
    bring_in(study, least_tests=0)
    record = quality_control(again(study).labels).record
    assert record[["annotator", "test_questions", "failed", "dropped"]].to_numpy().tolist() == [
        ["person-1", 3, 0, False], ["person-2", 3, 2, True],
    ]  # fmt: skip
    assert voters_of(again(study)) == ("expert", "person-1")


def test_answers_that_came_later_take_the_place_of_earlier_ones(study: Study) -> None:
    links = formed(study)
    answer_all(study, links[0], partial(right_and, "male"))
    bring_in(study)
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


def test_what_somebody_cannot_decide_is_no_label_and_a_comment_is_a_rationale(study: Study) -> None:
    (link, *_) = formed(study, test_every=0)
    answer(link.token, 1, "undecided", comment="both?")
    answer(link.token, 2, "label", "male", "a king, she said")
    _, found = bring_in(study)
    (row,) = found.labels.to_dict("records")
    assert (row["annotator"], row["label"], row["rationale"]) == ("person-1", "male", "a king, she said")
    assert again(study).labels["rationale"].tolist() == [*[""] * 9, "a king, she said"]
    assert sentences(found) == ["person-1: 2 of 9 questions answered, 1 of them undecided; no test question answered"]


def test_a_document_shown_twice_counts_once_and_is_compared_with_itself(study: Study) -> None:
    """Of two repeats the person changes one answer; the second label is beside the first, and is no vote."""
    (link, *_) = formed(study, documents=12, people=2, repeat=0.2)
    asked = [one.doc_id for one in answered_twice(study, link)]
    assert len(asked) == 2
    _, found = bring_in(study)
    rows = found.labels[found.labels["test_label"] == ""].set_index("doc_id")
    assert len(rows) == 12
    assert rows["label"].eq("male").all()
    assert rows.loc[rows["label_again"] != "", "label_again"].to_dict() == {asked[0]: "female", asked[1]: "male"}
    now = again(study)
    assert (len(read_votes(now.labels).label), set(forms.given_out(study))) == (9 + 12, set(rows.index))
    told = with_themselves(now.labels).to_dict("records")
    assert [(row["annotator"], row["documents"], row["value"]) for row in told] == [("person-1", 2, 0.5)]
    assert sentences(found)[0].startswith("person-1: 18 of 18 questions answered")
    change = partial(bring_in, again(study), with_tests=False)
    answer(link.token, max(number_of(link, asked[0])), "undecided")
    change()
    assert with_themselves(again(study).labels)[["documents", "value"]].to_numpy().tolist() == [[1, 1.0]]
    answer(link.token, min(number_of(link, asked[1])), "undecided")
    change()
    assert "label_again" not in collect(again(study)).labels, "without a first label there is nothing to compare"


def answered_twice(study: Study, link: Link) -> list[forms.Answer]:
    """A person who calls the first repeated document female the second time, and all else male; her second answers."""
    seen: set[str] = set()
    changed: list[str] = []

    def say(name: str, right: str) -> str:
        if name in seen and not changed:
            changed.append(name)
            return "female"
        seen.add(name)
        return right or "male"

    answer_all(study, link, say)
    return [one for one in forms.links(study)[0].answers if one.again]


def number_of(link: Link, doc_id: str) -> list[int]:
    """The numbers of a person's questions about a document."""
    with store().reading() as database:
        found = "SELECT number FROM questions WHERE token = ? AND doc_id = ?"
        return [number for (number,) in database.execute(found, (link.token, doc_id))]


def test_people_of_one_name_stay_apart(study: Study) -> None:
    """Also from annotators whom the study has already, and from what a consensus is called."""
    links = answered(study, "male", "male", "female")
    for link, name in zip(links, ("Ada", "Ada", "expert"), strict=True):
        rename(link.token, name)
    assert list(annotator_names(study, forms.links(study))) == [
        "Ada (person-1)", "Ada (person-2)", "expert (person-3)",
    ]  # fmt: skip
    rename(links[0].token, "majority")
    assert next(iter(annotator_names(study, forms.links(study)))) == "majority (person-1)"
    bring_in(study)
    expert = again(study).labels["annotator"] == "expert"
    assert expert.sum() == 9, "nobody's labels were replaced"


def test_default_names_go_on_in_a_second_form(study: Study) -> None:
    formed(study)
    assert [link.person for link in formed(study, documents=3)] == ["person-4", "person-5", "person-6"]


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


def test_who_is_ended_while_answers_come_in_finds_them_again(study: Study) -> None:
    answered(study, "male")

    def ended(*arguments: Any, **options: Any) -> Path:
        save_labels(*arguments, **options)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring_in(study, ended)
    bring_in(again(study))
    assert set(again(study).labels["annotator"]) == {"expert", "person-1"}


def test_documents_without_majority_are_an_experts(study: Study) -> None:
    links = answered(study, "male", "neutral", "female")
    _, found = bring_in(study)
    asked = {one.doc_id for one in links[0].answers if not one.right_answer}
    assert set(found.divided) == asked
    assert sentences(found)[-1].startswith("no majority on 9 documents, for an expert to decide: secret-")
    decide(again(study), found.divided[0], "male")
    assert set(collect(again(study)).divided) == asked - {found.divided[0]}


def test_answers_about_another_text_are_left_out_and_counted(study: Study) -> None:
    links = answered(study, "male")
    changed = next(one.doc_id for one in links[0].answers if not one.right_answer)
    documents = study.documents.copy()
    documents.loc[documents["doc_id"] == changed, "text"] = "something else"
    _, found = bring_in(replace(study, documents=documents))
    assert len(ordinary(found.labels)) == 8
    assert sentences(found)[-1] == (f"left out: the answers about 1 document with another text now: {changed}")


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
    answer_all(study, link, partial(right_and, "male"))
    file, _ = bring_in(study)
    assert not file.is_relative_to(study.folder)
    assert "person-1" in set(open_study("football").labels["annotator"])
    bring_in(open_study("football"))


def test_a_new_name_of_an_annotator_is_that_of_its_own_links(study: Study) -> None:
    first, second, _ = formed(study)
    forms.name_annotators([(first.token, "ann"), (second.token, "bob")])
    forms.rename_annotator(study, "ann", "anna")
    named = {link.token: link.annotator for link in forms.links(study) if link.annotator}
    assert named == {first.token: "anna", second.token: "bob"}


def test_somebody_elses_labels_are_never_replaced(study: Study) -> None:
    """A name that was free when the person gave it, and is an annotator of the study by now."""
    answered(study, "male")
    rename(forms.links(study)[0].token, "Ada")
    given = pd.DataFrame({"doc_id": ["apart"], "annotator": "Ada", "label": "female"})
    assert next(iter(annotator_names(add_labels(study, given), forms.links(study)))) == "Ada (person-1)"


def test_how_far_each_person_is(study: Study) -> None:
    links = formed(study)
    answer_all(study, links[0], partial(right_and, "male"))
    answer(links[1].token, 1, "undecided")
    table = status(study, forms.links(study))
    assert table["answered"].tolist() == [12, 1, 0]
    assert table["undecided"].tolist() == [0, 1, 0]
    assert table["tests_right"].tolist() == [3, 0, 0]
    assert table["open"].tolist() == [True] * 3


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({}, "nobody has answered a labelling form of small yet\nSend people their links: --status shows them."),
        ({"form": 7}, "small has no labelling form 7\nIts forms: 1."),
    ],
)
def test_what_cannot_be_brought_in(study: Study, wanted: dict, message: str) -> None:
    formed(study)
    with refused(message):
        bring_in(study, **wanted)


def test_where_nobody_passes_nothing_is_written(study: Study) -> None:
    (link, *_) = formed(study)
    answer_all(study, link, lambda _, right: "neutral")
    before = (study.folder / "labels.csv").read_bytes()
    with refused(
        "no answer can be brought into small: too few test questions are right: person-1 (1 of 3 test questions "
        "right)\n"
        "Labels that were brought in before stay as they are."
    ):
        bring_in(study)
    assert (study.folder / "labels.csv").read_bytes() == before
