"""The light layer under each Python from 3.12 on that this machine has."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integrations.test_light import done
from tests.test_installed import ALL_PAGES

pytestmark = pytest.mark.integration
VERSIONS = ("3.12", "3.13", "3.14")
OVERVIEW = ALL_PAGES.partition('for page in sorted((folder / "pages")')[0] + "print(json.dumps(found))\n"


def interpreter(version: str) -> str:
    """The path of a Python of this version, on the path or of pyenv; skips without one."""
    names = [shutil.which(f"python{version}")]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True).stdout.strip()
        names += sorted(map(str, Path(root).glob(f"versions/{version}.*/bin/python{version}")))
    for name in filter(None, names):  # one of pyenv's on the path may not run
        if not subprocess.run([name, "-c", "import venv"], capture_output=True).returncode:
            return name
    pytest.skip(f"there is no Python {version}, and the light layer was not tested under it")


@pytest.fixture(scope="module", params=VERSIONS)
def python(request: pytest.FixtureRequest, light: Callable[..., Path]) -> Path:
    """The Python of a clean environment with the wheel."""
    return light(f"light-{request.param}", interpreter(request.param))


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        (("evaluate", "newswire", "CWEx@10", "nDCG@10", "AP(rel=2)@5", "--format", "csv"), "system,measure,value"),
        (("compare", "newswire", "CWEx@10", "NFaiRR@10", "--format", "csv"), "measure,system,baseline"),
    ],
    ids=["evaluate", "compare"],
)
def test_verbs(python: Path, tmp_path: Path, command: tuple[str, ...], begins: str) -> None:
    answer = done(python, tmp_path, "-W", "error::SyntaxWarning:fairviz", "-m", "fairviz", *command)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith(begins)
    assert "Traceback" not in answer.stderr


def test_a_page(python: Path, tmp_path: Path) -> None:
    answer = done(python, tmp_path, "-c", OVERVIEW, study="newswire")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout.splitlines()[-1]) == {"app.py": {"title": True, "errors": [], "said": False}}
