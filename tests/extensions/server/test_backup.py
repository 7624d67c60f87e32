"""A backup made while another process decides, labels, saves and logs holds everything that was acknowledged before."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.adjudications import decide, history
from fairviz.annotation.forms import answering
from fairviz.annotation.forms.forms import links
from fairviz.errors import FairvizError
from fairviz.extensions.server import backup
from fairviz.extensions.server.access import changes
from fairviz.extensions.server.backup import back_up
from fairviz.home import data_home, studies_folder
from fairviz.models.answers import answers
from fairviz.study.study import save_study
from tests.annotation.forms.small import formed, small
from tests.conftest import ROOT, Call
from tests.reliability import jobs

WRITER = """
import json, sys, threading
from itertools import count
from pathlib import Path
from fairviz.annotation.forms.answering import answer
from fairviz.home import data_home
from tests.reliability.kill import changing, deciding

def log(number):
    with open(data_home() / "changes.jsonl", "a") as log:
        log.write(json.dumps({"deed": str(number), "details": "x" * 5000}) + "\\n")

def write(name, work):
    with open(Path(sys.argv[2], name), "w", buffering=1) as told:
        for _ in work:
            told.write("\\n")

works = {
    "decide": deciding("eve", count()),
    "answer": (answer(sys.argv[1], number % 3 + 1, "label", "male", str(number)) for number in count()),
    "save": changing("save_as_it_is"),
    "log": map(log, count()),
}
threads = [threading.Thread(target=write, args=work) for work in works.items()]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
WRITTEN = ("decide", "answer", "save", "log")  # each is another thing that is on the disk


def stored() -> str:
    """A data folder with a study, decisions, a form, models' answers, and what a backup leaves out; the token of a
    link."""
    data_home().mkdir(parents=True)
    jobs.make()
    save_study(small(), studies_folder() / "small")
    (link, *_) = formed(fairviz.open_study("small"))
    with answers():
        pass
    for name in ("cache/of", "encodings", "downloads/x", "running", "server"):
        (data_home() / name).mkdir(parents=True)
        (data_home() / name / "file").write_text("left out")
    (studies_folder() / ".fairviz-new-mine-0123abcd").write_text("unfinished")
    (studies_folder() / ".mine-new-0123abcd").mkdir()
    (studies_folder() / ".mine-new-0123abcd" / "file").write_text("left out")
    (studies_folder() / "mine" / ".study.lock").touch()
    person = data_home() / "people" / "bob@example.org" / "studies" / "own"
    person.mkdir(parents=True)
    (person / "queries.csv").write_text("query_id,text\nq,who\n")
    return link.token


def restore(folder: Path) -> None:
    """Put the backup in the place of the data folder."""
    data_home().rename(folder.with_name("lost"))
    (folder / "data").rename(data_home())


