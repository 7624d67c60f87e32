"""`make app` installs torch's CPU build first on Linux without an NVIDIA card, and as everywhere else otherwise."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INSTALL = ROOT / ".ci" / "install"
INDEX = "https://cpu.pytorch.org/whl/cpu"
# Stands for Python: writes its arguments to a file. `-c` looks for the CPU build, which is then installed from there.
PYTHON = """#!/bin/sh
case "$*" in
  -c*) echo {index}; exit {reached} ;;
  *--index-url*) echo "$@" >> "{log}"; exit {indexed} ;;
esac
echo "$@" >> "{log}"
"""
PLAIN = "-m pip install --disable-pip-version-check --quiet -r requirements.txt -e ."
HAS_CARD = Path("/proc/driver/nvidia").exists() or shutil.which("nvidia-smi") is not None
pytestmark = pytest.mark.skipif(HAS_CARD, reason="this machine has an NVIDIA card")


def commands(folder: Path, *, system: str = "Linux", card: bool = False, reached: int = 0, indexed: int = 0) -> list:
    """The arguments of pip, a line a call. reached, indexed: the status of the look and of the first installation."""
    log = folder / "log"
    write_program(folder / "python", PYTHON.format(log=log, index=INDEX, reached=reached, indexed=indexed))
    write_program(folder / "uname", f"#!/bin/sh\necho {system}\n")
    if card:
        write_program(folder / "nvidia-smi", "#!/bin/sh\n")
    command = [INSTALL, folder / "python", "-r", "requirements.txt", "-e", "."]
    subprocess.run(command, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}, check=True, text=True)
    return log.read_text().splitlines()


def write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def test_the_cpu_build_comes_first_without_a_card(tmp_path: Path) -> None:
    (pin,) = (line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.startswith("torch=="))
    first, second = commands(tmp_path)
    assert first == f"-m pip install --disable-pip-version-check --quiet --no-deps --index-url {INDEX} {pin}"
    assert second == PLAIN


@pytest.mark.parametrize("machine", [{"system": "Darwin"}, {"card": True}, {"reached": 1}])
def test_all_is_installed_at_once_elsewhere(tmp_path: Path, machine: dict) -> None:
    assert commands(tmp_path, **machine) == [PLAIN]


def test_an_index_without_the_build_does_not_fail(tmp_path: Path) -> None:
    assert commands(tmp_path, indexed=1)[1:] == [PLAIN]


def test_make_installs_by_the_script(tmp_path: Path) -> None:
    printed = subprocess.run(
        ["make", "--dry-run", "app", f"VENV={tmp_path / 'new'}"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert f".ci/install {tmp_path / 'new'}/bin/python -r requirements.txt -e ." in printed
    assert "pip install" not in printed


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("pip3 install torch --index-url https://cpu.pytorch.org/whl/cpu</code>", "https://cpu.pytorch.org/whl/cpu"),
        ("pip3 install torch --index-url https://elsewhere.example/whl/cpu", ""),
        ("nothing", ""),
    ],
)
def test_the_place_of_the_cpu_build_is_read_off_the_page(tmp_path: Path, text: str, index: str) -> None:
    """Only a place of PyTorch's own is taken."""
    (tmp_path / "page.html").write_text(text)
    code = re.search(r'-c "\n(.*?)" 2>', INSTALL.read_text(), flags=re.DOTALL)
    assert code
    program = code[1].replace("$page", (tmp_path / "page.html").as_uri())
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == index
    assert bool(found.returncode) is not bool(index)
