"""The claim: declared, dated, changed with its history; its verdict beside `fairviz.compare` on the same pairs; the
gate whose conditions are those of the claim; and every face that shows them."""

import datetime
import json
import os
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.checks.claim import EXPLORATORY, Verdict, claim_gate, verdict
from fairviz.checks.declare import FORM, read_claim
from fairviz.comparison.gate import NOT_SHOWN, SHOWN
from fairviz.datasets import studies_folder
from fairviz.datasets.additions import save_claim
from fairviz.errors import UsageError
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import MANIFEST, README
from fairviz.study.loaders.metadata import Claim
from fairviz.study.loaders.writing import write_runs
from fairviz.study.record import Study
from tests.checks.cases import sound
from tests.conftest import Call, refused
from tests.made import runs_of
from tests.pages.conftest import first_run, html_of, kept, keys_of, press

TODAY = datetime.date.today().isoformat()
CWEX = "CWEx(alpha=0.5)@10"
OF_NEWS = Claim(CWEX, "w2v_add", ("bm25",), "2026-11-01")
OF_MADE = Claim(CWEX, "left", ("right",), "2026-11-01")


def told(study: Study, **changes: object) -> Verdict:
    """The verdict of the study's claim, or of this change of OF_NEWS."""
    found = verdict(replace(study, claim=replace(OF_NEWS, **changes)) if changes else study)  # type: ignore[arg-type]
    assert found is not None
    return found


# --- declared


def test_a_claim_is_dated_whole_and_names_the_runs_that_are_there_and_what_replaces_it_keeps_it(tmp_path: Path) -> None:
    claim = fairviz.declare(sound(), "CWEx", "new", ["left", "newer"], margin=0.1).claim
    assert claim == Claim(CWEX, "new", ("left", "newer"), TODAY, 0.1, "majority", ("left",))
    runs = ("left", "right")
    assert fairviz.declare(sound(), "NFaiRR", "left").claim == Claim(
        "NFaiRR(tau=1)@10", "left", (), TODAY, had_runs=runs
    )
    first = fairviz.declare(sound(runs=None), "CWEx", "left", "right")
    second = fairviz.declare(replace(first, runs=sound().runs), "CWEx@5", "left", "right")
    third = fairviz.declare(second, "CWEx@3", "left", "right")
    assert third.claim is not None
    assert [one.measure[-2:] for one in third.claim.earlier] == ["10", "@5"]
    assert [one.had_runs for one in (*third.claim.earlier, third.claim)] == [(), runs, runs]
    assert told(third).when == f"Declared on {TODAY}, after runs of left, right"
    assert told(third).history == (
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
    assert built_in.folder not in save_claim(built_in, declared.claim).parents, "not in the folder of a built-in study"
    assert fairviz.open_study("football").claim == declared.claim
    assert built_in.claim is None


def test_a_claim_in_words() -> None:
    for text, found in (
        ("left is fairer than right by more than 0.02 in CWEx@10", ("CWEx@10", "left", ["right"], 0.02)),
        ("a better than b, c(k1=1,b=2) and d in nDCG@5 by .1", ("nDCG@5", "a", ["b", "c(k1=1,b=2)", "d"], 0.1)),
        ("a is fairer than all others in CWEx(alpha=0.5)@10", (CWEX, "a", "others", 0)),
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
    declare = ["check", tmp_path / "own", "--annotator ann --declare"]
    sentence = ["left is fairer than right by more than 0.02 in CWEx@10"]
    said = call(*declare, sentence).err
    assert (
        f"Declared on {TODAY}, after runs of left, right: left is fairer than right by more than 0.02 in {CWEX}" in said
    )
    assert f"wrote {file}" in said
    assert EXPLORATORY in said
    text = file.read_text()
    assert text.startswith("# mine\n")
    assert "left = 'one'  # two" in text
    earlier = Claim("CWEx", "right", ("left",), "2026-01-02")
    expected = Claim(CWEX, "left", ("right",), TODAY, 0.02, "ann", ("left", "right"), (earlier,))
    assert fairviz.open_study(tmp_path / "own").claim == expected
    call(*declare, sentence, status=1)
    assert file.read_text() == text


def test_runs_older_than_a_claim_by_hand_were_there_before_it(tmp_path: Path) -> None:
    fairviz.save_study(sound(claim=OF_MADE), tmp_path / "own")
    found = told(fairviz.open_study(tmp_path / "own"))
    assert (found.when, found.history) == ("Declared on 2026-11-01", "Whether its runs were there before is not known.")
    day = datetime.datetime(2026, 10, 31, 12).timestamp()
    for file in (tmp_path / "own" / "runs").glob("right*"):
        os.utime(file, (day, day))
    found = told(fairviz.open_study(tmp_path / "own"))
    assert (found.when, found.history) == ("Declared on 2026-11-01, after runs of right", "")


# --- its verdict


def test_a_verdict_of_one_pair_is_that_of_a_comparison_of_the_two(newswire: Study) -> None:
    """Whichever end of a measure is fair, and whichever of the two is claimed to be better."""
    assert verdict(newswire) is None
    of_each_kind = {(one.direction, one.family): one.text for one in overview(newswire, Settings()).questions}
    pairs = [(measure, "w2v_add", "bm25") for measure in of_each_kind.values()]
    for measure, better, worse in [*pairs, (CWEX, "bm25", "w2v_add")]:
        scores = fairviz.evaluate(newswire, measure, systems=[better, worse])
        row = fairviz.compare(scores, worse).iloc[0]
        found = told(newswire, measure=measure, better=better, worse=(worse,))
        (tested,) = found.rows
        assert found.state == ("holds" if row["verdict"] == "ahead" else "does not hold"), measure
        for name in ("difference", "p_corrected", "ci_low", "ci_high"):
            assert getattr(tested, name) == pytest.approx(row[name])


def test_a_verdict_against_all_others_is_corrected_over_these_pairs_alone(newswire: Study) -> None:
    found = told(newswire, worse=())
    others = [name for name in newswire.contenders if name != "w2v_add"]
    assert [row.baseline for row in found.rows] == others
    scores = fairviz.evaluate(newswire, CWEX, systems=["w2v_add", *others])
    table = fairviz.compare(scores, "w2v_add", tests="maxT(baseline='w2v_add')").set_index("system")
    assert [row.p_corrected for row in found.rows] == pytest.approx(table.loc[others, "p_corrected"].tolist())
    assert found.state == ("holds" if (table["verdict"] == "behind").all() else "does not hold")
    assert "than all others" in found.sentence


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"measure": "CWX@10"}, "Could not be tested: "),
        ({"better": "bm52"}, "Could not be tested: the study has no system 'bm52'."),
        ({"annotator": "nobody"}, "by the labels of nobody. Could not be tested: "),
        ({"better": "left", "worse": ("right",)}, "too few queries"),
    ],
)
def test_a_claim_that_cannot_be_tested_has_the_reason(
    newswire: Study, football: Study, changes: dict[str, str], says: str
) -> None:
    found = told(football if "left" in changes.values() else newswire, **changes)
    assert found.state == "could not be tested"
    assert says in found.sentence


