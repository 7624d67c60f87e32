"""Redirects from an address without a study to the same address with the default study.

Streamlit can only add to the browser's history: without a redirect, the first Back would lead to the bare address.
"""

from collections.abc import Callable
from urllib.parse import parse_qs, quote_plus

from fairviz.analyses import WITHOUT_PAGE
from fairviz.annotation.forms.serving import PAGE as LABELLING
from fairviz.annotation.forms.serving import PARAMETER
from fairviz.home import application_folder
from fairviz.ui.shell.gate import App, Message, Receive, Send, within

MOST = 2_000  # characters of a query that is redirected; a longer one is not


def paths() -> frozenset[str]:
    """Return the paths of the pages; Overview is at the root too. The labelling page, without a study, is not
    included."""
    names = {page.stem for page in (application_folder() / "pages").glob("*.py")} - {LABELLING}
    names |= {analysis.name for analysis in WITHOUT_PAGE}
    return frozenset(("/", *(f"/{name}" for name in names)))


def destination(path: str, query: str, study: str, base: str = "") -> str:
    """Return the path and query to redirect to; empty for no redirect. base: the path at which the server serves."""
    if (
        within(path, base) not in paths()
        or len(query) > MOST
        or not {"study", PARAMETER}.isdisjoint(parse_qs(query, keep_blank_values=True))
    ):
        return ""
    return f"{path}?study={quote_plus(study)}{'&' if query else ''}{query}"


class Arrival:
    """ASGI middleware that redirects a browser to the address with the study. study() returns its name, base() the
    path at which the server serves."""

    def __init__(self, app: App, study: Callable[[], str], base: Callable[[], str] = str) -> None:
        self.app, self.study, self.base = app, study, base

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        target = ""
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            target = destination(scope["path"], scope["query_string"].decode("latin-1"), self.study(), self.base())
        if not target:
            await self.app(scope, receive, send)
            return
        headers = [(b"location", target.encode("latin-1")), (b"cache-control", b"no-store"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
