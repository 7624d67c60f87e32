"""The gate whose conditions are those of the declared claim: one verdict with `check --claims`, and new runs in the
place of its systems."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fairviz
from fairviz.checks.claim import claim_gate, verdict
from fairviz.comparison.gate import NOT_SHOWN, SHOWN
from fairviz.errors import UsageError
from fairviz.study.loaders.metadata import Claim
from fairviz.study.loaders.writing import write_runs
from fairviz.study.record import Study
from tests.conftest import Call, refused
from tests.made import runs_of

CLAIM = Claim("CWEx(alpha=0.5)@10", "w2v_add", ("bm25", "tfidf"), "2026-11-01")


@pytest.mark.parametrize("margin", [0.0, 0.015, 0.03, 1.0])
@pytest.mark.parametrize("measure", ["CWEx@10", "NFaiRR@10", "TED@10", "RaB@10", "ExposureGap@10"])
@pytest.mark.parametrize("better", ["w2v_add", "bm25"])
def test_the_gate_has_the_verdict_of_the_claim(newswire: Study, measure: str, better: str, margin: float) -> None:
    worse = tuple(name for name in ("w2v_add", "bm25", "tfidf") if name != better)
    study = replace(newswire, claim=Claim(measure, better, worse, "2026-11-01", margin))
    found, told = claim_gate(study), verdict(study)
    assert told is not None
    assert (found.state == "within") == (told.state == "holds")
    assert (set(found.table["state"]) == {SHOWN}) == (told.state == "holds")
    for name in ("difference", "ci_low", "ci_high"):
        assert found.table[name].tolist() == [getattr(row, name) for row in told.rows]
    texts = [f"{better} is fairer than {name}" for name in worse]
    assert [text.split(" in ")[0].split(" by ")[0] for text in found.table["condition"]] == texts


def test_a_claim_of_a_higher_value_needs_its_whole_interval_beyond_the_margin(newswire: Study) -> None:
    low = claim_gate(replace(newswire, claim=CLAIM)).table["ci_low"].to_numpy()
    assert (low > 0).all()
    state = {
        name: claim_gate(replace(newswire, claim=replace(CLAIM, margin=share * low.min()))).table["state"].tolist()
        for name, share in (("below", 0.99), ("above", 1.01))
    }
    assert state["below"] == [SHOWN, SHOWN]
    assert state["above"][int(np.argmin(low))] == NOT_SHOWN


def own(folder: Path, **changes: object) -> Path:
    """Newswire with a claim, saved."""
    study = fairviz.open_study("newswire")
    fairviz.save_study(replace(study, claim=replace(CLAIM, **changes)), folder)  # type: ignore[arg-type]
    return folder


def test_the_command_line_takes_conditions_systems_and_settings_from_the_claim(call: Call, tmp_path: Path) -> None:
    page = tmp_path / "gate.html"
    folder = own(tmp_path / "own")
    said = call("gate", folder, "--claim --format csv --report", page)
    assert [row["baseline_value"] != "" and row["state"] for row in said.rows] == [SHOWN, SHOWN]
    assert "shown: w2v_add is fairer than bm25 in CWEx(alpha=0.5)@10: CWEx(alpha=0.5)@10 differs by +0.1153" in said.err
    assert "Passed: the declared claim is shown against each system" in page.read_text()
    said = call("gate", folder, "--claim --baseline w2v_si --format csv", status=3)
    (row,) = said.rows
    assert (row["condition"], row["state"]) == ("w2v_add is fairer than w2v_si in CWEx(alpha=0.5)@10", NOT_SHOWN)


def test_a_new_run_stands_in_for_the_better_system(call: Call, tmp_path: Path) -> None:
    """The lists of w2v_add as a new run hold the claim, and those of bm25 do not."""
    folder = own(tmp_path / "own", worse=())
    runs = fairviz.open_study("newswire").runs
    for name, status in (("w2v_add", 0), ("bm25", 3)):
        rows = runs[runs["system"] == name]
        lists = {("new", query): of["doc_id"].tolist() for query, of in rows.groupby("query_id", observed=True)}
        (place := tmp_path / name).mkdir()
        write_runs(fairviz.make_study("new", runs=runs_of(lists)).runs, place)
        new = place / "runs" / "new.run"
        said = call("gate", folder, "--claim --baseline tfidf --format csv --candidate", new, status=status)
        assert said.rows[0]["condition"] == "new is fairer than tfidf in CWEx(alpha=0.5)@10"
    said = call("gate", folder, "--claim --format csv --candidate", new, status=3)
    against = [row["condition"].split(" ")[4] for row in said.rows]
    assert "w2v_add" not in against
    assert {"tfidf", "qlm", "rrf"} < set(against)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--claim --fail-if 'CWEx falls by 0.1'", "has conditions and settings of its own, and --fail-if is given"),
        ("--claim --k 5", "and an option of the measures is given"),
        ("--claim --level 0.9", "and --level is given"),
        ("--claim --candidate bm25", "is fairer than bm25 and tfidf in CWEx(alpha=0.5)@10, and bm25 is the candidate"),
        ("--baseline bm25 --candidate w2v_add", "gate needs --fail-if"),
        ("--fail-if 'CWEx falls by 0.1' --baseline bm25", "gate needs --candidate"),
    ],
)  # fmt: skip
def test_what_contradicts_the_claim_is_refused_in_one_line(call: Call, tmp_path: Path, options: str, says: str) -> None:
    said = call("gate", own(tmp_path / "own"), options, status=2)
    (line,) = [line for line in said.err.splitlines() if says in line]
    assert line


def test_a_study_without_a_claim_and_a_claim_without_runs(call: Call, tmp_path: Path) -> None:
    with refused("newswire declares no claim\nDeclare one: fairviz check newswire --declare CLAIM", UsageError):
        claim_gate(fairviz.open_study("newswire"))
    said = call("gate", own(tmp_path / "own", better="mine"), "--claim", status=1)
    assert "the claim could not be tested: the study has no system 'mine'" in said.err
