"""Where a form's study lies: its name in the database, whether it is there, and forms that follow it elsewhere."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError, UsageError
from fairviz.files import is_utf8
from fairviz.home import additions_folder, expand_path, studies_folder
from fairviz.labelling.database import reading, storable, writing

if TYPE_CHECKING:
    from fairviz.study.study import Study

_ANSWERED = (
    "SELECT COUNT(*) FROM (SELECT DISTINCT token, number FROM answers JOIN links USING (token)"
    " WHERE form = ? AND said != 'nothing')"
)


@dataclass(frozen=True)
class Left:
    """The forms of a study that is no longer where it was: its folder then, their numbers, and how many questions have
    an answer."""

    place: str
    forms: tuple[int, ...]
    answered: int

    @property
    def told(self) -> str:
        """`Labelling forms 1 and 2, with 9 answers, were made for a study in FOLDER, which is not there any more`."""
        many = len(self.forms) > 1
        numbers = " and ".join(filter(None, (", ".join(map(str, self.forms[:-1])), str(self.forms[-1]))))
        answers = f"{self.answered:,} answer{'' if self.answered == 1 else 's'}"
        return (
            f"labelling form{'s' if many else ''} {numbers}, with {answers}, {'were' if many else 'was'} made for a "
            f"study in {self.place}, which is not there any more"
        )

    def command(self, named: str = "FOLDER") -> str:
        """What lets these forms go with the study that the command line opens by this name."""
        return f"fairviz study-form {quote(named)} --moved-from {quote(self.place)}"


def place_of(study: "Study") -> str:
    """What names the study in the database: the folder that its labels go to. Raises FairvizError where it has none."""
    if study.read_only:
        return str(additions_folder(study.name).resolve())
    if study.folder is None:
        raise FairvizError(
            f"{study.name} has no folder yet, so people's answers would have no place to go to",
            "Save the study first: on the Data page, under Add and save.",
        )
    return _storable_place(study.folder)


def _storable_place(folder: Path) -> str:
    """The folder as the database names it. Raises FairvizError where its name is not UTF-8, which no table holds."""
    place = str(folder.resolve())
    if not is_utf8(place):
        raise FairvizError(f"the name of the folder {place!r} is not UTF-8", "Rename it to label its documents.")
    return place


def is_gone(place: str) -> bool:
    """Whether no folder is there any more. That of a built-in study need not be: it is made for what is added."""
    folder = Path(place)
    try:
        return not folder.is_dir() and folder.parent != additions_folder("any").parent.resolve()
    except OSError:  # it cannot be told, as the folder around it may not be read
        return False


def left_behind(study: "Study") -> tuple[Left, ...]:
    """The forms whose study is gone, and of whose documents this one holds any with the same text: perhaps it was
    moved. Raises FairvizError where the database cannot be read."""
    with reading() as database:
        places = [place for (place,) in database.execute("SELECT DISTINCT place FROM forms ORDER BY form")]
        gone = [place for place in places if is_gone(place)]
        if not gone:
            return ()
        table = study.documents
        now = {name: storable(text) for name, text in zip(table["doc_id"], table["text"].fillna(""), strict=True)}
        return tuple(_left(database, place) for place in gone if _shares(database, place, now))


def left_at(named: str) -> Left | None:
    """The forms of a study that lay in this folder, or was fetched or saved under this name, and is gone."""
    with reading() as database:
        for place in dict.fromkeys(str(Path(one).resolve()) for one in (expand_path(named), studies_folder() / named)):
            if not is_utf8(place):
                continue
            found = _left(database, place)
            if found.forms and is_gone(place):
                return found
    return None


def take_along(study: "Study", folder: str) -> Left:
    """Lets the forms of a study that lay in this folder go with this one, links, answers and all; which they are.

    Raises UsageError where no form was made there, or a study may lie there still, FairvizError where the study holds
    none of their documents.
    """
    new, old = place_of(study), _storable_place(expand_path(folder))
    with writing() as database:
        found = _left(database, old)
        if not found.forms:
            places = [place for (place,) in database.execute("SELECT DISTINCT place FROM forms ORDER BY form")]
            gone = ", ".join(filter(is_gone, places)) or "none"
            raise UsageError(f"no labelling form was made for a study in {old}", f"Forms whose study is gone: {gone}.")
        if not is_gone(old):
            raise UsageError(f"{old} is still there, and its labelling forms stay with it", "Name a study that moved.")
        if not _shares(database, old, dict.fromkeys(study.documents["doc_id"], None)):
            raise FairvizError(
                f"{study.name} holds none of the documents that the labelling forms of {old} ask about",
                "Name the study that lay there.",
            )
        database.execute("UPDATE forms SET place = ?, study = ? WHERE place = ?", (new, study.name, old))
    return found


def _left(database: sqlite3.Connection, place: str) -> Left:
    forms = tuple(
        form for (form,) in database.execute("SELECT form FROM forms WHERE place = ? ORDER BY form", (place,))
    )
    return Left(place, forms, sum(database.execute(_ANSWERED, (form,)).fetchone()[0] for form in forms))


def _shares(database: sqlite3.Connection, place: str, now: Mapping[str, str | None]) -> bool:
    """Whether any document of the forms is among these, with this text where one is given."""
    rows = database.execute("SELECT doc_id, text FROM documents JOIN forms USING (form) WHERE place = ?", (place,))
    return any(name in now and now[name] in (None, text) for name, text in rows)
