"""Checks of the built pages, which fail the build: every internal link has its target, and nothing is loaded from
another host."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "video": "src"}
FOREIGN_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")
NOT_LOADED = {"index", "search", "next", "prev", "canonical", "author"}  # values of rel


class Page(HTMLParser):
    """The anchors of a page, its links, and the addresses that a browser loads for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record one element. attrs: its attributes."""
        attributes = {name: value or "" for name, value in attrs}
        self.anchors |= {attributes[name] for name in ("id", "name") if name in attributes}
        address = attributes.get(LOADED.get(tag, ""), "")
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif address and attributes.get("rel") not in NOT_LOADED:
            self.loaded.append(address)


def pages_of(folder: Path) -> dict[Path, Page]:
    """Return every page of the site by its path, without templates of the theme."""
    paths = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    return {path.resolve(): Page(path) for path in paths}


def broken_links(folder: Path) -> Iterator[str]:
    """Yield a line for each internal link, script, style or picture without its target."""
    pages = pages_of(folder)
    for path, page in pages.items():
        for address in (*page.links, *page.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            found = pages.get(target)
            anchor = unquote(parts.fragment)
            if not target.exists() or (anchor and found is not None and anchor not in found.anchors):
                yield f"{path.relative_to(folder.resolve())}: {address}"


def foreign_addresses(folder: Path) -> Iterator[str]:
    """Yield a line for each address of another host that a page or a style sheet loads."""
    for path, page in pages_of(folder).items():
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{path.name}: {address}"
    for path in sorted(folder.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        if FOREIGN_STYLE.search(text):
            yield path.name


def check(app: Sphinx, error: Exception | None) -> None:
    """Raise ExtensionError, with every line of both, at the end of a build of pages."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    lines = [*broken_links(folder), *foreign_addresses(folder)]
    if lines:
        raise ExtensionError("\n".join(["these addresses do not resolve, or are of another host:", *lines]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the checks with Sphinx, after the copying of scripts."""
    app.connect("build-finished", check, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
