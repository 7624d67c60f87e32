"""The database of labelling forms, the folders of their studies, and the samples for correction kept with them.

Answers are only ever appended: the latest counts, and earlier ones stay. Only the owner of the data folder can open the
file.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal

from fairviz.annotation.database import Store
from fairviz.errors import FairvizError, UsageError
from fairviz.files import is_utf8
from fairviz.home import data_home, expand_path, studies_folder
from fairviz.home.permissions import changes_study, shared_additions_folder, shared_folder
from fairviz.words.sentences import agreeing, counted, listed

PATIENCE = 30.0  # seconds to wait for another writer
_TABLES = {
    "answers": "CREATE TABLE IF NOT EXISTS answers (mark INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL,"
    " number INTEGER NOT NULL, said TEXT NOT NULL CHECK (said IN ('label', 'undecided', 'nothing')),"
    " label TEXT NOT NULL, comment TEXT NOT NULL, time TEXT NOT NULL)",
    "answers_by_question": "CREATE INDEX IF NOT EXISTS answers_by_question ON answers (token, number)",
    "forms": "CREATE TABLE IF NOT EXISTS forms (form INTEGER PRIMARY KEY AUTOINCREMENT, made TEXT NOT NULL,"
    " place TEXT NOT NULL, study TEXT NOT NULL, plan TEXT NOT NULL, choices TEXT NOT NULL, guideline TEXT NOT NULL,"
    " closed TEXT NOT NULL)",
    "documents": "CREATE TABLE IF NOT EXISTS documents (form INTEGER NOT NULL, doc_id TEXT NOT NULL,"
    " title TEXT NOT NULL, text TEXT NOT NULL, right_answer TEXT NOT NULL, PRIMARY KEY (form, doc_id))",
    "links": "CREATE TABLE IF NOT EXISTS links (token TEXT PRIMARY KEY, form INTEGER NOT NULL, batch INTEGER NOT NULL,"
    " person TEXT NOT NULL, name TEXT NOT NULL, annotator TEXT NOT NULL)",
    "questions": "CREATE TABLE IF NOT EXISTS questions (token TEXT NOT NULL, number INTEGER NOT NULL,"
    " doc_id TEXT NOT NULL, PRIMARY KEY (token, number))",
    # whose file answered: a second copy is another person's, or another browser's
    "copies": "CREATE TABLE IF NOT EXISTS copies (token TEXT PRIMARY KEY, copy TEXT NOT NULL)",
}
if TYPE_CHECKING:
    from fairviz.study.record import Study
_ANSWERED = (
    "SELECT COUNT(*) FROM (SELECT DISTINCT token, number FROM answers JOIN links USING (token)"
    " WHERE form = ? AND said != 'nothing')"
)
Design = Literal["queries", "documents"]
DESIGNS: tuple[Design, ...] = ("queries", "documents")


def store_path() -> Path:
    """Return the path of the database."""
    return data_home() / "labelling" / "forms.sqlite"


def store() -> Store:
    """Return the database of this data folder."""
    remedy = "Make it a file that you can write, with room, and do it again."
    return Store(store_path(), _TABLES, "the labelling forms", ("nothing could be stored", remedy), PATIENCE)


def storable(text: str) -> str:
    """Return the text without zero bytes and lone surrogates, which SQLite and text files cannot contain."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Left:
    """The forms of a study whose folder is gone: the folder, the forms' numbers, and the number of answered
    questions."""

    place: str
    forms: tuple[int, ...]
    answered: int

    @property
    def description(self) -> str:
        """`labelling forms 1 and 2, with 9 answers, were made for a study in FOLDER, which is not there any more`."""
        form, verb = (agreeing(len(self.forms), *words) for words in (("form",), ("was", "were")))
        return (
            f"labelling {form} {listed(list(map(str, self.forms)))}, with {counted(self.answered, 'answer')}, {verb} "
            f"made for a study in {self.place}, which is not there any more"
        )

    def command(self, study: str = "FOLDER") -> str:
        """Return the command that moves these forms to this study."""
        return f"fairviz study-form {quote(study)} --moved-from {quote(self.place)}"


def place_of(study: "Study") -> str:
    """Return the study's name in the database: the folder of its labels. Raises FairvizError without a folder."""
    if study.read_only:
        return str(shared_folder(study.name).resolve())
    if study.folder is None:
        raise FairvizError(
            f"{study.name} has no folder yet, so people's answers would have no place to go to",
            "Save the study first: on the Data page, under Add and save.",
        )
    return _storable_place(study.folder)


def _storable_place(folder: Path) -> str:
    """Return the folder's name in the database. Raises FairvizError where it is not UTF-8, which no table can store."""
    place = str(folder.resolve())
    if not is_utf8(place):
        raise FairvizError(f"the name of the folder {place!r} is not UTF-8", "Rename it to label its documents.")
    return place


def is_gone(place: str) -> bool:
    """Return whether the folder is missing; that of a built-in study may be, since it is made for additions."""
    folder = Path(place)
    try:
        return not folder.is_dir() and folder.parent != shared_additions_folder("any").parent.resolve()
    except OSError:  # unknown: the parent folder cannot be read
        return False


