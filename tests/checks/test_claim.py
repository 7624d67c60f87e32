"""The declared claim: its verdict beside `fairviz.compare` on the same pairs, and every face that shows it."""

import json
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

import fairviz
from fairviz.checks.claim import EXPLORATORY, Verdict, verdict
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import MANIFEST, README
from fairviz.study.loaders.metadata import Claim
from fairviz.study.record import Study
from tests.conftest import Call

CWEX = Claim("CWEx(alpha=0.5)@10", "w2v_add", ("bm25",), "2026-11-01")


@pytest.fixture(scope="module")
def newswire() -> Study:
    return fairviz.open_study("newswire")


def of(study: Study, **changes: object) -> Verdict:
    found = verdict(replace(study, claim=replace(CWEX, **changes)))  # type: ignore[arg-type]
    assert found is not None
    return found


@pytest.mark.parametrize("better", ["bm25", "w2v_add"])
def test_a_verdict_of_one_pair_is_that_of_a_comparison_of_the_two(newswire: Study, better: str) -> None:
    worse = "bm25" if better == "w2v_add" else "w2v_add"
    scores = fairviz.evaluate(newswire, CWEX.measure, systems=[better, worse])
    row = fairviz.compare(scores, worse).iloc[0]
    found = of(newswire, better=better, worse=(worse,))
    (tested,) = found.rows
    assert (tested.difference, tested.p_corrected) == pytest.approx((row["difference"], row["p_corrected"]))
    assert (tested.ci_low, tested.ci_high) == pytest.approx((row["ci_low"], row["ci_high"]))
    assert found.state == ("holds" if row["verdict"] == "ahead" else "does not hold")


def test_a_claim_holds_for_the_best_of_each_measure_whichever_end_is_fair(newswire: Study) -> None:
    for question in overview(newswire, Settings()).questions:
        scores = fairviz.evaluate(newswire, question.text, systems=["bm25", "w2v_add"])
        row = fairviz.compare(scores, "bm25").iloc[0]
        found = of(newswire, measure=question.text, margin=1e-9)
        assert found.state == ("holds" if row["verdict"] == "ahead" else "does not hold"), question.text


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


def test_a_margin_lies_below_the_whole_interval_where_the_claim_holds(newswire: Study) -> None:
    (row,) = of(newswire).rows
    low = row.ci_low
    assert low > 0
    assert of(newswire, margin=low * 0.99).state == "holds"
    found = of(newswire, margin=low * 1.01)
    assert found.state == "does not hold"
    assert "not surely above the margin" in found.sentence


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"measure": "CWX@10"}, "Could not be tested: "),
        ({"better": "bm52"}, "Could not be tested: the study has no system 'bm52'."),
        ({"annotator": "nobody"}, "by the labels of nobody. Could not be tested: "),
    ],
)
def test_a_claim_that_cannot_be_tested_has_the_reason(newswire: Study, changes: dict[str, str], says: str) -> None:
    found = of(newswire, **changes)
    assert found.state == "could not be tested"
    assert says in found.sentence


def test_a_claim_on_few_queries_cannot_be_tested() -> None:
    found = of(fairviz.open_study("football"), better="left", worse=("right",))
    assert found.state == "could not be tested"
    assert "too few queries" in found.sentence


def test_a_study_without_a_claim_has_no_verdict(newswire: Study) -> None:
    assert verdict(newswire) is None


def test_the_verdict_comes_first_in_every_face(call: Call, tmp_path: Path, newswire: Study) -> None:
    folder = tmp_path / "own"
    fairviz.save_study(replace(newswire, claim=CWEX), folder)
    study = fairviz.open_study(folder)
    said = call("check", str(folder), "--claims", "--format", "csv")
    sentence = verdict(study).sentence  # type: ignore[union-attr]
    assert sentence.startswith("Declared on 2026-11-01: w2v_add is fairer than bm25 in CWEx(alpha=0.5)@10. Holds: diff")
    whole = f"{sentence} Whether its runs were there before is not known. {EXPLORATORY}"
    assert whole in said.err
    text = str(study.explore(CWEX.measure))
    assert text.index(sentence) < text.index("FV1")
    call("capsule", str(folder), "--output", str(tmp_path / "a.zip"))
    with ZipFile(tmp_path / "a.zip") as packed:
        claim = json.loads(packed.read(MANIFEST))["study"]["claim"]
        assert whole in packed.read(README).decode()
    assert (claim["verdict"], claim["worse"]) == (whole, "bm25")
