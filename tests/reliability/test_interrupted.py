"""Ctrl-C at points of the commands: each ends with status 130 and one line, nothing stored is asked again."""

import json
import subprocess
import sys
from collections import Counter

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


@pytest.mark.slow
def test_ctrl_c_ends_a_command_with_one_line_and_the_same_command_asks_only_what_is_not_stored() -> None:
    with model_server() as server:
        command = [sys.executable, "-m", "tests.reliability.interrupted", server.address]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        asked = Counter(body["model"] for body in server.bodies)
    for number, (point, line) in enumerate(zip(POINTS, done.stdout.splitlines(), strict=True)):
        found, verb, where = json.loads(line), point.command[0], f"{point.command[0]} {point.name}"
        first, again, stored = found["first"], found["again"], found["stored"]
        assert first["status"] == 130, (where, first["said"])
        ending = interrupts.AT_ONCE.decode().strip() if len(point.presses) == 2 else LINES[verb]
        assert first["said"].splitlines()[-1].startswith(ending), (where, first["said"])
        assert "Traceback" not in first["said"], (where, first["said"])
        assert first["alone"], f"{where}: a process is left behind"
        if verb in ASKING:
            assert again["status"] == 0, (where, again["said"])
            assert stored <= asked[f"m{number}"] <= stored + 4, f"{where}: the four submitted are asked again at most"
        if verb == "annotate":
            assert f"    {stored - found['kept']} questions sent now; " in again["said"], (where, again["said"])
