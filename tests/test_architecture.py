"""The direction of imports, and the rules a page keeps: read off the syntax tree, not off a promise."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TIERS = (
    {"errors", "files", "home", "interrupts", "number_texts", "private"},
    {"words", "statistics"},
    {"study"},
    {"models"},
    {"measures", "annotation", "rankers"},
    {"datasets", "evaluation", "figures"},
    {
        "validity",
        "effects",
        "inspection",
        "laboratory",
        "plot",
        "capsule",
        "report",
        "combinations",
        "counterfactuals",
        "labelling",
        "audits",
        "mending",
        "steering",
    },
    {"ui", "cli"},
)
TIER = {name: level for level, names in enumerate(TIERS) for name in names}
UI_TIERS = ({"kit", "state"}, {"kept"}, {"live"}, {"shell"})  # a page's own folder stands above them
UI_TIER = {name: level for level, names in enumerate(UI_TIERS) for name in names}
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


def room(parts: tuple[str, ...]) -> str:
    """The room of a module: `measures`, and within the interface `ui.kit`."""
    return ".".join(parts[:2]) if parts[0] == "ui" and len(parts) > 1 else parts[0]


def neighbours() -> dict[str, set[str]]:
    """Which rooms each room imports, itself left out."""
    found: dict[str, set[str]] = {}
    for path in MODULES:
        inside = path.relative_to(ROOT / "fairviz").with_suffix("").parts
        here = room(inside)
        for name in imported(path):
            parts = tuple(name.split("."))
            if parts[0] == "fairviz" and len(parts) > 1 and parts[1] in TIER and room(parts[1:]) != here:
                found.setdefault(here, set()).add(room(parts[1:]))
    return found


def test_the_rooms_of_the_interface_stand_in_order() -> None:
    for here, others in neighbours().items():
        if here.startswith("ui."):
            level = UI_TIER.get(here[3:], len(UI_TIERS))
            above = {name for name in others if name.startswith("ui.") and UI_TIER.get(name[3:], len(UI_TIERS)) > level}
            assert not above, f"{here} imports {above}, which stands above it"


def test_no_circle_between_rooms() -> None:
    """Also not within one tier: two rooms that import one another are one room."""
    graphlib.TopologicalSorter(neighbours()).prepare()


def test_a_circle_would_be_found() -> None:
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(neighbours() | {"measures": {"annotation"}, "annotation": {"measures"}}).prepare()


PACKAGES = [path for path in MODULES if path.name == "__init__.py" and path.parent != ROOT / "fairviz"]


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_a_room_says_what_it_is_for_and_what_it_may_import(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert "May import" in said


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
