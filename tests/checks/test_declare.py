"""A claim is declared in Python, by the command line and on the page: dated, with the runs that were there, and with
what it replaces."""

import datetime
import os
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.checks.claim import EXPLORATORY, verdict
from fairviz.checks.declare import FORM, read_claim
from fairviz.datasets import studies_folder
from fairviz.datasets.additions import save_claim
from fairviz.errors import UsageError
from fairviz.study.loaders.metadata import Claim
from fairviz.study.loaders.writing import write_runs
from tests.checks.cases import sound
from tests.conftest import Call, refused
from tests.pages.conftest import first_run, html_of, kept, keys_of, press

TODAY = datetime.date.today().isoformat()
CWEX = "CWEx(alpha=0.5)@10"
SENTENCE = "left is fairer than right by more than 0.02 in CWEx@10"


def test_a_claim_is_dated_whole_and_names_the_runs_that_are_there() -> None:
    claim = fairviz.declare(sound(), "CWEx", "new", ["left", "newer"], margin=0.1).claim
    assert claim == Claim(CWEX, "new", ("left", "newer"), TODAY, 0.1, "majority", ("left",))
    assert fairviz.declare(sound(), "NFaiRR", "left").claim == Claim(
        "NFaiRR(tau=1)@10", "left", (), TODAY, had_runs=("left", "right")
    )
    assert fairviz.declare(sound(runs=None), "CWEx", "new").claim.had_runs == ()  # type: ignore[union-attr]


def test_what_replaces_a_claim_keeps_it_with_its_date_and_its_runs(tmp_path: Path) -> None:
    first = fairviz.declare(sound(runs=None), "CWEx", "left", "right")
    second = fairviz.declare(replace(first, runs=sound().runs), "CWEx@5", "left", "right")
    third = fairviz.declare(second, "CWEx@3", "left", "right")
    assert third.claim is not None
    assert [one.measure[-2:] for one in third.claim.earlier] == ["10", "@5"]
    assert [one.had_runs for one in (*third.claim.earlier, third.claim)] == [(), ("left", "right"), ("left", "right")]
    found = verdict(third)
    assert found is not None
    assert found.when == f"Declared on {TODAY}, after runs of left, right"
    assert found.history == (
        f"First declared on {TODAY}, and changed 2 times: left is fairer than right in {CWEX}, by the labels of "
        "majority."
    )
    fairviz.save_study(third, tmp_path / "a")
    assert fairviz.open_study(tmp_path / "a").claim == third.claim


@pytest.mark.parametrize(
    ("measure", "better", "worse", "more", "says"),
    [
        ("Exposure", "left", "right", {}, "describes lists, and has no better end"),
        ("CWEx", "left", "left", {}, "worse names the system that is claimed to be better"),
        ("CWEx", "", "right", {}, "better is not a text"),
        ("CWEx", "left", "right", {"margin": -1}, "margin is not a number of 0 or more"),
        ("CWEx", "left", "right", {"annotator": "nobody"}, "nobody"),
        ("CWX", "left", "right", {}, "CWX"),
        ("DPFR", "left", "right", {}, "a distance of means"),
    ],
)
def test_what_cannot_be_declared(measure: str, better: str, worse: str, more: dict, says: str) -> None:
    with pytest.raises(fairviz.FairvizError, match=says):
        fairviz.declare(sound(), measure, better, worse, **more)


def test_the_same_claim_is_declared_once_and_of_a_study_with_a_folder() -> None:
    study = fairviz.declare(sound(), "CWEx", "left", "right")
    assert study.claim is not None
    with refused(f"this claim is declared already, on {TODAY}\nDeclare another one, or none."):
        fairviz.declare(study, CWEX, "left", ["right"], annotator="majority")
    with refused("made has no folder yet\nSave it first with fairviz.save_study."):
        save_claim(study, study.claim)
    built_in = fairviz.open_study("football")
    declared = fairviz.declare(built_in, "CWEx@4", "left", "right")
    assert declared.claim is not None
    assert built_in.folder not in save_claim(built_in, declared.claim).parents, (
        "it is not in the folder of a built-in study"
    )
    assert fairviz.open_study("football").claim == declared.claim
    assert built_in.claim is None


def test_a_claim_in_words() -> None:
    for text, found in (
        (SENTENCE, ("CWEx@10", "left", ["right"], 0.02)),
        ("a better than b, c(k1=1,b=2) and d in nDCG@5 by .1", ("nDCG@5", "a", ["b", "c(k1=1,b=2)", "d"], 0.1)),
        ("a is fairer than all others in CWEx(alpha=0.5)@10", ("CWEx(alpha=0.5)@10", "a", "others", 0)),
    ):
        assert read_claim(text) == dict(zip(("measure", "better", "worse", "margin"), found, strict=True))
    for text in ("left > right in CWEx", "left is fairer than right", ""):
        with refused(f"cannot read the claim {text!r}\n{FORM}", UsageError):
            read_claim(text)


