"""Answers before Streamlit's: the check of every request and of the page's websocket, the count of uploads, /healthz,
the manual, redirects to a study, and who is on the owner's machine.

A page of another site can send a browser here under its own name (DNS rebinding: `evil.example` that resolves to
127.0.0.1), or open a websocket or a frame from its own origin. The first has an unknown host, the second an origin that
differs from its host.
"""

import asyncio
import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, unquote, urlsplit

import streamlit as st
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.staticfiles import StaticFiles

from fairviz.annotation.forms.serving import PARAMETER
from fairviz.errors import FairvizError
from fairviz.home import LOOPBACK, SHARED, __version__, is_shared, manual_folder
from fairviz.home.permissions import OWNER, RUNNING, WAITING, Permissions, permissions
from fairviz.ui.kit import jobs
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.registry import PAGES
from fairviz.ui.state.streamlit_internals import LOGIN_COOKIES, LOGIN_FAILED, UPLOAD_PATH

FORWARDING = frozenset(  # headers that a proxy adds, besides those that begin with FORWARDED
    ("forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for",
     "x-original-host", "x-envoy-external-address", "true-client-ip", "client-ip", "cf-connecting-ip", "cf-ray",
     "fastly-client-ip", "fly-client-ip", "x-proxyuser-ip", "x-azure-clientip")
)  # fmt: skip
FORWARDED = "x-forwarded"
CLOSED = "/_stcore/agent/"  # paths of the API for programs: not there, even if its option is set
OF_THIS_MACHINE = "/_stcore/metrics"
_HOST = re.compile(r"[a-z0-9._-]+(:\d{1,5})?|\[[0-9a-f:.]+\](:\d{1,5})?")
_POLICY = (
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; connect-src 'self' data: blob: ws://{0} wss://{0}; "
    "frame-ancestors {1}; base-uri 'self'; form-action 'self'"
)
MANUAL = "/manual/"  # its scripts are of packages, and of an origin of their own: they reach nothing of the app
_MANUAL_POLICY = (
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads; default-src 'none'; "
    "script-src {0} 'unsafe-inline' 'unsafe-eval'; style-src {0} 'unsafe-inline'; img-src {0} data: blob:; "
    "font-src {0} data:; connect-src {0}; worker-src blob:; frame-ancestors {1}; base-uri 'none'; form-action {0}"
)
MOST_MEGABYTES = 1000  # of the files of one session together, without a configuration; of one file: see Streamlit
MEGABYTE = 1_000_000
NO_UPLOADS = "This server takes no files."
TOO_MUCH = "The files of one session may have {:,} MB together. Remove some, or open the page again."
HEALTH = "/healthz"
UP, STARTING = "ok", "starting"
_STARTED = time.monotonic()
FIRST = "index"  # the manual's first page
NEXT = "fairviz_next"  # the cookie of the address to return to
FORMER_PAGES = {  # earlier names of pages, in older links
    "robustness": "sensitivity",
    "laboratory": "what_if",
    "inspect": "read",
    "annotators": "annotate",
    "stereotypes": "gsr",
    "counterfactuals": "gender_swap",
}
LONGEST_QUERY = 2_000  # characters of a query that is redirected; a longer one is not
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
Counts = Mapping[str, float | str | None]  # what /healthz tells, by name


async def respond(send: Send, status: int, headers: Headers, body: bytes = b"") -> None:
    """Send a whole response."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def answer(send: Send, status: int, text: str) -> None:
    """Send one line of text with this status."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-frame-options", b"DENY")]
    await respond(send, status, headers, f"{text}\n".encode())


def prefix_of(base: str) -> str:
    """Return the base path of the server with a slash before it; empty for the root."""
    return f"/{base.strip('/')}" if base.strip("/") else ""


def within(path: str, base: str) -> str:
    """Return the part of a path below the base path of the server, which begins with a slash; empty for other paths."""
    prefix = prefix_of(base)
    return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else ""


