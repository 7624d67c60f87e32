"""Names before paths, what is unknown, and what a person adds: beside a built-in study, and as drafts, which move no
value of the others."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import fairviz
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
from fairviz.datasets.additions import save_tested
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.opening import open_study
from fairviz.study.loaders.metadata import FILE
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study, save_study
from fairviz.study.tables import RUNS, conform
from tests.conftest import refused
from tests.made import runs_of
from tests.study.loaders.files import fill, refusal


def run(system: str, documents: str = "n1 m1") -> pd.DataFrame:
    """A run for football."""
    return conform(runs_of({system: documents}, "best-player"), RUNS)


def listed(study: Study, system: str = "mine") -> list[str]:
    return study.runs.loc[study.runs["system"] == system, "doc_id"].tolist()


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


def test_unknown_names():
    for name, remedy in (
        ("footbal", "Did you mean football? "
         "Built in: newswire, football, occupations, traits, recruitment, wordings. Fetched or saved: none. "
         "To fetch one (grep-biasir, msmarco-qs2, genderbias-ir, genderbias-qa, crows-pairs): fairviz fetch NAME"),
        ("grep-biasir", "grep-biasir is a data set that can be fetched: fairviz fetch grep-biasir"),
    ):  # fmt: skip
        with refused(f"there is no study and no folder called {name!r}\n{remedy}", UsageError):
            open_study(name)
    for name in ("a" * 300, "b/" * 40 + "c" * 300, "zero\0byte", "~nobody-of-that-name/x", "~/x"):
        assert refusal(open_study, name).startswith(f"there is no study and no folder called {name!r}\nBuilt in: ")


def test_a_data_set_of_ir_datasets_is_a_study(tmp_path, call, monkeypatch):
    """With the package where it is installed, and one line where it is not."""
    import ir_datasets

    files = {"docs.tsv": "007\tA nurse\nnull\tA doctor\n", "queries.tsv": "1\tnurse\n", "qrels.txt": "1 0 007 2\n"}
    docs, queries, qrels = (str(fill(tmp_path, files) / name) for name in files)
    made = ir_datasets.create_dataset(docs_tsv=docs, queries_tsv=queries, qrels_trec=qrels)
    ir_datasets.registry.register("made/small", made)
    study = open_study("ir_datasets:made/small")
    assert study.documents["doc_id"].tolist() == ["007", "null"]
    assert study.documents["text"].tolist() == ["A nurse", "A doctor"]
    assert study.queries["text"].tolist() == ["nurse"]
    assert study.qrels["relevance"].tolist() == [2]
    ranked = call("rank ir_datasets:made/small --with bm25,perfect")
    assert "additions/ir_datasets-made-small/runs/bm25.run.gz\n" in ranked.err
    assert open_study("ir_datasets:made/small").systems == ("bm25", "perfect")
    with refused("ir_datasets has no data set 'no-such-set'\nSee https://ir-datasets.com for names."):
        open_study("ir_datasets:no-such-set")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with refused(
        "ir_datasets:vaswani needs the package ir_datasets, which is not installed\nRun: pip install ir_datasets"
    ):
        open_study("ir_datasets:vaswani")


def test_what_is_added_to_a_built_in_study_lies_beside_it_and_is_not_overwritten_by_accident():
    before = sorted(BUILTIN["football"].rglob("*"))
    plain = open_study("football")
    (file,) = save_runs(plain, run("mine"))
    assert file == additions_folder("football") / "runs" / "mine.run.gz"
    assert sorted(BUILTIN["football"].rglob("*")) == before
    study = open_study("football")
    assert (study.systems, study.read_only, study.name) == (("left", "right", "mine"), True, "football")
    assert study.fingerprint != plain.fingerprint
    assert listed(study) == ["n1", "m1"]
    for add in (lambda: save_runs(study, run("mine", "n2")), lambda: check_new(study, ("mine",))):
        with refused("football has a run mine already\nAdd --replace to overwrite it."):
            add()
    save_runs(study, run("mine", "n2"), replace=True)
    assert listed(open_study("football")) == ["n2"]
    with refused("the run left is part of the built-in study football\nName another run."):
        check_new(study, ("left",), replace=True)
    (file.parent / ".mine-half").write_bytes(b"best-player Q0")  # is not whole yet
    fill(additions_folder("football"), {"labels.csv": "doc_id,annotator,label\nm1,mine,neutral\n"})
    study = open_study("football")
    assert study.systems == ("left", "right", "mine")
    assert list(dict.fromkeys(study.labels["annotator"])) == ["project", "mine"]
    assert study.annotator == "project"


# --- Drafts, wherever they are kept.

TOML = '# of my class\ntitle = "Mine"\n\n[targets]\nfemale = 0.4  # wished\nmale = 0.6\n'


def drafts(*systems: str) -> pd.DataFrame:
    return conform(runs_of(dict.fromkeys(systems, "a b")), RUNS)


@pytest.fixture
def folder() -> Path:
    """A stored study with two systems and a study.toml of its own hand."""
    path = save_study(make_study("mine", runs=drafts("one", "two")), studies_folder() / "mine")
    return fill(path, {FILE: TOML})


def test_runs_that_are_added_are_drafts_where_the_study_has_runs_of_its_own() -> None:
    for order in (["one", "two", "three"], ["three", "one", "two"]):
        grown = make_study("bare")
        for name in order:
            grown = add_runs(grown, drafts(name))
            assert (grown.contenders, grown.added_runs) == (grown.systems, ())
    assert add_runs(make_study("bare"), drafts("one", "two", "three")).added_runs == ()
    later = add_runs(add_runs(make_study("mine", runs=drafts("one", "perfect")), drafts("two")), drafts("three"))
    assert (later.drafts, later.added_runs) == (("two", "three"), ("two", "three"))
    assert later.contenders == ("one", "two", "three"), "they are tested, and move no value"
    only_a_reference = add_runs(make_study("mine", runs=drafts("perfect")), drafts("two"))
    assert (only_a_reference.contenders, only_a_reference.added_runs) == (("two",), ())


def test_drafts_of_a_stored_study_are_named_in_its_study_toml_and_its_comments_stay(folder: Path) -> None:
    save_runs(open_study("mine"), drafts("three"))
    save_runs(open_study("mine"), drafts("four"))
    opened = open_study("mine")
    assert opened.systems == ("four", "one", "three", "two")
    assert opened.drafts == ("three", "four")
    assert (folder / FILE).read_text() == f'drafts = ["three", "four"]\n{TOML}'
    save_runs(opened, drafts("one", "four"), replace=True)
    assert open_study("mine").drafts == ("three", "four"), "a run that is replaced stays what it was"
    saved = fairviz.save_study(opened, folder.parent / "kept")
    assert 'drafts = ["three", "four"]' in (saved / FILE).read_text()
    assert open_study(saved).drafts == ("three", "four")
    (folder / FILE).write_text('drafts = [\n  "two",\n]\ntitle = "Mine"\n')  # over several lines
    save_runs(open_study("mine"), drafts("five"))
    assert open_study("mine").drafts == ("two", "five")
    assert open_study("mine").title == "Mine"
    # of a study without runs of its own, whatever is added first
    for number, each in enumerate([["one", "two"], ["two", "one"], ["one two"]]):
        bare = save_study(make_study("bare", qrels={"q": {"a": 1}}), folder.parent / f"bare-{number}")
        for added in each:
            save_runs(open_study(bare), drafts(*added.split()))
        assert (len(open_study(bare).systems), open_study(bare).added_runs) == (2, ())


def test_the_choice_of_systems_tested_is_stored_with_the_study_and_its_comments_stay(folder: Path) -> None:
    save_runs(open_study("mine"), drafts("one, edited"))
    save_tested(open_study("mine"), ["one, edited", "two", "nobody"])
    opened = open_study("mine")
    assert (opened.tested, opened.not_tested) == (("one, edited",), ("one",))
    assert opened.contenders == ("one, edited", "two")
    saved = fairviz.save_study(opened, folder.parent / "copy")
    assert open_study(saved).contenders == opened.contenders
    save_tested(opened, ["one", "two"])
    assert open_study("mine").contenders == ("one", "two")
    assert (folder / FILE).read_text() == f'drafts = ["one, edited"]\n{TOML}'


def test_runs_and_the_choice_beside_a_built_in_study_are_kept_until_they_are_removed() -> None:
    plain = open_study("football")
    for added in ((), ("draft",)):
        if added:
            (file,) = save_runs(plain, run("draft", plain.runs["doc_id"].iloc[0]))
        before = open_study("football")
        assert before.drafts == added
        save_tested(before, ["right"])
        after = open_study("football")
        assert after.contenders == ("right",)
        assert after.fingerprint != before.fingerprint
        save_tested(after, after.systems)
        assert open_study("football").contenders == ("left", "right", *added)
    file.unlink()
    assert (open_study("football").drafts, open_study("football").systems) == ((), plain.systems)


# --- A data folder that cannot be read.


@pytest.mark.parametrize("name", ["runs", "runs/mine.run", "labels.csv"])
def test_an_addition_that_leads_nowhere_is_named(name):
    place = additions_folder("football") / name
    place.parent.mkdir(parents=True)
    place.symlink_to("gone")
    assert refusal(open_study, "football").startswith(f"{name}: a link to a ")


def test_a_file_where_the_data_folder_should_be():
    data_home().write_text("x")
    remedy = "Make it a folder that you can read and write, or set FAIRVIZ_HOME to one."
    study = open_study("football")
    assert study.warnings == (
        f"the data folder {data_home()} cannot be read (Not a directory): what was added to football is not in it. "
        f"{remedy}",
    )
    assert study.systems == ("left", "right")
    assert open_study(BUILTIN["football"]).warnings == ()
    assert open_study(str(BUILTIN["football"])).warnings == ()
    with refused(f"the data folder {studies_folder()} cannot be read (Not a directory)\n{remedy}"):
        open_study("mine")


def test_a_data_folder_of_nobody(monkeypatch, tmp_path):
    fill(tmp_path, {"runs/a.run": "".join(f"1 Q0 d{rank} {rank} {-rank} t\n" for rank in range(20_000))})
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
CLOSED = ("", "studies", "additions", "additions/football")
CHECKS = f"""
import contextlib, io, json
from fairviz.cli.main import main
from fairviz.home import data_home
told = {{}}
for closed in {CLOSED}:
    (data_home() / closed).chmod(0)
    for name in ("football", "mine"):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(["check", name])
        told[f"{{closed}}:{{name}}"] = [status, out.getvalue(), err.getvalue()]
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
    for closed in CLOSED:
        (football, out, err), (mine, _, trouble) = told[f"{closed}:football"], told[f"{closed}:mine"]
        said = str(data_home() / closed) in out + err and "cannot be read (Permission denied)" in out + err
        opened = closed in ("", "studies")
        assert (football, "left" in out, said) == (not opened, opened, closed != "studies"), closed
        assert mine in (1, 2)
        if opened:
            assert f"the data folder {studies_folder()} cannot be read (Permission denied)" in trouble
