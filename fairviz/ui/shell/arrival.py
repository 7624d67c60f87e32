"""Who comes without a study in the address is sent to the one that is shown, so that no other address is left behind.

Streamlit can only add to the browser's history: without this, the first Back would lead to the bare address.
"""

from collections.abc import Callable
from urllib.parse import parse_qs, quote_plus

from fairviz.home import application_folder
from fairviz.labelling.links import PAGE as LABELLING
from fairviz.labelling.links import PARAMETER
from fairviz.ui.shell.gate import App, Message, Receive, Send

MOST = 2_000  # characters of a query that is carried over; a longer one is answered as it stands


def paths() -> frozenset[str]:
    """The paths of the pages; Overview is at the root too. The labelling page shows no study, and is none of them."""
    names = {page.stem for page in (application_folder() / "pages").glob("*.py")} - {LABELLING}
    return frozenset(("/", *(f"/{name}" for name in names)))


def destination(path: str, query: str, study: str) -> str:
    """Where to send the browser; empty where it may stay."""
    if (
        path not in paths()
        or len(query) > MOST
        or not {"study", PARAMETER}.isdisjoint(parse_qs(query, keep_blank_values=True))
    ):
        return ""
    return f"{path}?study={quote_plus(study)}{'&' if query else ''}{query}"


class Arrival:
    """ASGI middleware that sends a browser on to the address with the study. study() gives its name."""

    def __init__(self, app: App, study: Callable[[], str]) -> None:
        self.app, self.study = app, study

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        place = ""
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            place = destination(scope["path"], scope["query_string"].decode("latin-1"), self.study())
        if not place:
            await self.app(scope, receive, send)
            return
        headers = [(b"location", place.encode("latin-1")), (b"cache-control", b"no-store"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
