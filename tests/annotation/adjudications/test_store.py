"""Decisions in the database: appended, visible, undone, and what cannot be done. Kills, and several who decide at once:
tests/reliability."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

import pandas as pd
import pytest

import fairviz
from fairviz.annotation import adjudications
from fairviz.annotation.adjudications import (
    decide,
    decisions,
    history,
    last_decision,
    origin,
    stamp_of,
    store_path,
    undo,
    with_adjudications,
)
from fairviz.annotation.voters import labels_of, voters_of
from fairviz.datasets import additions_folder
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator
from fairviz.study.study import add_labels, add_runs, make_study, save_study
from tests.conftest import refused

ROOT = Path(__file__).parents[3]


def current(study):
    table = decisions(study)
    return dict(zip(table["doc_id"], table["label"], strict=True))


def test_the_latest_counts_and_earlier_ones_stay(study):
    assert decisions(study).empty
    assert history(study).empty
    for document, label, message in (
        ("d1", "botrh", "'botrh' is not a label of this study\nUse one of neutral, female, male."),
        ("d9", "male", "the study 'mine' has no document 'd9'\nCheck the id."),
    ):
        with refused(message):
            decide(study, document, label)
    assert not store_path(study).exists(), "nothing refused leaves a file"
    decide(study, "d1", "male", "the text says he", "ann")
    decide(study, "d2", "F")
    decide(study, "d1", "neutral", author="bob")
    assert current(study) == {"d1": "neutral", "d2": "female"}
    past = history(study, "d1")
    assert past[["label", "reason", "author", "action", "counts"]].to_numpy().tolist() == [
        ["male", "the text says he", "ann", "decide", False], ["neutral", "", "bob", "decide", True],
    ]  # fmt: skip
    assert len(history(study)) == 3
    moment = datetime.fromisoformat(past["time"].iloc[0])
    assert abs((datetime.now(UTC) - moment).total_seconds()) < 60
    assert list(decisions(study)) == ["doc_id", "label", "reason", "author", "time"]
    hostile = "<img src=x onerror=alert(1)> '; DROP TABLE decisions; -- \u202eשלום 🏳️\u200d🌈"
    decide(study, "=3", "male", hostile, author="Zoë")
    decide(study, "d1", "male", "a\r\nb\0c\ud800")
    reasons = decisions(study).set_index("doc_id")["reason"]
    assert (reasons["=3"], reasons["d1"]) == (hostile, "a\nbc?")


def test_undo_is_a_row_that_brings_back_what_stood_before(study):
    stamps = [stamp_of(study)]
    decide(study, "d1", "male")
    stamps.append(stamp_of(study))
    decide(study, "d1", "neutral")
    stamps.append(stamp_of(study))
    undo(study, "d1")
    stamps.append(stamp_of(study))
    assert current(study) == {"d1": "male"}
    assert stamps[0] == ()
    assert len(set(stamps)) == 4, "every decision changes the stamp"
    assert stamp_of(study) == stamps[-1], "reading changes nothing"
    undo(study, "d1")
    assert current(study) == {}
    assert history(study)["action"].tolist() == ["decide", "decide", "undo", "undo"]
    assert history(study)["counts"].tolist() == [False] * 4
    decide(study, "d1", "male", author="ann")
    decide(study, "d1", "neutral", author="bob")
    undo(study, "d1", "ann")
    assert current(study) == {"d1": "neutral"}
    with refused(
        "there is no decision by ann on document 'd1' to undo\nDecide again instead: the latest decision counts."
    ):
        undo(study, "d1", "ann")
    with pytest.raises(FairvizError, match=r"^there is no decision on document 'd2' to undo"):
        undo(study, "d2")
    with closing(sqlite3.connect(store_path(study))) as database, database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        database.execute("UPDATE decisions SET time = '2999-01-01T00:00:00.000000Z'")
    decide(study, "d1", "female")
    assert current(study) == {"d1": "female"}, "a clock that goes back reorders nothing"
    assert history(study)["time"].iloc[-1] == "2999-01-01T00:00:00.000001Z"


def test_a_writer_waits_for_another_and_not_for_ever(study, monkeypatch):
    store_path(study).touch()  # as of a process that ended before the table was made
    assert decisions(study).empty
    decide(study, "d1", "male")
    other = sqlite3.connect(store_path(study), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    ended: list[str] = []
    timer = Timer(0.1, lambda: (ended.append("the other's transaction"), other.execute("COMMIT")))
    timer.start()
    decide(study, "d1", "female")
    assert ended, "it was stored behind the other's"
    timer.join()
    monkeypatch.setattr(adjudications, "PATIENCE", 0.05)
    other.execute("BEGIN EXCLUSIVE")
    with refused(
        f"the decision could not be saved in {store_path(study)} (database is locked)\n"
        "Make it a file that you can write and that no other program holds, and decide again."
    ):
        decide(study, "d1", "neutral")
    other.close()
    assert current(study) == {"d1": "female"}


def test_no_database_at_all(study):
    store_path(study).write_bytes(b"This is no database, whatever its name says. " * 40)
    with refused(
        f"the decisions in {store_path(study)} could not be read (file is not a database)\n"
        "Close other programs that use the file; if it is not a sound database, move it away."
    ):
        decisions(study)
    with pytest.raises(FairvizError, match=r"could not be saved in .* \(file is not a database\)"):
        decide(study, "d1", "male")
    again = fairviz.open_study(study.folder)
    assert again.warnings[-1].endswith("could not be read (file is not a database); none is shown.")
    assert "adjudicated" not in set(again.labels["annotator"])


COPIES = """
import os, shutil, sqlite3, sys
from pathlib import Path
from fairviz.annotation.adjudications import decide, decisions, store_path
from fairviz.errors import FairvizError
from fairviz.study.study import open_study_folder
study, place = open_study_folder(sys.argv[1]), Path(sys.argv[2])
decide(study, "d1", "male")
closed, logged = (place / name for name in ("closed", "logged"))
shutil.copytree(sys.argv[1], closed, ignore=shutil.ignore_patterns("*-shm", "*-wal"))
other = sqlite3.connect(store_path(study))
other.execute("SELECT * FROM decisions").fetchall()
decide(study, "d2", "female")  # stays in the log, as long as the other connection is open
shutil.copytree(sys.argv[1], logged, ignore=shutil.ignore_patterns("*-shm"))
assert (logged / "adjudications.sqlite-wal").stat().st_size
for copy in (closed, logged):
    (copy / "adjudications.sqlite").chmod(0o444)
    copy.chmod(0o555)
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
for copy in (closed, logged):
    study = open_study_folder(copy)
    print(sorted(decisions(study)["doc_id"]), sorted(path.name for path in copy.glob("adjud*")))
    try:
        decide(study, "d1", "female")
    except FairvizError as error:
        print(error)
