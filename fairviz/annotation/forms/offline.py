"""A form without a server: one HTML file for one person, and the answers that it exports.

The file holds what the page of a link shows (`answering`), so neither ids of documents nor right answers; test
questions are judged by the database, after the answers are read into it.
"""

import base64
import hashlib
import html
import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairviz.annotation.forms.answering import (
    COMMENT_LENGTH,
    GONE,
    NAME_LENGTH,
    clean_name,
    cleaned,
    open_batch,
    question,
    standing,
)
from fairviz.annotation.forms.database import place_of, store
from fairviz.annotation.forms.drawing import fill, guideline_html
from fairviz.errors import FairvizError
from fairviz.files import parse_json, read_file
from fairviz.home.permissions import changes_study
from fairviz.words.sentences import counted, out_of

if TYPE_CHECKING:
    from fairviz.study.record import Study

PAGE, STYLE, SCRIPT = (Path(__file__).with_name(f"offline.{end}") for end in ("html", "css", "js"))
KIND, VERSION = "labelling answers", 1
MOST_BYTES = 100_000_000  # of an export
AGAIN = "Ask for another export; nothing of this one was taken."
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def offline_form(token: str) -> str:
    """Return the form of an open link as one HTML file that loads nothing and runs no script but its own.

    Raises FairvizError for an unknown link and for one that is closed.
    """
    batch = open_batch(token)
    if batch is None:
        raise FairvizError(GONE)
    questions = [question(token, number) for number in range(1, batch.questions + 1)]
    form = {
        "link": token, "person": batch.person, "name": batch.name, "choices": batch.choices,
        "questions": [{"title": one.title, "text": one.text, "suggestion": one.suggestion} for one in questions],
    }  # fmt: skip
    style, script = (path.read_text(encoding="utf-8") for path in (STYLE, SCRIPT))
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'; "
        "form-action 'none'"
    )
    parts = {
        "policy": html.escape(policy),
        "style": style,
        "person": html.escape(batch.person),
        "name_length": str(NAME_LENGTH),
        "comment_length": str(COMMENT_LENGTH),
        "guideline": guideline_html(batch.guideline),
        "form": json.dumps(form, ensure_ascii=False).replace("<", "\\u003c"),  # no text ends the element
        "script": script,
    }
    return fill(PAGE, parts)


