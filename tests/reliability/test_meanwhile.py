"""Several people decide while the study is saved, ranked, attached and fetched again and again: nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.adjudications import history
from tests.conftest import ROOT
from tests.reliability import jobs

PEOPLE, EACH = 3, 60

DECIDER = """
import sys, fairviz
from fairviz.annotation.adjudications import decide
study = fairviz.open_study("mine")
for number in range(int(sys.argv[2])):
    decide(study, ("d1", "d2")[number % 2], ("male", "female", "neutral")[number % 3], str(number), sys.argv[1])
    print(number, flush=True)
"""
CHANGER = """
import sys
from tests.reliability import jobs
while jobs.home().joinpath("going").exists():
    getattr(jobs, sys.argv[1])()
    print("done", flush=True)
"""


def process(code: str, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


@pytest.mark.slow
@pytest.mark.parametrize("job", ["save_as_it_is", "fetch_again", "rank", "attach_text"])
def test_no_decision_is_lost_meanwhile(job: str) -> None:
    Path(os.environ["FAIRVIZ_HOME"]).mkdir()
    jobs.make()
    going = jobs.home() / "going"
    going.touch()
    changer = process(CHANGER, job)
    people = [process(DECIDER, f"person {number}", str(EACH)) for number in range(PEOPLE)]
    answers = [person.communicate() for person in people]
    going.unlink()
    told, errors = changer.communicate()
    for person, (acknowledged, complaint) in zip(people, answers, strict=True):
        assert person.returncode == 0, complaint
        assert len(acknowledged.split()) == EACH
    assert changer.returncode == 0, errors
    assert told, "the study was changed at least once"
    study = fairviz.open_study("mine")
    past = history(study)
    assert len(past) == PEOPLE * EACH + 1
    for number in range(PEOPLE):
        own = past.loc[past["author"] == f"person {number}", "reason"].tolist()
        assert own == [str(place) for place in range(EACH)]
    assert jobs.sound(study)
    assert jobs.notes_kept()
    assert jobs.left_over() == []
