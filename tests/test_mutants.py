"""`make mutants` breaks what runs, draws the same lines of two revisions, and prints what no test noticed."""

import json
import subprocess
from pathlib import Path
from queue import Queue

import pytest

from tests import mutants

SOURCE = '''"""Ends at 3, not 4."""
LOG = logging.getLogger("fairviz")
if TYPE_CHECKING:
    LIMIT = 1


@lru_cache(maxsize=2)
def first(values: Annotated[list, 5], largest: bool = False) -> str:
    """Greater than 6 and not 7."""
    LOG.info("read %d", 8)
    show(values, height=9)
    return f"{len(values) + 10} values" + "é"
'''


def broken(source: str) -> list[str]:
    """The lines that differ, each with what it became, in the order of the file."""
    text = source.encode()
    programs = [mutants.apply(text, change).decode().splitlines() for change in sorted(mutants.breaks(text))]
    return [new for lines in programs for old, new in zip(source.splitlines(), lines, strict=True) if new != old]


def test_only_what_runs_is_broken() -> None:
    assert broken(SOURCE) == [
        "def first(values: Annotated[list, 5], largest: bool = True) -> str:",
        "    pass",
    ]


@pytest.mark.parametrize(
    ("line", "breaks"),
    [
        ("a < b", ["a <= b", "a >= b"]),
        ("é = (a) >= (b)", ["é = (a) > (b)", "é = (a) < (b)"]),
        ("a is not b", ["a is b"]),
        ("a not in b", ["a in b"]),
        ("a and b", ["a or b"]),
        ("x = not a", ["x = a"]),
        ("x = -a", ["x = a"]),
        ("a + b", ["a - b"]),
        ("a += b", ["a -= b"]),
        ("a + 'text'", []),
        ("x = 0", ["x = -1", "x = 1"]),
        ("x = 3", ["x = 2", "x = 4"]),
        ("x = 0.5", ["x = 1.0", "x = 1.5"]),
        ("x = np.nanmax(a)", ["x = np.nanmin(a)"]),
        ("x = a if b else c", ["x = a if not (b) else c"]),
        ("x = [a for a in b if c]", ["x = [a for a in b if not (c)]"]),
        ("call(a)", ["pass"]),
    ],
)
def test_the_breaks_of_a_line(line: str, breaks: list[str]) -> None:
    assert sorted(broken(line)) == sorted(breaks)


def test_a_seed_draws_from_every_room_and_the_same_lines_of_a_changed_revision() -> None:
    rooms = {f"fairviz/{room}/a.py": "".join(f"{room}{n} = a + b{n}\n" for n in range(60)) for room in ("study", "ui")}
    before = {path: text.encode() for path, text in rooms.items()} | {"app.py": b"a = b + c\n"}
    after = before | {"fairviz/ui/a.py": b"import os\n\n" + before["fairviz/ui/a.py"]}  # the lines lie further down
    drawn, again = mutants.draw(before, 1, 21), mutants.draw(after, 1, 21)
    assert [(mutant.path, mutant.new) for mutant in drawn] == [(mutant.path, mutant.new) for mutant in again]
    assert sorted(mutant.room for mutant in drawn) == ["pages"] + ["study"] * 10 + ["ui"] * 10
    assert {mutant.new for mutant in drawn} != {mutant.new for mutant in mutants.draw(before, 2, 21)}


TREE = {
    "pyproject.toml": "[project]\nname = 'none'",
    "fairviz/__init__.py": "",
    "fairviz/figures/__init__.py": "",
    "fairviz/figures/ends.py": "def low(values):\n    return min(values)\n\ndef first(values):\n    return values[0]\n",
    "tests/figures/test_ends.py": "from fairviz.figures.ends import first, low\n"
    "def test_fails_always(): assert low([2, 3]) == 4\n"
    "def test_ends(): assert (low([1, 2]), first([5, 5])) == (1, 5)\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_no_test_noticed_is_printed(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that fails without a break, too, catches none; the files themselves stay as they are."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *command], cwd=tree, check=True)
    mutants.main(["--number", "2", "--json", str(tree / "found.json")], tree)
    rows = {row["line"]: row for row in json.loads((tree / "found.json").read_text())}
    assert {line: (row["outcome"], row["by"]) for line, row in rows.items()} == {
        2: ("caught", "tests/figures/test_ends.py::test_ends"),
        5: ("survived", ""),
    }
    printed = capsys.readouterr().out
    assert f"Not noticed\nfairviz/figures/ends.py:5\n  - return values[0]\n  + {rows[5]['new']}\n" in printed
    assert "\n  in all                       1 of   2   50%" in printed
    assert "Left out, as these fail without a break\ntests/figures/test_ends.py::test_fails_always\n" in printed
    assert {name: (tree / name).read_text() for name in TREE} == TREE


@pytest.mark.parametrize(("unbroken", "outcome"), [((0, ""), "timeout"), ((None, ""), "undecided")])
def test_a_break_that_never_ends_is_caught_where_the_tests_do(
    tree: Path, monkeypatch: pytest.MonkeyPatch, unbroken: tuple[int | None, str], outcome: str
) -> None:
    path = "fairviz/figures/ends.py"
    (mutant,) = mutants.draw({path: TREE[path].encode()}, 1, 1)
    monkeypatch.setattr(
        mutants.Trial, "run", lambda *_: unbroken if (tree / path).read_text() == TREE[path] else (None, "")
    )
    assert mutants.Trial(Queue(), 900).attempt(mutant, tree, ["tests"]).outcome == outcome


def test_a_test_that_fails_anyway_is_left_out_also_where_another_break_found_it_meanwhile(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial, failing = mutants.Trial(Queue(), 900), "tests/figures/test_ends.py::test_fails_always"

    def run(_: mutants.Trial, __: Path, arguments: list[str]) -> tuple[int, str]:
        trial.passing[failing] = False
        return (0, "") if f"--deselect={failing}" in arguments else (1, f"FAILED {failing} - 2 == 4")

    monkeypatch.setattr(mutants.Trial, "run", run)
    path = "fairviz/figures/ends.py"
    (mutant,) = mutants.draw({path: TREE[path].encode()}, 1, 1)
    assert trial.attempt(mutant, tree, ["tests"]).outcome == "survived"
