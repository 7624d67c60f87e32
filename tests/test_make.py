"""`make app` installs torch's CPU build first on Linux without an NVIDIA card, and as everywhere else otherwise."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

INSTALL = ROOT / ".ci" / "install"
INDEX = "https://cpu.pytorch.org/whl/cpu"
# Stands for Python: writes the arguments of pip to a file. `-c` looks for the CPU build, or for CUDA behind torch.
PYTHON = """#!/bin/sh
case "$*" in
  *urllib*) echo {index}; exit {reached} ;;
  *importlib.metadata*) exit {cuda} ;;
esac
echo "$@" >> "{log}"
case "$*" in *torch-cpu.txt*) exit {built} ;; esac
"""
OPTIONS = "-m pip install --disable-pip-version-check --quiet --no-deps --require-hashes"
HAS_CARD = Path("/proc/driver/nvidia").exists() or shutil.which("nvidia-smi") is not None
pytestmark = pytest.mark.skipif(HAS_CARD, reason="this machine has an NVIDIA card")


def installed(
    folder: Path, layer: str = "models", *, system: str = "Linux", card: bool = False, reached: int = 0, built: int = 0
) -> list[str]:
    """The lists that pip installs, in order, each with the options of its own. reached, built: the status of the look
    for PyTorch's page, and of the installation of its CPU build, without which torch asks for CUDA."""
    log = folder / "log"
    cpu = system == "Linux" and not card and not built
    write_program(
        folder / "python",
        PYTHON.format(log=log, index=INDEX if not reached else "", reached=reached, built=built, cuda=int(cpu)),
    )
    write_program(folder / "uname", f"#!/bin/sh\necho {system}\n")
    if card:
        write_program(folder / "nvidia-smi", "#!/bin/sh\n")
    command = [INSTALL, folder / "python", layer]
    subprocess.run(command, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}, check=True, text=True)
    lines = log.read_text().splitlines()
    assert all(line.startswith(OPTIONS) for line in lines)
    parts = [line.removeprefix(OPTIONS).replace(str(INSTALL.parent / "lock") + "/", "") for line in lines]
    return [part.strip() for part in parts]


def write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def test_the_cpu_build_comes_first_without_a_card(tmp_path: Path) -> None:
    assert installed(tmp_path) == [
        "-r light.txt", f"--index-url {INDEX} -r torch-cpu.txt", "-r torch.txt", "-r models.txt",
    ]  # fmt: skip


def test_the_page_may_be_out_of_reach(tmp_path: Path) -> None:
    assert installed(tmp_path, reached=1)[1] == "-r torch-cpu.txt"


@pytest.mark.parametrize("machine", [{"system": "Darwin"}, {"card": True}])
def test_the_usual_build_is_installed_elsewhere_with_what_it_asks_for(tmp_path: Path, machine: dict) -> None:
    assert installed(tmp_path, **machine) == ["-r light.txt", "-r torch.txt", "-r cuda.txt", "-r models.txt"]


def test_an_index_without_the_build_does_not_fail(tmp_path: Path) -> None:
    assert installed(tmp_path, built=1)[2:] == ["-r torch.txt", "-r cuda.txt", "-r models.txt"]


def test_the_light_layer_is_one_list(tmp_path: Path) -> None:
    assert installed(tmp_path, "light") == ["-r light.txt"]


def test_make_installs_by_the_script(tmp_path: Path) -> None:
    printed = subprocess.run(
        ["make", "--dry-run", "app", f"VENV={tmp_path / 'new'}"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    python = f"{tmp_path / 'new'}/bin/python"
    assert f".ci/install {python} models\n" in printed
    (line,) = (line for line in printed.splitlines() if "pip install" in line)
    assert line.endswith("--no-deps --no-build-isolation --editable .")  # nothing that the lock does not hold


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
