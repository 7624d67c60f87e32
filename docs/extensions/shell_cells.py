"""Highlight a shell command of a notebook cell that goes on in the next line: the lexer of IPython cannot."""

from typing import ClassVar

from ipython_pygments_lexers import IPython3Lexer
from pygments.lexer import bygroups, inherit, using
from pygments.lexers.shell import BashLexer
from pygments.token import Operator, Text
from sphinx.application import Sphinx


class CellLexer(IPython3Lexer):
    """The lexer of cells, with `!` before a command of several lines."""

    tokens: ClassVar = {"root": [(r"(!)(?!=)((?:.*\\\n)+.+)(\n)", bygroups(Operator, using(BashLexer), Text)), inherit]}


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the lexer to the build."""
    app.add_lexer("ipython3", CellLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