def refusal(hosts: list[str], origins: list[str], allowed: list[str] | tuple[str, ...]) -> str:
    """Return the line that refuses a request with these Host and Origin headers; empty if it is allowed."""
    host = hosts[0].lower() if len(hosts) == 1 else ""
    if not _HOST.fullmatch(host):
        return "The request does not name its host."
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # brackets around text that is not an IPv6 address
        return "The request does not name its host."
    if name.rstrip(".") not in {allowed_name.strip("[] ").lower() for allowed_name in allowed}:
        return "This program answers on this machine only. Start it with --address NAME to open it under a name."
    if any(_place(origin) != host for origin in origins):
        return "Pages of other sites may not ask this program for anything."
    return ""


def _place(origin: str) -> str:
    """Return the host and port of an Origin header; empty without a readable one."""
    try:
        return urlsplit(origin.lower()).netloc
    except ValueError:
        return ""


def is_forwarded(headers: Iterable[str]) -> bool:
    """Return whether one of these headers was added by a proxy."""
    names = {name.lower() for name in headers}
    return not FORWARDING.isdisjoint(names) or any(name.startswith(FORWARDED) for name in names)


def is_local(scope: Message) -> bool:
    """Return whether a program on this machine sent the request itself: no proxy forwarded it."""
    peer, own = network_address(scope.get("client")), network_address(scope.get("server"))
    is_from_here = bool(peer) and (peer == own or ip_address(peer).is_loopback)
    return is_from_here and not is_forwarded(name.decode("latin-1") for name, _ in scope["headers"])


def network_address(place: tuple[str, int] | None) -> str:
    """Return the network address of one end of a connection, in its shortest form; empty if unknown."""
    try:
        address = ip_address(place[0] if place else "")
    except ValueError:  # a socket of the file system
        return ""
    return str(getattr(address, "ipv4_mapped", None) or address)


@dataclass
class Gate:
    """ASGI middleware that refuses other hosts and origins, and forbids frames and requests to elsewhere.

    allowed() returns the host names of this server; `hosts` are allowed as well. frame_ancestors: origins that may show
    it in a frame. headers(scope) returns the headers of a request that count. base() returns the path at which it
    serves.
    """

    app: App
    allowed: Callable[[], list[str]]
    hosts: tuple[str, ...] = ()
    frame_ancestors: tuple[str, ...] = ()
    headers: Callable[[Message], Headers] = Permissions().headers
    base: Callable[[], str] = str

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        path = within(scope.get("path", ""), self.base())
        is_http = scope["type"] == "http"
        is_manual = path.startswith(MANUAL) and is_http
        if is_manual and origins == ["null"]:  # of a page of the manual itself
            origins = []
        if reason := refusal(hosts, origins, [*(self.allowed() or LOOPBACK), *self.hosts]):
            if is_http:
                await answer(send, HTTPStatus.FORBIDDEN, reason)
            else:  # closed before it is accepted, a websocket answers 403 too
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": reason})
            return
        is_hidden = path.rstrip("/") == OF_THIS_MACHINE and not is_local(scope)
        if is_http and (f"{path}/".startswith(CLOSED) or is_hidden):
            await answer(send, HTTPStatus.NOT_FOUND, "Not found")
            return
        # a policy that only pages of the manual match names the place of all of them
        source = f"{hosts[0]}{prefix_of(self.base())}{MANUAL}" if is_manual else hosts[0]
        headers = _headers(source, self.frame_ancestors, is_manual=is_manual)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        scope = {**scope, "headers": self.headers(scope)}
        await self.app(scope, receive, send_with_headers)


