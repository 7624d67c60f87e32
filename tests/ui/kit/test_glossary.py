"""The glossary: one source for tooltips and manual, short and sorted, and no definition typed a second time."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairviz.analyses import ANALYSES
from fairviz.evaluation.settings import CHOICES
from fairviz.ui.kit import glossary
from fairviz.ui.kit.glossary import COLUMNS, CONTROLS, TERMS

ROOT = Path(__file__).parents[3]
UI = ROOT / "fairviz" / "ui"
SOURCE = Path(glossary.__file__)
OF_CONTROLS = "one.term"  # of the controls of analyses' records, which a test of their own reads
FILES = [path for path in sorted(UI.rglob("*.py")) if path != SOURCE]


def requested(tree: ast.AST) -> Iterator[ast.expr]:
    """The arguments of every call of `term`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "term":
            yield node.args[0]


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


def strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield plain(node.value)


def copied(source: str) -> list[str]:
    """The terms whose definition, or a sentence of it of more than four words, a source contains."""
    texts = " | ".join(strings(ast.parse(source)))
    sentences = ((name, plain(part)) for name, text in TERMS.items() for part in re.split(r"(?<=[.;])\s", text))
    return [name for name, sentence in sentences if len(sentence.split()) > 4 and sentence in texts]


def test_terms_are_sorted_and_definitions_are_sentences():
    assert list(TERMS) == sorted(TERMS, key=str.lower)
    for name, text in TERMS.items():
        assert text[0].isupper() or text[0] == "`", name
        assert text.endswith("."), name


def test_definitions_are_plain_in_both_kinds_of_markdown():
    for name, text in TERMS.items():
        outside_code = re.sub(r"`[^`]+`", "", text)
        assert not set(outside_code) & set("`*_[]<>#~$|\\"), name


def test_definitions_differ():
    assert len({plain(text) for text in TERMS.values()}) == len(TERMS)


def test_every_term_exists_and_no_definition_is_typed_again():
    used = {*CONTROLS.values(), *COLUMNS.values()}
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        for argument in requested(ast.parse(source)):
            if ast.unparse(argument) == OF_CONTROLS:
                continue
            assert isinstance(argument, ast.Constant), f"{path}:{argument.lineno}: a term is named as a literal"
            assert argument.value in TERMS, f"{path}:{argument.lineno}: {argument.value!r}"
            used.add(argument.value)
        assert copied(source) == [], path
    assert len(used) >= 25, "tooltips have few terms"


def test_every_term_of_an_analysis_exists():
    named = {one.term for analysis in ANALYSES.values() for one in analysis.controls if one.term}
    assert named
    assert named <= set(TERMS)


def test_a_copy_and_an_unknown_term_are_noticed():
    assert copied(f'help = "{TERMS["coverage"]} Beside every figure."') == ["coverage"]
    assert copied('help = "The smallest difference"') == []
    assert [argument.value for argument in requested(ast.parse('f(help=term("no such term"))'))] == ["no such term"]
    with pytest.raises(KeyError):
        glossary.term("no such term")


def test_controls_are_settings_and_their_terms_and_those_of_columns_exist():
    assert set(CONTROLS) <= set(CHOICES)
    assert {*CONTROLS.values(), *COLUMNS.values()} <= set(TERMS)
    assert all(CHOICES[name].control or name == "position_bias" for name in CONTROLS)


def test_the_glossary_of_the_manual_is_made_of_the_source(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "extensions"), *sys.path])
    page = importlib.import_module("glossary_pages").pages()["glossary.md"]
    entries = re.search(r"```\{glossary\}\n(.*)```", page, flags=re.DOTALL)[1]
    assert dict(re.findall(r"^(\S.*)\n  (.+)$", entries, flags=re.MULTILINE)) == dict(TERMS)
    assert not (ROOT / "docs" / "reference" / "glossary.md").exists()
