"""Run tests on copies of the program: the core without its extensions, or each extension beside the core.

`python -m tests.alone core [OPTIONS OF PYTEST]` runs the tests of the core in a copy without `fairviz/extensions` and
their tests: one that needs an extension fails there. `python -m tests.alone extensions [OPTIONS]` runs the tests of
each extension in a copy where it is the only one.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

from fairviz.installed import EXTENSIONS, OWN, extension_of
from tests.conftest import ROOT, published_files

ENTRIES = [entry for entry in distribution(OWN).entry_points if entry.value.startswith(EXTENSIONS)]
NAMES = sorted({extension_of(entry) for entry in ENTRIES})
NO_TESTS = 5  # pytest's status where no test was selected


def copied(folder: Path, *kept: str) -> Path:
    """Copy what git knows, or would add, into the folder; of the extensions those of these names."""
    for name in tracked():
        top, *parts = Path(name).parts
        of_extension = top in ("fairviz", "tests") and parts[:1] == ["extensions"]
        is_kept = not of_extension or parts[1] in kept or (kept and parts[1] == "__init__.py")
        if is_kept and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def tracked() -> list[str]:
    """The files of the repository that git knows, or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name]


def variables(copy: Path) -> dict[str, str]:
    """The environment of a process that reads the copy, with the files of publications."""
    published = published_files()
    files = {"FAIRVIZ_TEST_DATA": str(published)} if published else {}
    return {**os.environ, **files, "PYTHONPATH": str(copy)}


def run_pytest(copy: Path, *arguments: str) -> int:
    """Run pytest on the copy, and return its status; Ctrl-C is for pytest, which reports and ends."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.once", "-p", "no:cacheprovider", *arguments]
    subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)
    subprocess.run(["git", "add", "--all"], cwd=copy, check=True)
    process = subprocess.Popen(command, cwd=copy, env=variables(copy))
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        return process.wait()


def main(kind: str, options: Sequence[str]) -> int:
    """Return 1 if any test failed."""
    statuses = []
    for kept in [()] if kind == "core" else [(name,) for name in NAMES]:
        with TemporaryDirectory(prefix="fairviz-") as folder:
            places = [f"tests/extensions/{name}" for name in kept] or ["tests"]
            statuses.append(run_pytest(copied(Path(folder), *kept), *places, *options))
    return int(any(status not in (0, NO_TESTS) for status in statuses))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
