"""From a machine's labels to corrected numbers on the command line: equal in evaluate, compare, gate, report and
Python."""

import re
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.forms.database import samples_of
from fairviz.annotation.forms.forms import links
from fairviz.study.study import make_study, save_study
from tests.annotation.forms.small import answer_all
from tests.conftest import Call

SYSTEMS = ("bm25", "w2v_add", "rrf")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Newswire with the word list's labels alone."""
    study = fairviz.open_study("newswire")
    labels = study.labels[study.labels["annotator"] == "lexicon"].drop(columns="rationale")
    bare = make_study(
        "bare", runs=study.runs[study.runs["system"].isin((*SYSTEMS, "qlm"))], documents=study.documents,
        queries=study.queries, qrels=study.qrels, labels=labels, annotators={"lexicon": study.annotators["lexicon"]},
    )  # fmt: skip
    save_study(bare, tmp_path / "bare")
    return str(tmp_path / "bare")


def formed(call: Call, folder: str, design: str, budget: int) -> str:
    """Return what drawing a form says; both people give the labels of `project`, which come in."""
    said = call(f"study-form {folder} --design {design} --for {','.join(SYSTEMS)} --budget {budget}",
                "--per-document 2 --test-every 0 --batch-size 400 --seed 3").err  # fmt: skip
    newswire = fairviz.open_study("newswire")
    labels = newswire.labels[newswire.labels["annotator"] == "project"].set_index("doc_id")["label"]
    study = fairviz.open_study(folder)
    for link in links(study):
        answer_all(study, link, lambda document, _: labels[document])
    call(f"study-form {folder} --collect")
    return said


def test_the_whole_way_by_queries(folder: str, call: Call) -> None:
    said = formed(call, folder, "queries", 250)
    assert "drawn at random: 14 of 40 queries, for CWEx(alpha=0.5)@10 of bm25, w2v_add and rrf by lexicon" in said
    (sample,) = samples_of(fairviz.open_study(folder))
    assert (sample.design, sample.form, len(sample.drawn)) == ("queries", 1, 14)
    said = call(f"study-form {folder} --status").err
    assert re.search(r"CWEx.* of bm25 by person-1: -0\.\d+ ± 0\.\d+; with 50 more labels about ± 0\.\d+", said)
    by_name = {}
    for verb, measures in (("evaluate", "CWEx"), ("compare", "CWEx NFaiRR")):
        said = call(f"{verb} {folder} {measures} --corrected-by majority --format json")
        assert "lexicon corrected by majority: 14 of 40 queries, drawn at random by form 1" in said.err
        by_name[verb] = said.json
    table = fairviz.corrected(fairviz.open_study(folder), "CWEx", corrected_by="majority").set_index("system")
    assert list(table.index) == list(SYSTEMS)
    for row in by_name["evaluate"]:
        assert row["value"] == pytest.approx(table.loc[row["system"], "value"], abs=1e-9)
    words = fairviz.summarise(fairviz.evaluate(fairviz.open_study(folder), "NFaiRR")).set_index("system")
    for row in by_name["compare"]:
        expected = words if row["measure"].startswith("NFaiRR") else table  # words are not corrected
        assert row["value"] == pytest.approx(expected.loc[row["system"], "value"], abs=1e-9)
        assert row["baseline_value"] == pytest.approx(expected.loc[row["baseline"], "value"], abs=1e-9)
        assert "wins" not in row
    said = call(f"compare {folder} NFaiRR --corrected-by majority", status=2).err
    assert "no measure reads labels, so there is nothing to correct" in said
    gated = f"gate {folder} --baseline bm25 --candidate rrf --fail-if 'CWEx falls by 0.5' --corrected-by majority"
    (row,) = call(gated, "--format json").json
    assert row["state"] == "within"
    assert row["value"] == pytest.approx(table.loc["rrf", "value"], abs=1e-9)
    page = Path(folder).parent / "report.html"
    call(f"report {folder} CWEx nDCG --corrected-by majority --output {page}")
    text = page.read_text(encoding="utf-8")
    assert "lexicon corrected by majority: 14 of 40 queries" in text
    for value in table["value"]:
        assert f"{value:.3f}".replace("-", "−") in text


def test_the_whole_way_by_documents(folder: str, call: Call) -> None:
    said = formed(call, folder, "documents", 90)
    assert "drawn at random: 90 of " in said
    said = call(f"compare {folder} ExposureGap --corrected-by person-1 --baseline bm25 --format json")
    assert "drawn documents give intervals and no test" in said.err
    rows = said.json
    assert [row["system"] for row in rows] == ["w2v_add", "rrf"]
    assert all(row["ci_low"] < row["value"] < row["ci_high"] and "p" not in row for row in rows)
    refusal = call(f"evaluate {folder} CWEx --corrected-by person-1", status=2).err
    assert "absolute values and ratios of corrected sums are biased" in refusal
    assert "--baseline NAME" in call(f"compare {folder} ExposureGap --corrected-by person-1", status=2).err
    page = Path(folder).parent / "report.html"
    call(f"report {folder} ExposureGap CWEx --corrected-by person-1 --output {page}")
    text = page.read_text(encoding="utf-8")
    assert "No verdict on systems: drawn documents give intervals and no test." in text
    assert "Findings" not in text
