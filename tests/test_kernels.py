"""Which processors have which matrix kernel, and whether a kernel that is set is the one in use."""

import os
from pathlib import Path

import pytest

from tests import kernels
from tests.conftest import ROOT

AVX2 = "flags\t\t: fpu avx2 fma\n"
AVX512 = "flags\t\t: fpu avx2 fma avx512f avx512dq avx512bw avx512vl\n"


def test_a_kernel_needs_its_instructions() -> None:
    assert kernels.missing_flags("Haswell", AVX2) == kernels.missing_flags("SkylakeX", AVX512) == []
    assert kernels.missing_flags("SkylakeX", AVX2) == ["avx512bw", "avx512dq", "avx512f", "avx512vl"]
    assert kernels.missing_flags("Haswell", "") == ["avx2", "fma"]


def test_a_kernel_that_the_processor_lacks_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cpuinfo").write_text(AVX2)
    monkeypatch.setattr(kernels, "PROCESSOR", tmp_path / "cpuinfo")
    kernels.main("SkylakeX", "-n", "2")
    line = "SkylakeX: skipped, this processor has no avx512bw, avx512dq, avx512f, avx512vl.\n"
    assert capsys.readouterr().out == line


def test_the_kernel_is_set_for_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpuinfo").write_text(AVX512)
    monkeypatch.setattr(kernels, "PROCESSOR", tmp_path / "cpuinfo")
    calls = []
    monkeypatch.setattr(os, "execve", lambda *call: calls.append(call))
    kernels.main("SkylakeX", "-n", "2")
    ((_, command, environment),) = calls
    assert environment == {**os.environ, "OPENBLAS_CORETYPE": "SkylakeX"}
    assert command[1:7] == ["-m", "pytest", "-m", "not browser", "-n", "2"]
    assert all((ROOT / path).exists() for path in command[7:])


@pytest.mark.skipif("OPENBLAS_CORETYPE" not in os.environ, reason="no kernel is set; make nightly sets one")
def test_the_kernel_that_is_set_is_in_use() -> None:
    import numpy  # noqa: F401  # loads the library
    from threadpoolctl import threadpool_info

    libraries = [library for library in threadpool_info() if library["internal_api"] == "openblas"]
    assert {library["architecture"] for library in libraries} == {os.environ["OPENBLAS_CORETYPE"]}
