"""What the visitor of a page may do on a server: the one place where rights are checked."""

import hashlib
import os
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from fairviz.errors import FairvizError
from fairviz.extensions.server.configuration import server_config
from fairviz.home import (
    ADDITIONS,
    BUILTIN,
    STUDIES,
    UNFINISHED,
    additions_key,
    application_folder,
    data_home,
    studies_folder,
)
from fairviz.home.json_lines import append, read_records
from fairviz.home.permissions import (
    ANNOTATOR,
    DECISIONS,
    OFFERS,
    OWNER,
    ROLES,
    VIEWER,
    Limits,
    Permissions,
    Visitor,
    offers_of,
    shared_additions_folder,
    visitor,
)

_LONGEST_KEY = 150  # characters of a person's folder, before those that tell long names apart
PEOPLE = "people"  # in the data folder
CHANGES = "changes.jsonl"  # in the data folder
CHANGE_COLUMNS = ("time", "who", "study", "deed", "details")
_COMPUTED = ("cache", "encodings", "running", "server")  # in the data folder: what holds nothing of people
_OF_PROGRAM = (  # in the data folder: what the program keeps for all, and what links to forms write
    *(*_COMPUTED, "answers.sqlite", "asking", "requests.sqlite", "labelling"),
    *(OFFERS, CHANGES),
)
READ_ONLY = ("this server is read-only: it stores nothing", "Ask its owner when it will take changes again.")


