"""A process is ended at every rename, removal, new folder and opened file: what is found is as before or as after."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.reliability import jobs

FEWEST = {"decide_more": 1, "export": 3}  # operations that each job has at least; SQLite's own are not seen


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked off one that has imported everything"),
]


@pytest.fixture(scope="module")
def ended() -> dict[str, dict]:
    """What was found after each job."""
    command = [sys.executable, "-m", "tests.reliability.injected"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return {row["job"]: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("job", sorted(jobs.JOBS))
def test_ended_at_every_operation(job: str, ended: dict[str, dict]) -> None:
    found = ended[job]
    assert found["wrong"] == []
    assert found["changes"], "the job does something that can be told"
    assert found["ended"] >= FEWEST.get(job, 10)