def relative(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_backup_holds_all_but_caches_and_unfinished_files_with_their_rights(tmp_path: Path) -> None:
    stored()
    served = tmp_path / "studies"
    save_study(small(), served / "small")
    counts = back_up(tmp_path / "copy", served)
    copy = tmp_path / "copy" / "data"
    copied = relative(copy)
    assert relative(tmp_path / "copy" / "studies") == relative(served)
    assert {"answers.sqlite", "labelling/forms.sqlite", "studies/mine/adjudications.sqlite"} <= copied
    assert {"studies/mine/notes.md", "studies/small/queries.csv"} <= {
        path.replace(".parquet", ".csv") for path in copied
    }
    assert "people/bob@example.org/studies/own/queries.csv" in copied
    assert copied == {
        path
        for path in relative(data_home())
        if "left out" not in (data_home() / path).read_text(errors="replace")[:8]
        and not path.endswith((".lock", "-wal", "-shm"))
        and ".fairviz-new-" not in path
    }
    assert counts.databases == 3
    files = relative(tmp_path / "copy")
    assert counts.databases + counts.files == len(files)
    assert counts.size == sum((tmp_path / "copy" / name).stat().st_size for name in files)
    if os.name == "posix":  # elsewhere there are no rights of group and others
        assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
        for name in ("answers.sqlite", "labelling/forms.sqlite", "labelling", "studies/mine/notes.md"):
            assert (copy / name).stat().st_mode == (data_home() / name).stat().st_mode
    back_up(tmp_path / "all", with_caches=True)
    more = relative(tmp_path / "all" / "data") - copied
    assert more == {"cache/of/file", "encodings/file", "downloads/x/file"}


@pytest.mark.slow
def test_what_was_acknowledged_before_is_in_a_backup_made_meanwhile(tmp_path: Path) -> None:
    token = stored()

    def written() -> dict[str, int]:
        assert writer.poll() is None
        paths = {name: tmp_path / name for name in WRITTEN}
        return {name: path.stat().st_size if path.exists() else 0 for name, path in paths.items()}  # a line end each

    with subprocess.Popen([sys.executable, "-c", WRITER, token, str(tmp_path)], cwd=ROOT) as writer:
        try:
            while min(written().values()) < 4:
                time.sleep(0.1)
            for number in count():
                before = written()
                back_up(tmp_path / f"copy {number}")
                after = written()
                if number >= 1 and all(after[name] > before[name] for name in WRITTEN):
                    break  # on a busy machine a backup may end before one has written
        finally:
            writer.kill()
    restore(tmp_path / f"copy {number}")
    paths = list(data_home().rglob("*.sqlite"))
    assert len(paths) == 3
    for path in paths:
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    study = fairviz.open_study("mine")
    reasons = history(study).query("author == 'eve'")["reason"].tolist()
    assert reasons == [str(number) for number in range(len(reasons))]
    assert len(reasons) >= before["decide"]
    assert jobs.sound(study)
    deeds = [row["deed"] for row in changes()]
    assert deeds == [str(number) for number in range(len(deeds))]
    assert len(deeds) >= before["log"]
    (link, *_) = links(fairviz.open_study("small"))
    assert link.token == token
    with closing(sqlite3.connect(data_home() / "labelling" / "forms.sqlite")) as database:
        comments = [comment for (comment,) in database.execute("SELECT comment FROM answers ORDER BY rowid")]
    assert comments == [str(number) for number in range(len(comments))]
    assert len(comments) >= before["answer"]
    answering.answer(token, 1, "label", "female", "after")
    assert answering.open_batch(token)


def test_a_decision_that_is_in_the_log_of_its_database_alone_is_copied(tmp_path: Path) -> None:
    stored()
    store = studies_folder() / "mine" / "adjudications.sqlite"
    with closing(sqlite3.connect(store)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()  # keeps SQLite from emptying the log
        decide(fairviz.open_study("mine"), "d2", "female", "in the log")
        assert store.with_name(f"{store.name}-wal").stat().st_size
        back_up(tmp_path / "copy")
    restore(tmp_path / "copy")
    assert history(fairviz.open_study("mine"))["reason"].tolist() == ["kept", "in the log"]


def test_a_study_that_changes_meanwhile_is_copied_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored()
    study, copied = studies_folder() / "mine", []
    (data_home() / "changes.jsonl").write_text('{"deed": "one"}\n{"deed": "tw')

    def copy_file(source: Path, target: Path) -> backup.Counts:
        if source.name == "queries.tsv":
            copied.append(source)
            if len(copied) == 1:
                (study / "notes.md").write_text("changed")
                (study / "runs" / "b.run").rename(study / "runs" / "moved.run")
        return before(source, target)

    before: Callable[[Path, Path], backup.Counts] = backup._copy_file
    monkeypatch.setattr(backup, "_copy_file", copy_file)
    back_up(tmp_path / "copy")
    data = tmp_path / "copy" / "data"
    assert (data / "changes.jsonl").read_text() == '{"deed": "one"}\n', "a line that is being written is left out"
    copy = data / "studies" / "mine"
    assert len(copied) == 2
    assert (copy / "notes.md").read_text() == "changed"
    assert relative(copy / "runs") == {"a.trec", "moved.run"}


def test_a_backup_that_cannot_be_made_or_breaks_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "home"))
    stored()
    assert "3 databases" in call("backup", tmp_path / "there").err
    assert "there is there already" in call("backup", tmp_path / "there", status=1).err
    before = relative(tmp_path)
    for target, studies, message in (
        ("home/copy", None, "which it would copy"),
        ("copy", tmp_path / "nowhere", "there is no folder"),
        ("none/copy", None, "could not be made"),
    ):
        with pytest.raises(FairvizError) as error:
            back_up(tmp_path / target, studies)
        assert message in error.value.message
        assert relative(tmp_path) == before
    whole = backup._copy_file

    def fail(source: Path, target: Path) -> backup.Counts:
        if source.name == "queries.tsv":
            raise OSError(28, "No space left on device")
        return whole(source, target)

    monkeypatch.setattr(backup, "_copy_file", fail)
    with pytest.raises(FairvizError, match="No space left"):
        back_up(tmp_path / "copy")
    assert relative(tmp_path) == before
