"""A few kills at random moments; `make kill` does a hundred."""

import pytest

from tests.reliability.kill import at_random


@pytest.mark.slow
def test_a_few_kills_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_HOME", "")  # which at_random sets to a folder of its own
    counts = at_random(kills=10, seed=1)
    assert counts["killed"] == 10
    assert counts["acknowledged"] >= 5
    assert (counts["lost"], counts["half-written"]) == (0, 0)
