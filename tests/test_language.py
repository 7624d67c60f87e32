"""Rules of language that a test can check: how docstrings begin, verbs of speech, and bare participles as names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "fairviz"
FILES = sorted(ROOT.rglob("*.py"))
QUESTION = re.compile(r"(What|Who|Whose|Whom|How|Where|When|Which|Whether)\b")
SPEECH = re.compile(
    r"\b(says|tells?|told|hears?|heard|knows?|asks|asked|stands?|stood|lies?|speaks?|goes on|go on)\b", re.IGNORECASE
)
QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|'[^']*'|>>>.*|\b\w+(?= :|[:(])")
PARTICIPLES = {
    "found", "held", "told", "asked", "said", "shown", "drawn", "given", "known", "seen", "made", "kept", "there",
}  # fmt: skip
EXCEPTIONS = {  # public names, and names of the field
    "mapping.py robustness told",
    "work.py run told",
    "entries.py kept",
    "contributions.py known",
    "contrasts.py known",
    "deck.py asked",
    "grid.py asked",
    "computed_grid.py drawn",
}


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of everything in a file that has one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            text = ast.get_docstring(node)
            if text:
                yield f"{path.name} {getattr(node, 'name', '')}".strip(), text


def names(path: Path) -> Iterator[str]:
    """Yield functions, parameters and module-level variables whose name is a bare participle."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            if node.name.strip("_") in PARTICIPLES:
                yield f"{path.name} {node.name}"
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if argument.arg in PARTICIPLES:
                    yield f"{path.name} {node.name} {argument.arg}"
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Name) and target.id.strip("_").lower() in PARTICIPLES:
                yield f"{path.name} {target.id}"


def spoken(text: str) -> list[str]:
    """Return the verbs of speech in a docstring, outside quotations, examples and names of parameters."""
    return SPEECH.findall(QUOTED.sub("", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_and_names_follow_the_rules(path: Path) -> None:
    for name, text in documented(path):
        assert not QUESTION.match(text), f"{name} begins with a question word: {text[:60]}"
        assert not spoken(text), f"{name} lets a thing speak: {spoken(text)}"
    assert not [name for name in names(path) if name not in EXCEPTIONS]


def test_the_exceptions_are_few_and_in_use() -> None:
    in_use = {name for path in FILES for name in names(path)}
    assert in_use >= EXCEPTIONS
    assert len(EXCEPTIONS) <= 10


def test_what_breaks_a_rule_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text('"""What it does."""\nTOLD = 1\n\n\ndef found(held):\n    """Return `says`; it says so."""\n')
    assert [QUESTION.match(text) is not None for _, text in documented(path)] == [True, False]
    assert [spoken(text) for _, text in documented(path)] == [[], ["says"]]
    assert sorted(names(path)) == ["broken.py TOLD", "broken.py found", "broken.py found held"]
