"""Labelling forms for their makers: links, people's progress, and answers."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from fairviz.annotation.forms.answering import ReplyKind, now, standing
from fairviz.annotation.forms.database import Sample, fields_of, place_of, storable, store
from fairviz.annotation.forms.drawing import Drawing, SamplePlan, draw
from fairviz.errors import UsageError
from fairviz.home.permissions import changes_study

if TYPE_CHECKING:
    from fairviz.study.record import Study


@dataclass(frozen=True)
class Answer:
    """One person's latest answer about one document. right_answer: of a test question, else empty. again: whether the
    document is asked a second time here."""

    doc_id: str
    right_answer: str
    said: ReplyKind
    label: str
    comment: str
    again: bool = False


@dataclass(frozen=True)
class Link:
    """One person's link. person: the default name. annotator: the name of the answers in the study, empty where they
    were never brought in. questions: their number. latest: the time of the last answer, UTC. answers: in the order of
    the questions."""

    form: int
    batch: int
    person: str
    name: str
    annotator: str
    token: str
    closed: bool
    questions: int
    latest: str
    answers: tuple[Answer, ...]

    @property
    def answered(self) -> int:
        return len(self.answers)

    @property
    def undecided(self) -> int:
        return sum(answer.said == "undecided" for answer in self.answers)

    @property
    def tests(self) -> int:
        """The number of answered test questions; undecided is a wrong answer."""
        return sum(bool(answer.right_answer) for answer in self.answers)

    @property
    def right(self) -> int:
        """The number of right answers to test questions."""
        return sum(bool(answer.right_answer) and answer.label == answer.right_answer for answer in self.answers)


@changes_study("make a form")
def make_form(study: "Study", plan: SamplePlan, guideline: str, sample: Sample | None = None) -> int:
    """Draw documents and test questions, make a link for each person, and return the number of the form.

    Documents of the study's earlier forms are not drawn again. sample: what people are to label, in place of a draw
    evenly over queries; it is kept with the form. Raises FairvizError where the study does not suit the plan,
    UsageError for an invalid plan; then nothing is stored.
    """
    place = place_of(study)
    drawing = draw(study, plan, given_out(study), sample.documents if sample else ())
    fields = asdict(plan) | ({} if sample is None else {"sample": fields_of(sample)})
    if plan.suggested_by:
        fields["suggestions"] = _suggestions(study, plan, drawing, sample)
    choices = json.dumps([study.neutral, *study.groups])
    row = (now(), place, study.name, json.dumps(fields), choices, storable(guideline), "")
    with store().writing() as database:
        form = database.execute(
            "INSERT INTO forms (made, place, study, plan, choices, guideline, closed) VALUES (?, ?, ?, ?, ?, ?, ?)", row
        ).lastrowid
        _add_documents(database, form or 0, study, drawing)
        _add_links(database, form or 0, place, drawing)
    return form or 0


def _suggestions(study: "Study", plan: SamplePlan, drawing: Drawing, sample: Sample | None) -> dict[str, str]:
    """Return the label that people are shown for each document that has one. Raises UsageError for a random sample,
    whose labels must not follow the machine that they correct."""
    from fairviz.annotation.voters import counted_annotator, labels_of

    if sample:
        raise UsageError(
            "a suggestion would draw people's labels towards the machine that they are to correct",
            "Leave out the suggestion, or the design.",
        )
    labels = labels_of(study, counted_annotator(study, plan.suggested_by), plan.voters)
    rows = labels[labels["doc_id"].isin(drawing.doc_ids)]
    return dict(zip(rows["doc_id"].astype("str"), rows["label"].astype("str"), strict=True))


def _add_documents(database: sqlite3.Connection, form: int, study: "Study", drawing: Drawing) -> None:
    """Store the texts that people will read, and the right answers of the test questions among them."""
    table = study.documents[study.documents["doc_id"].isin(drawing.doc_ids)]
    texts = zip(table["doc_id"], table["title"].fillna(""), table["text"], strict=True)
    database.executemany(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
        [(form, name, storable(title), storable(text), drawing.tests.get(name, "")) for name, title, text in texts],
    )


def _add_links(database: sqlite3.Connection, form: int, place: str, drawing: Drawing) -> None:
    """Store a link for each person of each batch; default names continue those of the study's earlier forms."""
    query = "SELECT COUNT(*) FROM links JOIN forms USING (form) WHERE place = ?"
    (count,) = database.execute(query, (place,)).fetchone()
    for batch, people in enumerate(drawing.batches, start=1):
        for order in people:
            count += 1
            token = token_urlsafe(32)  # 256 random bits
            database.execute("INSERT INTO links VALUES (?, ?, ?, ?, '', '')", (token, form, batch, f"person-{count}"))
            questions = [(token, number, name) for number, name in enumerate(order, start=1)]
            database.executemany("INSERT INTO questions VALUES (?, ?, ?)", questions)


