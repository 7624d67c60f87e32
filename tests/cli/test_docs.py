"""`fairviz docs` finds the manual of a checkout and of a wheel, or names the command that builds it."""

import random
import subprocess
import sys
import webbrowser
import zipfile
from pathlib import Path

import pytest

from fairviz.cli import share
from tests.conftest import ROOT, Call


def test_the_first_page_is_opened_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    page, opened = tmp_path / "index.html", []
    monkeypatch.setattr(share, "manual_folder", lambda: None)
    assert call("docs", status=1).err.startswith(
        "this installation has no manual\nRun `make docs` in a checkout of fairviz; a wheel built there afterwards "
    )
    page.write_text("<p>manual</p>")
    monkeypatch.setattr(share, "manual_folder", lambda: tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    call("docs")
    assert opened == [page.as_uri()]
    assert opened[0].startswith("file:///")
    assert call("docs --path").out == f"{page}\n"
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert call("docs").err == f"no browser could be started; the manual is {page}\n"


BUILD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from manual_in_wheel import ManualInWheel
hook = ManualInWheel.__new__(ManualInWheel)
ManualInWheel.root = property(lambda self: sys.argv[2])
data = {"force_include": {}}
hook.initialize(sys.argv[3], data)
print(*sorted(data["force_include"].values()))
"""


def carried(root: Path, version: str = "standard") -> subprocess.CompletedProcess:
    """The files that the build hook adds to a wheel of this checkout."""
    command = [sys.executable, "-c", BUILD, str(ROOT / ".ci"), str(root), version]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_wheel_carries_the_manual_if_it_is_built_and_not_too_large(tmp_path: Path) -> None:
    assert carried(tmp_path).stdout == "\n"
    folder = tmp_path / "docs" / "_build" / "html"
    (folder / "_static").mkdir(parents=True)
    for name in ("index.html", "_static/theme.css", "_static/theme.css.map"):
        (folder / name).write_text("x")
    assert carried(tmp_path).stdout == "fairviz/_manual/_static/theme.css fairviz/_manual/index.html\n"
    assert carried(tmp_path, "editable").stdout == "\n"
    (folder / "index.html").write_bytes(random.Random(0).randbytes(8 * 1024**2))
    assert "may take 8,388,608" in carried(tmp_path).stderr


@pytest.mark.slow
def test_the_manual_of_a_wheel_is_the_one_that_is_built(wheel: Path) -> None:
    built = ROOT / "docs" / "_build" / "html"
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("fairviz/_manual/")}
    assert ("fairviz/_manual/index.html" in names) is (built / "index.html").is_file()
