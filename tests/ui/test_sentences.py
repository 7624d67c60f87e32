"""Sentences are short: 15 words on a page, 30 in tooltips, method notes and everything else that a person can read."""

import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fairviz import open_study
from tests.pages.test_first_run import PAGES, first_run

PACKAGE = Path(__file__).parents[2] / "fairviz"
UI, NOTE = 15, 30  # words
END = re.compile(r"(?<=[.!?])\s+|\n")
CODE = re.compile(r"export default function|<style>|^(default-src|CREATE TABLE|SELECT) ")
TAG = re.compile(r"<[a-z/!][^>]*>")
QUOTED = re.compile(r"`[^`]*`")
FIELD = "x"  # stands for a value in an f-string
TOOLTIPS = {"glossary.py"}  # whose strings are tooltips
SPOKEN = re.compile(r"(^|_)(sentences|wording)\.py$")  # of findings, which pages show
PAPERS = {"pairwise_prompt.py"}  # prompts as the papers print them
WORD_LISTS = {"counting.py", "word_contexts.py"}
WIDGETS = ("markdown", "caption", "info", "warning", "error", "success", "title", "subheader")
BLOCK = re.compile(r"</?(p|div|li|dt|dd|h\d|ul|ol|dl|summary|details|label|button|br|section)\b[^>]*>")
HIDDEN = re.compile(r"<(style|script|table|svg|pre|code)\b.*?</\1>", re.DOTALL)
TEXT_OF_A_STUDY = re.compile(r'class="fv-(text|guideline|labels)')  # documents, guidelines, labels
DATA = re.compile(r"\([^()]*\)|\[[^\]]*\]|“[^”]*”")  # what brackets and quotation marks hold


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


def long_sentences(text: str, most: int, word: str = r"\w") -> list[str]:
    """Return the sentences of more than `most` words, each of which matches `word`: a dash alone is not one."""
    plain = TAG.sub("", QUOTED.sub(FIELD, text))
    return [part for part in END.split(plain) if sum(bool(re.search(word, each)) for each in part.split()) > most]


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
            is_page = (room == "ui" and path.name not in TOOLTIPS) or SPOKEN.search(path.name)
            yield path, UI if is_page else NOTE


@pytest.mark.parametrize(("path", "most"), list(files()), ids=lambda value: getattr(value, "name", str(value)))
def test_sentences_are_short(path: Path, most: int) -> None:
    assert not too_long(path, most)


def drawn(page: AppTest) -> Iterator[tuple[str, int]]:
    """Yield each text of a page and the words that a sentence in it may have: folded text is a method note.

    Left out: texts of a study, tables, and the drawers of tables, which repeat a figure's alt text.
    """
    study = open_study("newswire")
    popovers = [block for block in (*page.main, *page.sidebar) if block.type == "popover"]
    drawers = {id(one.proto) for block in popovers if block.proto.popover.label == "Table" for one in block.get("html")}
    folded = {id(one.proto) for block in (*popovers, *page.expander) for one in block.get("html")}
    for element in page.get("html"):
        body = element.proto.body
        if TEXT_OF_A_STUDY.search(body) or id(element.proto) in drawers:
            continue
        text = unescape(TAG.sub("", BLOCK.sub("\n", HIDDEN.sub("\n", body))))
        for own in (study.description, *study.notices):
            text = text.replace(own, "")
        yield text, NOTE if id(element.proto) in folded or body.startswith("<dl") else UI
    for kind in WIDGETS:
        yield from ((element.value, UI) for element in page.get(kind))
    for element in (*page.main, *page.sidebar):
        yield getattr(getattr(element, "proto", None), "help", ""), NOTE


@pytest.mark.parametrize("page", PAGES)
def test_sentences_are_short_as_they_are_drawn(page: str) -> None:
    """Numbers, and what brackets and quotation marks hold, are data, not words."""
    texts = list(drawn(first_run(page)))
    assert texts
    assert not [one for text, most in texts for one in long_sentences(DATA.sub("", text), most, r"[^\W\d]")]


def test_a_long_sentence_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    words = "word " * UI
    path.write_text(
        f'"""{words * 3}"""\nst.write(f"{words}{{x}} end. Short.", help="{words}one more.")\nHELP = "{words * 3}"\n'
    )
    assert {line.partition(": ")[0] for line in too_long(path, UI)} == {"page.py:2", "page.py:3"}
    assert len(too_long(path, NOTE)) == 1
