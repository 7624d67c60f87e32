"""The direction of imports, and the rules a page keeps: read off the syntax tree, not off a promise."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TIERS = (
    {"errors", "home"},
    {"words"},
    {"study"},
    {"models"},
    {"measures", "annotation", "rankers"},
    {"datasets", "evaluation", "figures"},
    {"validity", "effects", "inspection", "plot"},
    {"ui", "cli"},
)
TIER = {name: level for level, names in enumerate(TIERS) for name in names}
MODULES = sorted((ROOT / "fairviz").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))


def imported(path: Path) -> set[str]:
    """Every module that the file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def unit(path: Path) -> str:
    return path.relative_to(ROOT / "fairviz").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    if unit(path) in ("__init__", "__main__"):
        return
    assert unit(path) in TIER, f"{unit(path)} has no tier: add it to TIERS"
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "fairviz" and len(parts) > 1 and parts[1] in TIER:
            assert TIER[parts[1]] <= TIER[unit(path)], f"{path.name} imports {name}, which stands above it"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_only_the_interface_imports_streamlit(path: Path) -> None:
    if unit(path) != "ui":
        assert not {name for name in imported(path) if name.split(".")[0] == "streamlit"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_layout(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a page opens with the question it answers"
    defined = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    assert not defined
    assert not {name for name in imported(path) if name.split(".")[0] in ("pandas", "numpy")}
    assert len(path.read_text(encoding="utf-8").splitlines()) < 120


@pytest.mark.parametrize("path", [*MODULES, *PAGES, ROOT / "app.py"], ids=lambda path: path.name)
def test_a_module_is_one_thing(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_there_are_pages_to_look_at() -> None:
    assert PAGES
    assert len(MODULES) > 30


def test_importing_fairviz_is_cheap() -> None:
    code = "import sys, fairviz; print(sorted({'numpy', 'pandas', 'streamlit', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
