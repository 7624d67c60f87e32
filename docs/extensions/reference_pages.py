"""Pages of the reference, written from the records and parsers that the program itself reads, before Sphinx reads them.

Each page is written only if its text has changed, so that Sphinx reads only that page again.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import api_pages
import check_pages
import choice_pages
import command_pages
import glossary_pages
import measure_pages
from sphinx.application import Sphinx

PAGES: tuple[Callable[[], Mapping[str, str]], ...] = (
    measure_pages.pages,
    check_pages.pages,
    command_pages.pages,
    choice_pages.pages,
    api_pages.pages,
    glossary_pages.pages,
)


def write_pages(app: Sphinx) -> None:
    """Write every page of the reference below reference/generated, and remove those that no longer exist."""
    folder = Path(app.srcdir) / "reference" / "generated"
    texts = dict(_all_pages())
    for path in sorted(folder.rglob("*.md")):
        if path.relative_to(folder).as_posix() not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _all_pages() -> Iterable[tuple[str, str]]:
    for pages in PAGES:
        yield from pages().items()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the writing of the pages with Sphinx."""
    app.connect("builder-inited", write_pages, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
