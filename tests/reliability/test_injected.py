"""A process is ended at every rename, removal, new folder and opened file: what is found is as before or as after."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.reliability import jobs

FEWEST = {"decide_more": 1, "export": 3}  # operations that each job has at least; SQLite's own are not seen


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked off one that has imported everything")
@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.lengthy)])
def test_ended_at_every_operation(every: int) -> None:
    """And so is the one who mends it, from every eighth state that is left or each of them."""
    command = [sys.executable, "-m", "tests.reliability.injected", str(every)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    found = {row["job"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert list(found) == list(jobs.JOBS)
    assert {job: row["wrong"] for job, row in found.items() if row["wrong"]} == {}
    assert [job for job, row in found.items() if not row["changes"]] == [], "each job does something that can be told"
    assert found["save_over"]["ended_mending"] > 0
    assert [job for job, row in found.items() if row["ended"] < FEWEST.get(job, 10)] == []
