"""Where an extension is missing, menus and help lack its entries, and what needs it says which extension has it.

That every other test passes without extensions, and those of each extension beside the core, is what `make test` runs
by `tests.alone`; that no extension imports another is a contract of import-linter.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.cli import all_commands
from fairviz.installed import bundled, extension_of
from tests.alone import ENTRIES, copied, variables


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without any extension."""
    return copied(tmp_path_factory.mktemp("core") / "fairviz")


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy."""
    return subprocess.run([sys.executable, *arguments], cwd=copy, env=variables(copy), capture_output=True, text=True)


def test_the_help_lacks_the_verbs_of_extensions_and_nothing_else(core: Path) -> None:
    done = run(core, "-m", "fairviz", "--help")
    assert done.returncode == 0, done.stderr
    shown = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ") and line[2:3].isalpha()}
    removed = {*bundled("fairviz.verbs"), *(name for name in bundled("fairviz.analyses") if name in all_commands())}
    assert shown == {*all_commands()} - removed


def test_what_is_missing_names_its_extension(core: Path) -> None:
    """Whatever is asked for: an entry, a page, a name, a figure, a verb or a ranker."""
    asked = [(entry.group, entry.name) for entry in ENTRIES]
    first = {group: next(iter(bundled(f"fairviz.{group}"))) for group in ("pages", "names", "figures", "rankers")}
    code = f"""
import fairviz, fairviz.plot
from fairviz.installed import absent, bundled
from fairviz.ui.shell.frame import warning_of
for group, name in {asked}:
    print(*bundled(group), absent(group, name, f"{{group}} {{name}} is"), sep="")
print(warning_of({first["pages"]!r}))
for package, name in ((fairviz, {first["names"]!r}), (fairviz.plot, {first["figures"]!r})):
    try:
        getattr(package, name)
    except AttributeError as error:
        print(error)
"""
    done = run(core, "-c", code)
    lines = [
        line
        for entry in ENTRIES
        for line in (
            f"{entry.group} {entry.name} is of the extension {extension_of(entry)}, which this copy of fairviz lacks",
            f"Install the whole of fairviz, or put back its folder fairviz/extensions/{extension_of(entry)}.",
        )
    ]
    assert done.stdout.splitlines()[: len(lines)] == lines, done.stderr
    rest = "\n".join(done.stdout.splitlines()[len(lines) :])
    for said in ("page {pages!r}", "fairviz.{names}", "fairviz.plot.{figures}"):
        assert f"{said.format(**first)} is of the extension " in rest
    verb = next(iter(bundled("fairviz.verbs") or bundled("fairviz.analyses")))
    done = run(core, "-m", "fairviz", verb, "newswire")
    assert (done.returncode, done.stderr.partition(" is of the extension ")[0]) == (2, f"the verb {verb}")
    done = run(core, "-m", "fairviz", "rank", "football", "--with", first["rankers"])
    assert done.stderr.startswith(f"the ranker {first['rankers']} is of the extension "), done.stderr
