"""Where an extension is missing, menus and help lack its entries, and what needs one names its extension: in a copy
without extensions, in which `make test` runs the tests of the core.

That no extension imports another is a contract of import-linter.
"""

from itertools import groupby
from pathlib import Path

import pytest

import fairviz
from fairviz import plot
from fairviz.cli import all_commands
from fairviz.installed import absent, bundled, extension_of
from fairviz.ui.shell.frame import warning_of
from tests.alone import ENTRIES
from tests.conftest import Call

pytestmark = pytest.mark.skipif(
    (Path(fairviz.__file__).parent / "extensions").is_dir(), reason="it is run by `python -m tests.alone core`"
)
NAMES = {
    group: [entry.name for entry in entries]
    for group, entries in groupby(sorted(ENTRIES, key=lambda entry: entry.group), lambda entry: entry.group)
}


def test_the_help_has_no_verb_of_an_extension(call: Call) -> None:
    lines = call("--help").out.splitlines()
    shown = {line.split()[0] for line in lines if line.startswith("  ") and line[2:3].isalpha()}
    assert shown == {*all_commands()}
    assert shown.isdisjoint(NAMES["fairviz.verbs"] + NAMES["fairviz.analyses"])


def test_what_is_missing_names_its_extension(call: Call) -> None:
    """Whatever is asked for: an entry, a page, a name, a figure, a verb or a ranker."""
    for entry in ENTRIES:
        assert not bundled(entry.group)
        extension = extension_of(entry)
        assert str(absent(entry.group, entry.name, f"{entry.name} is")) == (
            f"{entry.name} is of the extension {extension}, which this copy of fairviz lacks\n"
            f"Install the whole of fairviz, or put back its folder fairviz/extensions/{extension}."
        )
    page, name, figure, verb, ranker = (
        NAMES[f"fairviz.{group}"][0] for group in ("pages", "names", "figures", "verbs", "rankers")
    )
    assert f"page {page!r} is of the extension " in str(warning_of(page))
    for package, missing in ((fairviz, name), (plot, figure)):
        with pytest.raises(AttributeError, match=rf"{package.__name__}\.{missing} is of the extension "):
            getattr(package, missing)
    assert f"the verb {verb} is of the extension " in call(f"{verb} newswire", status=2).err
    told = call(f"rank football --with {ranker}", status=1).err
    assert told.startswith(f"the ranker {ranker} is of the extension ")
