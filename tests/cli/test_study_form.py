"""study-form from the command line: links, progress, answers brought in, and what stops it."""

import re
import shutil
from functools import partial
from pathlib import Path

import pytest

from fairviz.annotation.forms import forms
from fairviz.annotation.forms.answering import open_batch
from fairviz.annotation.forms.serving import announce_address
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Study
from tests.annotation.forms.small import answer_all, saved
from tests.annotation.forms.test_collecting import right_and
from tests.conftest import Call, Said

NO_APP = (
    "note: no app runs on this data folder, so the links hold PORT in place of its port. Start fairviz app and see "
    "them with fairviz study-form {} --status, or name the app's address with --url.\n"
)
NEW = "--documents 9 --test-every 4 --format json"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return saved(tmp_path)


def test_from_the_form_to_labels(study: Study, call: Call) -> None:
    form = f"study-form {study.folder}"
    said = call(form, NEW, "--url https://lab:9000/")
    assert said.err == (
        "form 1 of small: 9 documents and 3 test questions in 1 batch, each for 3 people\n"
        "right answers to test questions: those of expert\n"
        "Give each link to one person: whoever has it answers as that person. They open while the app runs: fairviz "
        "app\n"
    )
    assert [(row["form"], row["batch"], row["person"], row["questions"]) for row in said.json] == [
        (1, 1, f"person-{number}", 12) for number in (1, 2, 3)
    ]
    assert all(re.fullmatch(r"https://lab:9000/label\?token=[\w-]{43}", row["link"]) for row in said.json)
    for link, label in zip(forms.links(study), ("male", "female"), strict=False):
        answer_all(study, link, partial(right_and, label))
    rows = call(form, "--status --format json").json
    assert [(row["answered"], row["tests_right"]) for row in rows] == [(12, 3), (12, 3), (0, 0)]
    assert rows[0]["link"] == f"http://localhost:PORT/label?token={forms.links(study)[0].token}"
    told = call(form, "--collect").err
    assert told.startswith("person-1: 12 of 12 questions answered, 0 of them undecided; 3 of 3 test questions right\n")
    assert told.endswith(
        f"wrote {study.folder}/labels.csv: 24 labels by 2 people\n"
        f"How far they agree: fairviz agree {study.folder}, or the page Agreement\n"
    )
    assert set(open_study(study.folder).labels["annotator"]) == {"expert", "person-1", "person-2"}
    assert call(form, "--close").err == "closed 3 links; answers stay\n"
    assert open_batch(forms.links(study)[0].token) is None
    assert {row["link"] for row in call(form, "--status --format json").json} == {""}


def test_a_guideline_of_ones_own(study: Study, tmp_path: Path, call: Call) -> None:
    file = tmp_path / "guideline.txt"
    call(f"study-form {study.folder} --show-guideline --output {file}")
    file.write_text(file.read_text(encoding="utf-8").replace("# What is asked", "# Mine"), encoding="utf-8")
    call(f"study-form {study.folder} {NEW} --guideline {file}")
    assert open_batch(forms.links(study)[0].token).guideline.startswith("# Mine\nPlease read each document")


def test_without_test_questions(study: Study, call: Call) -> None:
    said = call(f"study-form {study.folder} --documents 30 --test-every 0 --batch-size 15 --per-document 1")
    made = "form 1 of small: 30 documents and 0 test questions in 2 batches, each for 1 person\nGive "
    assert said.err.startswith(made)
    assert "one in five" not in open_batch(forms.links(study)[0].token).guideline


def test_no_form_yet(study: Study, call: Call) -> None:
    makes = f"small has no labelling form yet; fairviz study-form {study.folder} makes one\n"
    assert call(f"study-form {study.folder} --status") == Said("", makes)


def test_a_study_that_was_moved_or_deleted(study: Study, tmp_path: Path, call: Call) -> None:
    was, now = study.folder, tmp_path / "moved"
    call(f"study-form {was} {NEW}")
    answer_all(study, forms.links(study)[0], partial(right_and, "male"))
    shutil.move(was, now)
    told = f"labelling form 1, with 12 answers, was made for a study in {was}, which is not there any more"
    assert call(f"study-form {was} --collect", status=1).err == (
        f"{told}; nothing that was answered is lost\n"
        f"Put the study back, or register its new folder: fairviz study-form FOLDER --moved-from {was}\n"
    )
    assert call(f"study-form {now} --status").err == (
        f"note: {told}. If it is moved, moved: fairviz study-form {now} --moved-from {was}\n"
        f"moved has no labelling form yet; fairviz study-form {now} makes one\n"
    )
    said = call(f"study-form {now} --moved-from {was} --format json")
    assert said.err == f"{told}: now of moved\n{NO_APP.format(now)}"
    assert [row["answered"] for row in said.json] == [12, 0, 0]
    assert call(f"study-form {now} --collect").err.startswith("person-1: 12 of 12 questions answered")


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ("--collect", 1, "nobody has answered a labelling form of football yet\n"
         "Send people their links: --status shows them.\n"),
        ("--without-tests", 2, "--least-tests and --without-tests go with --collect\n"
         "Leave them out, or add --collect.\n"),
        ("--form 1", 2, "--form goes with --status, --collect, --close or --html\n"
         "Leave it out: a new form gets a number.\n"),
        ("--status --guideline x", 2, "--guideline goes with a new form\n"
         "Leave out --status, or --guideline.\n"),
        ("--status --documents 5", 2, "--documents goes with a new form\n"
         "Leave out --status, or --documents.\n"),
        ("--show-guideline --per-document 5", 2, "--per-document goes with a new form\n"
         "Leave out --show-guideline, or --per-document.\n"),
        ("--status --form 3", 2, "football has no labelling form 3\nIts forms: none yet.\n"),
        ("--url lab:80", 2, "argument --url: 'lab:80' is not an address of a server, such as http://localhost:8501\n"),
        ("--status --collect", 2, "argument --collect: not allowed with argument --status\n"),
        ("--test-every 1", 2, "test_every is 1: every question would be a test question\n"
         "Use 2 or more, or 0 for none.\n"),
    ],
)  # fmt: skip
def test_what_stops_it(options: str, status: int, message: str, call: Call) -> None:
    assert message in call("study-form football", options, status=status).err


def test_links_are_those_of_the_app_that_runs(study: Study, call: Call) -> None:
    def addresses(said: Said) -> set[str]:
        return {row["link"].partition("/label")[0] for row in said.json}

    made, status = call(f"study-form {study.folder} {NEW}"), f"study-form {study.folder} --status --format json"
    assert addresses(made) == {"http://localhost:PORT"}
    assert made.err.endswith(NO_APP.format(study.folder))
    with announce_address("http://localhost:8777"):
        running, named = call(status), call(status, "--url http://lab:80")
    assert (addresses(running), addresses(named)) == ({"http://localhost:8777"}, {"http://lab:80"})
    assert "PORT" not in running.err + named.err
    ended = call(status)
    assert addresses(ended) == {"http://localhost:PORT"}
    assert ended.err.endswith(NO_APP.format(study.folder))
