"""The built manual under /manual/, and the page of it that belongs to each page of the app."""

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.staticfiles import StaticFiles

from fairviz.home import manual_folder
from fairviz.ui.shell.gate import MANUAL, App, Message, Receive, Send, within
from fairviz.ui.state.registry import PAGES

PATH = MANUAL.rstrip("/")
FIRST = "index"


def address_of(page: str, base: str = "") -> str:
    """Return the address of the manual's page for a page of the app, below the server's base path; empty where the
    manual is not built. The first page of the app has an empty name.

    >>> from fairviz.home import manual_folder
    >>> address_of("compare", "lab") == ("/lab/manual/explanation/paired-comparisons.html" if manual_folder() else "")
    True
    """
    if manual_folder() is None:
        return ""
    record = PAGES.get(page or "overview")
    prefix = f"/{base.strip('/')}" if base.strip("/") else ""
    return f"{prefix}{PATH}/{record.manual if record else FIRST}.html"


class Manual:
    """ASGI middleware that serves the built manual below /manual/. base() returns the path at which the server serves.

    Without a built manual, and for requests other than GET and HEAD, the app answers.
    """

    def __init__(self, app: App, base: Callable[[], str] = str) -> None:
        self.app, self.base = app, base

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        path = within(scope["path"], self.base()) if scope["type"] == "http" else ""
        folder = manual_folder() if path.startswith(f"{PATH}/") else None
        if folder is None or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        inside = {**scope, "path": path.removeprefix(PATH), "root_path": ""}
        try:
            await StaticFiles(directory=folder, html=True)(inside, receive, send)
        except HTTPException as error:
            await PlainTextResponse(error.detail, error.status_code)(inside, receive, send)
