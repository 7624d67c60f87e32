"""The pictures of the documents, remade: `python -m benchmarks.pictures [screenshots] [thumbnails]`, by default both.

Screenshots in docs/screenshots are pages of the app on newswire at 1400 × 900 pixels, with an empty data folder.
Thumbnails in docs/_static/thumbnails are the first figure of each entry of the gallery, 400 × 280 pixels, without its
title, as the gallery has one. Both need Chromium. The build of the manual does not: they are part of the source.
"""

import ast
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import plotly.io as pio
from PIL import Image

from benchmarks.browser import FLAGS, PATIENCE, ROOT, STILL, WATCH, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DOCS = ROOT / "docs"
SCREENSHOTS, THUMBNAILS, GALLERY = DOCS / "screenshots", DOCS / "_static" / "thumbnails", DOCS / "gallery_code"
SCREEN, COLOURS = (1400, 900), 256
DRAWN, THUMBNAIL = (600, 420), (400, 280)  # the size at which a figure is drawn, and that of its thumbnail
PAGES = {  # the address of each screenshot, below that of the app
    "annotators": "annotate",
    "audit": "audit",
    "inspect": "read",
    "laboratory": "what_if",
    "sensitivity": "sensitivity",
    "stereotypes": "gsr",
    "tradeoff": "tradeoff",
}


@contextmanager
def chromium() -> "Iterator[Browser]":
    """A browser; closed afterwards."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield browser
        browser.close()


def save(picture: bytes, path: Path, size: tuple[int, int]) -> str:
    """Write a PNG of this size and of COLOURS colours; return a line on it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.open(io.BytesIO(picture)).convert("RGB").resize(size, Image.Resampling.LANCZOS)
    image.quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
    return f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB"


def screenshots() -> Iterator[str]:
    """Open each page of PAGES and save its first screen; yield a line for each."""
    with tempfile.TemporaryDirectory() as home, served(Path(home)) as address, chromium() as browser:
        for name, path in PAGES.items():
            page = browser.new_page(viewport=dict(zip(("width", "height"), SCREEN, strict=True)))
            page.goto(f"{address}/{path}?study=newswire")
            page.wait_for_selector(".js-plotly-plot .main-svg", timeout=PATIENCE)
            page.evaluate(WATCH)
            page.wait_for_function(STILL, timeout=PATIENCE)
            yield save(page.screenshot(), SCREENSHOTS / f"{name}.png", SCREEN)
            page.close()


def thumbnails() -> Iterator[str]:
    """Draw the first figure of each entry of the gallery and save it; yield a line for each."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        for path in sorted(GALLERY.glob("plot_*.py")):
            figure = first_figure(path).update_layout(width=DRAWN[0], height=DRAWN[1], title_text="")
            page.set_content(pio.to_html(figure, config={"displayModeBar": False}))
            page.wait_for_selector(".js-plotly-plot .main-svg", timeout=PATIENCE)
            picture = page.locator(".js-plotly-plot").screenshot()
            (DOCS / "gallery" / f"{path.name}.md5").unlink(missing_ok=True)  # the next build takes the new thumbnail
            yield save(picture, THUMBNAILS / f"{path.stem}.png", THUMBNAIL)


def first_figure(path: Path) -> go.Figure:
    """Run an entry of the gallery up to its first figure, and return that. Raises ValueError if it has none."""
    names: dict = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), str(path), "eval"), names)
            if isinstance(value, go.Figure):
                return value
        else:
            exec(compile(ast.Module([statement], []), str(path), "exec"), names)
    raise ValueError(f"{path.name} draws no figure")


KINDS = {"screenshots": screenshots, "thumbnails": thumbnails}


def main(kinds: list[str]) -> None:
    """Remake these kinds of pictures, or both, and print a line for each."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["FAIRVIZ_HOME"] = home
        for kind in kinds or KINDS:
            for line in KINDS[kind]():
                print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
