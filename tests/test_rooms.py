"""A file brings the tests of its room, nearest first."""

import subprocess
from pathlib import Path

import pytest

from tests import rooms

TREE = {
    "tests/conftest.py": "",
    "tests/reference.py": "",
    "tests/test_files.py": "",
    "tests/test_errors.py": "from fairviz.errors import FairvizError",
    "tests/study/test_ids.py": "from fairviz.errors import FairvizError\nfrom tests import reference",
    "tests/analyses/test_running.py": "",
    "tests/analyses/what_if/test_swaps.py": "from fairviz.analyses.running import run",
    "tests/analyses/what_if/test_drawn.py": "from fairviz.analyses.what_if import (\n    drawing,\n)",
    "tests/extensions/tracks/test_gfr.py": "",
    "tests/extensions/server/test_page.py": "",
    "tests/figures/test_axes.py": "",
    "tests/plot/test_plot.py": "from fairviz.study import drawn",
    "tests/ui/test_query.py": "",
    "tests/ui/kit/test_pick.py": "",
    "tests/pages/test_what_if.py": "",
    "tests/docs/test_commands.py": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("fairviz/figures/axes.py", ["figures/test_axes.py", "plot/test_plot.py"]),
        ("fairviz/plot/__init__.py", ["plot/test_plot.py", "figures/test_axes.py"]),
        (
            "fairviz/analyses/running.py",
            ["analyses/test_running.py", "analyses/what_if/test_swaps.py", "analyses/what_if/test_drawn.py"],
        ),
        (
            "fairviz/analyses/what_if/drawing.py",
            ["analyses/what_if/test_drawn.py", "analyses/what_if/test_swaps.py", "analyses/test_running.py"],
        ),
        ("fairviz/extensions/tracks/gfr.py", ["extensions/tracks/test_gfr.py"]),
        ("fairviz/extensions/server/ui/page.py", ["extensions/server/test_page.py"]),
        ("fairviz/ui/what_if/cards.py", ["pages/test_what_if.py", "ui/kit/test_pick.py", "ui/test_query.py"]),
        ("pages/what_if.py", ["pages/test_what_if.py"]),
        ("app.py", ["pages/test_what_if.py"]),
        ("fairviz/errors.py", ["test_errors.py"]),
        ("fairviz/files.py", ["test_files.py"]),
        ("fairviz/study/gone.py", ["study/test_ids.py"]),
        ("fairviz/study/drawn.py", ["plot/test_plot.py", "study/test_ids.py"]),
        ("tests/study/test_ids.py", ["study/test_ids.py"]),
        ("tests/reference.py", ["study/test_ids.py"]),
        ("tests/figures/conftest.py", ["figures/test_axes.py"]),
        ("docs/how-to/labels.md", ["docs/test_commands.py"]),
        ("README.md", ["docs/test_commands.py"]),
        ("LICENSE", []),
    ],
)
def test_the_tests_of_a_file(tree: Path, path: str, names: list[str]) -> None:
    assert rooms.tests_of([path], tree) == [Path("tests", name) for name in names]


def test_several_files_bring_each_test_once_and_the_nearest_first(tree: Path) -> None:
    found = rooms.tests_of(["fairviz/ui/what_if/cards.py", Path("pages/query.py"), "fairviz/ui/query/lists.py"], tree)
    assert found == [
        Path("tests", name) for name in ("pages/test_what_if.py", "ui/test_query.py", "ui/kit/test_pick.py")
    ]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("fairviz/analyses/running.py", ["analyses/test_running.py", "analyses/what_if/test_swaps.py"]),
        ("fairviz/ui/what_if/cards.py", ["pages/test_what_if.py"]),
        ("fairviz/ui/labelling/form.py", ["pages/test_what_if.py", "ui/kit/test_pick.py", "ui/test_query.py"]),
    ],
)
def test_near_tests_only_where_there_are_any(tree: Path, path: str, names: list[str]) -> None:
    assert rooms.tests_of([path], tree, near=True) == [Path("tests", name) for name in names]


def test_every_file_of_the_program_has_tests() -> None:
    found = [*(rooms.ROOT / "fairviz").rglob("*.py"), *(rooms.ROOT / "pages").glob("*.py")]
    folders = {path.parent: path.relative_to(rooms.ROOT) for path in found}
    single = [path.relative_to(rooms.ROOT) for path in (rooms.ROOT / "fairviz").glob("*.py")]
    assert [path for path in (*folders.values(), *single) if not rooms.tests_of([path])] == []


def git(folder: Path, *command: str) -> None:
    person = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *person, *command], cwd=folder, check=True, capture_output=True)


def test_what_changed_against_the_main_branch(tree: Path) -> None:
    """Committed on a branch, changed since, and new; not what main has."""
    git(tree, "init", "--initial-branch=main")
    git(tree, "add", ".")
    git(tree, "commit", "-m", "all")
    assert rooms.changed(tree) == []
    git(tree, "switch", "-c", "mine")
    (tree / "tests/test_files.py").write_text("1")
    git(tree, "commit", "-am", "files")
    (tree / "tests/test_errors.py").write_text("2")
    (tree / "tests/new.py").write_text("3")
    assert rooms.changed(tree) == ["tests/test_errors.py", "tests/test_files.py", "tests/new.py"]
    assert rooms.base(tree)[0] == "main"
    git(tree, "update-ref", "refs/remotes/origin/main", "mine")
    assert rooms.base(tree)[0] == "origin/main"
    assert rooms.changed(tree) == ["tests/test_errors.py", "tests/new.py"]


def test_nothing_changed_where_nothing_is_known_of_main(tree: Path) -> None:
    git(tree, "init", "--initial-branch=other")
    git(tree, "add", ".")
    git(tree, "commit", "-m", "all")
    assert rooms.changed(tree) == []
    assert rooms.base(tree)[0] == "HEAD"
