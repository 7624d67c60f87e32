"""The map of choices as a part of a report."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

import fairviz
from fairviz.analyses.sensitivity.result import Robustness
from fairviz.evaluation.settings import Settings
from fairviz.output.sensitivity_report import axes_of, is_of, section
from fairviz.study.record import Study
from tests.conftest import Call


@pytest.fixture(scope="module")
def found(newswire: Study) -> Robustness:
    return fairviz.robustness(newswire, ["bm25", "w2v_add"], "NFaiRR", {"tau": [0, 1], "cutoff": [5, 10]})


def test_the_part_says_what_the_map_says(found: Robustness) -> None:
    part = section(found)
    assert part.title == "Sensitivity"
    body = part.html
    assert found.sentence in unescape(re.sub(r"</?b>", "", body))
    assert "<dt>cutoff</dt><dd>5, 10</dd>" in body
    assert "<td>interactions</td>" in body
    assert body.count("data-figure=") == 2
    held = json.loads(re.findall(r'data-figure="figure-choices">(.*?)</script>', body)[0])
    assert set(held) == {"light", "dark"}
    assert set(axes_of(found)) == {"tau", "cutoff"}


def test_a_map_is_of_its_study_and_settings(found: Robustness, football: Study) -> None:
    study = found.grid.study
    assert is_of(found, study, Settings(study="newswire", tau=0, cutoff=20, query="q01"))
    assert not is_of(found, study, Settings(study="newswire", tokenizer="whitespace"))
    assert not is_of(found, football, Settings())


def test_the_command_makes_it(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "report.html"
    asked = ["report", "football", "NFaiRR", "-o", path, "--map-choice", "tau=0,1", "--map-measure", "NFaiRR"]
    assert "--map-measure and --map-choice are options of --map" in call(asked, status=2).err
    assert not path.exists()
    call(asked, "--map left,right")
    titles = re.findall(r'<h2 id="part-\d">([^<]+)</h2>', path.read_text(encoding="utf-8"))
    assert titles[titles.index("Ties") + 1] == "Sensitivity"
    assert "--map is 'left'" in call(asked, "--map left", status=2).err
