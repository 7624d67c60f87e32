"""Environments with another program over the libraries of the tests, kept between runs."""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.test_notebook import blocks

ROOT = Path(__file__).parent.parent.parent
ENVIRONMENTS = ROOT / ".environments"
Run = Callable[..., Any]


@pytest.fixture(scope="session")
def environment() -> Callable[..., Path]:
    """The Python of an environment of this name, with the packages over the libraries of the tests; skips where they
    cannot be installed. options: of pip."""

    def made(name: str, *packages: str, options: tuple[str, ...] = ()) -> Path:
        folder = ENVIRONMENTS / name
        python, mark = folder / "bin" / "python", folder / "packages"
        wanted = " ".join([*options, *packages])
        if not mark.is_file() or mark.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            (site,) = folder.glob("lib/python*/site-packages")
            (site / "tests.pth").write_text(sysconfig.get_path("purelib"))
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options, *packages]
            done = subprocess.run(install, capture_output=True, text=True)
            if done.returncode:
                pytest.skip(
                    f"{name} cannot be installed here, and was not tested: {done.stderr.splitlines()[-1][:200]}"
                )
            mark.write_text(wanted)
        return python

    return made


def run_script(python: Path, code: str, where: Path, **values: object) -> Any:
    """Run Python code, which prints one line of JSON at its end; return that. values: its variables."""
    head = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    (where / "script.py").write_text(head + code, encoding="utf-8")
    variables = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([python, "script.py"], cwd=where, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def run_block(python: Path, heading: str, where: Path) -> None:
    """Run the Python that docs/integrations.md has under a heading."""
    run_script(python, f"import warnings\nwarnings.simplefilter('ignore')\n{blocks()[heading]}print('null')\n", where)