def _digest(code: str) -> str:
    """Return the code's hash as a source of a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


@dataclass(frozen=True)
class Export:
    """The answers of an exported file. copy: of the browser that it comes from. answers: number, said, label, comment
    and time."""

    path: str
    link: str
    copy: str
    person: str
    name: str
    exported: str
    answers: tuple[tuple[int, str, str, str, str], ...]


@changes_study("read answers in")
def read_in(study: "Study", paths: Sequence[str], form: int = 0) -> list[str]:
    """Add the answers of exported files to those of the study's forms, and return a line on each file.

    An answer that is newer than the stored one is stored, so that a file that was read before adds nothing. form: the
    only form that they may answer; 0 for any. Raises FairvizError for a file that is cut, changed, of another study or
    form, or a second one of the same person; then nothing is stored.
    """
    exports = [read_export(path) for path in paths]
    _refuse_two_of_one(exports)
    with store().writing() as database:
        return [_add(database, place_of(study), study.name, export, form) for export in exports]


def read_export(path: str) -> Export:
    """Return the content of an exported file. Raises FairvizError, with the line, for one that is none or is cut."""
    try:
        content = read_file(path, MOST_BYTES)
    except OSError as error:
        raise FairvizError(f"{path} cannot be read ({error.strerror or error})", "Name an exported file.") from error
    lines = content.strip().split(b"\n")
    head = _parsed(lines[0])
    if head.get("fairviz") != KIND:
        raise FairvizError(f"{path} is not an export of a labelling form", "Name the file that Export answers saved.")
    if head.get("version") != VERSION:
        raise FairvizError(f"{path} was exported by another version", "Read it with the fairviz that made the form.")
    expected, found = head.get("lines"), len(lines) - 1
    if isinstance(expected, int) and (found < expected or (found and not _parsed(lines[-1]))):
        complete = sum(bool(_parsed(line)) for line in lines[1:])
        raise FairvizError(f"{path} is cut: {complete} of its {expected} lines of answers are whole", AGAIN)
    names = ("link", "copy", "person", "name", "exported")
    texts = [text for name in names if isinstance(text := head.get(name), str)]
    if found != expected or len(texts) < len(names) or not re.fullmatch("[0-9a-f]{24}", texts[1]):
        raise FairvizError(f"{path} was changed by hand", AGAIN)
    answers: list[Any] = []
    for place, line in enumerate(lines[1:], start=2):
        row = _parsed(line)
        values = tuple(row.get(name) for name in ("number", "said", "label", "comment", "time"))
        number, *others = values
        is_valid = type(number) is int and all(isinstance(text, str) for text in others)
        if not is_valid or not _TIME.fullmatch(row["time"]) or row["said"] not in ("label", "undecided", "nothing"):
            raise FairvizError(f"{path}, line {place}, is no answer: {line[:80].decode(errors='replace')}", AGAIN)
        answers.append(values)
    link, copy, person, name, exported = texts
    return Export(path, link, copy, person, name, exported, tuple(answers))


def _parsed(line: bytes) -> dict[str, Any]:
    """Return a line's object; empty for anything else."""
    try:
        value = parse_json(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _refuse_two_of_one(exports: Sequence[Export]) -> None:
    """Raise FairvizError for two files of one link."""
    first: dict[str, Export] = {}
    for export in exports:
        other = first.setdefault(export.link, export)
        if other is not export:
            newest = max(other, export, key=lambda one: one.exported)
            remedy = f"Name one of them; the newest is {newest.path}."
            if other.copy != export.copy:
                remedy = _two_copies(export.person)
            raise FairvizError(f"{other.path} and {export.path} are both of {export.person}", remedy)


def _two_copies(person: str) -> str:
    return (
        f"If both are {person}'s, add one export to the form with Add an export, and export again; two people need two "
        "files: --per-document."
    )


def _add(database: sqlite3.Connection, place: str, study: str, export: Export, form: int) -> str:
    """Store the answers of one file that are newer than the stored ones, and return a line on it. Raises FairvizError
    for answers to another study or form, and outside of it."""
    path, token = export.path, export.link
    row = database.execute(
        "SELECT form, place, study, choices, person, annotator FROM links JOIN forms USING (form) WHERE token = ?",
        (token,),
    ).fetchone()
    if row is None:
        raise FairvizError(
            f"{path} answers a form that this data folder does not have",
            "Collect it where the form was made, with the FAIRVIZ_HOME of then.",
        )
    number, place_of_form, name_of_study, choices, person, annotator = row
    if place_of_form != place:
        raise FairvizError(
            f"{path} answers form {number} of {name_of_study}, not of {study}", f"Collect it with {name_of_study}."
        )
    if form not in (0, number):
        raise FairvizError(f"{path} answers form {number}, not form {form}", f"Use --form {number}, or leave it out.")
    (copy,) = database.execute("SELECT copy FROM copies WHERE token = ?", (token,)).fetchone() or (export.copy,)
    if copy != export.copy:
        raise FairvizError(f"{path} is not from the browser whose answers of {person} are stored", _two_copies(person))
    (questions,) = database.execute("SELECT COUNT(*) FROM questions WHERE token = ?", (token,)).fetchone()
    times = "SELECT number, MAX(time) FROM answers WHERE token = ? GROUP BY number"
    latest = dict(database.execute(times, (token,)).fetchall())
    stored = {number: given for number, *given in standing(database, token)}
    new = []
    for place_of_answer, (number_of_question, said, label, comment, time) in enumerate(export.answers, start=2):
        is_of_form = 1 <= number_of_question <= questions and (said != "label" or label in json.loads(choices))
        if not is_of_form:
            raise FairvizError(
                f"{path}, line {place_of_answer}, is outside the form: question {number_of_question}, {label!r}", AGAIN
            )
        given = [said, label if said == "label" else "", cleaned(comment, COMMENT_LENGTH)]
        is_newer = time >= latest.get(number_of_question, "")
        if is_newer and stored.get(number_of_question, ["nothing", "", ""]) != given:
            new.append((token, number_of_question, *given, time))
    database.executemany(
        "INSERT INTO answers (token, number, said, label, comment, time) VALUES (?, ?, ?, ?, ?, ?)", new
    )
    database.execute("INSERT OR IGNORE INTO copies VALUES (?, ?)", (token, export.copy))
    if export.name and not annotator:
        database.execute("UPDATE links SET name = ? WHERE token = ?", (clean_name(export.name), token))
    answered = sum(said != "nothing" for _, said, *_ in export.answers)
    return (
        f"{path}: {out_of(answered, questions, 'question')} answered by {clean_name(export.name) or person}, "
        f"{counted(len(new), 'answer')} new"
    )
