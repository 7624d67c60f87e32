"""The core alone: a copy without `fairviz/extensions` and without their tests.

Every core test is collected there, so none imports an extension; the rooms below are run whole, `make core` runs all.
"""

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from fairviz.cli import all_commands
from fairviz.installed import EXTENSIONS, OWN, bundled, extension_of
from tests.conftest import ROOT

ENTRIES = [entry for entry in distribution(OWN).entry_points if entry.value.startswith(EXTENSIONS)]
NAMES = sorted({extension_of(entry) for entry in ENTRIES})
PAGES, COMMANDS = "tests/pages/test_every_page.py", "tests/docs/test_commands.py"
RUN = (  # first runs of every page, the command line, the README, public names, and the rules of imports
    f"{PAGES}::test_every_page_runs", f"{PAGES}::test_the_app_opens_on_its_overview", "tests/cli/test_main.py",
    "tests/cli/test_help.py", f"{COMMANDS}::test_the_commands_of_a_page_run[README.md]", "tests/test_public.py",
    "tests/test_architecture.py",
)  # fmt: skip
MARKS = "not browser and not lengthy and not integration"


def copied(folder: Path, *kept: str) -> Path:
    """Copy what git knows, or would add, into the folder; of the extensions those of these names."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        parts = Path(name).parts
        is_left_out = parts[1:2] == ("extensions",) and parts[0] in ("fairviz", "tests") and parts[2] not in kept
        is_left_out = is_left_out and not (kept and len(parts) == 3)  # `__init__.py` of the folder
        if not is_left_out and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without any extension."""
    return copied(tmp_path_factory.mktemp("core") / "fairviz")


def run(core: Path, *arguments: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy."""
    environment = os.environ | {"PYTHONPATH": str(core)} | ({"FAIRVIZ_HOME": str(home)} if home else {})
    return subprocess.run([sys.executable, *arguments], cwd=core, env=environment, capture_output=True, text=True)


def verbs(text: str) -> set[str]:
    """The verbs in the help of the command line."""
    names = (line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2:3].isalpha())
    return {*names}


def test_the_help_lacks_the_verbs_of_extensions_and_nothing_else(core: Path) -> None:
    done = run(core, "-m", "fairviz", "--help")
    assert done.returncode == 0, done.stderr
    removed = {*bundled("fairviz.verbs"), *(name for name in bundled("fairviz.analyses") if name in all_commands())}
    assert verbs(done.stdout) == {*all_commands()} - removed


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.group}-{entry.name}")
def test_what_is_missing_names_its_extension(entry, core: Path) -> None:
    extension = extension_of(entry)
    code = (
        f"from fairviz.installed import absent, bundled; print(bundled({entry.group!r})); "
        f"print(absent({entry.group!r}, {entry.name!r}, 'it is'))"
    )
    done = run(core, "-c", code)
    assert done.stdout == (
        f"{{}}\nit is of the extension {extension}, which this copy of fairviz lacks\n"
        f"Install the whole of fairviz, or put back its folder fairviz/extensions/{extension}.\n"
    )


def test_whatever_is_asked_for_and_missing_says_so(core: Path) -> None:
    verb = next(iter(bundled("fairviz.verbs") or bundled("fairviz.analyses")))
    done = run(core, "-m", "fairviz", verb, "newswire")
    assert (done.returncode, done.stderr.splitlines()[0].startswith(f"the verb {verb} is of the extension ")) == (
        2,
        True,
    )
    name = next(iter(bundled("fairviz.names")))
    done = run(core, "-c", f"import fairviz; fairviz.{name}")
    assert f"AttributeError: fairviz.{name} is of the extension " in done.stderr
    figure = next(iter(bundled("fairviz.figures")))
    done = run(core, "-c", f"import fairviz.plot; fairviz.plot.{figure}")
    assert f"AttributeError: fairviz.plot.{figure} is of the extension " in done.stderr
    ranker = next(iter(bundled("fairviz.rankers")))
    done = run(core, "-m", "fairviz", "rank", "football", "--with", ranker)
    assert done.stderr.startswith(f"the ranker {ranker} is of the extension "), done.stderr
    page = next(iter(bundled("fairviz.pages")))
    done = run(core, "-c", f"from fairviz.ui.shell.frame import warning_of; print(warning_of({page!r}))")
    assert done.stdout.startswith(f"The page {page!r} is of the extension "), done.stderr


def collect(copy: Path, *places: str) -> None:
    """Import every test in these places of a copy."""
    done = run(copy, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *places)
    assert done.returncode == 0, done.stdout[-3000:]


def run_tests(copy: Path, home: Path, *places: str) -> None:
    """Run the tests in these places of a copy."""
    done = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", MARKS, *places, home=home)
    assert done.returncode == 0, done.stdout[-6000:]


def test_no_core_test_imports_an_extension(core: Path) -> None:
    collect(core, "tests")


@pytest.mark.slow
def test_the_core_works_alone(core: Path, tmp_path: Path) -> None:
    run_tests(core, tmp_path, *RUN)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_extension_imports_no_other(name: str, tmp_path: Path) -> None:
    """Its modules, and its tests, in a copy where it is the only one."""
    alone = copied(tmp_path / "fairviz", name)
    modules = sorted((alone / "fairviz" / "extensions" / name).rglob("*.py"))
    dotted = (".".join(path.relative_to(alone).with_suffix("").parts).removesuffix(".__init__") for path in modules)
    done = run(alone, "-c", "; ".join(f"import {module}" for module in dotted))
    assert done.returncode == 0, done.stderr
    collect(alone, f"tests/extensions/{name}")


@pytest.mark.lengthy
def test_every_core_test_passes_alone(core: Path, tmp_path: Path) -> None:
    run_tests(core, tmp_path, "tests")


@pytest.mark.lengthy
@pytest.mark.parametrize("name", NAMES)
def test_an_extension_passes_its_tests_beside_the_core(name: str, tmp_path: Path) -> None:
    run_tests(copied(tmp_path / "fairviz", name), tmp_path / "home", f"tests/extensions/{name}")