"""


def test_copies_that_may_only_be_read(folder):
    """Also what is only in the log. The place is one that everybody may enter, unlike pytest's own."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        command = [sys.executable, "-c", COPIES, str(folder), place]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=environment)
        for copy in Path(place).iterdir():
            copy.chmod(0o755)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "['d1'] ['adjudications.sqlite']"
    assert lines[3] == "['d1', 'd2'] ['adjudications.sqlite', 'adjudications.sqlite-wal']"
    for name, line, remedy in (("closed", *lines[1:3]), ("logged", *lines[4:])):
        assert line.startswith(f"the decision could not be saved in {place}/{name}/adjudications.sqlite (")
        assert "readonly" in line or "unable to open" in line
        assert remedy == "Make it a file that you can write and that no other program holds, and decide again."


def test_the_last_decision_of_a_reader_is_found_on_any_document(study):
    assert last_decision(study, ["ann"]) is None
    decide(study, "d1", "male", author="ann")
    decide(study, "d2", "female", author="bob")
    decide(study, "d2", "neutral", author="ann")
    decide(study, "d1", "female", author="bob")
    found = []
    while last := last_decision(study, ["ann", ""]):
        found.append((last.doc_id, last.label))
        undo(study, last.doc_id, author=last.author)
    assert found == [("d2", "neutral"), ("d1", "male")]
    assert current(study) == {"d2": "female", "d1": "female"}


# --- decisions as an annotator of the study, and what that does to measures and fingerprints


def by(study, annotator):
    rows = study.labels[study.labels["annotator"] == annotator]
    return dict(zip(rows["doc_id"], rows["label"], strict=True))


def test_an_annotator_of_its_own(study, folder, tmp_path):
    assert chosen_annotator(study, Settings(annotator="adjudicated")) == "adjudicated", "before there is any"
    assert labels_of(study, "adjudicated")["label"].tolist() == ["female", "neutral", "male"]
    decide(study, "d1", "male", "he", "ann")
    decide(study, "d2", "female")
    opened = fairviz.open_study(folder)
    assert by(opened, "adjudicated") == {"d1": "male", "d2": "female"}
    assert by(opened, "gold") == {"d1": "female", "d2": "neutral", "=3": "male"}, "nobody's label is overwritten"
    assert opened.annotators["adjudicated"] == Annotator(
        "adjudicated", "person", "Decisions made in the label room; the latest on a document counts."
    )
    assert list(opened.labels) == ["doc_id", "annotator", "label"]
    for place in (folder, tmp_path / "copy"):
        save_study(opened, place)
        assert by(fairviz.open_study(place), "adjudicated") == {"d1": "male", "d2": "female"}
    assert store_path(study).exists(), "the history stays beside the study"
    with pytest.raises(FairvizError, match="has a label of document 'd1' by 'adjudicated' already"):
        add_labels(opened, pd.DataFrame({"doc_id": ["d1"], "annotator": ["adjudicated"], "label": ["male"]}))
    assert with_adjudications(opened) is opened, "joining again changes nothing"
    grown = with_adjudications(add_runs(opened, opened.runs[opened.runs["system"] == "one"].assign(system="three")))
    assert grown.systems == ("one", "two", "three")
    decide(study, "d1", "neutral", author="ann")
    grown = with_adjudications(grown)
    assert by(grown, "adjudicated") == {"d1": "neutral", "d2": "female"}
    for document, author in (("d2", ""), ("d1", "ann"), ("d1", "ann")):
        undo(study, document, author)
    assert by(with_adjudications(grown), "adjudicated") == {}


