"""Environments with another program over the libraries of the tests, or with the wheel alone, kept between runs."""

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

ENVIRONMENTS = ROOT / ".environments"
Run = Callable[..., Any]


@pytest.fixture(scope="session")
def environment() -> Callable[..., Path]:
    """The Python of an environment of this name, with the packages over the libraries of the tests, or `clean`, without
    these; skips where they cannot be installed. options: of pip. python: that makes the environment."""

    def made(
        name: str, *packages: str, options: tuple[str, ...] = (), clean: bool = False, python: str = sys.executable
    ) -> Path:
        folder = ENVIRONMENTS / name
        mark, wanted = folder / "packages", " ".join([*options, *packages])
        if not mark.is_file() or mark.read_text() != wanted:
            subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
            if not clean:
                (site,) = folder.glob("lib/python*/site-packages")
                (site / "tests.pth").write_text(sysconfig.get_path("purelib"))
            if problem := installed(folder, *options, *packages):
                pytest.skip(f"{name} cannot be installed here, and was not tested: {problem}")
            mark.write_text(wanted)
        return folder / "bin" / "python"

    return made


@pytest.fixture(scope="session")
def light(environment: Callable[..., Path], wheel: Path) -> Callable[..., Path]:
    """The Python of a clean environment with the wheel of this checkout and what it requires. python: that makes the
    environment. The libraries are kept between runs, the wheel is installed anew."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def made(name: str = "light", python: str = sys.executable) -> Path:
        path = environment(name, *project["dependencies"], clean=True, python=python)
        problem = installed(path.parent.parent, "--force-reinstall", "--no-deps", str(wheel))
        problem = problem or installed(path.parent.parent, str(wheel))  # nothing more where all it requires is there
        assert not problem, problem
        return path

    return made


def installed(folder: Path, *arguments: str) -> str:
    """Install with pip in the environment; return the last line of the error, empty where it succeeds."""
    command = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr.splitlines()[-1][:200] if done.returncode else ""


def run_script(python: Path, code: str, where: Path, **values: object) -> Any:
    """Run Python code, which prints one line of JSON at its end; return that. values: its variables."""
    head = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    (where / "script.py").write_text(head + code, encoding="utf-8")
    variables = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([python, "script.py"], cwd=where, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])