class Access(Permissions):
    """Roles, folders and facts of the configuration. Each method is described in Permissions."""

    is_server = True

    def is_demo(self) -> bool:
        return server_config().demo

    def keeps_nothing(self) -> bool:
        """Return whether this server stores nothing of its visitors, but for what it computes and that a login was
        ended: a demo, and a read-only one."""
        config = server_config()
        return config.demo or config.read_only

    def role(self, study: str | None) -> str:
        """Return the visitor's role on the study of this name, or on every study (None); empty for none.

        Of a study that only this person has, the owner.
        """
        config, person = server_config(), visitor()
        if study in BUILTIN and not config.builtin:
            return ""
        if config.demo:
            return VIEWER
        if person is None:
            return ""
        assigned_role = OWNER if config.login is None else config.role(person.name, study)
        if config.read_only:
            return VIEWER if assigned_role else ""
        is_own = study is not None and not self.is_of_all(study) and self.own_folder(study).is_dir()
        return OWNER if is_own else assigned_role

    def allows(self, study: str, needed: str) -> bool:
        own_role = self.role(study)
        return bool(own_role) and ROLES.index(own_role) >= ROLES.index(needed)

    def is_server_owner(self) -> bool:
        return self.role(None) == OWNER

    def has_any_role(self) -> bool:
        """Return whether the visitor has a role on any study that the configuration names, or on all."""
        return any(self.role(study) for study in (None, *server_config().studies))

    def may_add(self, study: str) -> bool:
        return self.has_overlay(study) or self.allows(study, OWNER)

    def has_overlay(self, study: str) -> bool:
        config, person = server_config(), visitor()
        if config.demo or config.read_only or person is None or not person.name:
            return False
        return self.role(study) in (VIEWER, ANNOTATOR)

    def require(self, study: str, needed: str, deed: str) -> None:
        if self.allows(study, needed):
            return
        if self.role(study):
            remedy = f"Ask its owner for the role {needed}."
            raise FairvizError(f"{_person_text()} may look at {study}, and not {deed}", remedy)
        raise FairvizError(
            f"there is no study {study[:80]!r} for {_person_text()}", "Choose another, or ask its owner."
        )

    def require_server_owner(self, deed: str) -> None:
        if not self.is_server_owner():
            raise FairvizError(f"{_person_text()} may not {deed} on this server", "Ask the server's owner.")

    def check_write(self, path: Path) -> None:
        full = Path(os.path.abspath(path))
        for folder, is_allowed in ((studies_folder(), self._may_write_study), (data_home(), self._may_write_home)):
            root = Path(os.path.abspath(folder))
            if full.is_relative_to(root):
                parts = full.relative_to(root).parts
                if parts and not is_allowed(parts):
                    if self.keeps_nothing():
                        raise FairvizError(*READ_ONLY)
                    raise FairvizError(f"{_person_text()} may not change {parts[0]} on this server", "Ask its owner.")
                if parts and parts[0] in (PEOPLE, OFFERS) and (person := visitor()) is not None:
                    _check_room(person, parts, server_config().limits)
                return

    def _may_write_study(self, parts: tuple[str, ...]) -> bool:
        name = _target(parts[0])
        needed = ANNOTATOR if len(parts) > 1 and parts[1].startswith(DECISIONS) else OWNER
        return self.allows(name, needed) if (studies_folder() / name).is_dir() else self.is_server_owner()

    def _may_write_home(self, parts: tuple[str, ...]) -> bool:
        """Return whether the visitor may write at this path of the data folder; only an owner may at unknown ones."""
        person = visitor()
        first = _target(parts[0])
        if self.keeps_nothing():
            return first.startswith(_COMPUTED)
        if first == PEOPLE:
            return person is not None and bool(person.name) and parts[1:2] == (person_folder(person).name,)
        if first == ADDITIONS and len(parts) > 1:
            keys = {additions_key(name): name for name in BUILTIN}
            needed = ANNOTATOR if len(parts) > 2 and parts[2].startswith(DECISIONS) else OWNER
            return self.allows(keys.get(_target(parts[1]), parts[1]), needed)
        return first.startswith(_OF_PROGRAM) or self.is_server_owner()

    def log(self, study: str, deed: str, *details: object) -> None:
        """Append a change of this visitor to the log; only on a server that takes changes."""
        if not self.keeps_nothing():
            person = visitor()
            _append_change(person.name if person else "", study, deed, " ".join(map(str, details)))

    def without_paths(self, text: str) -> str:
        if not {"/", "\\"} & set(text) or self.is_server_owner():
            return text
        folders = {data_home(), studies_folder(), application_folder(), Path.home(), Path(tempfile.gettempdir())}
        roots = {root for folder in folders for root in (str(folder), str(folder.resolve())) if len(root) > 1}
        pattern = "|".join(map(re.escape, sorted(roots, key=len, reverse=True)))
        return re.sub(rf"(?:{pattern})(?:[/\\][^\s'\"`<>|:;,]*)?", lambda found: _last_name(found[0]), text)

    def is_of_all(self, study: str) -> bool:
        return study in BUILTIN or not _is_folder_name(study) or (studies_folder() / study).is_dir()

    def is_served(self, study: str) -> bool:
        return study not in BUILTIN and _is_folder_name(study) and (studies_folder() / study).is_dir()

    def own_folder(self, study: str) -> Path:
        person = visitor()
        return (person_folder(person) / STUDIES if person is not None else studies_folder()) / study

    def folder_to_save(self, study: str) -> Path:
        """Return the folder of a new study: among those of all by the server's owner, else the visitor's own."""
        folder = studies_folder() / study if self.is_server_owner() else self.own_folder(study)
        self.check_write(folder)
        return folder

    def additions_folder(self, study: str) -> Path:
        person = visitor()
        if person is not None and self.has_overlay(study):
            return person_folder(person) / ADDITIONS / additions_key(study)
        return shared_additions_folder(study)

    def limits(self) -> Limits:
        return server_config().limits

    def hosts(self) -> tuple[str, ...]:
        return server_config().hosts

    def frame_ancestors(self) -> tuple[str, ...]:
        return server_config().frame_ancestors

    def has_login(self) -> bool:
        login = server_config().login
        return login is not None and bool(login.provider)


ACCESS = Access()


def _person_text() -> str:
    person = visitor()
    return person.name if person is not None and person.name else "a visitor"


def _last_name(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


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


def _is_folder_name(study: str) -> bool:
    return Path(study).name == study and not study.startswith(".")


def person_folder(person: Visitor) -> Path:
    """Return the folder of a person's own additions and studies."""
    key = quote(person.name, safe="@+").replace(".", "%2E", 1 if person.name.startswith(".") else 0) or "%"
    if len(key) > _LONGEST_KEY:
        key = f"{key[:_LONGEST_KEY]}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    return data_home() / PEOPLE / key


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


def _target(name: str) -> str:
    """Return the name that an unfinished file or folder will have, or its lock belongs to."""
    if name.startswith(UNFINISHED):
        name = name.removeprefix(UNFINISHED).rpartition("-")[0] or name
    if name.startswith(".") and "-new-" in name:
        name = name[1:].rpartition("-new-")[0]
    return name