def _values(scope: Message, name: bytes) -> list[str]:
    """Return the values of all headers of this name."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _headers(source: str, frame_ancestors: tuple[str, ...], *, is_manual: bool) -> Headers:
    """Return headers that allow frames of this origin and of these, no requests to other sites, and no referrer with
    settings. Requests may name the manual from any origin."""
    policy = (_MANUAL_POLICY if is_manual else _POLICY).format(source, " ".join(("'self'", *frame_ancestors)))
    return [
        *([] if frame_ancestors else [(b"x-frame-options", b"SAMEORIGIN")]),
        *([(b"access-control-allow-origin", b"*")] if is_manual else []),
        (b"content-security-policy", policy.encode("latin-1")),
        (b"cross-origin-resource-policy", b"cross-origin" if is_manual else b"same-origin"),
        (b"referrer-policy", b"no-referrer"),
    ]


def set_shared() -> None:
    """Set FAIRVIZ_SHARED from Streamlit's own settings, unless `fairviz app` has set it."""
    os.environ.setdefault(SHARED, "" if _listens_to_this_machine() else "1")


def is_owners_own() -> bool:
    """Return whether this visitor is on the owner's machine: the server listens to it alone, and no proxy forwarded the
    request."""
    if permissions().is_server:
        return False
    return not is_shared() and _listens_to_this_machine() and not is_forwarded(st.context.headers)


def manages_forms(study: str) -> bool:
    """Return whether this visitor makes forms of the study and sees their links: on a server an owner of the study,
    else whoever sits at the owner's machine."""
    return permissions().allows(study, OWNER) if permissions().is_server else is_owners_own()


def _listens_to_this_machine() -> bool:
    """Return whether all addresses of the server are of this machine. Without any, Streamlit listens to all
    machines."""
    option = streamlit_internals.option
    hosts = [option("server.address") or "every address", *(option("server.allowedHosts") or ())]
    return all(host in LOOPBACK for host in hosts)


def most_megabytes() -> int:
    """Return the largest size of the files of one session together, in megabytes."""
    limits = permissions().limits()
    return limits.upload_megabytes if limits is not None else MOST_MEGABYTES


def refuse_all(session: str, scope: Message) -> str:
    """Return the reason to refuse every upload."""
    return NO_UPLOADS


@dataclass
class RefusedUploads:
    """ASGI middleware that answers 403 to an upload, before a byte of it is read, if reason(session, scope) returns a
    text."""

    app: App
    reason: Callable[[str, Message], str] = refuse_all

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        is_upload = scope["type"] == "http" and UPLOAD_PATH in scope["path"]
        if is_upload and (text := self.reason(_session_of(scope), scope)):
            await answer(send, HTTPStatus.FORBIDDEN, text)
        else:
            await self.app(scope, receive, send)


def _session_of(scope: Message) -> str:
    """Return the session to which a file is sent, wherever the server serves."""
    return scope["path"].partition(f"{UPLOAD_PATH}/")[2].partition("/")[0]