def suggestions(study: "Study") -> dict[tuple[int, str], str]:
    """Return the suggested label of each document that people were shown one for, by form and document."""
    with store().reading() as database:
        rows = database.execute("SELECT form, plan FROM forms WHERE place = ?", (place_of(study),)).fetchall()
    return {
        (form, name): label for form, text in rows for name, label in json.loads(text).get("suggestions", {}).items()
    }


def links(study: "Study", *, form: int = 0) -> tuple[Link, ...]:
    """Return every link of the study's forms, or of one form, in the order of creation. Raises FairvizError where the
    database cannot be read, UsageError for an unknown form."""
    with store().reading() as database:
        rows = database.execute(
            "SELECT form, batch, person, name, annotator, token, closed FROM links JOIN forms USING (form)"
            " WHERE place = ? ORDER BY form, links.rowid",
            (place_of(study),),
        ).fetchall()
        if form and form not in {row[0] for row in rows}:
            numbers = ", ".join(str(number) for number in dict.fromkeys(row[0] for row in rows)) or "none yet"
            raise UsageError(f"{study.name} has no labelling form {form}", f"Its forms: {numbers}.")
        return tuple(_link(database, row) for row in rows if form in (0, row[0]))


def _link(database: sqlite3.Connection, row: tuple) -> Link:
    """Return the link of a row of `links`, with its answers so far."""
    form, batch, person, name, annotator, token, closed = row
    question_rows = database.execute(
        "SELECT number, documents.doc_id, right_answer FROM questions JOIN documents"
        " ON documents.form = ? AND documents.doc_id = questions.doc_id WHERE token = ? ORDER BY number DESC",
        (form, token),
    ).fetchall()
    questions = {number: (doc_id, right_answer) for number, doc_id, right_answer in question_rows}
    first_numbers = {doc_id: number for number, doc_id, _ in question_rows}  # the last to come is the first question
    (latest,) = database.execute("SELECT COALESCE(MAX(time), '') FROM answers WHERE token = ?", (token,)).fetchone()
    answers = tuple(
        Answer(*questions[number], said, label, comment, again=number != first_numbers[questions[number][0]])
        for number, said, label, comment in standing(database, token)
        if said != "nothing"
    )
    return Link(form, batch, person, name, annotator, token, bool(closed), len(questions), latest, answers)


def given_out(study: "Study") -> frozenset[str]:
    """Return the documents of the study's forms, without test questions and without forms that were closed before any
    answer."""
    with store().reading() as database:
        rows = database.execute(
            "SELECT DISTINCT doc_id FROM documents JOIN forms USING (form) WHERE place = ? AND right_answer = '' AND"
            " (closed = '' OR form IN (SELECT form FROM links JOIN answers USING (token)))",
            (place_of(study),),
        )
        return frozenset(name for (name,) in rows)


def texts(study: "Study") -> dict[tuple[int, str], str]:
    """Return title and text of each document as people read them, by form and document, separated by a line break."""
    with store().reading() as database:
        rows = database.execute(
            "SELECT form, doc_id, title, text FROM documents JOIN forms USING (form) WHERE place = ?",
            (place_of(study),),
        )
        return {(form, name): f"{title}\n{text}" for form, name, title, text in rows}


@changes_study("close a form")
def close(study: "Study", form: int = 0) -> int:
    """End the links of the study's forms, or of one form; answers stay. Return the number of ended links."""
    open_links = [link for link in links(study, form=form) if not link.closed]
    with store().writing() as database:
        for number in dict.fromkeys(link.form for link in open_links):
            database.execute("UPDATE forms SET closed = ? WHERE form = ?", (now(), number))
    return len(open_links)


def name_annotators(names: Iterable[tuple[str, str]]) -> None:
    """Store the annotator's name of each token's answers in the study, for good."""
    with store().writing() as database:
        database.executemany("UPDATE links SET annotator = ? WHERE token = ?", [(name, token) for token, name in names])


@changes_study("rename an annotator", can_be_private=True)
def rename_annotator(study: "Study", annotator: str, name: str) -> None:
    """Store the new name of an annotator whose labels come from the study's forms; later answers get it too."""
    tokens = [link.token for link in links(study) if link.annotator == annotator]
    if tokens:
        name_annotators((token, name) for token in tokens)
