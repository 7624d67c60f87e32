"""The declared claim: its verdict beside `fairviz.compare` on the same pairs, the gate whose conditions are those of
the claim, with new runs in the place of its systems, and every face that shows them."""

import json
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

import fairviz
from fairviz.checks.claim import EXPLORATORY, Verdict, claim_gate, verdict
from fairviz.comparison.gate import NOT_SHOWN, SHOWN
from fairviz.errors import UsageError
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import MANIFEST, README
from fairviz.study.loaders.metadata import Claim
from fairviz.study.loaders.writing import write_runs
from fairviz.study.record import Study
from tests.conftest import Call, refused
from tests.made import runs_of

CWEX = Claim("CWEx(alpha=0.5)@10", "w2v_add", ("bm25",), "2026-11-01")


def of(study: Study, **changes: object) -> Verdict:
    found = verdict(replace(study, claim=replace(CWEX, **changes)))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_a_verdict_of_one_pair_is_that_of_a_comparison_of_the_two(newswire: Study) -> None:
    """Whichever end of a measure is fair, and whichever of the two is claimed to be better."""
    assert verdict(newswire) is None
    of_each_kind = {(one.direction, one.family): one.text for one in overview(newswire, Settings()).questions}
    pairs = [(measure, "w2v_add", "bm25") for measure in of_each_kind.values()]
    for measure, better, worse in [*pairs, (CWEX.measure, "bm25", "w2v_add")]:
        scores = fairviz.evaluate(newswire, measure, systems=[better, worse])
        row = fairviz.compare(scores, worse).iloc[0]
        found = of(newswire, measure=measure, better=better, worse=(worse,))
        (tested,) = found.rows
        assert found.state == ("holds" if row["verdict"] == "ahead" else "does not hold"), measure
        for name in ("difference", "p_corrected", "ci_low", "ci_high"):
            assert getattr(tested, name) == pytest.approx(row[name])


def test_a_verdict_against_all_others_is_corrected_over_these_pairs_alone(newswire: Study) -> None:
    found = of(newswire, worse=())
    others = [name for name in newswire.contenders if name != "w2v_add"]
    assert [row.baseline for row in found.rows] == others
    scores = fairviz.evaluate(newswire, CWEX.measure, systems=["w2v_add", *others])
    table = fairviz.compare(scores, "w2v_add", tests="maxT(baseline='w2v_add')").set_index("system")
    assert [row.p_corrected for row in found.rows] == pytest.approx(table.loc[others, "p_corrected"].tolist())
    behind = (table["verdict"] == "behind").all()
    assert found.state == ("holds" if behind else "does not hold")
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
    found = of(football if "left" in changes.values() else newswire, **changes)
    assert found.state == "could not be tested"
    assert says in found.sentence


def test_the_gate_has_the_verdict_of_the_claim(newswire: Study) -> None:
    for measure, margin in (("CWEx@10", 0.0), ("CWEx@10", 1.0), ("TED@10", 0.015), ("ExposureGap@10", 0.0)):
        for better, worse in (("w2v_add", ("bm25", "tfidf")), ("bm25", ("w2v_add", "tfidf"))):
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
    claim = replace(CWEX, worse=("bm25", "tfidf"))
    low = claim_gate(replace(newswire, claim=claim)).table["ci_low"].to_numpy()
    assert (low > 0).all()
    for share, expected in ((0.99, SHOWN), (1.01, NOT_SHOWN)):
        claim = replace(claim, margin=share * low.min())
        assert claim_gate(replace(newswire, claim=claim)).table["state"].tolist()[int(np.argmin(low))] == expected
        told = of(newswire, worse=claim.worse, margin=claim.margin)
        assert told.state == ("holds" if expected == SHOWN else "does not hold")
    assert "not surely above the margin" in told.sentence


def own(folder: Path, name: str = "newswire", **changes: object) -> Path:
    """A study with a claim, saved."""
    study = fairviz.open_study(name)
    fairviz.save_study(replace(study, claim=replace(CWEX, **changes)), folder)  # type: ignore[arg-type]
    return folder


def test_the_verdict_comes_first_in_every_face(call: Call, tmp_path: Path) -> None:
    study = fairviz.open_study(own(tmp_path / "own"))
    said = call("check", tmp_path / "own", "--claims --format csv")
    sentence = verdict(study).sentence  # type: ignore[union-attr]
    assert sentence.startswith("Declared on 2026-11-01: w2v_add is fairer than bm25 in CWEx(alpha=0.5)@10. Holds: diff")
    whole = f"{sentence} Whether its runs were there before is not known. {EXPLORATORY}"
    assert whole in said.err
    text = str(study.explore(CWEX.measure))
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
