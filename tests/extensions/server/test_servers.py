"""A few kills of servers at random moments, and many people at once; `make kill` does a hundred kills."""

import os

import pytest

from tests.extensions.server.servers import WRONG, at_servers, beside_others


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked off a process that has imported everything")
def test_servers_that_are_killed_lose_nothing() -> None:
    counts = at_servers(kills=5, seed=1)
    assert counts["servers killed"] == 5
    assert counts["decisions acknowledged"] + counts["answers acknowledged"] >= 1
    assert counts["jobs ended"] >= 2, "the last two, after all kills"
    assert {name: counts[name] for name in WRONG} == dict.fromkeys(WRONG, 0)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked off a process that has imported everything")
def test_ten_annotators_decide_while_the_owner_saves_and_a_job_runs() -> None:
    counts = beside_others(annotators=10, decisions=20)
    assert counts["decisions acknowledged"] == 200
    assert counts["studies saved"] >= 1
    assert counts["jobs ended"] >= 2
    assert {name: counts[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
