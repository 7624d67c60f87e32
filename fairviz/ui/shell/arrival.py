"""Redirects from an address without a study to the same address with the default study.

Streamlit can only add to the browser's history: without a redirect, the first Back would lead to the bare address. And
after a login, back to the address that was opened before it, which Streamlit forgets.
"""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, quote, quote_plus, unquote

from starlette.requests import HTTPConnection

from fairviz.annotation.forms.serving import PARAMETER
from fairviz.ui.shell.gate import App, Message, Receive, Send, within
from fairviz.ui.state.registry import PAGES
from fairviz.ui.state.streamlit_internals import LOGIN_COOKIES, LOGIN_FAILED

NEXT = "fairviz_next"  # the cookie of the address to return to
FORMER = {  # earlier names of pages, in older links
    "robustness": "sensitivity",
    "laboratory": "what_if",
    "inspect": "read",
    "annotators": "annotate",
    "stereotypes": "gsr",
    "counterfactuals": "gender_swap",
}
MOST = 2_000  # characters of a query that is redirected; a longer one is not


def paths() -> frozenset[str]:
    """Return the paths of the pages; Overview is at the root too. The labelling page, without a study, is not
    included."""
    return frozenset(("/", *(f"/{name}" for name in PAGES)))


def destination(path: str, query: str, study: str, base: str = "") -> str:
    """Return the path and query to redirect to: of a page under its earlier name, and of one without a study; empty for
    no redirect. study: empty for none to add. base: the path at which the server serves."""
    if (page := FORMER.get(within(path, base)[1:])) and len(query) <= MOST:
        path = f"{path.rpartition('/')[0]}/{page}"
        return destination(path, query, study, base) or (f"{path}?{query}" if query else path)
    if (
        not study
        or within(path, base) not in paths()
        or len(query) > MOST
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
    return target if is_plain and len(query) <= MOST and within(page, base) in paths() else ""


def is_to_remember(path: str, query: str, cookies: Mapping[str, str], base: str = "") -> bool:
    """Return whether the address of a page is opened by a browser without a login."""
    is_logged_in = any(name.startswith(LOGIN_COOKIES) for name in cookies)
    return not is_logged_in and within(path, base) in paths() and len(query) <= MOST and query != LOGIN_FAILED


def with_cookie(send: Send, cookie: str) -> Send:
    """Return a `send` that sets a cookie with the response."""

    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"set-cookie", cookie.encode("latin-1"))]
        await send(message)

    return send_with_cookie


class Arrival:
    """ASGI middleware that redirects a browser to the address with the study, or to that before a login.

    study() returns the study's name, empty for no redirect, base() the path at which the server serves. has_login:
    whether visitors log in here, so that the address of a page is remembered.
    """

    def __init__(
        self, app: App, study: Callable[[], str], base: Callable[[], str] = str, *, has_login: bool = False
    ) -> None:
        self.app, self.study, self.base, self.has_login = app, study, base, has_login

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        target, headers = "", [(b"cache-control", b"no-store"), (b"content-length", b"0")]
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            path, query = scope["path"], scope["query_string"].decode("latin-1")
            cookies = HTTPConnection(scope).cookies
            target = address_before_login(path, cookies, self.base())
            if self.has_login and is_to_remember(path, query, cookies, self.base()):
                address = quote(f"{path}?{query}", safe="")
                send = with_cookie(send, f"{NEXT}={address}; path=/; max-age=600; SameSite=Lax; HttpOnly")
            headers += [(b"set-cookie", f"{NEXT}=; path=/; max-age=0".encode())] if target else []
            target = target or destination(path, query, self.study(), self.base())
        if not target:
            await self.app(scope, receive, send)
            return
        headers.append((b"location", target.encode("latin-1")))
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
