"""Parts of pages in MyST Markdown; every text that comes from a record is escaped."""

import re
from collections.abc import Iterable, Mapping, Sequence

_SIGNS = re.compile(r"([\\`*_{}\[\]<>|$#~])")


def plain(text: str) -> str:
    """Return the text with every sign of Markdown escaped, on one line."""
    return _SIGNS.sub(r"\\\1", " ".join(str(text).split()))


def code(text: str) -> str:
    """Return the text as code within a line."""
    return f"``{text}``" if "`" not in text else plain(text)


def block(text: str, language: str = "text") -> str:
    """Return the text as a block of code."""
    return f"```{{code-block}} {language}\n{text.strip()}\n```\n"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a list of terms, in Markdown, each with its text, which is escaped."""
    return "".join(f"{term}\n: {plain(text)}\n\n" for term, text in pairs)


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows, with cells in Markdown, as a table; empty without a row."""
    if not rows:
        return ""
    heads = list(rows[0])
    lines = [heads, ["---"] * len(heads), *([str(row[head]) for head in heads] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "\n"
