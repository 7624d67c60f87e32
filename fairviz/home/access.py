"""The visitor of a page, and what this person may do: the one place where a server checks rights.

Without a configuration (the command line, Python, `fairviz app`) everything is allowed and no change is logged. On a
server, a change names the role that it needs (`acting`), and beneath that every write into the data folder or a study's
folder is checked by its path (`check_write`), so that a change that names no role is refused all the same.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar
from urllib.parse import quote

from fairviz.errors import FairvizError
from fairviz.home import (
    ADDITIONS,
    BUILTIN,
    GUARDS,
    STUDIES,
    UNFINISHED,
    additions_key,
    application_folder,
    data_home,
    studies_folder,
)
from fairviz.home.json_lines import append, read_records
from fairviz.home.server_config import ANNOTATOR, OWNER, ROLES, VIEWER, Limits, server_config

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")
_LONGEST_KEY = 150  # characters of a person's folder, before those that tell long names apart
DECISIONS = "adjudications.sqlite"  # of a study: the one file to which annotators write
PEOPLE, OFFERS = "people", "offers"
CHANGES = "changes.jsonl"  # in the data folder
CHANGE_COLUMNS = ("time", "who", "study", "deed", "details")
_COMPUTED = ("cache", "encodings", "running", "server")  # in the data folder: what holds nothing of people
_OF_PROGRAM = (  # in the data folder: what the program keeps for all, and what links to forms write
    *(*_COMPUTED, "answers.sqlite", "asking", "requests.sqlite", "labelling"),
    *(OFFERS, CHANGES),
)
READ_ONLY = ("this server is read-only: it stores nothing", "Ask its owner when it will take changes again.")


@dataclass(frozen=True)
class Visitor:
    """The person at a page. name: the login; empty for a visitor of a demo."""

    name: str


_VISITOR: ContextVar[Visitor | None] = ContextVar("visitor", default=None)
_finders: list[Callable[[], Visitor | None]] = []


def find_visitors_by(finder: Callable[[], Visitor | None]) -> None:
    """Set the function that returns the visitor of the thread that draws a page. Called once, by the interface."""
    _finders[:] = [finder]


def visitor() -> Visitor | None:
    """Return the visitor for whom this thread works; None without a login, and outside a server."""
    thread_visitor = _VISITOR.get()
    return thread_visitor if thread_visitor is not None or not _finders else _finders[0]()


@contextmanager
def visiting(person: Visitor | None) -> Iterator[None]:
    """Work for this visitor within the block, as a job does in a thread of its own."""
    token = _VISITOR.set(person)
    try:
        yield
    finally:
        _VISITOR.reset(token)


def role(study: str | None) -> str:
    """Return the visitor's role on the study of this name, or on every study (None); empty for none.

    Of a study that only this person has, the owner.
    """
    config, person = server_config(), visitor()
    if config is None:
        return OWNER
    if study in BUILTIN and not config.builtin:
        return ""
    if config.demo:
        return VIEWER
    if person is None:
        return ""
    assigned_role = OWNER if config.login is None else config.role(person.name, study)
    if config.read_only:
        return VIEWER if assigned_role else ""
    return OWNER if study is not None and not is_of_all(study) and own_folder(study).is_dir() else assigned_role


def allows(study: str, needed: str) -> bool:
    """Return whether the visitor has this role, or a higher one, on the study."""
    own_role = role(study)
    return bool(own_role) and ROLES.index(own_role) >= ROLES.index(needed)


def is_server_owner() -> bool:
    """Return whether the visitor owns every study, and so the server."""
    return role(None) == OWNER


def has_any_role() -> bool:
    """Return whether the visitor may see pages: who has a role on any study that the configuration names, or on all."""
    config = server_config()
    return any(role(study) for study in (None, *(config.studies if config is not None else ())))


def is_demo() -> bool:
    """Return whether this is a server that keeps nothing of its visitors."""
    config = server_config()
    return config is not None and config.demo


def require(study: str, needed: str, deed: str) -> None:
    """Raise FairvizError unless the visitor has this role on the study. deed: such as `decide on documents`."""
    if allows(study, needed):
        return
    if role(study):
        remedy = f"Ask its owner for the role {needed}."
        raise FairvizError(f"{_person_text()} may look at {study}, and not {deed}", remedy)
    raise FairvizError(f"there is no study {study[:80]!r} for {_person_text()}", "Choose another, or ask its owner.")


def require_server_owner(deed: str) -> None:
    """Raise FairvizError unless the visitor owns the server. deed: such as `fetch data sets`."""
    if not is_server_owner():
        raise FairvizError(f"{_person_text()} may not {deed} on this server", "Ask the server's owner.")


def may_add(study: str) -> bool:
    """Return whether the visitor may add to the study, privately or for all."""
    return has_overlay(study) or allows(study, OWNER)


@contextmanager
def acting(study: str, needed: str, deed: str, *details: object) -> Iterator[None]:
    """Refuse the change in the block without this role, and log it once the block has ended well. Raises FairvizError.

    deed: the change as a verb, such as `decide`. details: what it changes.
    """
    require(study, needed, deed)
    yield
    log(study, deed, *details)


def _person_text() -> str:
    person = visitor()
    return person.name if person is not None and person.name else "a visitor"


def without_paths(text: str) -> str:
    """Return a message for the visitor: on a server, others than its owner get the last name of each path of the
    machine."""
    if not {"/", "\\"} & set(text) or server_config() is None or is_server_owner():
        return text
    folders = {data_home(), studies_folder(), application_folder(), Path.home(), Path(tempfile.gettempdir())}
    roots = {root for folder in folders for root in (str(folder), str(folder.resolve())) if len(root) > 1}
    pattern = "|".join(map(re.escape, sorted(roots, key=len, reverse=True)))
    return re.sub(rf"(?:{pattern})(?:[/\\][^\s'\"`<>|:;,]*)?", lambda found: _last_name(found[0]), text)


def _last_name(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def log(study: str, deed: str, *details: object) -> None:
    """Append a change of this visitor to the log of changes; only on a server that takes changes. Raises FairvizError
    where it cannot be written."""
    if server_config() is not None and not keeps_nothing():
        person = visitor()
        _append_change(person.name if person else "", study, deed, " ".join(map(str, details)))


def _append_change(who: str, study: str, deed: str, details: str) -> None:
    """Append a line to the log, which is only ever appended to; it is on the disk when this returns. Raises
    FairvizError."""
    time = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    try:
        append(data_home() / CHANGES, dict(zip(CHANGE_COLUMNS, (time, who, study, deed, details), strict=True)))
    except OSError as error:
        raise FairvizError(
            f"the change was made, and the log of changes could not be written ({error.strerror or error})",
            "Tell the owner of this server, who makes room for it.",
        ) from error


def changes() -> list[dict[str, str]]:
    """Return the log, the oldest change first: time, who, study, deed, details. Raises OSError."""
    return read_changes()[0]


def read_changes() -> tuple[list[dict[str, str]], list[int]]:
    """Return the log as `changes` does, and the numbers of damaged lines. Raises OSError."""
    found = read_records(data_home() / CHANGES)
    return [{name: str(row.get(name, "")) for name in CHANGE_COLUMNS} for row in found.rows], found.broken


def is_of_all(study: str) -> bool:
    """Return whether the study of this name is built in, packaged, or in the folder of studies, and so no person's."""
    return study in BUILTIN or not _is_folder_name(study) or (studies_folder() / study).is_dir()


