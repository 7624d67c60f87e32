"""From a machine's labels to corrected numbers on the command line: equal in evaluate, compare, gate, report and
Python."""

import json
import re
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.forms.answering import answer
from fairviz.annotation.forms.database import samples_of, store
from fairviz.annotation.forms.forms import links
from fairviz.cli.main import main
from fairviz.study.study import make_study, save_study

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


def told(capsys: pytest.CaptureFixture, *arguments: str, status: int = 0) -> tuple[str, str]:
    assert main(list(arguments)) == status
    written = capsys.readouterr()
    return written.out, written.err


def formed(capsys: pytest.CaptureFixture, folder: str, design: str, budget: int) -> str:
    new = ("--design", design, "--for", ",".join(SYSTEMS), "--budget", str(budget), "--per-document", "2",
           "--test-every", "0", "--batch-size", "400", "--seed", "3")  # fmt: skip
    return told(capsys, "study-form", folder, *new)[1]


def test_the_whole_way_by_queries(folder: str, capsys: pytest.CaptureFixture) -> None:
    said = formed(capsys, folder, "queries", 250)
    assert "drawn at random: 14 of 40 queries, for CWEx(alpha=0.5)@10 of bm25, w2v_add and rrf by lexicon" in said
    (sample,) = samples_of(fairviz.open_study(folder))
    assert (sample.design, sample.form, len(sample.drawn)) == ("queries", 1, 14)
    people_answer(folder)
    told(capsys, "study-form", folder, "--collect")
    _, said = told(capsys, "study-form", folder, "--status")
    assert re.search(r"CWEx.* of bm25 by person-1: -0\.\d+ ± 0\.\d+; with 50 more labels about ± 0\.\d+", said)
    by_name = {}
    for verb in ("evaluate", "compare"):
        out, said = told(capsys, verb, folder, "CWEx", "--corrected-by", "majority", "--format", "json")
        assert "lexicon corrected by majority: 14 of 40 queries, drawn at random by form 1" in said
        by_name[verb] = json.loads(out)
    table = fairviz.corrected(fairviz.open_study(folder), "CWEx", corrected_by="majority").set_index("system")
    assert list(table.index) == list(SYSTEMS)
    for row in by_name["evaluate"]:
        assert row["value"] == pytest.approx(table.loc[row["system"], "value"], abs=1e-9)
    for row in by_name["compare"]:
        assert row["value"] == pytest.approx(table.loc[row["system"], "value"], abs=1e-9)
        assert row["baseline_value"] == pytest.approx(table.loc[row["baseline"], "value"], abs=1e-9)
        assert "wins" not in row
    out, _ = told(capsys, "gate", folder, "--baseline", "bm25", "--candidate", "rrf", "--fail-if", "CWEx falls by 0.5",
                  "--corrected-by", "majority", "--format", "json")  # fmt: skip
    (row,) = json.loads(out)
    assert row["state"] == "within"
    assert row["value"] == pytest.approx(table.loc["rrf", "value"], abs=1e-9)
    page = Path(folder).parent / "report.html"
    told(capsys, "report", folder, "CWEx", "nDCG", "--corrected-by", "majority", "--output", str(page))
    text = page.read_text(encoding="utf-8")
    assert "lexicon corrected by majority: 14 of 40 queries" in text
    for value in table["value"]:
        assert f"{value:.3f}".replace("-", "−") in text


def test_words_are_not_corrected(folder: str, capsys: pytest.CaptureFixture) -> None:
    formed(capsys, folder, "queries", 400)
    people_answer(folder)
    told(capsys, "study-form", folder, "--collect")
    plain, _ = told(capsys, "compare", folder, "NFaiRR", "--baseline", "rrf", "--format", "json")
    both, _ = told(capsys, "compare", folder, "CWEx", "NFaiRR", "--baseline", "rrf", "--corrected-by", "majority",
                   "--tests", "maxT(family='measures')", "--format", "json")  # fmt: skip
    wanted = {row["system"]: row["value"] for row in json.loads(plain)}
    found = {row["system"]: row["value"] for row in json.loads(both) if row["measure"].startswith("NFaiRR")}
    assert found == {name: pytest.approx(wanted[name]) for name in ("bm25", "w2v_add")}
    _, said = told(capsys, "compare", folder, "NFaiRR", "--corrected-by", "majority", status=2)
    assert "no measure reads labels, so there is nothing to correct" in said


def test_the_whole_way_by_documents(folder: str, capsys: pytest.CaptureFixture) -> None:
    said = formed(capsys, folder, "documents", 90)
    assert "drawn at random: 90 of " in said
    people_answer(folder)
    told(capsys, "study-form", folder, "--collect")
    out, said = told(capsys, "compare", folder, "ExposureGap", "--corrected-by", "person-1", "--baseline", "bm25",
                     "--format", "json")  # fmt: skip
    assert "drawn documents give intervals and no test" in said
    rows = json.loads(out)
    assert [row["system"] for row in rows] == ["w2v_add", "rrf"]
    assert all(row["ci_low"] < row["value"] < row["ci_high"] and "p" not in row for row in rows)
    _, said = told(capsys, "evaluate", folder, "CWEx", "--corrected-by", "person-1", status=2)
    assert "absolute values and ratios of corrected sums are biased" in said
    _, said = told(capsys, "compare", folder, "ExposureGap", "--corrected-by", "person-1", status=2)
    assert "--baseline NAME" in said
    page = Path(folder).parent / "report.html"
    told(capsys, "report", folder, "ExposureGap", "CWEx", "--corrected-by", "person-1", "--output", str(page))
    text = page.read_text(encoding="utf-8")
    assert "No verdict on systems: drawn documents give intervals and no test." in text
    assert "Findings" not in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("evaluate", "newswire", "CWEx", "--corrected-by", "project"), "no sample was drawn in newswire"),
        (("evaluate", "newswire", "CWEx", "--corrected-by", "lexicon"), "is a rule or a model"),
        (("evaluate", "newswire", "CWEx", "--corrected-by", "project", "--per-query"), "not be used with --per-query"),
        (("evaluate", "newswire", "CWEx", "--corrected-by", "nobody"), "has no annotator 'nobody'"),
        (("compare", "newswire", "CWEx", "--corrected-by", "project", "--slice", "topic"), "Leave out --slice"),
        (("study-form", "newswire", "--budget", "50"), "--budget goes with a new form that --design draws"),
        (("study-form", "newswire", "--for", "bm25", "--status"), "--for goes with a new form that --design draws"),
        (("study-form", "newswire", "--design", "queries", "--documents", "9"), "--budget is their number"),
        (("study-form", "newswire", "--design", "documents", "--measure", "CWEx", "--annotator", "lexicon"),
         "CWEx(alpha=0.5)@10 is not a sum over documents"),
        (("study-form", "newswire", "--design", "queries", "--for", "none", "--annotator", "lexicon"),
         "no system 'none'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture) -> None:
    assert main(list(arguments)) in (1, 2)
    assert said in capsys.readouterr().err


def test_verbs_without_a_correction_do_not_have_the_option(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        main(["atlas", "newswire", "CWEx", "NFaiRR", "--corrected-by", "project"])
    assert "unrecognized arguments" in capsys.readouterr().err