def test_decisions_alone_beside_rationales_and_of_any_label(folder):
    (folder / "labels.csv").write_text("doc_id,annotator,label,rationale\nd1,gold,female,says she\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", "male", "says he")
    assert fairviz.open_study(folder).labels["rationale"].tolist() == ["says she", "says he"]
    (folder / "labels.csv").unlink()
    opened = fairviz.open_study(folder)
    assert chosen_annotator(opened, Settings()) == "adjudicated"
    assert labels_of(opened, "adjudicated")["label"].tolist() == ["male"]
    (folder / "study.toml").write_text("labels = 'other'\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", " stereotype ")
    assert current(study) == {"d1": "stereotype"}
    with refused("'  ' is not a label of this study\nUse any label but an empty one."):
        decide(study, "d1", "  ")


def test_the_fingerprint_follows_the_decisions(study, folder):
    assert store_path(study) == folder / "adjudications.sqlite"
    seen = [study.fingerprint]
    for label in ("male", "neutral"):
        decide(study, "d1", label)
        seen.append(fairviz.open_study(folder).fingerprint)
    assert len(set(seen)) == 3
    undo(study, "d1")
    assert fairviz.open_study(folder).fingerprint == seen[1], "equal decisions, equal fingerprint"
    undo(study, "d1")
    assert fairviz.open_study(folder).fingerprint == seen[0]
    decide(study, "d1", "neutral")
    opened = fairviz.open_study(folder)
    assert origin(opened) == origin(study) == study.fingerprint
    builtin = fairviz.open_study("football")
    decide(builtin, "n1", "male")
    assert store_path(builtin) == additions_folder("football") / "adjudications.sqlite"
    assert current(fairviz.open_study("football")) == {"n1": "male"}
    loose = make_study("loose", labels=study.labels)
    with refused(
        "loose has no folder yet, so decisions cannot be stored\n"
        "Save the study first: on the Data page, under Add and save."
    ):
        decide(loose, "d1", "male")
    assert decisions(loose).empty
    assert history(loose).empty


def test_a_file_gives_way_to_decisions_and_those_outside_the_groups_are_counted(folder):
    with (folder / "labels.csv").open("a") as stream:
        stream.write("d1,adjudicated,neutral\nd2,adjudicated,male\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", "male")
    assert by(fairviz.open_study(folder), "adjudicated") == {"d1": "male", "d2": "male"}
    undo(study, "d1")
    assert by(fairviz.open_study(folder), "adjudicated") == {"d2": "male"}
    decide(study, "d1", "male")
    decide(study, "d2", "female")
    (folder / "study.toml").write_text("groups = ['female', 'other']\n")
    (folder / "labels.csv").write_text("doc_id,label\nd1,other\n")
    opened = fairviz.open_study(folder)
    assert by(opened, "adjudicated") == {"d2": "female"}
    assert opened.warnings[-1] == "adjudications.sqlite: 1 decision is outside the groups of the study; not shown."


def test_a_decision_moves_a_measure_only_where_it_is_asked_for(study, folder):
    before = fairviz.summarise(fairviz.evaluate(study, ["CWEx@2"]))["value"].tolist()
    decide(study, "d1", "neutral")
    opened = fairviz.open_study(folder)
    assert chosen_annotator(opened, Settings()) == "gold", "a vote against gold would only open ties"
    assert voters_of(opened) == ("gold",)
    after = fairviz.summarise(fairviz.evaluate(opened, ["CWEx@2"]))["value"].tolist()
    assert after == before
    decided = fairviz.summarise(fairviz.evaluate(opened, ["CWEx@2"], annotator="adjudicated"))
    assert decided["value"].tolist() == [0.5, before[1]], "d1 and d2 neutral: 1/2 · 1 - 1/2 · 0"
    assert decided["coverage"].tolist() == [1.0, 1.0]
    rows = labels_of(opened, "adjudicated")
    assert dict(zip(rows["doc_id"], rows["label"], strict=True)) == {"d1": "neutral", "d2": "neutral", "=3": "male"}
