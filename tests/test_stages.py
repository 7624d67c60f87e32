"""One target of `make` runs all its commands, whichever fail, and ends with one summary."""

import os
import shlex
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.stages import duration

BROKEN = "import sys; print('1 failed'); sys.exit(3)"
FINE = "print('1 passed')"
# Prints a line, waits for a signal, and ends with another line, as pytest ends with its report.
WAITING = """
import signal
try:
    print('up', flush=True)
    signal.pause()
except KeyboardInterrupt:
    print('report', flush=True)
"""


def stage(name: str, code: str) -> str:
    return f"{name}: {shlex.join([sys.executable, '-c', code])}"


def begun(*stages: str) -> subprocess.Popen:
    """The stages as a process group of their own, as a terminal starts them."""
    command = [sys.executable, "-m", "tests.stages", *stages]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, cwd=ROOT, text=True, start_new_session=True, **streams)


def run(*stages: str) -> tuple[int, list[str]]:
    process = begun(*stages)
    output, _ = process.communicate()
    return process.returncode, output.splitlines()


def results(lines: list[str]) -> list[list[str]]:
    """Name and result of each line of the summary."""
    rows = lines[lines.index("Summary") + 1 : -1]
    return [row.split()[:2] for row in rows]


def test_a_failure_stops_nothing_and_fails_the_whole() -> None:
    status, lines = run(stage("style", BROKEN), stage("tests", BROKEN), stage("browser", FINE))
    assert status == 1
    assert [line for line in lines if line in ("1 failed", "1 passed")] == ["1 failed", "1 failed", "1 passed"]
    assert results(lines) == [["style", "FAILED"], ["tests", "FAILED"], ["browser", "passed"]]


def test_the_status_is_0_where_everything_passed() -> None:
    status, lines = run(stage("tests", FINE), stage("browser", FINE))
    assert status == 0
    assert results(lines) == [["tests", "passed"], ["browser", "passed"]]
    assert lines[-1].startswith("Load of the machine: ")


def test_what_runs_beside_a_stage_is_shown_after_it_and_counts() -> None:
    status, lines = run(stage("& types", BROKEN), stage("tests", FINE), stage("browser", FINE))
    assert status == 1
    assert [line for line in lines if line in ("1 failed", "1 passed")] == ["1 passed", "1 failed", "1 passed"]
    assert results(lines) == [["types", "FAILED"], ["tests", "passed"], ["browser", "passed"]]
    assert "  types    FAILED  beside the next" in lines


def test_a_program_that_is_missing_is_a_failure() -> None:
    status, lines = run("style: /nowhere/ruff check .", stage("tests", FINE))
    assert status == 1
    assert "[Errno 2] No such file or directory: '/nowhere/ruff'" in lines
    assert results(lines) == [["style", "FAILED"], ["tests", "passed"]]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_every_command_and_begins_no_other(number: signal.Signals) -> None:
    """Ctrl-C reaches the whole group; what ends a job reaches the process of the stages alone."""
    process = begun(stage("& types", WAITING), stage("tests", WAITING), stage("browser", FINE))
    assert process.stdout is not None
    with process.stdout:
        assert "up\n" in process.stdout  # reads until that line
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        lines = process.stdout.read().splitlines()  # ends when no process holds the stream any more
    assert process.wait() == 130
    assert "report" in lines
    assert "1 passed" not in lines
    assert lines[-4:-1] == ["  types    not finished", "  tests    not finished", "  browser  not finished"]


def test_make_runs_every_test_in_one_of_its_stages() -> None:
    """What `make -n test` prints, without the settings of the make that runs this test."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    printed = subprocess.run(["make", "-n", "test"], cwd=ROOT, env=plain, capture_output=True, text=True, check=True)
    command = next(line for line in printed.stdout.replace("\\\n", " ").splitlines() if "tests.stages" in line)
    parts = dict(part.split(": ", 1) for part in shlex.split(command) if "pytest" in part or "tests.alone" in part)
    assert list(parts) == ["core", "extensions", "browser tests"]
    for name in ("core", "extensions"):
        assert '-m "not browser and not lengthy and not integration"' in parts[name]
    assert '-m "browser and not lengthy"' in parts["browser tests"]
    mark = "mark." + "browser"
    marked = {path for path in (ROOT / "tests").rglob("test_*.py") if mark in path.read_text(encoding="utf-8")}
    named = [ROOT / word for word in shlex.split(parts["browser tests"]) if word.startswith("tests/")]
    assert not [path for path in marked if not any(path.is_relative_to(place) for place in named)]


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min 0 s"), (423, "7 min 3 s")])
def test_a_duration_in_minutes_and_seconds(seconds: float, text: str) -> None:
    assert duration(seconds) == text
