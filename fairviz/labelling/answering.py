"""What the holder of a link sees and says: one batch, its documents' text, and this person's own answers.

Nothing here reads which questions are tests, what is right, or what others said, so that no page can show it.
"""

import json
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from fairviz.errors import FairvizError
from fairviz.labelling.database import reading, storable, writing
from fairviz.labelling.places import is_gone

Said = Literal["label", "undecided", "nothing"]
NAME_LENGTH = 80
COMMENT_LENGTH = 2000
MOVED = (
    "The study that these documents are from is not where it was. Every answer is stored all the same; please tell "
    "whoever sent you this link."
)
GONE = "This link is not known here, or it was closed: ask whoever sent it to you for another."


@dataclass(frozen=True)
class Batch:
    """What a link opens. person: what she is called unless she gives a name. named: whether her answers stand in the
    study already, under a name that stays. gone: whether the study is no longer where answers would go; they are
    stored all the same. answered: the numbers, from 1, of the
    questions that have an answer, of `questions` in all."""

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
        """The first question at or behind this one that has no answer, else the first of all; 0 where all have."""
        left = [other for other in range(1, self.questions + 1) if other not in self.answered]
        return next((other for other in left if other >= number), left[0] if left else 0)


@dataclass(frozen=True)
class Question:
    """One document, and what this person has said of it last."""

    number: int
    title: str
    text: str
    said: Said
    label: str
    comment: str


def opened(token: str) -> Batch | None:
    """What the link opens; None for a token that is unknown, or whose form is closed."""
    if storable(token) != token:
        return None
    with reading() as database:
        found = database.execute(
            "SELECT person, name, annotator, choices, guideline, place FROM links JOIN forms USING (form)"
            " WHERE token = ? AND closed = ''",
            (token,),
        ).fetchone()
        if found is None:
            return None
        person, name, annotator, choices, guideline, place = found
        (questions,) = database.execute("SELECT COUNT(*) FROM questions WHERE token = ?", (token,)).fetchone()
        answered = frozenset(number for number, said, _, _ in standing(database, token) if said != "nothing")
    return Batch(
        token, person, annotator or name, bool(annotator), tuple(json.loads(choices)), guideline, questions, answered,
        is_gone(place),
    )  # fmt: skip


def question(token: str, number: int) -> Question:
    """One question of the batch. Raises FairvizError where there is none of this number."""
    with reading() as database:
        found = database.execute(
            "SELECT title, text FROM questions JOIN links USING (token) JOIN documents USING (form, doc_id)"
            " WHERE token = ? AND number = ?",
            (token, number),
        ).fetchone()
        if found is None:
            raise FairvizError(GONE)
        title, text = found
        said, label, comment = _latest(database, token, number)
    return Question(number, title, text, said, label, comment)


def answer(token: str, number: int, said: Said, label: str = "", comment: str = "") -> None:
    """Appends an answer, which is on the disk when this returns; the latest counts. `undecided`: she cannot decide.
    `nothing`: a comment alone. Raises FairvizError for what the form does not ask, and where it cannot be stored."""
    batch = opened(token)
    if batch is None or not 1 <= number <= batch.questions:
        raise FairvizError(GONE)
    if said == "label" and label not in batch.choices:
        raise FairvizError(f"{label!r} is no answer of this form", f"Use one of {', '.join(batch.choices)}.")
    row = (token, number, said, label if said == "label" else "", _plain(comment, COMMENT_LENGTH), now())
    with writing() as database:
        database.execute(
            "INSERT INTO answers (token, number, said, label, comment, time) VALUES (?, ?, ?, ?, ?, ?)", row
        )


def comment_on(token: str, number: int, comment: str) -> None:
    """Appends a comment beside the answer that stands. Raises FairvizError where it cannot be stored."""
    with reading() as database:
        said, label, _ = _latest(database, token, number)
    answer(token, number, said, label, comment)


def rename(token: str, name: str) -> None:
    """What the person is to be called; empty for the name of the link. Raises FairvizError where it cannot be stored,
    and where her answers stand in the study already."""
    batch = opened(token)
    if batch is None:
        raise FairvizError(GONE)
    if batch.named:
        raise FairvizError(f"your answers are in the study already, as {batch.name}", "Tell whoever sent you the link.")
    with writing() as database:
        plain = " ".join(_plain(name, NAME_LENGTH).split())
        database.execute("UPDATE links SET name = ? WHERE token = ?", (plain, token))


def standing(database: sqlite3.Connection, token: str) -> list[tuple[int, Said, str, str]]:
    """number, said, label and comment of the latest answer to each question."""
    return database.execute(
        "SELECT number, said, label, comment FROM answers WHERE mark IN"
        " (SELECT MAX(mark) FROM answers WHERE token = ? GROUP BY number) ORDER BY number",
        (token,),
    ).fetchall()


def now() -> str:
    """The moment, as the database writes it: UTC."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _latest(database: sqlite3.Connection, token: str, number: int) -> tuple[Said, str, str]:
    row = database.execute(
        "SELECT said, label, comment FROM answers WHERE token = ? AND number = ? ORDER BY mark DESC LIMIT 1",
        (token, number),
    ).fetchone()
    return row or ("nothing", "", "")


def _plain(text: str, longest: int) -> str:
    return storable(text.replace("\r\n", "\n").replace("\r", "\n")).strip()[:longest]
