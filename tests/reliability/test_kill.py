"""Nothing is lost and nothing half-written: a process is ended at every operation on files, a few at random moments, of
which `make kill` does a hundred; people decide while the study is changed again and again; Ctrl-C ends a command."""

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from fairviz import interrupts
from tests.conftest import ROOT
from tests.extension_rows import rows
from tests.model_server import model_server
from tests.reliability import jobs
from tests.reliability.interrupted import ASKING, CHOSEN

FEWEST = {"decide_more": 1, "export": 3}  # operations that each job has at least; SQLite's own are not seen
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked off one that has imported everything"),
]


def lines_of(*arguments: str) -> list[Any]:
    """The lines of JSON that a process prints, from which others are forked."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.lengthy)])
def test_ended_at_every_operation_and_at_random_moments_nothing_is_lost(every: int) -> None:
    """What is found is as before or as after, also where the one who mends it is ended; in every eighth of the states
    that are left, or in each. No decision is lost by a kill, nor while the study is changed."""
    people, each = 2, 4
    meanwhile = f"[meanwhile(job, {people}, {each}) for job in SAVING[1:]]"
    (counts, while_changed), *rows = lines_of(
        "-c",
        "from tests.reliability.kill import *; from tests.reliability.injected import main, warm; warm(); "
        f"print(json.dumps([at_random(kills=4, seed=1), {meanwhile}])); main({every})",
    )
    assert counts["killed"] == 4
    assert counts["acknowledged"] >= 2
    assert (counts["lost"], counts["half-written"]) == (0, 0)
    decided = {f"person {number}": [str(place) for place in range(each)] for number in range(people)}
    for came in while_changed:
        assert came["told"] == decided, came["job"]
        assert set(came["changes"]) == {"done"}, f"{came['job']} is done at least once"
        assert came["kept"] == decided | {"ann": ["kept"]}, came["job"]
        assert came["wrong"] == [], came["job"]
    found = {row["job"]: row for row in rows}
    assert list(found) == list(jobs.JOBS)
    assert {job: row["wrong"] for job, row in found.items() if row["wrong"]} == {}
    assert [job for job, row in found.items() if not row["changes"]] == [], "each job does something that can be told"
    assert found["save_over"]["ended_mending"] > 0
    assert [job for job, row in found.items() if row["ended"] < FEWEST.get(job, 10)] == []


LINES = {
    **dict.fromkeys(ASKING, "stopped: answers are kept; run the same command to resume"),
    "sensitivity": "stopped: ",
    **rows("STOPPED"),
    "evaluate": "stopped",
}


@pytest.mark.parametrize("chosen", ["few", pytest.param("others", marks=pytest.mark.lengthy)])
def test_ctrl_c_ends_a_command_with_one_line_and_the_same_command_asks_only_what_is_not_stored(chosen: str) -> None:
    with model_server() as server:
        found = lines_of("-m", "tests.reliability.interrupted", server.address, chosen)
        asked = Counter(body["model"] for body in server.bodies)
    for number, (point, row) in enumerate(zip(CHOSEN[chosen], found, strict=True)):
        verb, where = point.command[0], f"{point.command[0]} {point.name}"
        first, again, stored = row["first"], row["again"], row["stored"]
        assert first["status"] == 130, (where, first["said"])
        ending = interrupts.AT_ONCE.decode().strip() if len(point.presses) == 2 else LINES[verb]
        assert first["said"].splitlines()[-1].startswith(ending), (where, first["said"])
        assert "Traceback" not in first["said"], (where, first["said"])
        assert first["alone"], f"{where}: a process is left behind"
        if verb in ASKING:
            assert again["status"] == 0, (where, again["said"])
            assert stored <= asked[f"m{number}"] <= stored + 4, f"{where}: the four submitted are asked again at most"
        if verb == "annotate":
            assert f"    {stored - row['kept']} questions sent now; " in again["said"], (where, again["said"])
