"""study-form from the command line: links, progress and answers brought in; numbers that drawn answers correct, equal
in evaluate, compare, gate, report and Python."""

import re
import shutil
from functools import partial
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.forms import forms
from fairviz.annotation.forms.answering import open_batch
from fairviz.annotation.forms.database import samples_of
from fairviz.annotation.forms.serving import announce_address
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Study
from fairviz.study.study import make_study, save_study
from tests.annotation.forms.small import answer_all, saved
from tests.annotation.forms.test_collecting import right_and
from tests.conftest import Call, Said

NO_APP = (
    "note: no app runs on this data folder, so the links hold PORT in place of its port. Start fairviz app and see "
    "them with fairviz study-form {} --status, or name the app's address with --url.\n"
)
NEW = "--documents 9 --test-every 4 --format json"


def test_from_the_form_to_labels(tmp_path: Path, call: Call) -> None:
    study = saved(tmp_path)
    form = f"study-form {study.folder}"
    makes = f"small has no labelling form yet; {'fairviz ' + form} makes one\n"
    assert call(form, "--status") == Said("", makes)
    said = call(form, NEW, "--url https://lab:9000/")
    assert said.err == (
        "form 1 of small: 9 documents and 3 test questions in 1 batch, each for 3 people\n"
        "right answers to test questions: those of expert\n"
        "Give each link to one person: whoever has it answers as that person. They open while the app runs: fairviz "
        "app\n"
    )
    assert [(row["form"], row["batch"], row["person"], row["questions"]) for row in said.json] == [
        (1, 1, f"person-{number}", 12) for number in (1, 2, 3)
    ]
    assert all(re.fullmatch(r"https://lab:9000/label\?token=[\w-]{43}", row["link"]) for row in said.json)
    for link, label in zip(forms.links(study), ("male", "female"), strict=False):
        answer_all(study, link, partial(right_and, label))
    rows = call(form, "--status --format json").json
    assert [(row["answered"], row["tests_right"]) for row in rows] == [(12, 3), (12, 3), (0, 0)]
    assert rows[0]["link"] == f"http://localhost:PORT/label?token={forms.links(study)[0].token}"
    told = call(form, "--collect").err
    assert told.startswith("person-1: 12 of 12 questions answered, 0 of them undecided; 3 of 3 test questions right\n")
    assert told.endswith(
        f"wrote {study.folder}/labels.csv: 24 labels by 2 people\n"
        f"How far they agree: fairviz agree {study.folder}, or the page Agreement\n"
    )
    assert set(open_study(study.folder).labels["annotator"]) == {"expert", "person-1", "person-2"}
    assert call(form, "--close").err == "closed 3 links; answers stay\n"
    assert open_batch(forms.links(study)[0].token) is None
    assert {row["link"] for row in call(form, "--status --format json").json} == {""}


def test_a_guideline_of_ones_own_and_links_of_the_app_that_runs(tmp_path: Path, call: Call) -> None:
    study = saved(tmp_path)
    form, file = f"study-form {study.folder}", tmp_path / "guideline.txt"
    call(form, f"--show-guideline --output {file}")
    file.write_text(file.read_text(encoding="utf-8").replace("# What is asked", "# Mine"), encoding="utf-8")

    def addresses(said: Said) -> set[str]:
        return {row["link"].partition("/label")[0] for row in said.json}

    made = call(form, NEW, f"--guideline {file}")
    assert open_batch(forms.links(study)[0].token).guideline.startswith("# Mine\nPlease read each document")
    with announce_address("http://localhost:8777"):
        running, named = (call(form, f"--status --format json {url}") for url in ("", "--url http://lab:80"))
    assert (addresses(running), addresses(named)) == ({"http://localhost:8777"}, {"http://lab:80"})
    assert "PORT" not in running.err + named.err
    for said in (made, call(form, "--status --format json")):
        assert addresses(said) == {"http://localhost:PORT"}
        assert said.err.endswith(NO_APP.format(study.folder))
    said = call(form, "--documents 19 --test-every 0 --batch-size 10 --per-document 1")
    made = "form 2 of small: 19 documents and 0 test questions in 2 batches, each for 1 person\nGive "
    assert said.err.startswith(made)
    assert "one in five" not in open_batch(forms.links(study, form=2)[0].token).guideline