def test_the_gate_has_the_verdict_of_the_claim(newswire: Study) -> None:
    for measure, margin, better, worse in (
        ("CWEx@10", 0.0, "w2v_add", "bm25"),
        ("CWEx@10", 0.0, "bm25", "w2v_add"),
        ("CWEx@10", 1.0, "w2v_add", "bm25"),
        ("TED@10", 0.015, "bm25", "w2v_add"),
        ("ExposureGap@10", 0.0, "w2v_add", "bm25"),
    ):
        study = replace(newswire, claim=Claim(measure, better, (worse, "tfidf"), "2026-11-01", margin))
        found, held = claim_gate(study), told(study)
        assert (found.state == "within") == (held.state == "holds")
        assert (set(found.table["state"]) == {SHOWN}) == (held.state == "holds")
        for name in ("difference", "ci_low", "ci_high"):
            assert found.table[name].tolist() == [getattr(row, name) for row in held.rows]
        texts = [f"{better} is fairer than {name}" for name in (worse, "tfidf")]
        assert [text.split(" in ")[0].split(" by ")[0] for text in found.table["condition"]] == texts


def test_a_claim_of_a_higher_value_needs_its_whole_interval_beyond_the_margin(newswire: Study) -> None:
    claim = replace(OF_NEWS, worse=("bm25", "tfidf"))
    low = claim_gate(replace(newswire, claim=claim)).table["ci_low"].to_numpy()
    assert (low > 0).all()
    for share, expected in ((0.99, SHOWN), (1.01, NOT_SHOWN)):
        study = replace(newswire, claim=replace(claim, margin=share * low.min()))
        assert claim_gate(study).table["state"].tolist()[int(np.argmin(low))] == expected
        assert told(study).state == ("holds" if expected == SHOWN else "does not hold")
    assert "not surely above the margin" in told(study).sentence


# --- in every face


SOME = ("w2v_add", "bm25", "tfidf", "qlm", "rrf", "w2v_si")


