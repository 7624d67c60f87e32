"""A few kills at random moments, of which `make kill` does a hundred; and several people who decide while the study is
saved, ranked, attached and fetched again and again: nothing is lost."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import ROOT

PEOPLE, EACH = 2, 10
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked off one that has imported everything"),
]


def found(expression: str) -> Any:
    """What a function of tests.reliability.kill returns, in a process from which others are forked."""
    code = f"import json; from tests.reliability.kill import *; print(json.dumps({expression}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_few_kills_lose_nothing() -> None:
    counts = found("at_random(kills=4, seed=1)")
    assert counts["killed"] == 4
    assert counts["acknowledged"] >= 2
    assert (counts["lost"], counts["half-written"]) == (0, 0)


def test_no_decision_is_lost_meanwhile() -> None:
    numbers = [str(place) for place in range(EACH)]
    decided = {f"person {number}": numbers for number in range(PEOPLE)}
    for came in found(f"[meanwhile(job, {PEOPLE}, {EACH}) for job in SAVING[1:]]"):
        assert came["told"] == decided, came["job"]
        assert set(came["changes"]) == {"done"}, f"{came['job']} is done at least once"
        assert came["kept"] == decided | {"ann": ["kept"]}, came["job"]
        assert came["wrong"] == [], came["job"]
