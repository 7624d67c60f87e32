"""A process is ended at every rename, removal, new folder and opened file: what is found is as before or as after."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.reliability import jobs

PARTS = {
    "saving": ("save_over", "decide_more", "export"),
    "ranking": ("save_new", "rank", "rank_builtin"),
    "fetching": ("attach_text", "fetch_new", "fetch_again"),
}
FEWEST = {"decide_more": 1, "export": 3}  # operations that each job has at least; SQLite's own are not seen


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked off one that has imported everything")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("every", [17, pytest.param(1, marks=pytest.mark.lengthy)])
def test_ended_at_every_operation(every: int, part: str) -> None:
    """And so is the one who mends it, after every seventeenth or each of them."""
    command = [sys.executable, "-m", "tests.reliability.injected", str(every), *PARTS[part]]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    found = {row["job"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert set(found) == set(PARTS[part])
    assert {job: row["wrong"] for job, row in found.items() if row["wrong"]} == {}
    assert [job for job, row in found.items() if not row["changes"]] == [], "each job does something that can be told"
    assert part != "saving" or found["save_over"]["ended_mending"] > 0
    assert [job for job, row in found.items() if row["ended"] < FEWEST.get(job, 10)] == []


def test_every_job_is_ended() -> None:
    assert sorted(job for part in PARTS.values() for job in part) == sorted(jobs.JOBS)
