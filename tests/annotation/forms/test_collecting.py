"""People's answers become labels of the study: whose come in, whose are left out, and what an expert has to decide;
forms as one HTML file, and forms whose study was moved. The file in a browser: tests/browser."""

import json
import re
import shutil
from collections.abc import Callable
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
from fairviz.annotation.agreement import ordinary, read_votes, with_themselves
from fairviz.annotation.forms import forms
from fairviz.annotation.forms.answering import answer, open_batch, question, rename
from fairviz.annotation.forms.collecting import annotator_names, collect, sentences, status
from fairviz.annotation.forms.database import is_gone, left_at, left_behind, store, take_along
from fairviz.annotation.forms.drawing import SamplePlan
from fairviz.annotation.forms.forms import Link
from fairviz.annotation.forms.offline import offline_form
from fairviz.annotation.voters import consensus, kind_of, quality_control, voters_of, voting_labels
from fairviz.datasets import additions_folder, save_labels
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import add_labels, make_study, save_study
from tests.annotation.forms.small import answer_all, bring_in, formed, saved, small
from tests.conftest import Call, refused


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


Say = str | Callable[[str, str], str]


def answered(study: Study, *people: Say | None, **form: float) -> tuple[Link, ...]:
    """The links of a form that these people answered: a text says it of all but test questions, None is no answer."""
    links = formed(study, **form)
    for link, say in zip(links, people, strict=False):
        if say is not None:
            answer_all(study, link, partial(right_and, say) if isinstance(say, str) else say)
    return forms.links(study)


def brought(study: Study) -> dict[str, list[str]]:
    """The labels that were brought in, by person."""
    labels = again(study).labels
    return labels[labels["annotator"] != "expert"].groupby("annotator")["label"].agg(list).to_dict()


def test_answers_are_labels_of_people(study: Study) -> None:
    links = answered(study, "male", "male", "female")
    file, found = bring_in(study, with_tests=False)
    assert file == study.folder / "labels.csv"
    assert brought(study) == {"person-1": ["male"] * 9, "person-2": ["male"] * 9, "person-3": ["female"] * 9}
    now = again(study)
    asked = {one.doc_id for one in links[0].answers if not one.right_answer}
    assert len(asked) == 9
    assert set(now.labels.loc[now.labels["annotator"] != "expert", "doc_id"]) == asked
    assert [kind_of(now, name) for name in ("person-1", "person-3")] == ["person", "person"]
    assert voters_of(now) == ("expert", "person-1", "person-2", "person-3")
    assert now.annotators["person-1"].description == "A person's answers to labelling form 1, link person-1."
    assert sentences(found) == [
        f"person-{number}: 12 of 12 questions answered, 0 of them undecided; 3 of 3 test questions right"
        for number in (1, 2, 3)
    ]
    assert "test_label" not in now.labels


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
    answered(study, "male", lambda _, right: "male" if right in ("", "neutral") else right, "female")
    bring_in(study, least_tests=0.6, with_tests=False)
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
    for of in (annotator_table, disagreements):
        pd.testing.assert_frame_equal(*(of(one, everyone, "expert") for one in (plain, now)))
    assert (catalogue(plain, voters).votes == catalogue(now, voters).votes).all()
    assert shared_documents(now, everyone, {}) == shared_documents(plain, everyone, {})
    ids = pd.Index(now.documents["doc_id"])
    assert (votes(plain, ids, voters) == votes(now, ids, voters)).all()
    record = compare(now, Settings(voters=everyone), asked, "annotators").set_index("annotator")
    assert record.loc[list(everyone), ["test_questions", "failed", "dropped"]].to_numpy().tolist() == [
        [0, 0, False], [3, 0, False], [3, 1, True], [3, 0, False],
    ]  # fmt: skip


def test_who_fails_test_questions_is_left_out_and_named(study: Study) -> None:
    links = answered(study, None, lambda *_: "neutral")  # one of three test questions is neutral
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
    assert [*brought(study)] == ["person-1"]
    _, found = bring_in(again(study), least_tests=1 / 3)
    assert list(found.people) == ["person-1", "person-2"]
    record = quality_control(again(study).labels).record
    assert record[["annotator", "test_questions", "failed", "dropped"]].to_numpy().tolist() == [
        ["person-1", 3, 0, False], ["person-2", 3, 2, True],
    ]  # fmt: skip
    assert voters_of(again(study)) == ("expert", "person-1")
    bring_in(again(study))
    assert [*brought(study)] == ["person-1"], "who is left out now is taken out"
    answer_all(study, links[0], lambda _, right: right or "?")
    answer_all(study, links[1], lambda _, right: right or "male")
    bring_in(again(study))
    assert [*brought(study)] == ["person-2"], "only test questions are answered"


