"""Run the numerical tests with one matrix kernel of OpenBLAS, if this processor has its instructions.

`python -m tests.kernels KERNEL [OPTIONS OF PYTEST]`: kernels add the terms of a sum in different orders, so that a test
that compares floats bit by bit passes on one processor and fails on another. `make nightly` runs this module.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

FLAGS = {"Haswell": {"avx2", "fma"}, "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}}  # kernel to flags
PROCESSOR = Path("/proc/cpuinfo")
ROOMS = (
    *("analyses", "annotation", "comparison", "evaluation", "figures", "measures", "models", "output", "rankers"),
    "words",
)


def missing_flags(kernel: str, processor: str) -> list[str]:
    """The flags that a kernel needs and that the text of /proc/cpuinfo lacks."""
    return sorted(FLAGS[kernel] - set(processor.split()))


def main(kernel: str, *options: str) -> None:
    """Replace this process by pytest, or print one line if the processor lacks the kernel's instructions."""
    missing = missing_flags(kernel, PROCESSOR.read_text() if PROCESSOR.exists() else "")
    if missing:
        sys.stdout.write(f"{kernel}: skipped, this processor has no {', '.join(missing)}.\n")
        return
    os.execve(sys.executable, pytest_command(options), os.environ | {"OPENBLAS_CORETYPE": kernel})


def pytest_command(options: Sequence[str]) -> list[str]:
    files = [f"tests/{room}" for room in ("test_kernels.py", *ROOMS)]
    return [sys.executable, "-m", "pytest", "-m", "not browser", *options, *files]


if __name__ == "__main__":
    main(*sys.argv[1:])
