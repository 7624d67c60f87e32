"""One batch of a link: its documents' text and its person's own answers.

Nothing here reads which questions are tests, right answers, or other people's answers, so that no page can show them.
"""

import json
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from fairviz.annotation.forms.database import is_gone, storable, store
from fairviz.errors import FairvizError, use_one_of

ReplyKind = Literal["label", "undecided", "nothing"]
NAME_LENGTH = 80
COMMENT_LENGTH = 2000
MOVED = "The folder of this study was moved. Answers are still stored; please contact the sender of this link."
GONE = "This link is unknown or closed. Ask its sender for another."


@dataclass(frozen=True)
class Batch:
    """The batch of a link. person: the default name. named: whether the answers are in the study already, under a fixed
    name. questions: their number. answered: the numbers, from 1, of the answered ones. gone: whether the study's folder
    is missing; answers are stored all the same."""

    token: str
    person: str
    name: str
    named: bool
    choices: tuple[str, ...]
    guideline: str
    questions: int
    answered: frozenset[int]
    gone: bool = False

    def open_from(self, number: int) -> int:
        """Return the first unanswered question from this one on, else the first unanswered one; 0 where none is."""
        unanswered = [open_number for open_number in range(1, self.questions + 1) if open_number not in self.answered]
        return next(
            (open_number for open_number in unanswered if open_number >= number), unanswered[0] if unanswered else 0
        )


@dataclass(frozen=True)
class Question:
    """One document, and this person's latest answer. suggestion: `female (by lexicon)`, where the form shows one."""

    number: int
    title: str
    text: str
    said: ReplyKind
    label: str
    comment: str
    suggestion: str = ""


def open_batch(token: str) -> Batch | None:
    """Return the batch of the link; None for an unknown token and for a closed form."""
    if storable(token) != token:
        return None
    with store().reading() as database:
        row = database.execute(
            "SELECT person, name, annotator, choices, guideline, place FROM links JOIN forms USING (form)"
            " WHERE token = ? AND closed = ''",
            (token,),
        ).fetchone()
        if row is None:
            return None
        person, name, annotator, choices, guideline, place = row
        (questions,) = database.execute("SELECT COUNT(*) FROM questions WHERE token = ?", (token,)).fetchone()
        answered = frozenset(number for number, said, _, _ in standing(database, token) if said != "nothing")
    return Batch(
        token, person, annotator or name, bool(annotator), tuple(json.loads(choices)), guideline, questions, answered,
        is_gone(place),
    )  # fmt: skip


def question(token: str, number: int) -> Question:
    """Return one question of the batch. Raises FairvizError for an unknown number."""
    with store().reading() as database:
        row = database.execute(
            "SELECT title, text, doc_id, plan FROM questions JOIN links USING (token) JOIN documents"
            " USING (form, doc_id) JOIN forms USING (form) WHERE token = ? AND number = ?",
            (token, number),
        ).fetchone()
        if row is None:
            raise FairvizError(GONE)
        title, text, name, plan = row
        reply, label, comment = _latest(database, token, number)
    return Question(number, title, text, reply, label, comment, _suggestion(json.loads(plan), name))


def _suggestion(plan: dict, doc_id: str) -> str:
    """Return the suggestion on the document as people see it; empty where the form shows none."""
    label = plan.get("suggestions", {}).get(doc_id, "")
    return f"{label} (by {plan['suggested_by']})" if label else ""


def answer(token: str, number: int, reply: ReplyKind, label: str = "", comment: str = "") -> None:
    """Append an answer, persisted when this returns; the latest counts. reply: `label`, `undecided`, or `nothing` for a
    comment alone. Raises FairvizError for an answer outside the form, and where it cannot be stored."""
    batch = open_batch(token)
    if batch is None or not 1 <= number <= batch.questions:
        raise FairvizError(GONE)
    if reply == "label" and label not in batch.choices:
        raise FairvizError(f"{label!r} is not an answer of this form", use_one_of(batch.choices, label))
    row = (token, number, reply, label if reply == "label" else "", cleaned(comment, COMMENT_LENGTH), now())
    with store().writing() as database:
        database.execute(
            "INSERT INTO answers (token, number, said, label, comment, time) VALUES (?, ?, ?, ?, ?, ?)", row
        )


def comment_on(token: str, number: int, comment: str) -> None:
    """Append a comment to the latest answer. Raises FairvizError where it cannot be stored."""
    with store().reading() as database:
        reply, label, _ = _latest(database, token, number)
    answer(token, number, reply, label, comment)


def rename(token: str, name: str) -> None:
    """Store the person's name; empty for the name of the link. Raises FairvizError where it cannot be stored, and where
    the answers are in the study already."""
    batch = open_batch(token)
    if batch is None:
        raise FairvizError(GONE)
    if batch.named:
        raise FairvizError(f"your answers are in the study already, as {batch.name}", "Contact the sender of the link.")
    with store().writing() as database:
        database.execute("UPDATE links SET name = ? WHERE token = ?", (clean_name(name), token))


def standing(database: sqlite3.Connection, token: str) -> list[tuple[int, ReplyKind, str, str]]:
    """Return number, said, label and comment of the latest answer to each question."""
    return database.execute(
        "SELECT number, said, label, comment FROM answers WHERE mark IN"
        " (SELECT MAX(mark) FROM answers WHERE token = ? GROUP BY number) ORDER BY number",
        (token,),
    ).fetchall()


def now() -> str:
    """Return the time in the database's format, UTC."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _latest(database: sqlite3.Connection, token: str, number: int) -> tuple[ReplyKind, str, str]:
    row = database.execute(
        "SELECT said, label, comment FROM answers WHERE token = ? AND number = ? ORDER BY mark DESC LIMIT 1",
        (token, number),
    ).fetchone()
    return row or ("nothing", "", "")


def clean_name(name: str) -> str:
    """Return a person's name as it is stored, in one line."""
    return " ".join(cleaned(name, NAME_LENGTH).split())


def cleaned(text: str, longest: int) -> str:
    """Return a person's text as it is stored."""
    return storable(text.replace("\r\n", "\n").replace("\r", "\n")).strip()[:longest]
