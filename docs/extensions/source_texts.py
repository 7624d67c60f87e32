"""Texts that are written for other readers too, as this site needs them."""

from sphinx.application import Sphinx

README, INSTALLATION = "(../README.md)", "(how-to/install.md)"


def link_to_site(app: Sphinx, page: str, source: list[str]) -> None:
    """Link the page on installation and studies instead of README, which is not part of the site."""
    source[0] = source[0].replace(README, INSTALLATION)


def escape_bars(app: Sphinx, kind: str, name: str, record: object, options: object, lines: list[str]) -> None:
    """Escape vertical bars of a docstring: they are absolute values, and no substitutions."""
    lines[:] = [line.replace("|", "\\|") for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both with Sphinx."""
    app.connect("source-read", link_to_site)
    app.connect("autodoc-process-docstring", escape_bars)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
