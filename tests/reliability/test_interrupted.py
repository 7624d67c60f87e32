"""Ctrl-C at points of the commands: each ends with status 130 and one line, nothing stored is asked again."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from fairviz import interrupts
from tests.conftest import ROOT
from tests.extension_rows import rows
from tests.model_server import model_server
from tests.reliability.interrupted import ASKING, POINTS

ANSWERS = "stopped: answers are kept; run the same command to resume"
LINES = {
    **dict.fromkeys(ASKING, ANSWERS),
    "sensitivity": "stopped: ",
    **rows("STOPPED"),
    "evaluate": "stopped",
}


@pytest.fixture(scope="module")
def ended() -> Iterator[tuple[list[dict], Counter]]:
    """What came of each point, and how many requests each model got."""
    with model_server() as server:
        command = [sys.executable, "-m", "tests.reliability.interrupted", server.address]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        yield found, Counter(body["model"] for body in server.bodies)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(POINTS)), ids=[point.name for point in POINTS])
def test_ctrl_c_ends_it_with_one_line(ended: tuple[list[dict], Counter], number: int) -> None:
    point, found = POINTS[number], ended[0][number]
    first = found["first"]
    assert first["status"] == 130, first["said"]
    line = interrupts.AT_ONCE.decode().strip() if len(point.presses) == 2 else LINES[point.command[0]]
    assert first["said"].splitlines()[-1].startswith(line)
    assert "Traceback" not in first["said"]
    assert first["alone"], "a process is left behind"


@pytest.mark.slow
@pytest.mark.parametrize("number", [n for n, point in enumerate(POINTS) if point.command[0] in ASKING])
def test_the_same_command_asks_only_what_is_not_stored(ended: tuple[list[dict], Counter], number: int) -> None:
    found = ended[0][number]
    assert found["again"]["status"] == 0, found["again"]["said"]
    if POINTS[number].command[0] == "annotate":
        assert f"    {found['stored'] - found['kept']} questions sent now; " in found["again"]["said"]
    assert found["stored"] <= ended[1][f"m{number}"] <= found["stored"] + 4, (
        "at most the four submitted are asked again"
    )
