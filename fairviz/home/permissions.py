"""Who works here, and what this person may do: the interface that everything asks before it shows or changes a study.

Without a server (the command line, Python, `fairviz app`) everything is allowed and no change is logged. In a process
of `fairviz serve`, the extension `server` answers in place of `Permissions`; where it is missing, fails or
leaves a question open, everything is refused. A change names the role that it needs (`changes_study`), and beneath that
every write into the data folder or a study's folder is checked by its path, so that a change that names no role is
refused all the same.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

from fairviz.errors import FairvizError
from fairviz.home import ADDITIONS, GUARDS, additions_key, data_home, studies_folder
from fairviz.installed import absent, bundled

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")
VARIABLE = "FAIRVIZ_SERVER"  # of a server process: the path of its configuration
GROUP, EXTENSION = "fairviz.permissions", "server"  # of the entry point
VIEWER, ANNOTATOR, OWNER = "viewer", "annotator", "owner"
ROLES = (VIEWER, ANNOTATOR, OWNER)  # each may do what those before it may
DECISIONS = "adjudications.sqlite"  # of a study: the one file to which annotators write
OFFERS = "offers"  # in the data folder: what people hand in to the owners of studies
WAITING, RUNNING, DONE, STOPPED, FAILED = "waiting", "running", "done", "stopped", "failed"  # states of a job
INTERRUPTED = "interrupted"  # waiting or running in a process that is gone


@dataclass(frozen=True)
class Visitor:
    """The person at a page. name: the login; empty for a visitor of a demo."""

    name: str


@dataclass(frozen=True)
class Limits:
    """Upper bounds. upload_megabytes: of the files of one session. job_seconds: of one job. jobs_at_once: others wait.
    tokens: of language models, for one person on one day. cache_megabytes: of computed values, in one process.

    Of one person: megabytes of additions, studies and offers together; numbers of own studies, of offers that wait for
    an owner, and of sessions that are open in one process.
    """

    upload_megabytes: int = 200
    job_seconds: int = 3600
    jobs_at_once: int = 1
    tokens: int = 200_000
    cache_megabytes: int = 600
    person_megabytes: int = 500
    person_studies: int = 20
    person_offers: int = 20
    person_sessions: int = 20


@dataclass(frozen=True)
class QueuedJob:
    """A job that waits or runs in any process of the server. visitor: the login of who began it. position: the number
    of jobs before it. since: the time of its state, UTC, as 2026-01-31T12:00:00Z."""

    number: int
    title: str
    visitor: str
    state: str
    position: int
    since: str


class Place(Protocol):
    """A job's place in the queue of a server, kept until `leave` or until this process ends."""

    is_quick: bool

    def before(self) -> int:
        """Return the number of jobs of the same lane that were begun earlier, and wait or run."""

    def is_to_end(self) -> bool:
        """Return whether the end of this job was requested."""

    def note(self, state: str) -> None:
        """Append the state; it is on the disk when this returns. Raises FairvizError."""

    def leave(self) -> None:
        """Give up the place."""


@dataclass
class Reserved:
    """Tokens that are counted before a request is sent. used: the tokens of the request and its reply, once known."""

    used: int | None = None


class Permissions:
    """The answers without a server. A server's are of a class that answers every one of these questions itself."""

    is_server = False

    # Visitors and roles

    def session_visitor(self) -> Visitor | None:
        """Return the visitor of the session whose page this thread draws; None without a valid login."""
        return None

    def is_open(self) -> bool:
        """Return whether the visitor may see pages."""
        return True

    def is_demo(self) -> bool:
        """Return whether this is a server that keeps nothing of its visitors."""
        return False

    def role(self, study: str) -> str:
        """Return the visitor's role on the study of this name; empty for none. Of a study that only this person has,
        the owner."""
        return OWNER

    def allows(self, study: str, needed: str) -> bool:
        """Return whether the visitor has this role, or a higher one, on the study."""
        return True

    def is_server_owner(self) -> bool:
        """Return whether the visitor owns every study, and so the server."""
        return True

    def may_add(self, study: str) -> bool:
        """Return whether the visitor may add to the study, privately or for all."""
        return True

    def has_overlay(self, study: str) -> bool:
        """Return whether what the visitor adds to the study is private: who owns the study changes the study itself."""
        return False

    def require(self, study: str, needed: str, deed: str) -> None:
        """Raise FairvizError unless the visitor has this role on the study. deed: such as `decide on documents`."""

    def require_server_owner(self, deed: str) -> None:
        """Raise FairvizError unless the visitor owns the server. deed: such as `fetch data sets`."""

    def check_write(self, path: Path) -> None:
        """Raise FairvizError if the visitor may not write here, or no more: a path in the data folder or in the folder
        of studies."""

    def log(self, study: str, deed: str, *details: object) -> None:
        """Append a change of this visitor to the log of changes. Raises FairvizError where it cannot be written."""

    def without_paths(self, text: str) -> str:
        """Return a message for the visitor: on a server, others than its owner get the last name of each path of the
        machine."""
        return text

    # Studies and folders

    def is_of_all(self, study: str) -> bool:
        """Return whether the study of this name is built in, packaged, or in the folder of studies, and so no
        person's."""
        return True

    def is_served(self, study: str) -> bool:
        """Return whether this is the name of a study in the folder that a server serves."""
        return False

    def own_folder(self, study: str) -> Path:
        """Return the folder of a study of this name that only the visitor has."""
        return studies_folder() / study

    def folder_to_save(self, study: str) -> Path:
        """Return the folder in which a new study of this name is saved. Raises FairvizError where the visitor may store
        none."""
        return studies_folder() / study

    def additions_folder(self, study: str) -> Path:
        """Return the study folder of the visitor's additions to a study that she does not own, or to a built-in or
        packaged one."""
        return shared_additions_folder(study)

    # Work

    def limits(self) -> Limits | None:
        """Return the upper bounds of a server."""
        return None

    def take_place(self, key_hash: str, title: str, *, is_quick: bool) -> Place | None:
        """Return the last place in the queue, for a job of the visitor; both are on the disk then. Raises
        FairvizError, also for a person who has too many jobs waiting."""
        return None

    def queued_jobs(self) -> list[QueuedJob]:
        """Return the jobs that wait or run in all processes of the server, in the order in which they were begun."""
        return []

    def request_end(self, number: int) -> None:
        """Request that the job of this number ends, in whatever process. Raises OSError."""

    def state_of(self, key_hash: str) -> str:
        """Return the state of the last job of this key in any process of the server; empty for none."""
        return ""

    def reserved_tokens(self, person: str, body: Mapping[str, Any]) -> AbstractContextManager[Reserved]:
        """Count the most tokens of a request for the person today, while the block sends it; then correct the count.

        The block sets `used`; where it does not, because no whole reply came, the count stays. Raises FairvizError
        where the request is over the person's tokens of the day, and where it cannot be counted.
        """
        return nullcontext(Reserved())

    # Requests and pages

    def hosts(self) -> tuple[str, ...]:
        """Return names under which browsers open the server, besides those that it was started with."""
        return ()

    def frame_ancestors(self) -> tuple[str, ...]:
        """Return the origins that may show the app in a frame."""
        return ()

    def headers(self, scope: Mapping[str, Any]) -> list[tuple[bytes, bytes]]:
        """Return the headers of an ASGI request that count."""
        return list(scope["headers"])

    def has_login(self) -> bool:
        """Return whether visitors log in by a page of a provider."""
        return False

    def request_checks(self) -> list[Any]:
        """Return starlette's Middleware between browser and app, for uploads and downloads."""
        return []

    def signature(self, study: str) -> None:
        """Draw, in the sidebar, the visitor's name and role on the study."""

    def entrance(self) -> None:
        """Draw the page of a visitor who may see no other."""


