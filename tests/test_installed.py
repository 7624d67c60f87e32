"""The wheel, built and installed over the libraries that are here, at work in an empty folder."""

import json
import os
import signal
import socket
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import wait_until_ready
from tests.conftest import ROOT

PAGES = sorted(path.name for path in (ROOT / "pages").glob("*.py"))
pytestmark = pytest.mark.slow

ALL_PAGES = """
import json
import sys

from streamlit.testing.v1 import AppTest
from fairviz.home import application_folder

def framed(page):
    import contextlib
    import runpy
    from fairviz.ui.shell import frame
    with contextlib.nullcontext() if page.endswith("label.py") else frame.around():
        runpy.run_path(page)

def told(test):
    html = "".join(element.proto.body for element in test.get("html"))
    errors = [str(one.value) for one in test.exception]
    return {"title": bool(test.title), "errors": errors, "said": 'fv-error"' in html}

folder = application_folder()
found = {"app.py": told(AppTest.from_file(str(folder / "app.py"), default_timeout=600).run())}
for page in sorted((folder / "pages").glob(sys.argv[1] if sys.argv[1:] else "*.py")):
    found[page.name] = told(AppTest.from_function(framed, args=(str(page),), default_timeout=600).run())
print(json.dumps({"folder": str(folder), "found": found}))
"""


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def done(command: list[str], folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "DISPLAY")}


def test_the_wheel_carries_all_that_the_app_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    kept = {path for folder in ("pages", "data", ".streamlit") for path in (ROOT / folder).rglob("*") if path.is_file()}
    kept = {path for path in kept if "__pycache__" not in path.parts and path.name[0] != "."} | {ROOT / "app.py"}
    assert {f"fairviz/_app/{path.relative_to(ROOT).as_posix()}" for path in kept} <= names
    assert {"fairviz/py.typed", "fairviz/ui/shell/style.css"} <= names
    templates = (ROOT / "fairviz" / "output" / "templates").glob("*.html")
    assert {path.relative_to(ROOT).as_posix() for path in templates} <= names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "docs/")) or "__pycache__" in name]


def test_the_command_answers_from_an_empty_folder(installed: Path, empty: Path) -> None:
    answer = done([str(installed / "fairviz"), "evaluate", "football", "CWEx", "--format", "csv"], empty)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("system,measure,value,ci_low,ci_high,queries,undefined,coverage\nleft,CWEx")
    assert not list(empty.iterdir())


def test_pages_run_from_an_empty_folder(installed: Path, empty: Path) -> None:
    """The app with its first page; tests/integrations/test_light.py runs them all from the wheel."""
    script = empty.with_name("pages.py")
    script.write_text(ALL_PAGES)
    answer = done([str(installed / "python"), str(script), "app.py"], empty)
    assert answer.returncode == 0, answer.stderr
    told = json.loads(answer.stdout.splitlines()[-1])
    assert Path(told["folder"]).is_relative_to(installed.parent)
    assert told["found"] == {"app.py": {"title": True, "errors": [], "said": False}}


@contextmanager
def app(installed: Path, folder: Path) -> Iterator[str]:
    """`fairviz app` started in the folder, as its address: tests/browser/test_installed.py goes through its pages."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    log = folder.with_name("server.log")
    with log.open("wb") as output:
        command = [str(installed / "fairviz"), "app", "--port", str(port)]
        process = subprocess.Popen(
            command, cwd=folder, env=environment(), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        wait_until_ready(f"http://localhost:{port}", process, log)
        yield f"http://localhost:{port}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)
