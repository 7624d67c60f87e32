"""From a machine's labels to corrected numbers on the command line: equal in evaluate, compare, gate, report and
Python."""

import re
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.forms.answering import answer
from fairviz.annotation.forms.database import samples_of, store
from fairviz.annotation.forms.forms import links
from fairviz.study.study import make_study, save_study
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


def people_answer(folder: str) -> None:
    """Both people give the labels of `project`; the second is undecided nowhere."""
    newswire = fairviz.open_study("newswire")
    labels = newswire.labels[newswire.labels["annotator"] == "project"].set_index("doc_id")["label"]
    with store().reading() as database:
        rows = database.execute("SELECT token, number, doc_id FROM questions").fetchall()
    tokens = {link.token for link in links(fairviz.open_study(folder))}
    for token, number, document in rows:
        if token in tokens:
            answer(token, number, "label", labels[document])


def formed(call: Call, folder: str, design: str, budget: int) -> str:
    return call(f"study-form {folder} --design {design} --for {','.join(SYSTEMS)} --budget {budget}",
                "--per-document 2 --test-every 0 --batch-size 400 --seed 3").err  # fmt: skip


def collected(call: Call, folder: str) -> None:
    people_answer(folder)
    call(f"study-form {folder} --collect")


def test_the_whole_way_by_queries(folder: str, call: Call) -> None:
    said = formed(call, folder, "queries", 250)
    assert "drawn at random: 14 of 40 queries, for CWEx(alpha=0.5)@10 of bm25, w2v_add and rrf by lexicon" in said
    (sample,) = samples_of(fairviz.open_study(folder))
    assert (sample.design, sample.form, len(sample.drawn)) == ("queries", 1, 14)
    collected(call, folder)
    said = call(f"study-form {folder} --status").err
    assert re.search(r"CWEx.* of bm25 by person-1: -0\.\d+ ± 0\.\d+; with 50 more labels about ± 0\.\d+", said)
    by_name = {}
    for verb in ("evaluate", "compare"):
        said = call(f"{verb} {folder} CWEx --corrected-by majority --format json")
        assert "lexicon corrected by majority: 14 of 40 queries, drawn at random by form 1" in said.err
        by_name[verb] = said.json
    table = fairviz.corrected(fairviz.open_study(folder), "CWEx", corrected_by="majority").set_index("system")
    assert list(table.index) == list(SYSTEMS)
    for row in by_name["evaluate"]:
        assert row["value"] == pytest.approx(table.loc[row["system"], "value"], abs=1e-9)
    for row in by_name["compare"]:
        assert row["value"] == pytest.approx(table.loc[row["system"], "value"], abs=1e-9)
        assert row["baseline_value"] == pytest.approx(table.loc[row["baseline"], "value"], abs=1e-9)
        assert "wins" not in row
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


def test_words_are_not_corrected(folder: str, call: Call) -> None:
    formed(call, folder, "queries", 400)
    collected(call, folder)
    plain = call(f"compare {folder} NFaiRR --baseline rrf --format json").json
    both = call(f"compare {folder} CWEx NFaiRR --baseline rrf --corrected-by majority --format json",
                "--tests \"maxT(family='measures')\"").json  # fmt: skip
    wanted = {row["system"]: row["value"] for row in plain}
    found = {row["system"]: row["value"] for row in both if row["measure"].startswith("NFaiRR")}
    assert found == {name: pytest.approx(wanted[name]) for name in ("bm25", "w2v_add")}
    said = call(f"compare {folder} NFaiRR --corrected-by majority", status=2).err
    assert "no measure reads labels, so there is nothing to correct" in said


def test_the_whole_way_by_documents(folder: str, call: Call) -> None:
    said = formed(call, folder, "documents", 90)
    assert "drawn at random: 90 of " in said
    collected(call, folder)
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


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("evaluate newswire CWEx --corrected-by project", 1, "no sample was drawn in newswire"),
        ("evaluate newswire CWEx --corrected-by lexicon", 2, "is a rule or a model"),
        ("evaluate newswire CWEx --corrected-by project --per-query", 2, "not be used with --per-query"),
        ("evaluate newswire CWEx --corrected-by nobody", 1, "has no annotator 'nobody'"),
        ("compare newswire CWEx --corrected-by project --slice topic", 2, "Leave out --slice"),
        ("study-form newswire --budget 50", 2, "--budget goes with a new form that --design draws"),
        ("study-form newswire --for bm25 --status", 2, "--for goes with a new form that --design draws"),
        ("study-form newswire --design queries --documents 9", 2, "--budget is their number"),
        ("study-form newswire --design documents --measure CWEx --annotator lexicon", 2,
         "CWEx(alpha=0.5)@10 is not a sum over documents"),
        ("study-form newswire --design queries --for none --annotator lexicon", 1, "no system 'none'"),
        ("atlas newswire CWEx NFaiRR --corrected-by project", 2, "unrecognized arguments"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(line: str, status: int, said: str, call: Call) -> None:
    assert said in call(line, status=status).err
