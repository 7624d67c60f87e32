"""The class board of a study: a link a person, in a file of its own, which a later link of the person replaces."""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError
from fairviz.home import additions_key, data_home, write_whole
from fairviz.home.permissions import OFFERS, VIEWER, changes_study, visitor

if TYPE_CHECKING:
    from fairviz.study.record import Study

MOST = 300  # entries of a board
LONGEST_NAME = 60  # characters


@changes_study("add to the class board of", VIEWER)
def put_link(study: "Study", name: str, query: str) -> None:
    """Keep the settings of a person on the study's board. query: of the address. name: the login counts instead, if
    there is one. Raises FairvizError for an empty name, and for more than MOST people."""
    path = _path(study, name)
    if not path.exists() and len(links(study)) >= MOST:
        raise FairvizError(f"the board of {study.name} has {MOST} entries, the most", "Let the owner clear it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"name": who(name), "query": query}))


@changes_study("leave the class board of", VIEWER)
def remove_link(study: "Study", name: str) -> None:
    """Remove the person's own entry, if there is one."""
    _path(study, name).unlink(missing_ok=True)


@changes_study("clear the class board of")
def clear(study: "Study") -> None:
    """Remove every entry."""
    for path in _folder(study).glob("*.json"):
        path.unlink(missing_ok=True)


def links(study: "Study") -> list[tuple[str, str]]:
    """Return name and query of each entry, by name."""
    found = []
    for path in _folder(study).glob("*.json"):
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:  # removed since
            continue
        found.append((entry["name"], entry["query"]))
    return sorted(found)


def who(name: str) -> str:
    """Return the visitor's login, or else the name. Raises FairvizError for none."""
    person = visitor()
    shown = " ".join((person.name if person is not None and person.name else name).split())[:LONGEST_NAME]
    if not shown:
        raise FairvizError("the entry has no name", "Type a name.")
    return shown


def _folder(study: "Study") -> Path:
    return data_home() / OFFERS / ".boards" / additions_key(study.name)


def _path(study: "Study", name: str) -> Path:
    person = visitor()
    key = person.name if person is not None and person.name else who(name)
    return _folder(study) / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
