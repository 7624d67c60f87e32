"""A few kills of servers at random moments; `make kill` does a hundred."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked off a process that has imported everything")
def test_servers_that_are_killed_while_several_visitors_use_them_lose_nothing() -> None:
    command = [sys.executable, "-m", "tests.extensions.server.servers", "2", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout, done.stderr)
    counts = json.loads(done.stdout)
    assert counts["servers killed"] == 2
    assert counts["decisions acknowledged"] + counts["answers acknowledged"] >= 1
    assert counts["jobs ended"] >= 2, "the last two, after all kills"