def test_answers_that_came_later_take_the_place_of_earlier_ones(study: Study) -> None:
    links = answered(study, "male")

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
    assert brought(study) == {"person-1": ["female"] * 9}
    assert len(again(study).labels) == 18


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
    assert sum(again(study).labels["annotator"] == "expert") == 9, "nobody's labels were replaced"
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
    changed, documents = found.divided[0], study.documents.copy()
    documents.loc[documents["doc_id"] == changed, "text"] = "something else"
    found = collect(replace(study, documents=documents))
    assert len(ordinary(found.labels)) == 3 * 8
    assert f"left out: the answers about 1 document with another text now: {changed}" in sentences(found)


def test_a_study_with_other_groups_now_is_left_as_it_is(study: Study) -> None:
    answered(study, "male")
    (study.folder / "study.toml").write_text('groups = ["woman", "man"]\nneutral = "none"\n', encoding="utf-8")
    (study.folder / "labels.csv").unlink()
    with refused(
        "labelling form 1 was answered with female, male, neutral, and the labels of small are none, woman, man now\n"
        "Give study.toml the groups of then, or bring in other forms alone: --form NUMBER."
    ):
        bring_in(again(study))


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


# --- A form as one HTML file, and what people's exports of it bring in. The file in a browser: tests/browser


COPY, OTHER_COPY = "a" * 24, "b" * 24
HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">\u2028<!--'


def export(
    folder: Path, link: Link, say: Callable[[int], str] = lambda _: "male", copy: str = COPY, at: int = 0,
    upto: int = 12, name: str = "",
) -> Path:  # fmt: skip
    """What a person's file exports after answers to the first questions: say(number), `?` where she cannot decide."""
    time = f"2026-11-27T12:00:{at:02}Z"
    rows = [
        {"number": number, "said": "undecided" if say(number) == "?" else "label", "label": say(number).strip("?"),
         "comment": f"why {number}", "time": time}
        for number in range(1, upto + 1)
    ]  # fmt: skip
    head = {
        "fairviz": "labelling answers", "version": 1, "link": link.token, "copy": copy, "person": link.person,
        "name": name, "questions": 12, "lines": len(rows), "exported": time,
    }  # fmt: skip
    path = folder / f"{link.person}-{copy[0]}-{at}.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in (head, *rows)), encoding="utf-8")
    return path


def knowing(link: Link) -> Callable[[int], str]:
    """Who knows each test question, and calls all else male."""
    with store().reading() as database:
        answers = dict(database.execute(
            "SELECT number, right_answer FROM questions JOIN documents USING (doc_id) WHERE token = ? AND form = ?",
            (link.token, link.form),
        ).fetchall())  # fmt: skip
    return lambda number: answers[number] or "male"


def test_nothing_in_the_file_depends_on_what_is_right_and_texts_are_data(tmp_path: Path) -> None:
    """The same bytes with other right answers and with none; no ids, which may say what is right."""
    table = small().documents
    study = saved(tmp_path, replace(small(), documents=table.assign(text=HOSTILE + table["text"], title=HOSTILE)))
    form = forms.make_form(study, SamplePlan(9, 1, 4), f"# {HOSTILE}\n- **{HOSTILE}**")
    token = forms.links(study, form=form)[0].token
    file = offline_form(token)
    assert not re.search("secret|right_answer|expert|doc_id", file)
    for sql in ("UPDATE documents SET right_answer = 'male' WHERE right_answer != ''",
                "UPDATE documents SET right_answer = ''"):  # fmt: skip
        with store().writing() as database:
            database.execute(sql)
        assert offline_form(token) == file
    given = json.loads(re.search('id="form">(.*)</script>\n<script>', file, re.S)[1])
    assert {tuple(one) for one in given["questions"]} == {("title", "text", "suggestion")}
    assert [one["text"] for one in given["questions"]] == [question(token, number).text for number in range(1, 13)]
    assert given["questions"][0]["text"].startswith(HOSTILE)
    assert file.count("<img") == file.count("<!--") == 0
    assert file.count("<script") == file.count("</script>") == 2
    policy = re.search('Content-Security-Policy" content="(.*)"', file)[1]
    assert policy.startswith("default-src &#x27;none&#x27;; ")
    assert "unsafe" not in policy