def test_a_study_that_was_moved_or_deleted(tmp_path: Path, call: Call) -> None:
    study = saved(tmp_path)
    was, now = study.folder, tmp_path / "moved"
    call(f"study-form {was} {NEW}")
    answer_all(study, forms.links(study)[0], partial(right_and, "male"))
    shutil.move(was, now)
    told = f"labelling form 1, with 12 answers, was made for a study in {was}, which is not there any more"
    assert call(f"study-form {was} --collect", status=1).err == (
        f"{told}; nothing that was answered is lost\n"
        f"Put the study back, or register its new folder: fairviz study-form FOLDER --moved-from {was}\n"
    )
    assert call(f"study-form {now} --status").err == (
        f"note: {told}. If it is moved, moved: fairviz study-form {now} --moved-from {was}\n"
        f"moved has no labelling form yet; fairviz study-form {now} makes one\n"
    )
    said = call(f"study-form {now} --moved-from {was} --format json")
    assert said.err == f"{told}: now of moved\n{NO_APP.format(now)}"
    assert [row["answered"] for row in said.json] == [12, 0, 0]
    assert call(f"study-form {now} --collect").err.startswith("person-1: 12 of 12 questions answered")


# --- from a machine's labels to corrected numbers ---------------------------------------------------------------

SYSTEMS = ("bm25", "w2v_add", "rrf")


@pytest.fixture
def folder(newswire: Study, tmp_path: Path) -> str:
    """Newswire with the word list's labels alone."""
    labels = newswire.labels[newswire.labels["annotator"] == "lexicon"].drop(columns="rationale")
    bare = make_study(
        "bare", runs=newswire.runs[newswire.runs["system"].isin((*SYSTEMS, "qlm"))], documents=newswire.documents,
        queries=newswire.queries, qrels=newswire.qrels, labels=labels,
        annotators={"lexicon": newswire.annotators["lexicon"]},
    )  # fmt: skip
    return str(save_study(bare, tmp_path / "bare"))


def formed(call: Call, newswire: Study, folder: str, design: str, budget: int) -> str:
    """Return what drawing a form says; both people give the labels of `project`, which come in."""
    said = call(f"study-form {folder} --design {design} --for {','.join(SYSTEMS)} --budget {budget}",
                "--per-document 2 --test-every 0 --batch-size 400 --seed 3").err  # fmt: skip
    labels = newswire.labels[newswire.labels["annotator"] == "project"].set_index("doc_id")["label"]
    study = open_study(folder)
    for link in forms.links(study):
        answer_all(study, link, lambda document, _: labels[document])
    call(f"study-form {folder} --collect")
    return said


def test_the_whole_way_by_queries(newswire: Study, folder: str, tmp_path: Path, call: Call) -> None:
    said = formed(call, newswire, folder, "queries", 250)
    assert "drawn at random: 14 of 40 queries, for CWEx(alpha=0.5)@10 of bm25, w2v_add and rrf by lexicon" in said
    study = open_study(folder)
    (sample,) = samples_of(study)
    assert (sample.design, sample.form, len(sample.drawn)) == ("queries", 1, 14)
    said = call(f"study-form {folder} --status").err
    assert re.search(r"CWEx.* of bm25 by person-1: -0\.\d+ ± 0\.\d+; with 50 more labels about ± 0\.\d+", said)
    by_name = {}
    for verb, measures in (("evaluate", "CWEx"), ("compare", "CWEx NFaiRR")):
        said = call(f"{verb} {folder} {measures} --corrected-by majority --format json")
        assert "lexicon corrected by majority: 14 of 40 queries, drawn at random by form 1" in said.err
        by_name[verb] = said.json
    table = fairviz.corrected(study, "CWEx", corrected_by="majority").set_index("system")
    assert list(table.index) == list(SYSTEMS)
    for row in by_name["evaluate"]:
        assert row["value"] == pytest.approx(table.loc[row["system"], "value"], abs=1e-9)
    words = fairviz.summarise(fairviz.evaluate(study, "NFaiRR")).set_index("system")
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
    call(f"report {folder} CWEx nDCG --corrected-by majority --output {tmp_path}/report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "lexicon corrected by majority: 14 of 40 queries" in text
    for value in table["value"]:
        assert f"{value:.3f}".replace("-", "−") in text


def test_the_whole_way_by_documents(newswire: Study, folder: str, tmp_path: Path, call: Call) -> None:
    assert "drawn at random: 90 of " in formed(call, newswire, folder, "documents", 90)
    said = call(f"compare {folder} ExposureGap --corrected-by person-1 --baseline bm25 --format json")
    assert "drawn documents give intervals and no test" in said.err
    assert [row["system"] for row in said.json] == ["w2v_add", "rrf"]
    assert all(row["ci_low"] < row["value"] < row["ci_high"] and "p" not in row for row in said.json)
    refusal = call(f"evaluate {folder} CWEx --corrected-by person-1", status=2).err
    assert "absolute values and ratios of corrected sums are biased" in refusal
    assert "--baseline NAME" in call(f"compare {folder} ExposureGap --corrected-by person-1", status=2).err
    call(f"report {folder} ExposureGap CWEx --corrected-by person-1 --output {tmp_path}/report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "No verdict on systems: drawn documents give intervals and no test." in text
    assert "Findings" not in text
