"""A form as one HTML file, and what people's exports of it bring in. The file in a browser: tests/browser."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fairviz.annotation.forms import forms
from fairviz.annotation.forms.answering import question
from fairviz.annotation.forms.database import store
from fairviz.annotation.forms.drawing import SamplePlan
from fairviz.annotation.forms.forms import Link
from fairviz.annotation.forms.offline import offline_form
from fairviz.evaluation.opening import open_study
from tests.annotation.forms.small import formed, saved, small
from tests.conftest import Call

COPY, OTHER_COPY = "a" * 24, "b" * 24
HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">\u2028<!--'


def export(
    folder: Path, link: Link, say: Callable[[int], str], *, copy: str = COPY, name: str = "", at: int = 0,
    upto: int = 12,
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


def male(number: int) -> str:
    return "male"


def right(link: Link) -> Callable[[int], str]:
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


def test_from_files_to_labels(tmp_path: Path, call: Call) -> None:
    study = saved(tmp_path)
    verb = f"study-form {study.folder}"
    for options, status, message in (
        ("--status --html x.html", 2, "--html does not go with --status\nLeave out --status, or --html.\n"),
        ("--html x.html --url http://lab:80", 2, "--html does not go with --url\n"),
        (f"--html {tmp_path}", 1, f"could not write {tmp_path}: it is a folder\nAdd the name of a file.\n"),
        ("--form 1 --documents 3 --html x.html", 2, "--documents goes with a new form\nLeave out --form, or --doc"),
        ("--form 9 --html x.html", 2, "small has no labelling form 9\n"),
    ):
        assert message in call(verb, options, status=status).err
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
        export(tmp_path, first, right(first), name=" Ada\n"),
        export(tmp_path, second, lambda number: "neutral"),
        export(tmp_path, third, lambda number: "?", upto=4),
    ]
    told = call(verb, "--collect", *map(str, exports)).err
    assert told.startswith(
        f"{exports[0]}: 12 of 12 questions answered by Ada, 12 answers new\n"
        f"{exports[1]}: 12 of 12 questions answered by person-2, 12 answers new\n"
        f"{exports[2]}: 4 of 12 questions answered by person-3, 4 answers new\n"
        "Ada: 12 of 12 questions answered, 0 of them undecided; 3 of 3 test questions right\n"
    )
    assert "left out: person-2, 1 of 3 test questions right" in told
    labels = open_study(study.folder).labels
    mine = labels[labels["annotator"] == "Ada"]
    assert len(mine) == 12
    assert set(mine.loc[mine["test_label"] == "", "label"]) == {"male"}
    assert (mine["rationale"].str.startswith("why ")).all()
    assert "person-2" not in set(labels["annotator"])


def test_a_later_export_adds_what_is_new_and_an_earlier_one_nothing(tmp_path: Path, call: Call) -> None:
    study = saved(tmp_path)
    (link, *_) = formed(study, test_every=0, documents=9)
    verb = f"study-form {study.folder} --collect"
    early = export(tmp_path, link, male, upto=3)
    late = export(tmp_path, link, lambda number: "female" if number == 2 else "male", at=9, upto=5)
    for file, new in ((early, "3 answers"), (early, "0 answers"), (late, "3 answers"), (early, "0 answers")):
        assert call(verb, str(file)).err.splitlines()[0].endswith(f" by person-1, {new} new")
    assert [one.label for one in forms.links(study)[0].answers] == ["male", "female", "male", "male", "male"]
    labels = open_study(study.folder).labels
    assert labels[labels["annotator"] == "person-1"]["label"].tolist() == ["male", "female", "male", "male", "male"]
    # two files of one person
    assert call(verb, f"{late} {early}", status=1).err == (
        f"{late} and {early} are both of person-1\nName one of them; the newest is {late}.\n"
    )
    other = export(tmp_path, link, male, copy=OTHER_COPY, upto=3)
    step = (
        "If both are person-1's, add one export to the form with Add an export, and export again; two people need two "
        "files: --per-document.\n"
    )
    assert call(verb, f"{early} {other}", status=1).err == f"{early} and {other} are both of person-1\n{step}"
    assert call(verb, str(other), status=1).err == (
        f"{other} is not from the browser whose answers of person-1 are stored\n{step}"
    )


def test_files_that_are_refused(tmp_path: Path, call: Call) -> None:
    """Each with one line and a step, and nothing of any file is stored, of a good one beside it neither."""
    study = saved(tmp_path)
    first, second, _ = formed(study)
    elsewhere = formed(open_study("football"), documents=3, people=1)[0]
    formed(study, documents=3, test_every=0)
    text = export(tmp_path, first, male).read_text(encoding="utf-8")
    good = str(export(tmp_path, second, male))
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
    theirs = export(tmp_path, elsewhere, male, upto=3)
    said = call(f"study-form {study.folder} --collect {good} {theirs}", status=1)
    assert said.err.endswith("answers form 2 of football, not of small\nCollect it with football.\n")
    said = call(f"study-form {study.folder} --form 3 --collect {good}", status=1)
    assert said.err.endswith("answers form 1, not form 3\nUse --form 1, or leave it out.\n")
    assert not any(link.answers for link in forms.links(study))
