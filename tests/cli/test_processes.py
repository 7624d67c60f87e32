"""The command as a real process: its streams, and its end where memory is short."""

import io
import subprocess
import sys

import pytest

from fairviz.__main__ import NO_MEMORY, _run, run
from tests.conftest import ROOT
from tests.test_interrupts import forked


def python(code: str, *arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, **options)


# --- streams --------------------------------------------------------------------------------------------------


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m fairviz evaluate occupations CWEx TExFAIR --per-query --format csv"
    # The reader goes away at once, so that whatever is written meets a closed pipe.
    shell = f"{command} | true; echo status ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "status 141\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_signs_that_the_terminal_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "argv", ["fairviz", "evaluate", "football", "NFaiRR@4"])
    assert _run() == 0
    shown.flush()
    assert b"\\u2013" in shown.buffer.getvalue()  # type: ignore[attr-defined]


# --- little memory: one line and its remedy, and not a library's traceback, abort or silence --------------------

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit addresses")
LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1)) * 1024 ** 2
kind = getattr(resource, sys.argv.pop(1))
resource.setrlimit(kind, (limit, limit))
from fairviz.__main__ import run
sys.exit(run())
"""


@linux
@pytest.mark.parametrize(("limit", "kind"), [("512", "RLIMIT_AS"), ("256", "RLIMIT_DATA")])
def test_a_verb_under_a_low_limit_ends_in_one_line_and_its_remedy(limit: str, kind: str) -> None:
    ended = python(LIMITED, limit, kind, "compare", "newswire", "CWEx")
    first, remedy = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert first.startswith(f"the limit of memory is {limit} MB; fairviz needs ")
    assert remedy.startswith("Raise it")


@linux
def test_an_error_of_memory_within_a_verb_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As above these limits, where a verb begins and does not end."""
    for error in (
        "MemoryError()",
        "ImportError('x: failed to map segment from shared object')",
        'RuntimeError("can\'t start new thread")',
        "ValueError('a library converts it') from MemoryError()",
    ):
        monkeypatch.setattr("fairviz.__main__._run", lambda error=error: exec(f"raise {error}"))
        assert forked(run) == (1, NO_MEMORY)
