"""The tests of the rooms that hold given files: what `make check` runs for a change, and `make mutants` for a break.

`python -m tests.rooms [OPTIONS OF PYTEST]` runs the tests nearest to the files that changed against the main branch.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
# Where the tests of a folder or file lie that is no room of the package with tests under its own name. The longest
# beginning of a path counts.
ELSEWHERE = {
    "fairviz": (),  # its files outside rooms: the tests that name them
    "fairviz/__init__.py": ("tests/test_public.py", "tests/test_public_docstrings.py", "tests/test_private.py"),
    "fairviz/__main__.py": ("tests/test_interrupts.py", "tests/cli/test_processes.py"),
    "fairviz/installed.py": ("tests/test_packaged_files.py", "tests/test_faulty_packages.py"),
    "fairviz/evaluation/check_function.py": ("tests/test_own_file.py", "tests/evaluation"),
    "fairviz/statistics/simultaneous.py": ("tests/statistics", "tests/comparison/test_compare.py"),
    "fairviz/datasets/additions.py": ("tests/datasets", "tests/checks/test_claim.py"),
    "fairviz/study/study.py": ("tests/study", "tests/datasets/test_open_study.py", "tests/evaluation/test_draws.py"),
    "fairviz/models/replies.py": ("tests/models", "tests/annotation/annotators/test_reading.py"),
    "fairviz/measures/adopted.py": ("tests/test_faulty_packages.py", "tests/measures"),
    "fairviz/measures": ("tests/measures", "tests/orders"),  # which ends of ties and of all orders are exact
    "fairviz/figures": ("tests/figures", "tests/plot", "tests/output/test_report.py"),
    "fairviz/lenskit.py": ("tests/test_public.py",),
    "fairviz/analyses/views.py": ("tests/ui/test_analyses.py", "tests/analyses"),
    "fairviz/ui/state/streamlit_internals.py": ("tests/ui", "tests/extensions/server/test_routes.py", "tests/pages"),
    "fairviz/plot": ("tests/plot", "tests/figures"),
    "fairviz/models/sentence_encoder.py": (
        "tests/models",
        "tests/extensions/finetuning",
        "tests/rankers/test_encoders.py",
    ),
    "fairviz/ui": ("tests/ui", "tests/pages"),
    "app.py": ("tests/pages",),
    "pages": ("tests/pages",),
    "data": ("tests/datasets", "tests/test_packaged_files.py"),
    "deploy": ("tests/serving",),
    "docs": ("tests/docs",),
    "README.md": ("tests/docs",),
    "CITATION.cff": ("tests/test_citation.py",),
    "Makefile": ("tests/test_make.py", "tests/test_stages.py"),
    ".ci": ("tests/test_make.py", "tests/test_requirements.py"),
    "requirements.txt": ("tests/test_requirements.py",),
    "pyproject.toml": ("tests/test_requirements.py", "tests/test_architecture.py"),
}


FAR = 3  # how far the tests are that only share the room


def tests_of(paths: Iterable[str | Path], root: Path = ROOT, near: bool = False) -> list[Path]:  # noqa: PT028
    """The test files for files that were changed or broken, nearest first, each once. All paths are relative to root;
    a path need not exist any more, and one that no test is about adds none.

    Nearest is the test that has the file's name; then the tests that name it, of its room or, where none there does,
    of any; those of its part of the room (tests/ROOM/PART/.., tests/pages/test_PART.py); and the others of the room;
    near: these only for a file that has no nearer ones. A test is its own test, and a file that tests share brings the
    tests that name it, a conftest.py those of its folder.

    >>> [path.as_posix() for path in tests_of(["fairviz/figures/frame.py"])][0]
    'tests/figures/test_frame.py'
    """
    texts = _texts(root)
    ranks: dict[Path, int] = {}
    for path in paths:
        found = _ranked(PurePosixPath(path), texts)
        for test, rank in found.items():
            if not near or rank < FAR or min(found.values()) == FAR:
                ranks[test] = min(rank, ranks.get(test, rank))
    return sorted(ranks, key=lambda test: (ranks[test], test))


@cache
def _texts(root: Path) -> dict[Path, str]:
    """The test files by their paths relative to root."""
    return {path.relative_to(root): path.read_text(encoding="utf-8") for path in (root / "tests").rglob("test_*.py")}


def _ranked(path: PurePosixPath, texts: dict[Path, str]) -> dict[Path, int]:
    """Each test of a file with its distance, 0 to FAR."""
    if path.parts[0] == "tests" and path.name == "conftest.py":
        return dict.fromkeys((test for test in texts if test.is_relative_to(path.parent)), FAR)
    if Path(path) in texts:
        return {Path(path): 0}
    rooms = _rooms(path)
    inside = [test for test in texts if any(test.is_relative_to(room) for room in rooms)]
    everywhere = {test for test in texts if path.suffix == ".py" and _names(path, texts[test])}
    named = everywhere.intersection(inside) or everywhere
    if rooms:
        inside += named.difference(inside)
    else:
        own = [test for test in texts if len(test.parts) == 2]  # beside the rooms, as the file is
        inside = [test for test in own if test in named or test.stem == f"test_{path.stem}"] or list(named)
    stem = path.parent.name if path.stem == "__init__" else path.stem
    parts = set(path.parent.parts[2:]) - set(rooms[0].parts if rooms else ())
    ranks = {}
    for test in inside:
        names = {*test.parent.parts, test.stem.removeprefix("test_")}
        nearness = [test.stem == f"test_{stem}", test in named, bool(parts & names), True]
        ranks[test] = nearness.index(True)
    return ranks


def _rooms(path: PurePosixPath) -> list[PurePosixPath]:
    """Folders and files of the tests of a file; none for one outside every room."""
    if path.parts[0] == "tests":
        return []
    for begin in (path, *path.parents):
        if begin.as_posix() in ELSEWHERE:
            found = [PurePosixPath(room) for room in ELSEWHERE[begin.as_posix()]]
            break
    else:
        return []
    if found or len(path.parts) < 3:
        return found
    depth = 3 if path.parts[1] == "extensions" and len(path.parts) > 3 else 2
    return [PurePosixPath("tests", *path.parts[1:depth])]


def _names(path: PurePosixPath, text: str) -> bool:
    """True where a text has a module's dotted name, or imports it from its folder."""
    module = path.parent if path.stem == "__init__" else path.with_suffix("")
    if module.name not in text or ".".join(module.parent.parts) not in text:
        return False
    folder = r"\.".join(map(re.escape, module.parent.parts))
    taken = rf"|from {folder} import (\([^)]*|.*)\b{module.name}\b" if folder else ""
    dotted = rf"\b{folder}\.{module.name}\b" if folder else rf"\b{path.name}\b"
    return re.search(dotted + taken, text) is not None


