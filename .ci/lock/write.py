"""Write .ci/lock again: every package behind requirements.txt with the SHA-256 of its files, for all systems.

light.txt: the light layer and what builds the package. models.txt: what the layer [models] adds but torch. torch.txt:
torch as published. torch-cpu.txt: its CPU builds, from torch-cpu.sha256. cuda.txt: what torch as published asks for on
Linux.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

LOCK = Path(__file__).parent
ROOT = LOCK.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = ["hatchling", "editables"]  # build the package in the same environment
HEAD = "# Written by `make lock` from requirements.txt: do not edit.\n"
CUDA = re.compile(r"(nvidia|cuda|triton)\b")


def name_of(line: str) -> str:
    return re.split(r"[=<>! ;\[]", line, maxsplit=1)[0]


def resolved(requirements: list[str]) -> dict[str, str]:
    """The entry of each package behind these, hashes included, by name: one for each version and marker."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--universal", "--python-version", "3.11", "--quiet"]
    command += ["--generate-hashes", "--no-header", "--no-annotate", "--constraint", "tests/requirements.txt", "-"]
    text = "\n".join(requirements)
    answer = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(answer.stderr)
    entries: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", answer.stdout.strip()):
        entries[name_of(entry)] = entries.get(name_of(entry), "") + entry + "\n"
    return entries


def cpu_digests(version: str) -> list[str]:
    """The SHA-256 of torch's CPU builds of this version."""
    lines = (LOCK / "torch-cpu.sha256").read_text(encoding="utf-8").splitlines()
    digests = [line.split()[0] for line in lines if f"-{version}+cpu-" in line]
    if not digests:
        sys.exit(
            f"{LOCK / 'torch-cpu.sha256'} has no file of torch {version}: add those of PyTorch's index of CPU builds."
        )
    return digests


def main() -> None:
    pins = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and line[0] != "#"]
    of_light = {name_of(text) for text in PROJECT["project"]["dependencies"]}
    light = resolved([pin for pin in pins if name_of(pin) in of_light] + BUILD)
    whole = resolved([*pins, *BUILD])
    torch = whole.pop("torch")
    version = torch.partition("==")[2].split()[0]
    hashes = "".join(f" \\\n    --hash=sha256:{digest}" for digest in cpu_digests(version))
    cuda = {name: entry for name, entry in whole.items() if CUDA.match(name)}
    models = {name: entry for name, entry in whole.items() if name not in light and name not in cuda}
    if moved := [name for name, entry in light.items() if whole[name] != entry]:
        sys.exit(f"the layer [models] asks for other versions of {', '.join(moved)}")
    builds = {"torch": f"torch=={version}+cpu{hashes}\n"}
    files = {"light": light, "models": models, "torch": {"torch": torch}, "torch-cpu": builds, "cuda": cuda}
    for name, entries in files.items():
        (LOCK / f"{name}.txt").write_text(HEAD + "".join(entries.values()), encoding="utf-8")
        sys.stdout.write(f"{name}: {len(entries)} packages\n")


if __name__ == "__main__":
    main()