_ALONE = Permissions()
_QUESTIONS = {name for name in vars(Permissions) if name[0] != "_"}


def permissions() -> Permissions:
    """Return who answers in this process. Raises FairvizError in a process of a server without its extension."""
    return _of_server() if os.environ.get(VARIABLE, "") else _ALONE


@cache
def _of_server() -> Permissions:
    what = f"{VARIABLE} is set, and what decides on a server who may do what is"
    refused = FairvizError(f"{what} of an extension that cannot be used", f"Install fairviz anew, or unset {VARIABLE}.")
    entry = bundled(GROUP).get(EXTENSION)
    if entry is None:
        raise absent(GROUP, EXTENSION, what) or refused
    try:
        found = entry.load()
    except Exception as error:
        raise refused from error
    if not isinstance(found, Permissions) or not _answered(type(found)) >= _QUESTIONS:
        raise refused
    return found


def _answered(kind: type) -> set[str]:
    """Return the names that a class or one between it and Permissions defines: an answer left out would allow."""
    return {name for each in kind.__mro__ if each not in (Permissions, object) for name in vars(each)}


_VISITOR: ContextVar[Visitor | None] = ContextVar("visitor", default=None)


def visitor() -> Visitor | None:
    """Return the visitor for whom this thread works; None without a login, and outside a server."""
    thread_visitor = _VISITOR.get()
    return thread_visitor if thread_visitor is not None else permissions().session_visitor()


@contextmanager
def visiting(person: Visitor | None) -> Iterator[None]:
    """Work for this visitor within the block, as a job does in a thread of its own."""
    token = _VISITOR.set(person)
    try:
        yield
    finally:
        _VISITOR.reset(token)


@contextmanager
def acting(study: str, needed: str, deed: str, *details: object) -> Iterator[None]:
    """Refuse the change in the block without this role, and log it once the block has ended well. Raises FairvizError.

    deed: the change as a verb, such as `decide`. details: what it changes.
    """
    permissions().require(study, needed, deed)
    yield
    permissions().log(study, deed, *details)


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
            if can_be_private and permissions().has_overlay(study):
                return function(*arguments, **named)
            texts = [value for value in arguments[1:] if isinstance(value, str) and value]
            with acting(study, needed, deed, *texts):
                return function(*arguments, **named)

        return changed

    return decorate


def shared_additions_folder(study: str) -> Path:
    """Return the study folder of additions for everybody to the built-in or packaged study of this name."""
    return data_home() / ADDITIONS / additions_key(study)


def additions_folder(study: str) -> Path:
    """Return the study folder of the visitor's additions; see Permissions."""
    return permissions().additions_folder(study)


def shared_folder(study: str) -> Path:
    """Return the folder of what everybody shares of a study that the visitor may not change: its own folder where the
    server serves it, else that of its additions."""
    return studies_folder() / study if permissions().is_served(study) else shared_additions_folder(study)


def offers_of(person: Visitor) -> list[Path]:
    """Return the folders of what the person has handed in, to any study, and waits for its owner."""
    return list((data_home() / OFFERS).glob(f"**/*-{offer_mark(person)}"))


def offer_mark(person: Visitor) -> str:
    """Return the end of the name of the folder of an offer of this person."""
    return hashlib.sha256(person.name.encode()).hexdigest()[:16]


def _guard(path: Path) -> None:
    permissions().check_write(path)


GUARDS.append(_guard)
