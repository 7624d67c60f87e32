"""Names before paths, what is unknown, and what a person adds."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from fairviz.datasets import (
    BUILTIN,
    additions_folder,
    check_new,
    data_home,
    resolve,
    save_runs,
    stored_names,
    studies_folder,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.opening import open_study
from fairviz.study.tables import RUNS, conform
from tests.conftest import refused


def run(system: str, documents: str = "n1 m1") -> pd.DataFrame:
    rows = [(system, "best-player", document, place, 10 - place) for place, document in enumerate(documents.split(), 1)]
    return conform(pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]), RUNS)


def test_data_home(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRVIZ_HOME", "~/somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_home() == tmp_path / "somewhere"
    monkeypatch.setenv("FAIRVIZ_HOME", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert data_home().name == "fairviz"
    assert data_home().is_relative_to(tmp_path)


def test_names(tmp_path, monkeypatch):
    assert resolve("football") == BUILTIN["football"]
    assert resolve("mine") is None
    (studies_folder() / "mine").mkdir(parents=True)
    (studies_folder() / ".half-done").mkdir()
    assert resolve("mine") == studies_folder() / "mine"
    for name in (".half-done", "..", "", "../studies/mine"):
        assert resolve(name) is None
    (studies_folder() / "gone").symlink_to("elsewhere")
    (studies_folder() / "notes.txt").write_text("x")
    assert stored_names() == ("gone", "mine")
    with refused(f"{studies_folder()}/gone is a link to a folder that is not there\nRepair the link."):
        open_study("gone")
    shutil.copytree(BUILTIN["occupations"], tmp_path / "football")
    monkeypatch.chdir(tmp_path)
    assert open_study("football").systems == ("left", "right")  # the name goes before the folder
    assert open_study("./football").systems == ("S", "N", "CS")
    assert open_study(Path("football")).systems == ("S", "N", "CS")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        (
            "footbal",
            "Did you mean football? "
            "Built in: newswire, football, occupations, traits, recruitment, wordings. Fetched or saved: none. "
            "To fetch one (grep-biasir, msmarco-qs2, genderbias-ir, genderbias-qa, crows-pairs): fairviz fetch NAME",
        ),
        ("grep-biasir", "grep-biasir is a data set that can be fetched: fairviz fetch grep-biasir"),
    ],
)
def test_unknown(name, remedy):
    with refused(f"there is no study and no folder called {name!r}\n{remedy}", UsageError):
        open_study(name)
    for name in ("a" * 300, "b/" * 40 + "c" * 300, "zero\0byte", "~nobody-of-that-name/x", "~/x"):
        with pytest.raises(UsageError) as caught:
            open_study(name)
        assert str(caught.value).startswith(f"there is no study and no folder called {name!r}\nBuilt in: ")


def test_what_is_added_to_a_built_in_study_lies_beside_it():
    before = sorted(path for path in BUILTIN["football"].rglob("*"))
    plain = open_study("football")
    (file,) = save_runs(plain, run("mine"))
    assert file == additions_folder("football") / "runs" / "mine.run.gz"
    assert sorted(path for path in BUILTIN["football"].rglob("*")) == before
    study = open_study("football")
    assert study.systems == ("left", "right", "mine")
    assert study.read_only
    assert study.name == "football"
    assert study.fingerprint != plain.fingerprint
    mine = study.runs[study.runs["system"] == "mine"]
    assert list(mine["doc_id"]) == ["n1", "m1"]
    (file.parent / ".mine-half").write_bytes(b"best-player Q0")  # is not whole yet
    (additions_folder("football") / "labels.csv").write_text("doc_id,annotator,label\nm1,mine,neutral\n")
    study = open_study("football")
    assert study.systems == ("left", "right", "mine")
    assert list(dict.fromkeys(study.labels["annotator"])) == ["project", "mine"]
    assert study.annotator == "project"


def test_a_run_is_not_overwritten_by_accident():
    save_runs(open_study("football"), run("mine"))
    study = open_study("football")
    with refused("football has a run mine already\nAdd --replace to overwrite it."):
        save_runs(study, run("mine", "n2"))
    save_runs(study, run("mine", "n2"), replace=True)
    again = open_study("football").runs
    assert list(again[again["system"] == "mine"]["doc_id"]) == ["n2"]
    with refused("the run left is part of the built-in study football\nName another run."):
        check_new(study, ("left",), replace=True)


@pytest.mark.parametrize("name", ["runs", "runs/mine.run", "labels.csv"])
def test_an_addition_that_leads_nowhere_is_named(name):
    place = additions_folder("football") / name
    place.parent.mkdir(parents=True)
    place.symlink_to("gone")
    with pytest.raises(FairvizError) as caught:
        open_study("football")
    assert str(caught.value).startswith(f"{name}: a link to a ")


def test_a_file_where_the_data_folder_should_be():
    data_home().write_text("x")
    trouble = (
        f"the data folder {data_home()} cannot be read (Not a directory): what was added to football is not in it. "
        "Make it a folder that you can read and write, or set FAIRVIZ_HOME to one."
    )
    study = open_study("football")
    assert study.warnings == (trouble,)
    assert study.systems == ("left", "right")
    assert open_study(BUILTIN["football"]).warnings == ()
    assert open_study(str(BUILTIN["football"])).warnings == ()
    with refused(
        f"the data folder {studies_folder()} cannot be read (Not a directory)\n"
        "Make it a folder that you can read and write, or set FAIRVIZ_HOME to one."
    ):
        open_study("mine")


def test_a_data_folder_of_nobody(monkeypatch, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text("".join(f"1 Q0 d{rank} {rank} {-rank} t\n" for rank in range(20_000)))
    monkeypatch.setenv("FAIRVIZ_HOME", "~nobody-of-that-name/x")
    told = "FAIRVIZ_HOME '~nobody-of-that-name/x' starts in a home folder that there is not"
    assert open_study("football").warnings == (
        f"{told}: what was added to football is not in it. Write the path in full, without ~.",
    )
    with refused(f"{told}\nWrite the path in full, without ~."):
        data_home()
    assert open_study(BUILTIN["football"]).warnings == ()
    with pytest.raises(FairvizError, match="starts in a home folder that there is not"):
        open_study("mine")
    assert open_study(tmp_path).systems == ("a",), "a large study opens without it"


AS_ANYBODY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []


CHECKS = """
import contextlib, io, json
from fairviz.cli.main import main
from fairviz.home import data_home
told = {}
for closed in ("", "studies", "additions", "additions/football"):
    (data_home() / closed).chmod(0)
    for name in ("football", "mine"):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(["check", name])
        told[f"{closed}:{name}"] = [status, out.getvalue(), err.getvalue()]
    (data_home() / closed).chmod(0o755)
print(json.dumps(told))
"""


@pytest.mark.skipif(AS_ANYBODY != [] and not shutil.which("setpriv"), reason="root may open everything")
def test_a_data_folder_that_may_not_be_read():
    """`check` of a built-in study by a person who may not open the data folder, or a folder in it."""
    for name in ("studies/mine", "additions/football"):
        (data_home() / name).mkdir(parents=True)
    command = [*AS_ANYBODY, sys.executable, "-c", CHECKS]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for closed in ("", "studies", "additions", "additions/football"):
        (football, out, err), (mine, _, trouble) = told[f"{closed}:football"], told[f"{closed}:mine"]
        said = str(data_home() / closed) in out + err and "cannot be read (Permission denied)" in out + err
        opened = closed in ("", "studies")
        assert (football, "left" in out, said) == (not opened, opened, closed != "studies"), closed
        assert mine in (1, 2)
        if opened:
            assert f"the data folder {studies_folder()} cannot be read (Permission denied)" in trouble