def left_behind(study: "Study") -> tuple[Left, ...]:
    """Return the forms of missing studies that share a document and its text with this study, which may be a moved one.
    Raises FairvizError where the database cannot be read."""
    with store().reading() as database:
        places = [place for (place,) in database.execute("SELECT DISTINCT place FROM forms ORDER BY form")]
        missing = [place for place in places if is_gone(place)]
        if not missing:
            return ()
        table = study.documents
        texts_by_document = {
            name: storable(text) for name, text in zip(table["doc_id"], table["text"].fillna(""), strict=True)
        }
        return tuple(
            _left(database, place) for place in missing if _shares_document(database, place, texts_by_document)
        )


def left_at(study: str) -> Left | None:
    """Return the forms of a missing study that was in this folder, or was fetched or saved under this name."""
    with store().reading() as database:
        for place in dict.fromkeys(
            str(Path(path).resolve()) for path in (expand_path(study), studies_folder() / study)
        ):
            if not is_utf8(place):
                continue
            left = _left(database, place)
            if left.forms and is_gone(place):
                return left
    return None


@changes_study("take a form along")
def take_along(study: "Study", folder: str) -> Left:
    """Move the forms of a study that was in this folder to this study, with links and answers; return them.

    Raises UsageError for a folder without forms, or one that still exists, FairvizError where the study contains none
    of their documents.
    """
    new, old = place_of(study), _storable_place(expand_path(folder))
    with store().writing() as database:
        left = _left(database, old)
        if not left.forms:
            places = [place for (place,) in database.execute("SELECT DISTINCT place FROM forms ORDER BY form")]
            gone = ", ".join(filter(is_gone, places)) or "none"
            raise UsageError(f"no labelling form was made for a study in {old}", f"Forms whose study is gone: {gone}.")
        if not is_gone(old):
            raise UsageError(f"{old} is still there, and its labelling forms stay with it", "Name a study that moved.")
        if not _shares_document(database, old, dict.fromkeys(study.documents["doc_id"], None)):
            raise FairvizError(
                f"{study.name} holds none of the documents that the labelling forms of {old} ask about",
                "Name the study that lay there.",
            )
        database.execute("UPDATE forms SET place = ?, study = ? WHERE place = ?", (new, study.name, old))
    return left


def _left(database: sqlite3.Connection, place: str) -> Left:
    forms = tuple(
        form for (form,) in database.execute("SELECT form FROM forms WHERE place = ? ORDER BY form", (place,))
    )
    return Left(place, forms, sum(database.execute(_ANSWERED, (form,)).fetchone()[0] for form in forms))


def _shares_document(database: sqlite3.Connection, place: str, texts_by_document: Mapping[str, str | None]) -> bool:
    """Return whether a document of the forms is among these, with an equal text unless that is None."""
    rows = database.execute("SELECT doc_id, text FROM documents JOIN forms USING (form) WHERE place = ?", (place,))
    return any(name in texts_by_document and texts_by_document[name] in (None, text) for name, text in rows)


@dataclass(frozen=True)
class Sample:
    """A sample of queries, or of documents, whose documents people label to correct a machine's labels.

    design: `queries` or `documents`. annotator: the machine whose labels are corrected. systems, measure: those that it
    was drawn for; the measure's cutoff bounds the documents. budget: documents wished for. frame: the probability of
    each query, or document, to be drawn, above 0 and up to 1. drawn: those that were. documents: those to label. form:
    the number of the form with them, 0 for none.
    """

    design: Design
    annotator: str
    systems: tuple[str, ...]
    measure: str
    budget: int
    seed: int
    frame: Mapping[str, float]
    drawn: tuple[str, ...]
    documents: tuple[str, ...]
    form: int = 0

    @property
    def text(self) -> str:
        """`15 of 40 queries` or `100 of 266 documents`."""
        return f"{len(self.drawn):,} of {len(self.frame):,} {self.design}"


def samples_of(study: "Study") -> tuple[Sample, ...]:
    """Return the samples of the study's forms, the newest first; none for a study that cannot have forms.

    Raises FairvizError where the database cannot be read.
    """
    if study.folder is None and not study.read_only:
        return ()
    with store().reading() as database:
        rows = database.execute(
            "SELECT form, plan FROM forms WHERE place = ? ORDER BY form DESC", (place_of(study),)
        ).fetchall()
    plans = ((form, json.loads(text)) for form, text in rows)
    return tuple(_sample(plan["sample"], form) for form, plan in plans if "sample" in plan)


def _sample(fields: dict[str, Any], form: int) -> Sample:
    """Return the sample of a form's plan; the reverse of `fields_of`."""
    lists = {name: tuple(fields[name]) for name in ("systems", "drawn", "documents")}
    return Sample(**{**fields, **lists, "form": form})


def corrected_machines(study: "Study") -> frozenset[str]:
    """Return the annotators that samples were drawn to correct, without reading these. Raises: see `samples_of`."""
    if study.folder is None and not study.read_only:
        return frozenset()
    with store().reading() as database:
        rows = database.execute(
            "SELECT DISTINCT json_extract(plan, '$.sample.annotator') FROM forms WHERE place = ?", (place_of(study),)
        ).fetchall()
    return frozenset(name for (name,) in rows if name)


def fields_of(sample: Sample) -> dict[str, object]:
    """Return the sample as the database keeps it, in the form's plan."""
    return asdict(replace(sample, frame=dict(sample.frame)))