def _is_folder_name(study: str) -> bool:
    return Path(study).name == study and not study.startswith(".")


def person_folder(person: Visitor) -> Path:
    """Return the folder of a person's own additions and studies."""
    key = quote(person.name, safe="@+").replace(".", "%2E", 1 if person.name.startswith(".") else 0) or "%"
    if len(key) > _LONGEST_KEY:
        key = f"{key[:_LONGEST_KEY]}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    return data_home() / PEOPLE / key


def has_overlay(study: str) -> bool:
    """Return whether what the visitor adds to the study is private: who owns the study changes the study itself."""
    config, person = server_config(), visitor()
    if config is None or config.demo or config.read_only or person is None or not person.name:
        return False
    return role(study) in (VIEWER, ANNOTATOR)


def changes_study(
    deed: str, needed: str = OWNER, *, can_be_private: bool = False
) -> Callable[[Callable[Parameters, Value]], Callable[Parameters, Value]]:
    """Return a decorator for a function that changes the study in its first argument: `acting`, with the texts among
    its other arguments as details.

    can_be_private: without the role, the function changes the visitor's own additions; that is not logged.
    """

    def decorate(function: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
        @wraps(function)
        def changed(*arguments: Parameters.args, **named: Parameters.kwargs) -> Value:
            study: str = arguments[0].name  # type: ignore[attr-defined]
            if can_be_private and has_overlay(study):
                return function(*arguments, **named)
            texts = [value for value in arguments[1:] if isinstance(value, str) and value]
            with acting(study, needed, deed, *texts):
                return function(*arguments, **named)

        return changed

    return decorate


def own_folder(study: str) -> Path:
    """Return the folder of a study of this name that only the visitor has."""
    person = visitor()
    return (person_folder(person) / STUDIES if person is not None else studies_folder()) / study


def folder_to_save(study: str) -> Path:
    """Return the folder in which a new study of this name is saved: among those of all by the server's owner, else
    the visitor's own. Raises FairvizError where the visitor may store none."""
    folder = studies_folder() / study if server_config() is None or is_server_owner() else own_folder(study)
    check_write(folder)
    return folder


def additions_folder(study: str) -> Path:
    """Return the study folder of the visitor's additions to a study that she does not own, or to a built-in or packaged
    one."""
    person = visitor()
    if person is not None and has_overlay(study):
        return person_folder(person) / ADDITIONS / additions_key(study)
    return shared_additions_folder(study)


def shared_additions_folder(study: str) -> Path:
    """Return the study folder of additions for everybody to the built-in or packaged study of this name."""
    return data_home() / ADDITIONS / additions_key(study)


def shared_folder(study: str) -> Path:
    """Return the folder of what everybody shares of a study that the visitor may not change: its own folder where the
    server serves it, else that of its additions."""
    return studies_folder() / study if is_served(study) else shared_additions_folder(study)


def is_served(study: str) -> bool:
    """Return whether this is the name of a study in the folder that a server serves."""
    return (
        server_config() is not None
        and study not in BUILTIN
        and _is_folder_name(study)
        and (studies_folder() / study).is_dir()
    )


def check_write(path: Path) -> None:
    """Raise FairvizError if the visitor may not write here, or no more: a path in the data folder or in the folder of
    studies."""
    config = server_config()
    if config is None:
        return
    full = Path(os.path.abspath(path))
    for folder, is_allowed in ((studies_folder(), _may_write_study), (data_home(), _may_write_home)):
        root = Path(os.path.abspath(folder))
        if full.is_relative_to(root):
            parts = full.relative_to(root).parts
            if parts and not is_allowed(parts):
                if keeps_nothing():
                    raise FairvizError(*READ_ONLY)
                raise FairvizError(f"{_person_text()} may not change {parts[0]} on this server", "Ask its owner.")
            if parts and parts[0] in (PEOPLE, OFFERS) and (person := visitor()) is not None:
                _check_room(person, parts, config.limits)
            return


def _check_room(person: Visitor, parts: tuple[str, ...], limits: Limits) -> None:
    """Raise FairvizError where a person stores too much, what is being written included. parts: of the path."""
    own, offers = person_folder(person), offers_of(person)
    files = (path for folder in (own, *offers) for path in folder.rglob("*") if path.is_file())
    if sum(path.stat().st_size for path in files) > limits.person_megabytes * 1_000_000:
        raise FairvizError(
            f"you may store {limits.person_megabytes:,} MB on this server", "Delete runs, labels or studies of yours."
        )
    if parts[0] == PEOPLE and parts[2:3] == (STUDIES,) and len(parts) > 3:
        studies = {path.name for path in (own / STUDIES).glob("*") if path.name[0] != "."} - {_target(parts[3])}
        if len(studies) >= limits.person_studies:
            raise FairvizError(
                f"you have {limits.person_studies:,} studies of your own, the most on this server", "Delete one."
            )


def offers_of(person: Visitor) -> list[Path]:
    """Return the folders of what the person has handed in, to any study, and waits for its owner."""
    return list((data_home() / OFFERS).glob(f"**/*-{offer_mark(person)}"))


def offer_mark(person: Visitor) -> str:
    """Return the end of the name of the folder of an offer of this person."""
    return hashlib.sha256(person.name.encode()).hexdigest()[:16]


def keeps_nothing() -> bool:
    """Return whether this server stores nothing of its visitors, but for what it computes and that a login was ended:
    a demo, and a read-only one."""
    config = server_config()
    return config is not None and (config.demo or config.read_only)


def _may_write_study(parts: tuple[str, ...]) -> bool:
    name = _target(parts[0])
    needed = ANNOTATOR if len(parts) > 1 and parts[1].startswith(DECISIONS) else OWNER
    return allows(name, needed) if (studies_folder() / name).is_dir() else is_server_owner()


def _may_write_home(parts: tuple[str, ...]) -> bool:
    """Return whether the visitor may write at this path of the data folder; only an owner may at unknown ones."""
    person = visitor()
    first = _target(parts[0])
    if keeps_nothing():
        return first.startswith(_COMPUTED)
    if first == PEOPLE:
        return person is not None and bool(person.name) and parts[1:2] == (person_folder(person).name,)
    if first == ADDITIONS and len(parts) > 1:
        keys = {additions_key(name): name for name in BUILTIN}
        needed = ANNOTATOR if len(parts) > 2 and parts[2].startswith(DECISIONS) else OWNER
        return allows(keys.get(_target(parts[1]), parts[1]), needed)
    return first.startswith(_OF_PROGRAM) or is_server_owner()


def _target(name: str) -> str:
    """Return the name that an unfinished file or folder will have, or its lock belongs to."""
    if name.startswith(UNFINISHED):
        name = name.removeprefix(UNFINISHED).rpartition("-")[0] or name
    if name.startswith(".") and "-new-" in name:
        name = name[1:].rpartition("-new-")[0]
    return name


GUARDS.append(check_write)
