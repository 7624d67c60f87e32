"""The database of labelling forms. Answers are only ever appended: the latest counts, and earlier ones stay.

Only the owner of the data folder can open the file.
"""

from pathlib import Path

from fairviz.annotation.database import Store
from fairviz.home import data_home

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
}


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
