"""What a study declares beforehand, in [claim] of study.toml: read, refused and saved."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.study.loaders.metadata import Claim
from tests.checks.cases import sound

GOOD = {"measure": '"CWEx"', "better": '"left"', "worse": '"right"', "date": "2026-11-01"}
EARLIER = Claim("CWEx@5", "left", (), "2026-10-01", 0.1, had_runs=())
CLAIM = Claim("CWEx(alpha=0.5)@10", "left", ("right",), "2026-11-01", had_runs=("left",), earlier=(EARLIER, EARLIER))


def opened(folder: Path, **lines: str) -> fairviz.study.record.Study:
    """The study in the folder with these lines as its claim."""
    toml = (folder / "study.toml").read_text(encoding="utf-8").partition("\n[claim]\n")[0]
    claim = "".join(f"{key} = {text}\n" for key, text in lines.items() if text)
    (folder / "study.toml").write_text(f"{toml}\n[claim]\n{claim}", encoding="utf-8")
    return fairviz.open_study(folder)


WORSE = {'"right"': ("right",), '["right", "other"]': ("right", "other"), '"others"': (), '["others"]': ("others",)}


def test_a_claim_is_read_and_saved(tmp_path: Path) -> None:
    folder = fairviz.save_study(sound(), tmp_path / "a")
    for worse, names in WORSE.items():
        study = opened(folder, **GOOD | {"worse": worse, "margin": "0.5", "annotator": '"ann"'})
        assert study.claim == Claim("CWEx", "left", names, "2026-11-01", 0.5, "ann")
    for claim in (study.claim, CLAIM):
        fairviz.save_study(sound(claim=claim), tmp_path / claim.measure)
        assert fairviz.open_study(tmp_path / claim.measure).claim == claim
    assert sound().claim is None


WRONG = [
    ({"date": ""}, 'claim.date is missing; write as date = "2026-11-01"'),
    ({"date": '"1 May"'}, "claim.date is not a date, as 2026-11-01: '1 May'"),
    ({"date": "2026-11-01T10:00:00"}, "claim.date is not a date"),
    ({"measure": "3"}, "claim.measure is not a text, as \"CWEx(alpha=0.5)@10\": '3'"),
    ({"worse": "[]"}, "claim.worse is not a system, a list of different systems"),
    ({"worse": '["left", "right"]'}, "claim.worse names the system that is claimed to be better"),
    ({"margin": "-1"}, "claim.margin is not a number of 0 or more, in units of the measure: '-1'"),
    ({"margin": "nan"}, "claim.margin is not a number of 0 or more"),
    ({"beter": '"x"'}, "claim.beter is an unknown key; claim has measure, better, worse, date, margin"),
    ({"had_runs": '"left"'}, "claim.had_runs is not a list of systems"),
    ({"earlier": "[3]"}, "claim.earlier is not a list of tables, as [[claim.earlier]]"),
    ({"earlier": '[{measure = "CWEx"}]'}, "claim.earlier.date is missing"),
]


def test_a_wrong_claim_is_refused_with_its_line(tmp_path: Path) -> None:
    folder = fairviz.save_study(sound(), tmp_path / "a")
    for changes, says in WRONG:
        with pytest.raises(FairvizError, match=re.escape(says)) as problem:
            opened(folder, **GOOD | changes)
        assert "study.toml" in str(problem.value)
    with pytest.raises(FairvizError, match=r"claim\.margin is not a number of 0 or more"):
        sound(claim=replace(CLAIM, margin=-1))
    with pytest.raises(FairvizError, match="Give a Claim"):
        sound(claim="left")