def base(root: Path = ROOT) -> tuple[str, str]:
    """The name of the branch that a change is measured against, `origin/main`, or `main` where there is no origin, and
    the last revision shared with it; HEAD and its own where there is neither."""
    shared = ((name, _git(root, "merge-base", "HEAD", name)) for name in ("origin/main", "main", "HEAD"))
    return next((name, found[0]) for name, found in shared if found)


def changed(root: Path = ROOT) -> list[str]:
    """The files that differ from the base, and those that git would add."""
    _, revision = base(root)
    return _git(root, "diff", "--name-only", revision) + _git(root, "ls-files", "--others", "--exclude-standard")


def _git(root: Path, *command: str) -> list[str]:
    """The lines that git prints; none where it fails."""
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True)
    return done.stdout.splitlines()


def main(options: Sequence[str]) -> None:
    """Replace this process by pytest, or end with one line if nothing changed that tests are about."""
    paths, (name, revision) = changed(), base()
    found = [path for path in tests_of(paths, near=True) if (ROOT / path).exists()]
    sys.stdout.write(f"Against {name} at {revision[:8]}: files changed: {len(paths)}, test files: {len(found)}.\n")
    sys.stdout.flush()
    if found:
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *map(str, found), *options])


if __name__ == "__main__":
    main(sys.argv[1:])