def test_from_files_to_labels(study: Study, tmp_path: Path, call: Call) -> None:
    verb = f"study-form {study.folder}"
    for options, code, message in (
        ("--status --html x.html", 2, "--html does not go with --status\nLeave out --status, or --html.\n"),
        ("--html x.html --url http://lab:80", 2, "--html does not go with --url\n"),
        (f"--html {tmp_path}", 1, f"could not write {tmp_path}: it is a folder\nAdd the name of a file.\n"),
        ("--form 1 --documents 3 --html x.html", 2, "--documents goes with a new form\nLeave out --form, or --doc"),
        ("--form 9 --html x.html", 2, "small has no labelling form 9\n"),
    ):
        assert message in call(verb, options, status=code).err
    assert not forms.links(study), "no form is left behind"
    made = call(verb, f"--documents 9 --test-every 4 --per-document 3 --format json --html {tmp_path}/form.html")
    files = [Path(row["file"]) for row in made.json]
    assert files == [tmp_path / f"form-person-{number}.html" for number in (1, 2, 3)]
    assert f"fairviz study-form {study.folder} --collect FILE…" in made.err
    first, second, third = forms.links(study)
    assert files[1].read_text(encoding="utf-8") == offline_form(second.token)
    call(verb, f"--form 1 --html {tmp_path}/again.html")
    assert (tmp_path / "again-person-2.html").read_bytes() == files[1].read_bytes()
    exports = [
        export(tmp_path, first, knowing(first), name=" Ada\n"),
        export(tmp_path, second, lambda _: "neutral"),
        export(tmp_path, third, lambda _: "?", upto=4),
    ]
    told = call(verb, "--collect", *map(str, exports)).err
    assert told.startswith(
        f"{exports[0]}: 12 of 12 questions answered by Ada, 12 answers new\n"
        f"{exports[1]}: 12 of 12 questions answered by person-2, 12 answers new\n"
        f"{exports[2]}: 4 of 12 questions answered by person-3, 4 answers new\n"
        "Ada: 12 of 12 questions answered, 0 of them undecided; 3 of 3 test questions right\n"
    )
    assert "left out: person-2, 1 of 3 test questions right" in told
    labels = again(study).labels
    mine = labels[labels["annotator"] != "expert"]
    assert mine["annotator"].tolist() == ["Ada"] * 12
    assert set(mine.loc[mine["test_label"] == "", "label"]) == {"male"}
    assert (mine["rationale"].str.startswith("why ")).all()


def test_a_later_export_adds_what_is_new_and_an_earlier_one_nothing(study: Study, tmp_path: Path, call: Call) -> None:
    (link, *_) = formed(study, test_every=0, documents=9)
    verb = f"study-form {study.folder} --collect"
    early = export(tmp_path, link, upto=3)
    late = export(tmp_path, link, lambda number: "female" if number == 2 else "male", at=9, upto=5)
    for file, new in ((early, "3 answers"), (early, "0 answers"), (late, "3 answers"), (early, "0 answers")):
        assert call(verb, str(file)).err.splitlines()[0].endswith(f" by person-1, {new} new")
    assert [one.label for one in forms.links(study)[0].answers] == ["male", "female", "male", "male", "male"]
    assert brought(study) == {"person-1": ["male", "female", "male", "male", "male"]}
    # two files of one person
    assert call(verb, f"{late} {early}", status=1).err == (
        f"{late} and {early} are both of person-1\nName one of them; the newest is {late}.\n"
    )
    other = export(tmp_path, link, copy=OTHER_COPY, upto=3)
    step = (
        "If both are person-1's, add one export to the form with Add an export, and export again; two people need two "
        "files: --per-document.\n"
    )
    assert call(verb, f"{early} {other}", status=1).err == f"{early} and {other} are both of person-1\n{step}"
    assert call(verb, str(other), status=1).err == (
        f"{other} is not from the browser whose answers of person-1 are stored\n{step}"
    )


