"""The glossary: one source for tooltips and manual, short and sorted, and no definition typed a second time."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from fairviz.analyses import ANALYSES
from fairviz.evaluation.settings import CHOICES
from fairviz.ui.kit import glossary
from fairviz.ui.kit.glossary import COLUMNS, CONTROLS, TERMS

ROOT = Path(__file__).parents[3]
UI = ROOT / "fairviz" / "ui"
SOURCE = Path(glossary.__file__)
FILES = [path for path in sorted(UI.rglob("*.py")) if path != SOURCE]


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


# Of every definition its sentences of more than four words.
SENTENCES = [
    (name, sentence)
    for name, text in TERMS.items()
    for sentence in map(plain, re.split(r"(?<=[.;])\s", text))
    if len(sentence.split()) > 4
]


def copied(tree: ast.Module) -> list[str]:
    """The terms of whose definition a source contains such a sentence."""
    strings = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    texts = " | ".join(map(plain, strings))
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
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "term":
                (argument,) = node.args
                if ast.unparse(argument) == "one.term":  # of the controls of analyses' records
                    continue
                assert isinstance(argument, ast.Constant), f"{path}:{node.lineno}: a term is named as a literal"
                assert argument.value in TERMS, f"{path}:{node.lineno}: {argument.value!r}"
                used.add(argument.value)
        assert copied(tree) == [], path
    assert len(used) >= 25, "tooltips have few terms"
    assert copied(ast.parse(f'help = "{TERMS["coverage"]} Beside every figure."')) == ["coverage"], "a copy is noticed"
    with pytest.raises(KeyError):
        glossary.term("no such term")


def test_the_glossary_of_the_manual_is_made_of_the_source(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "extensions"), *sys.path])
    page = importlib.import_module("glossary_pages").pages()["glossary.md"]
    entries = re.search(r"```\{glossary\}\n(.*)```", page, flags=re.DOTALL)[1]
    assert dict(re.findall(r"^(\S.*)\n  (.+)$", entries, flags=re.MULTILINE)) == dict(TERMS)
    assert not (ROOT / "docs" / "reference" / "glossary.md").exists()
