"""Where an extension is missing, menus and help lack its entries, and what needs it says which extension has it.

That every other test passes without extensions, and those of each extension beside the core, is what `make test` runs
by `tests.alone`.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.cli import all_commands
from fairviz.installed import bundled, extension_of
from tests.alone import ENTRIES, NAMES, copied, variables


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without any extension."""
    return copied(tmp_path_factory.mktemp("core") / "fairviz")


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy."""
    return subprocess.run([sys.executable, *arguments], cwd=copy, env=variables(copy), capture_output=True, text=True)


def verbs(text: str) -> set[str]:
    """The verbs in the help of the command line."""
    names = (line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2:3].isalpha())
    return {*names}


def test_the_help_lacks_the_verbs_of_extensions_and_nothing_else(core: Path) -> None:
    done = run(core, "-m", "fairviz", "--help")
    assert done.returncode == 0, done.stderr
    removed = {*bundled("fairviz.verbs"), *(name for name in bundled("fairviz.analyses") if name in all_commands())}
    assert verbs(done.stdout) == {*all_commands()} - removed


def test_what_is_missing_names_its_extension(core: Path) -> None:
    asked = [(entry.group, entry.name) for entry in ENTRIES]
    code = (
        "from fairviz.installed import absent, bundled\n"
        f"for group, name in {asked}: print(*bundled(group), absent(group, name, f'{{group}} {{name}} is'), sep='')"
    )
    done = run(core, "-c", code)
    assert done.stdout.splitlines() == [
        line
        for entry in ENTRIES
        for line in (
            f"{entry.group} {entry.name} is of the extension {extension_of(entry)}, which this copy of fairviz lacks",
            f"Install the whole of fairviz, or put back its folder fairviz/extensions/{extension_of(entry)}.",
        )
    ]


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


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_extension_imports_no_other(name: str, tmp_path: Path) -> None:
    """Each of its modules, in a copy where it is the only one."""
    alone = copied(tmp_path / "fairviz", name)
    modules = sorted((alone / "fairviz" / "extensions" / name).rglob("*.py"))
    dotted = (".".join(path.relative_to(alone).with_suffix("").parts).removesuffix(".__init__") for path in modules)
    done = run(alone, "-c", "; ".join(f"import {module}" for module in dotted))
    assert done.returncode == 0, done.stderr
