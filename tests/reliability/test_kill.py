"""A few kills at random moments; `make kill` does a hundred."""

import os

import pytest

from tests.reliability.kill import at_random, at_servers
from tests.reliability.servers import WRONG


@pytest.mark.slow
def test_a_few_kills_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_HOME", "")  # which at_random sets to a folder of its own
    counts = at_random(kills=10, seed=1)
    assert counts["killed"] == 10
    assert counts["acknowledged"] >= 5
    assert (counts["lost"], counts["half-written"]) == (0, 0)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked off a process that has imported everything")
def test_servers_that_are_killed_lose_nothing() -> None:
    counts = at_servers(kills=5, seed=1)
    assert counts["servers killed"] == 5
    assert counts["decisions acknowledged"] + counts["answers acknowledged"] >= 1
    assert counts["jobs ended"] >= 2, "the last two, after all kills"
    assert {name: counts[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