@dataclass
class CountedUploads:
    """ASGI middleware that answers 413 if the files of a session would be larger than `most` megabytes together.

    stored_bytes(session) returns the bytes stored for a session. on_end(session) is called at the end of an upload, as
    the session may have ended during it. Bytes of uploads in progress are counted too.
    """

    app: App
    stored_bytes: Callable[[str], int]
    on_end: Callable[[str], None]
    most: float = MOST_MEGABYTES
    arriving: Counter[str] = field(default_factory=Counter)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or UPLOAD_PATH not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session = _session_of(scope)
        most = self.most * MEGABYTE
        text = TOO_MUCH.format(self.most)
        if self.stored_bytes(session) + self.arriving[session] + _declared_bytes(scope) > most:
            await answer(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
            return
        sizes: list[int] = []  # of the parts that were received and are not stored yet

        async def receive_counted() -> Message:
            message = await receive()
            sizes.append(len(message.get("body", b"")))
            self.arriving[session] += sizes[-1]
            if self.stored_bytes(session) + self.arriving[session] > most:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
            return message

        async def send_settled(message: Message) -> None:
            self._settle(session, sizes)
            await send(message)

        try:
            await self.app(scope, receive_counted, send_settled)
        finally:
            self._settle(session, sizes)
            self.on_end(session)

    def _settle(self, session: str, sizes: list[int]) -> None:
        """Stop counting the parts of an upload, whose file is stored or refused."""
        self.arriving[session] -= sum(sizes)
        sizes.clear()
        if not self.arriving[session]:
            del self.arriving[session]


def _declared_bytes(scope: Message) -> int:
    """Return the length of the body that the request declares; 0 without one."""
    for name, value in scope["headers"]:
        if name.lower() == b"content-length" and value.isdigit() and len(value) < 20:
            return int(value)
    return 0


@dataclass
class Health:
    """ASGI middleware that answers /healthz, for a proxy, a container or a monitor: whether the server is up, and
    counts without names.

    It answers before the gate, under any host and without a login. Other machines, and visitors behind a proxy, see
    only whether the server is up. sessions() returns the number of open sessions, None before the server is ready;
    jobs() the numbers of running and of waiting jobs; base() the path at which the server serves.
    """

    app: App
    sessions: Callable[[], int | None]
    jobs: Callable[[], tuple[int | None, int | None]]
    base: Callable[[], str] = str

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        # a proxy that adds the base path may check the path without it
        is_health = scope["type"] == "http" and HEALTH in (scope["path"], within(scope["path"], self.base()))
        if not is_health or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        sessions = self.sessions()
        facts: Counts = {"status": STARTING if sessions is None else UP}
        if sessions is not None and is_local(scope):
            facts = {**facts, **counts(sessions, *await asyncio.to_thread(self.jobs))}
        body = b"" if scope["method"] == "HEAD" else f"{json.dumps(facts)}\n".encode()
        status = HTTPStatus.SERVICE_UNAVAILABLE if sessions is None else HTTPStatus.OK
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        await respond(send, status, headers, body)


def count_jobs() -> tuple[int | None, int | None]:
    """Return the numbers of running and of waiting jobs: of all processes of a server, else of this one. None where
    they cannot be read."""
    if not permissions().is_server:
        return sum(thread.name == "fairviz job" for thread in threading.enumerate()), 0
    try:
        states = [job.state for job in jobs.queue()]
    except FairvizError:
        return None, None
    return states.count(RUNNING), states.count(WAITING)


def counts(sessions: int, running: int | None, waiting: int | None) -> Counts:
    """Return what a monitor reads: version, numbers of jobs, and of this process sessions, memory in MB, and seconds
    since its start."""
    return {
        "version": __version__,
        "process": os.getpid(),
        "sessions": sessions,
        "jobs_running": running,
        "jobs_waiting": waiting,
        "threads": threading.active_count(),
        "memory_mb": _memory(),
        "uptime_seconds": round(time.monotonic() - _STARTED),
    }


def _memory() -> float | None:
    """Return the memory that this process has now, in MB; None on systems without /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def manual_address(page: str, base: str = "") -> str:
    """Return the address of the manual's page for a page of the app, below the server's base path; empty where the
    manual is not built. The first page of the app has an empty name.

    >>> from fairviz.home import manual_folder
    >>> address = "/lab/manual/explanation/paired-comparisons.html"
    >>> manual_address("compare", "lab") == (address if manual_folder() else "")
    True
    """
    record = PAGES.get(page or "overview")
    return manual_file(f"{record.manual if record else FIRST}.html", base)


def manual_file(path: str, base: str = "") -> str:
    """Return the address of a page of the manual, `reference/index.html`, as `manual_address` does."""
    return f"{prefix_of(base)}{MANUAL}{path}" if manual_folder() is not None else ""


@dataclass
class Manual:
    """ASGI middleware that serves the built manual below /manual/. base() returns the path at which the server serves.

    Without a built manual, and for requests other than GET and HEAD, the app answers.
    """

    app: App
    base: Callable[[], str] = str

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        path = within(scope["path"], self.base()) if scope["type"] == "http" else ""
        folder = manual_folder() if path.startswith(MANUAL) else None
        if folder is None or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        inside = {**scope, "path": path.removeprefix(MANUAL.rstrip("/")), "root_path": ""}
        try:
            await StaticFiles(directory=folder, html=True)(inside, receive, send)
        except HTTPException as error:
            await PlainTextResponse(error.detail, error.status_code)(inside, receive, send)


def paths() -> frozenset[str]:
    """Return the paths of the pages; Overview is at the root too. The labelling page, without a study, is not
    included."""
    return frozenset(("/", *(f"/{name}" for name in PAGES)))


def destination(path: str, query: str, study: str, base: str = "") -> str:
    """Return the path and query to redirect to: of a page under its earlier name, and of one without a study; empty for
    no redirect. study: empty for none to add. base: the path at which the server serves."""
    if (page := FORMER_PAGES.get(within(path, base)[1:])) and len(query) <= LONGEST_QUERY:
        path = f"{path.rpartition('/')[0]}/{page}"
        return destination(path, query, study, base) or (f"{path}?{query}" if query else path)
    if (
        not study
        or within(path, base) not in paths()
        or len(query) > LONGEST_QUERY
        or not {"study", PARAMETER}.isdisjoint(parse_qs(query, keep_blank_values=True))
    ):
        return ""
    return f"{path}?study={quote_plus(study)}{'&' if query else ''}{query}"


def address_before_login(path: str, cookies: Mapping[str, str], base: str = "") -> str:
    """Return the address in the cookie NEXT where a browser comes back from its login; empty for no redirect. Only
    addresses of pages here count."""
    target = unquote(cookies.get(NEXT, ""))
    if within(path, base) != "/" or not any(name.startswith(LOGIN_COOKIES) for name in cookies):
        return ""
    is_plain = target.isascii() and target.isprintable() and " " not in target and "\\" not in target
    page, _, query = target.partition("?")
    return target if is_plain and len(query) <= LONGEST_QUERY and within(page, base) in paths() else ""


def is_to_remember(path: str, query: str, cookies: Mapping[str, str], base: str = "") -> bool:
    """Return whether the address of a page is opened by a browser without a login."""
    is_logged_in = any(name.startswith(LOGIN_COOKIES) for name in cookies)
    return not is_logged_in and within(path, base) in paths() and len(query) <= LONGEST_QUERY and query != LOGIN_FAILED


@dataclass
class Arrival:
    """ASGI middleware that redirects a browser to the address with the study, or to that before a login.

    Streamlit can only add to the browser's history: without a redirect, the first Back would lead to the bare address.
    And after a login, back to the address that was opened before it, which Streamlit forgets. study() returns the
    study's name, empty for no redirect, base() the path at which the server serves. has_login: whether visitors log in
    here, so that the address of a page is remembered.
    """

    app: App
    study: Callable[[], str]
    base: Callable[[], str] = str
    has_login: bool = False

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        path, query, base = scope["path"], scope["query_string"].decode("latin-1"), self.base()
        cookies = HTTPConnection(scope).cookies
        before = address_before_login(path, cookies, base)
        cookie = f"{NEXT}=; path=/; max-age=0" if before else ""
        target = before or destination(path, query, self.study(), base)
        remembered = ""
        if self.has_login and is_to_remember(path, query, cookies, base):
            address = quote(f"{path}?{query}", safe="")
            remembered = f"{NEXT}={address}; path=/; max-age=600; SameSite=Lax; HttpOnly"

        async def send_remembering(message: Message) -> None:
            if remembered and message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"set-cookie", remembered.encode("latin-1"))]
            await send(message)

        if not target:
            await self.app(scope, receive, send_remembering)
            return
        headers = [(b"cache-control", b"no-store"), (b"content-length", b"0")]
        headers += [(b"set-cookie", cookie.encode())] if cookie else []
        headers.append((b"location", target.encode("latin-1")))
        await respond(send_remembering, HTTPStatus.TEMPORARY_REDIRECT, headers)
