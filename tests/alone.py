"""Run tests on copies of the program: the core without its extensions, or each extension beside the core.

`python -m tests.alone core [OPTIONS OF PYTEST]` runs the tests of the core in a copy without `fairviz/extensions` and
their tests: one that needs an extension fails there. `python -m tests.alone extensions [OPTIONS]` runs the tests of
each extension in a copy where it is the only one, as many at once as there are cores.
"""

import compileall
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import get_ident

from fairviz.installed import EXTENSIONS, OWN, extension_of
from tests.conftest import ROOT, published_files

ENTRIES = [entry for entry in distribution(OWN).entry_points if entry.value.startswith(EXTENSIONS)]
NAMES = sorted({extension_of(entry) for entry in ENTRIES})
NO_TESTS = 5  # pytest's status where no test was selected


def copied(folder: Path, *kept: str) -> Path:
    """Copy what git knows, or would add, into the folder, with what Python has compiled; of the extensions those of
    these names."""
    for name in tracked():
        top, *parts = Path(name).parts
        of_extension = top in ("fairviz", "tests") and parts[:1] == ["extensions"]
        is_kept = not of_extension or parts[1] in kept or (kept and parts[1] == "__init__.py")
        if is_kept and (ROOT / name).is_file():
            for file in [ROOT / name, *compiled(ROOT / name)]:
                place = folder / file.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, place)
    return folder


def compiled(file: Path) -> Iterable[Path]:
    """Return the files that Python, pytest and numba made of a module, which hold for a copy of its size and time."""
    return file.parent.glob(f"__pycache__/{file.stem}.*") if file.suffix == ".py" else ()


def keep_compiled(copy: Path) -> None:
    """Take over what Python and pytest compiled in a copy: the stages that follow, and the next run, need not again.
    They read it only where it is of the same source."""
    for file in copy.glob("**/__pycache__/*.pyc"):
        place = ROOT / file.relative_to(copy)
        if not place.exists() or place.stat().st_mtime < file.stat().st_mtime:
            place.parent.mkdir(parents=True, exist_ok=True)
            part = place.with_name(f"{place.name}.{os.getpid()}-{get_ident()}")
            shutil.copy2(file, part)
            part.replace(place)  # whole for whoever reads it meanwhile


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


@dataclass
class Alone:
    """Runs of pytest on copies, each a process."""

    options: Sequence[str]
    processes: list[subprocess.Popen] = field(default_factory=list)

    def run(self, kept: Sequence[str]) -> tuple[int, str]:
        """Run the tests of these extensions beside the core, or those of the core, and return status and output; the
        core's is shown as it comes."""
        with TemporaryDirectory(prefix="fairviz-") as folder:
            copy = copied(Path(folder), *kept)
            subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)
            subprocess.run(["git", "add", "--all", "--intent-to-add"], cwd=copy, check=True)  # names, no contents
            places = [f"tests/extensions/{name}" for name in kept] or ["tests"]
            command = [sys.executable, "-m", "pytest", "-p", "tests.once", "-p", "no:cacheprovider"]
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if kept else {}
            process = subprocess.Popen(
                [*command, *places, *self.options], cwd=copy, env=variables(copy), errors="replace", **streams
            )
            self.processes.append(process)
            said, _ = process.communicate()
            keep_compiled(copy)
            return process.returncode, said or ""

    def interrupt(self) -> None:
        """Send Ctrl-C to pytest, which reports and ends."""
        for process in self.processes:
            process.send_signal(signal.SIGINT)


def main(kind: str, options: Sequence[str]) -> int:
    """Run as many copies at once as there are cores; return 1 if any test failed."""
    compileall.compile_dir(ROOT / "fairviz", quiet=1)  # once, for every copy
    alone = Alone(options)
    extensions = [(name,) for name in sorted(NAMES, key=size, reverse=True)]  # the longest first
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        try:
            statuses = []
            for status, said in pool.map(alone.run, [()] if kind == "core" else extensions):
                sys.stdout.write(said)
                statuses.append(status)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            alone.interrupt()
            raise
    return int(any(status not in (0, NO_TESTS) for status in statuses))


def size(name: str) -> int:
    """How many letters the tests of an extension have."""
    return sum(path.stat().st_size for path in (ROOT / "tests" / "extensions" / name).rglob("*.py"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