def test_files_that_are_refused(study: Study, tmp_path: Path, call: Call) -> None:
    """Each with one line and a step, and nothing of any file is stored, of a good one beside it neither."""
    first, second, _ = formed(study)
    elsewhere = formed(open_study("football"), documents=3, people=1)[0]
    formed(study, documents=3, test_every=0)
    text = export(tmp_path, first).read_text(encoding="utf-8")
    good = str(export(tmp_path, second))
    cut = "is cut: {} of its 12 lines of answers are whole\nAsk for another export; nothing of this one was taken.\n"
    spoilt = tmp_path / "spoilt.jsonl"
    for content, message in (
        (text[:-30], cut.format(11)),
        ("".join(text.splitlines(True)[:7]), cut.format(6)),
        (text * 2, "was changed by hand\n"),
        ("doc_id,label\n", "is not an export of a labelling form\n"),
        ("", "is not an export of a labelling form\n"),
        (text.replace('"male"', '"dog"'), "line 2, is outside the form: question 1, 'dog'\n"),
        (text.replace('"number": 3,', '"number": 99,'), "line 4, is outside the form: question 99, 'male'\n"),
        (text.replace('"number": 3,', '"number": "3",'), "line 4, is no answer: {"),
        (text.replace(first.token, "x" * 43), "answers a form that this data folder does not have\n"),
        (None, "cannot be read (No such file or directory)\n"),
    ):
        spoilt.unlink() if content is None else spoilt.write_text(content, encoding="utf-8")
        said = call(f"study-form {study.folder} --collect", [good, spoilt], status=1)
        assert message in said.err
        assert len(said.err.splitlines()) == 2
    theirs = export(tmp_path, elsewhere, upto=3)
    said = call(f"study-form {study.folder} --collect {good} {theirs}", status=1)
    assert said.err.endswith("answers form 2 of football, not of small\nCollect it with football.\n")
    said = call(f"study-form {study.folder} --form 3 --collect {good}", status=1)
    assert said.err.endswith("answers form 1, not form 3\nUse --form 1, or leave it out.\n")
    assert not any(link.answers for link in forms.links(study))


# --- Forms whose study was moved or deleted: nothing that was answered is lost, and both sides are told


def test_forms_go_with_a_study_that_was_moved(study: Study, tmp_path: Path) -> None:
    made = answered(study, "male")
    formed(study, documents=3, test_every=0)
    was, now = study.folder, tmp_path / "elsewhere"
    assert left_at(str(was)) is left_at("newswire") is None
    shutil.move(was, now)
    elsewhere = open_study(str(now))
    answer(made[1].token, 1, "label", "female")
    assert open_batch(made[1].token).gone
    assert forms.links(elsewhere) == ()
    (left,) = left_behind(elsewhere)
    assert left == left_at(str(was))
    assert left.description == (
        f"labelling forms 1 and 2, with 13 answers, were made for a study in {was}, which is not there any more"
    )
    assert replace(left, place="/my study").command("its new home") == (
        "fairviz study-form 'its new home' --moved-from '/my study'"
    )
    save_study(make_study("other", documents=pd.DataFrame({"doc_id": ["x"], "text": ["y"]})), tmp_path / "other")
    other = open_study(str(tmp_path / "other"))
    assert left_behind(other) == ()
    with refused(
        f"other holds none of the documents that the labelling forms of {was} ask about\nName the study that lay there."
    ):
        take_along(other, str(was))
    assert take_along(elsewhere, str(was)) == left
    assert [link.answered for link in forms.links(elsewhere)] == [12, 1, 0, 0, 0, 0]
    assert not open_batch(made[1].token).gone
    assert left_behind(elsewhere) == ()
    for folder, message in {
        now: f"{now} is still there, and its labelling forms stay with it\nName a study that moved.",
        was: f"no labelling form was made for a study in {was}\nForms whose study is gone: none.",
    }.items():
        with refused(message):
            take_along(other, str(folder))
    file, found = bring_in(elsewhere)
    assert file.parent == now
    assert "person-1" in found.people
    assert not is_gone(str(additions_folder("newswire").resolve()))
    assert is_gone("/nowhere/additions/newswire")
