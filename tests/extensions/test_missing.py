"""Where an extension is missing, menus and help lack its entries, and what needs it says which extension has it.

That every other test passes without extensions is what `make test` runs by `tests.alone`, and that those of each pass
beside the core alone, `make nightly`; that no extension imports another is a contract of import-linter.
"""

import json
import subprocess
import sys

import pytest

from fairviz.cli import all_commands
from fairviz.installed import bundled, extension_of
from tests.alone import ENTRIES, copied, variables

FIRST = {group: next(iter(bundled(f"fairviz.{group}"))) for group in ("pages", "names", "figures", "rankers")}
VERB = next(iter(bundled("fairviz.verbs") or bundled("fairviz.analyses")))
ASKED = [(entry.group, entry.name) for entry in ENTRIES]
COMMANDS = (["--help"], [VERB, "newswire"], ["rank", "football", "--with", FIRST["rankers"]])
CODE = f"""
import io, json
from contextlib import redirect_stderr, redirect_stdout
import fairviz, fairviz.plot
from fairviz.cli.main import main
from fairviz.installed import absent, bundled
from fairviz.ui.shell.frame import warning_of
entries = [[[*bundled(group)], str(absent(group, name, f"{{group}} {{name}} is"))] for group, name in {ASKED}]
others = [str(warning_of({FIRST["pages"]!r}))]
for package, name in ((fairviz, {FIRST["names"]!r}), (fairviz.plot, {FIRST["figures"]!r})):
    try:
        getattr(package, name)
    except AttributeError as error:
        others.append(str(error))
commands = []
for command in {COMMANDS}:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            status = main(command)
        except SystemExit as end:
            status = end.code or 0
    commands.append([status, out.getvalue(), err.getvalue()])
print(json.dumps([entries, others, commands]))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[list, list, list]:
    """What a copy without any extension says of each entry, of a page, a name and a figure, and of the commands."""
    core = copied(tmp_path_factory.mktemp("core") / "fairviz")
    environment = variables(core) | {"FAIRVIZ_HOME": str(core.with_name("home"))}
    done = subprocess.run([sys.executable, "-c", CODE], cwd=core, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tuple(json.loads(done.stdout))


def test_the_help_lacks_the_verbs_of_extensions_and_nothing_else(said) -> None:
    status, help_text, _ = said[2][0]
    assert status == 0
    shown = {line.split()[0] for line in help_text.splitlines() if line.startswith("  ") and line[2:3].isalpha()}
    removed = {*bundled("fairviz.verbs"), *(name for name in bundled("fairviz.analyses") if name in all_commands())}
    assert shown == {*all_commands()} - removed


def test_what_is_missing_names_its_extension(said) -> None:
    """Whatever is asked for: an entry, a page, a name, a figure, a verb or a ranker."""
    entries, others, (_, verb, ranker) = said
    assert entries == [
        [
            [],
            f"{entry.group} {entry.name} is of the extension {extension_of(entry)}, which this copy of fairviz lacks\n"
            f"Install the whole of fairviz, or put back its folder fairviz/extensions/{extension_of(entry)}.",
        ]
        for entry in ENTRIES
    ]
    for text, told in zip(others, ("page {pages!r}", "fairviz.{names}", "fairviz.plot.{figures}"), strict=True):
        assert f"{told.format(**FIRST)} is of the extension " in text
    assert (verb[0], verb[2].partition(" is of the extension ")[0]) == (2, f"the verb {VERB}")
    assert ranker[2].startswith(f"the ranker {FIRST['rankers']} is of the extension ")