def test_the_command_line_declares_and_keeps_comments_and_history(call: Call, tmp_path: Path) -> None:
    fairviz.save_study(sound(), tmp_path / "own")
    file = tmp_path / "own" / "study.toml"
    file.write_text(f"# mine\n{file.read_text()}[claim]\nmeasure = 'CWEx'\nbetter = 'right'\nworse = 'left'\n"
                    "date = 2026-01-02\n\n[cards]\nleft = 'one'  # two\n")  # fmt: skip
    said = call("check", tmp_path / "own", "--annotator ann --declare", [SENTENCE])
    assert f"Declared on {TODAY}, after runs of left, right: left is fairer than right by more than 0.02 in {CWEX}" in (
        said.err
    )
    assert f"wrote {file}" in said.err
    assert EXPLORATORY in said.err
    text = file.read_text()
    assert text.startswith("# mine\n")
    assert "left = 'one'  # two" in text
    earlier = Claim("CWEx", "right", ("left",), "2026-01-02")
    expected = Claim(CWEX, "left", ("right",), TODAY, 0.02, "ann", ("left", "right"), (earlier,))
    assert fairviz.open_study(tmp_path / "own").claim == expected
    call("check", tmp_path / "own", "--annotator ann --declare", [SENTENCE], status=1)
    assert file.read_text() == text


def test_runs_older_than_a_claim_by_hand_were_there_before_it(tmp_path: Path) -> None:
    claim = Claim(CWEX, "left", ("right",), "2026-11-01")
    fairviz.save_study(sound(claim=claim), tmp_path / "own")
    found = verdict(fairviz.open_study(tmp_path / "own"))
    assert found is not None
    assert (found.when, found.history) == ("Declared on 2026-11-01", "Whether its runs were there before is not known.")
    day = datetime.datetime(2026, 10, 31, 12).timestamp()
    for file in (tmp_path / "own" / "runs").glob("right*"):
        os.utime(file, (day, day))
    found = verdict(fairviz.open_study(tmp_path / "own"))
    assert found is not None
    assert (found.when, found.history) == ("Declared on 2026-11-01, after runs of right", "")


# --- on the page ----------------------------------------------------------------------------------------------------


def filled(page: AppTest, **fields: object) -> AppTest:
    """The page with its form open, and these values typed into its fields."""
    page.session_state["declare"] = True
    for name, value in fields.items():
        page.session_state[f"declare_{name}"] = value
    return page.run()


def test_a_claim_is_declared_on_data_before_there_is_a_run_and_its_verdict_comes_first() -> None:
    name = kept(sound(runs=None))
    page = filled(first_run("data.py", study=name, data_tab="Add and save"), better="left", worse=["right"], margin=0.5)
    assert f"None of these runs is here yet. The claim is dated {TODAY}." in html_of(page)
    press(page, "Declare")
    declared = Claim(CWEX, "left", ("right",), TODAY, 0.5, "majority", ())
    assert fairviz.open_study(name).claim == declared
    said = f"Declared on {TODAY}, before its runs: left is fairer than right by more than 0.5 in {CWEX}, by the labels"
    assert said in html_of(page)
    assert said in html_of(first_run("overview.py", study=name))
    write_runs(sound().runs, studies_folder() / name)
    shown = html_of(first_run("overview.py", study=name))
    assert "<b>The claim does not hold: left is fairer than right by more than 0.5 in" in shown
    assert f"Declared on {TODAY}, before its runs. {EXPLORATORY}" in shown


def test_a_claim_is_changed_on_overview_and_other_pages_are_exploratory() -> None:
    own = sound(claim=Claim(CWEX, "left", ("right",), "2026-11-01"))
    page = filled(first_run("overview.py", own), measure="CWX@10")
    press(page, "Declare")
    assert "CWX" in html_of(page)
    (refused_one,) = page.session_state["own_studies"].values()
    assert refused_one.claim == own.claim
    page = filled(first_run("overview.py", own), measure="CWEx@5")
    assert page.selectbox(key="declare_better").value == "left"
    press(page, "Declare")
    (changed,) = page.session_state["own_studies"].values()
    assert (changed.claim.measure, changed.claim.earlier) == ("CWEx(alpha=0.5)@5", (own.claim,))
    assert "First declared on 2026-11-01: left is fairer than right" in html_of(page)
    assert "exploratory" in keys_of(first_run("compare.py", own).button)
    assert "exploratory" not in keys_of(first_run("compare.py", sound()).button)
