"""The scripts of a page: plotly.min.js where a page has a figure, and MathJax from this site."""

import shutil
from pathlib import Path

from sphinx.application import Sphinx

FIGURE = "plotly-graph-div"
PLOTLY = "plotly.min.js"
FONTS = "output/chtml/fonts/woff-v2"


def copy_scripts(app: Sphinx, error: Exception | None) -> None:
    """Copy plotly.min.js, MathJax and its fonts into the built site."""
    if error is not None or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    config = app.config._raw_config
    shutil.copyfile(config["PLOTLY"], static / PLOTLY)
    (static / "mathjax" / FONTS).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(config["MATHJAX"] / "tex-chtml.js", static / "mathjax" / "tex-chtml.js")
    for font in (config["MATHJAX"] / FONTS).glob("*.woff"):
        shutil.copyfile(font, static / "mathjax" / FONTS / font.name)


def add_plotly(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load Plotly before the body of a page with a figure."""
    if FIGURE in context.get("body", ""):
        app.add_js_file(PLOTLY)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both with Sphinx."""
    app.connect("html-page-context", add_plotly)
    app.connect("build-finished", copy_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
