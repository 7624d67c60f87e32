"""Rules of language that a test can check: how docstrings begin, verbs of speech, and bare participles as names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "fairviz"
PAGES = [*sorted((ROOT.parent / "pages").glob("*.py")), ROOT.parent / "app.py"]
FILES = sorted(ROOT.rglob("*.py"))
ROOMS_OF_NOUNS = [
    "annotation", "cli", "datasets", "home", "models", "output", "rankers", "scoring", "study", "ui", "words",
]  # fmt: skip
QUESTION = re.compile(r"(What|Who|Whose|Whom|How|Where|When|Which|Whether)\b")
SPEECH = re.compile(
    r"\b(says|tells?|told|hears?|heard|knows?|asks|asked|stands?|stood|lies?|speaks?|goes on|go on)\b", re.IGNORECASE
)
QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|'[^']*'|>>>.*|\b\w+(?=[:(])")
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


def assigned(path: Path) -> set[str]:
    """Return the bare participles that a file assigns a value to."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} & PARTICIPLES


def local_participles(path: Path) -> set[str]:
    """Return the bare participles that functions of a file assign a value to, outside comprehensions, with lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    targets = {
        id(name) for node in ast.walk(tree) if isinstance(node, ast.comprehension) for name in ast.walk(node.target)
    }
    variables = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.Name)]
    return {
        f"{path.relative_to(path.parents[1])}:{name.lineno} {name.id}"
        for name in variables
        if isinstance(name.ctx, ast.Store) and name.id in PARTICIPLES and id(name) not in targets
    }


def spoken(text: str) -> list[str]:
    """Return the verbs of speech in a docstring, outside quotations, examples and names of parameters."""
    return SPEECH.findall(QUOTED.sub("", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_and_names_follow_the_rules(path: Path) -> None:
    for name, text in documented(path):
        assert not QUESTION.match(text), f"{name} begins with a question word: {text[:60]}"
        assert not spoken(text), f"{name} lets a thing speak: {spoken(text)}"
    assert not [name for name in names(path) if name not in EXCEPTIONS]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_variables_of_a_page_are_nouns(path: Path) -> None:
    assert assigned(path) == set()


@pytest.mark.parametrize("room", ROOMS_OF_NOUNS)
def test_variables_of_a_room_are_nouns(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    assert set().union(*map(local_participles, files)) == set()


def test_modules_outside_the_rooms_have_nouns_too() -> None:
    assert set().union(*map(local_participles, ROOT.glob("*.py"))) == set()


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


def test_a_participle_is_noticed_in_functions_outside_comprehensions(tmp_path: Path) -> None:
    path = tmp_path / "room" / "broken.py"
    path.parent.mkdir()
    path.write_text(
        "class Deck:\n    found: int\n\n    def read(self):\n        for held, rows in []:\n            pass\n"
        "        known = [said for said in rows]\n        if any((seen := row) for row in known):\n"
        "            return lambda: [[told for told in asked] for asked in known]\n"
    )
    assert local_participles(path) == {"room/broken.py:5 held", "room/broken.py:7 known", "room/broken.py:8 seen"}
