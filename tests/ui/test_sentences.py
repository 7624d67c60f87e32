"""Sentences are short: 15 words on a page, 30 in tooltips, method notes and everything else that a person can read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "fairviz"
UI, NOTE = 15, 30  # words
END = re.compile(r"(?<=[.!?])\s+|\n")
CODE = re.compile(r"export default function|<style>|^(default-src|CREATE TABLE|SELECT) ")
TAG = re.compile(r"<[a-z/!][^>]*>")
QUOTED = re.compile(r"`[^`]*`")
FIELD = "x"  # stands for a value in an f-string
SPOKEN = re.compile(r"(^|_)(sentences|wording)\.py$")  # of findings, which pages show
PAPERS = {"pairwise_prompt.py"}  # prompts as the papers print them
WORD_LISTS = {"counting.py", "word_contexts.py"}


def text_of(node: ast.AST) -> str:
    """Return the text of a string, with FIELD for each value in it; empty for anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) if isinstance(part, ast.Constant) else FIELD for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def names_of(node: ast.keyword | ast.Assign) -> list[str]:
    """Return the names that a value is given to."""
    return [str(node.arg)] if isinstance(node, ast.keyword) else [getattr(one, "id", "") for one in node.targets]


def names_tooltip(name: str) -> bool:
    return name in ("help", "tooltip") or name.endswith("HELP")


def texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line, text and whether it is a tooltip, for each string that is neither docstring nor part of one."""
    tree = ast.parse(source)
    skipped, tooltips = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            skipped |= set(map(id, node.values))
        elif isinstance(node, (ast.keyword, ast.Assign)) and any(map(names_tooltip, names_of(node))):
            tooltips |= set(map(id, ast.walk(node.value)))
    for node in ast.walk(tree):
        text = text_of(node) if id(node) not in skipped else ""
        if text and not CODE.search(text):
            yield node.lineno, text, id(node) in tooltips


def long_sentences(text: str, most: int) -> list[str]:
    """Return the sentences of more than `most` words. A mark, a number and a dash alone are not words."""
    plain = TAG.sub(" ", QUOTED.sub(FIELD, text))
    return [part for part in END.split(plain) if sum(bool(re.search(r"\w", word)) for word in part.split()) > most]


def too_long(path: Path, most: int) -> list[str]:
    """Return the overlong sentences of a file with their lines; tooltips may have NOTE words."""
    found = texts(path.read_text(encoding="utf-8"))
    return [
        f"{path.name}:{line}: {part}"
        for line, text, is_tooltip in found
        for part in long_sentences(text, NOTE if is_tooltip else most)
    ]


def files() -> Iterator[tuple[Path, int]]:
    """Yield each file with the words that a sentence in it may have; the command line has its own tests."""
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0]
        if room != "cli" and path.name not in PAPERS | WORD_LISTS:
            yield path, UI if room == "ui" or SPOKEN.search(path.name) else NOTE


@pytest.mark.parametrize(("path", "most"), list(files()), ids=lambda value: getattr(value, "name", str(value)))
def test_sentences_are_short(path: Path, most: int) -> None:
    assert not too_long(path, most)


def test_a_long_sentence_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    words = "word " * UI
    path.write_text(
        f'"""{words * 3}"""\nst.write(f"{words}{{x}} end. Short.", help="{words}one more.")\nHELP = "{words * 3}"\n'
    )
    assert {line.partition(": ")[0] for line in too_long(path, UI)} == {"page.py:2", "page.py:3"}
    assert len(too_long(path, NOTE)) == 1
