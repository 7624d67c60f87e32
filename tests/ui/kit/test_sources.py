"""Read off the syntax trees: no callback and no fragment of a page is left without a boundary, every term of a tooltip
is in the glossary, and no definition is typed a second time. The glossary is one source for tooltips and manual."""

import ast
import importlib
import re
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

import pytest

from fairviz.analyses import ANALYSES
from fairviz.evaluation.settings import CHOICES
from fairviz.ui.kit import boundary, glossary
from fairviz.ui.kit.glossary import COLUMNS, CONTROLS, TERMS
from tests.conftest import ROOT
from tests.test_architecture import PAGES, tree_of

UI = sorted((ROOT / "fairviz" / "ui").rglob("*.py"))
# The dialog of the boundary passes on a callback that its caller has guarded.
GUARDED = [path for path in (*UI, *PAGES, ROOT / "app.py") if path != Path(boundary.__file__)]
CALLBACKS = ("on_click", "on_change", "on_select", "on_submit", "on_dismiss")
BUILT_IN = {"ignore", "rerun"}  # Streamlit's own, which call nothing of ours


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def guarded_names(path: Path) -> set[str]:
    """The variables of the file whose every value is guarded."""
    guarded: dict[str, bool] = {}
    for node in nodes(path):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                guarded[target.id] = guarded.get(target.id, True) and is_guarded(node.value)
    return {name for name, is_sound in guarded.items() if is_sound}


def is_guarded(value: ast.expr, names: Collection[str] = ()) -> bool:
    if isinstance(value, ast.Constant):
        return value.value in BUILT_IN
    if isinstance(value, ast.Name):
        return value.id in names
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "guarded"


def test_every_callback_and_every_fragment_has_a_boundary() -> None:
    """Only fairviz.ui.kit.boundary names Streamlit's own fragment and dialog; who else wants one takes ours."""
    count, bare = 0, []
    for path in GUARDED:
        calls = [node for node in nodes(path) if isinstance(node, ast.Call)]
        given = [word for call in calls for word in call.keywords if word.arg in CALLBACKS]
        names = guarded_names(path) if given else set()
        count += len(given)
        bare += [f"{path.name}: {ast.unparse(word)}" for word in given if not is_guarded(word.value, names)]
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and node.attr in ("fragment", "dialog"):
                assert ast.unparse(node.value) != "st", path
    assert count > 25
    assert bare == []


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


# Of every definition its sentences of more than four words.
SENTENCES = [
    (name, sentence)
    for name, text in TERMS.items()
    for sentence in map(plain, re.split(r"(?<=[.;])\s", text))
    if len(sentence.split()) > 4
]


def copied(nodes: Collection[ast.AST]) -> list[str]:
    """The terms of whose definition a source contains such a sentence."""
    strings = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    texts = plain(" | ".join(strings))
    return [name for name, sentence in SENTENCES if sentence in texts]


def test_definitions_are_sorted_sentences_that_differ_and_are_plain_in_both_kinds_of_markdown():
    assert list(TERMS) == sorted(TERMS, key=str.lower)
    assert len({plain(text) for text in TERMS.values()}) == len(TERMS)
    for name, text in TERMS.items():
        assert text[0].isupper() or text[0] == "`", name
        assert text.endswith("."), name
        outside_code = re.sub(r"`[^`]+`", "", text)
        assert not set(outside_code) & set("`*_[]<>#~$|\\"), name


def test_every_term_exists_and_no_definition_is_typed_again():
    of_analyses = {one.term for analysis in ANALYSES.values() for one in analysis.controls if one.term}
    used = {*CONTROLS.values(), *COLUMNS.values(), *of_analyses}
    assert of_analyses
    assert used <= set(TERMS)
    assert set(CONTROLS) <= set(CHOICES)
    assert all(CHOICES[name].control or name == "position_bias" for name in CONTROLS)
    for path in UI:
        if path == Path(glossary.__file__):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "term":
                (argument,) = node.args
                if ast.unparse(argument) == "one.term":  # of the controls of analyses' records
                    continue
                assert isinstance(argument, ast.Constant), f"{path}:{node.lineno}: a term is named as a literal"
                assert argument.value in TERMS, f"{path}:{node.lineno}: {argument.value!r}"
                used.add(argument.value)
        assert copied(nodes(path)) == [], path
    assert len(used) >= 25, "tooltips have few terms"
    again = ast.parse(f'help = "{TERMS["coverage"]} Beside every figure."')
    assert copied([*ast.walk(again)]) == ["coverage"], "a copy is noticed"
    with pytest.raises(KeyError):
        glossary.term("no such term")


def test_the_glossary_of_the_manual_is_made_of_the_source(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "extensions"), *sys.path])
    page = importlib.import_module("glossary_pages").pages()["glossary.md"]
    entries = re.search(r"```\{glossary\}\n(.*)```", page, flags=re.DOTALL)[1]
    assert dict(re.findall(r"^(\S.*)\n  (.+)$", entries, flags=re.MULTILINE)) == dict(TERMS)
    assert not (ROOT / "docs" / "reference" / "glossary.md").exists()