def own(folder: Path, name: str = "newswire", **changes: object) -> Path:
    """A study of some systems with a claim, saved."""
    study = fairviz.open_study(name)
    runs = study.runs[study.runs["system"].isin({*SOME, "left", "right"})]
    fairviz.save_study(replace(study, runs=runs, claim=replace(OF_NEWS, **changes)), folder)  # type: ignore[arg-type]
    return folder


def test_the_verdict_comes_first_in_every_face(call: Call, tmp_path: Path) -> None:
    study = fairviz.open_study(own(tmp_path / "own"))
    said = call("check", tmp_path / "own", "--claims --format csv")
    sentence = told(study).sentence
    assert sentence.startswith("Declared on 2026-11-01: w2v_add is fairer than bm25 in CWEx(alpha=0.5)@10. Holds: diff")
    whole = f"{sentence} Whether its runs were there before is not known. {EXPLORATORY}"
    assert whole in said.err
    text = str(study.explore(CWEX))
    assert text.index(sentence) < text.index("FV1")
    call("capsule", tmp_path / "own", "--no-figures --output", tmp_path / "a.zip")
    with ZipFile(tmp_path / "a.zip") as packed:
        claim = json.loads(packed.read(MANIFEST))["study"]["claim"]
        assert whole in packed.read(README).decode()
    assert (claim["verdict"], claim["worse"]) == (whole, "bm25")


def test_the_verb_gate_takes_conditions_from_the_claim_and_new_runs_for_its_better_system(
    call: Call, tmp_path: Path
) -> None:
    """The lists of w2v_add as a new run hold the claim, and those of bm25 do not."""
    folder, page = own(tmp_path / "own", worse=("bm25", "tfidf")), tmp_path / "gate.html"
    said = call("gate", folder, "--claim --format csv --report", page)
    assert [row["baseline_value"] != "" and row["state"] for row in said.rows] == [SHOWN, SHOWN]
    assert "shown: w2v_add is fairer than bm25 in CWEx(alpha=0.5)@10: CWEx(alpha=0.5)@10 differs by +0.1153" in said.err
    assert "Passed: the declared claim is shown against each system" in page.read_text()
    (row,) = call("gate", folder, "--claim --baseline w2v_si --format csv", status=3).rows
    assert (row["condition"], row["state"]) == ("w2v_add is fairer than w2v_si in CWEx(alpha=0.5)@10", NOT_SHOWN)
    folder, runs = own(tmp_path / "others", worse=()), fairviz.open_study("newswire").runs
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


def test_what_the_gate_of_a_claim_refuses(call: Call, tmp_path: Path, newswire: Study) -> None:
    folder = own(tmp_path / "own", "football", better="left", worse=("right",))
    for options, says in (
        ("--claim --fail-if 'CWEx falls by 0.1'", "has conditions and settings of its own, and --fail-if is given"),
        ("--claim --k 5", "and an option of the measures is given"),
        ("--claim --level 0.9", "and --level is given"),
        ("--claim --candidate right", "is fairer than right in CWEx(alpha=0.5)@10, and right is the candidate"),
        ("--baseline right --candidate left", "gate needs --fail-if"),
        ("--fail-if 'CWEx falls by 0.1' --baseline right", "gate needs --candidate"),
    ):
        said = call("gate", folder, options, status=2)
        assert sum(says in line for line in said.err.splitlines()) == 1, "contradictions are one line"
    with refused("newswire declares no claim\nDeclare one: fairviz check newswire --declare CLAIM", UsageError):
        claim_gate(newswire)
    said = call("gate", own(tmp_path / "mine", "football", better="mine"), "--claim", status=1)
    assert "the claim could not be tested: the study has no system 'mine'" in said.err


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
    own = sound(claim=OF_MADE)
    page = filled(first_run("overview.py", own), measure="CWX@10")
    press(page, "Declare")
    assert "CWX" in html_of(page)
    assert page.session_state["own_studies"]["made"].claim == own.claim
    page = filled(first_run("overview.py", own), measure="CWEx@5")
    assert page.selectbox(key="declare_better").value == "left"
    press(page, "Declare")
    changed = page.session_state["own_studies"]["made"].claim
    assert (changed.measure, changed.earlier) == ("CWEx(alpha=0.5)@5", (own.claim,))
    assert "First declared on 2026-11-01: left is fairer than right" in html_of(page)
    assert "exploratory" in keys_of(first_run("compare.py", own).button)
    assert "exploratory" not in keys_of(first_run("compare.py", sound()).button)
