"""Decisions in the database: appended, visible, undone, there after a kill; two writers, and what cannot be done."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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
    decide(study, "d1", "male", "the text says he", "ann")
    decide(study, "d2", "F")
    decide(study, "d1", "neutral", author="bob")
    assert current(study) == {"d1": "neutral", "d2": "female"}
    past = history(study, "d1")
    assert past["label"].tolist() == ["male", "neutral"]
    assert past["reason"].tolist() == ["the text says he", ""]
    assert past["author"].tolist() == ["ann", "bob"]
    assert past["action"].tolist() == ["decide", "decide"]
    assert past["counts"].tolist() == [False, True]
    assert len(history(study)) == 3
    moment = datetime.fromisoformat(past["time"].iloc[0])
    assert abs((datetime.now(UTC) - moment).total_seconds()) < 60
    assert list(decisions(study)) == ["doc_id", "label", "reason", "author", "time"]


def test_undo_is_a_row_that_brings_back_what_stood_before(study):
    decide(study, "d1", "male")
    decide(study, "d1", "neutral")
    undo(study, "d1")
    assert current(study) == {"d1": "male"}
    undo(study, "d1")
    assert current(study) == {}
    assert history(study)["action"].tolist() == ["decide", "decide", "undo", "undo"]
    assert history(study)["counts"].tolist() == [False] * 4
    decide(study, "d1", "female")
    assert current(study) == {"d1": "female"}


def test_nobody_undoes_the_decision_of_somebody_else(study):
    decide(study, "d1", "male", author="ann")
    decide(study, "d1", "neutral", author="bob")
    undo(study, "d1", "ann")
    assert current(study) == {"d1": "neutral"}
    assert history(study)["counts"].tolist() == [False, True, False]
    with refused(
        "there is no decision by ann on document 'd1' to undo\nDecide again instead: the latest decision counts."
    ):
        undo(study, "d1", "ann")
    with pytest.raises(FairvizError, match=r"^there is no decision on document 'd2' to undo"):
        undo(study, "d2")
    assert not (additions_folder("none")).exists()


def test_what_is_refused(study):
    with refused("'botrh' is not a label of this study\nUse one of neutral, female, male."):
        decide(study, "d1", "botrh")
    with refused("the study 'mine' has no document 'd9'\nCheck the id."):
        decide(study, "d9", "male")
    assert not store_path(study).exists(), "nothing refused leaves a file"


def test_any_label_where_labels_are_no_genders(folder):
    (folder / "study.toml").write_text("labels = 'other'\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", " stereotype ")
    assert current(study) == {"d1": "stereotype"}
    with refused("'  ' is not a label of this study\nUse any label but an empty one."):
        decide(study, "d1", "  ")


def test_where_the_database_lies(study, folder):
    assert store_path(study) == folder / "adjudications.sqlite"
    builtin = fairviz.open_study("football")
    assert store_path(builtin) == additions_folder("football") / "adjudications.sqlite"
    decide(builtin, "n1", "male")
    assert current(fairviz.open_study("football")) == {"n1": "male"}
    loose = make_study("loose", labels=study.labels)
    with refused(
        "loose has no folder yet, so decisions cannot be stored\n"
        "Save the study first: on the Data page, under Add and save."
    ):
        decide(loose, "d1", "male")
    assert decisions(loose).empty
    assert history(loose).empty


def test_hostile_text_comes_back_as_it_is(study):
    text = "<img src=x onerror=alert(1)> '; DROP TABLE decisions; -- \u202eשלום 🏳️\u200d🌈"
    decide(study, "=3", "male", text, author="Zoë")
    assert decisions(study).loc[0, ["doc_id", "reason", "author"]].tolist() == ["=3", text, "Zoë"]
    decide(study, "d1", "male", "a\r\nb\0c\ud800")
    assert decisions(study)["reason"].iloc[1] == "a\nbc?"


def test_a_clock_that_goes_back_reorders_nothing(study):
    decide(study, "d1", "male")
    with sqlite3.connect(store_path(study)) as database:
        database.execute("UPDATE decisions SET time = '2999-01-01T00:00:00.000000Z'")
    database.close()
    decide(study, "d1", "female")
    assert current(study) == {"d1": "female"}
    assert history(study)["time"].iloc[1] == "2999-01-01T00:00:00.000001Z"


def test_the_stamp_changes_with_every_decision(study):
    stamps = [stamp_of(study)]
    for label in ("male", "female"):
        decide(study, "d1", label)
        stamps.append(stamp_of(study))
    undo(study, "d1")
    stamps.append(stamp_of(study))
    decisions(study)
    assert stamps[0] == ()
    assert len(set(stamps)) == 4
    assert stamp_of(study) == stamps[-1], "reading changes nothing"


WRITER = """
import sys, fairviz
from fairviz.annotation.adjudications import decide
study = fairviz.open_study(sys.argv[1])
for number in range(int(sys.argv[3])):
    decide(study, "d1", ("male", "female")[number % 2], f"{number}", sys.argv[2])
    print(number, flush=True)
"""


def writer(folder: Path, author: str, count: int) -> subprocess.Popen:
    command = [sys.executable, "-c", WRITER, str(folder), author, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_decision_that_was_stored_outlives_kill_9(study, folder):
    process = writer(folder, "ann", 100_000)
    stored = 0
    while stored < 12:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        stored = int(line) + 1
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read().split()
    process.stdout.close()
    process.stderr.close()
    process.wait()
    told = int(rest[-1]) + 1 if rest else stored
    kept = history(study)
    assert len(kept) >= told, "every decision that was confirmed is there"
    assert kept["reason"].tolist() == [str(number) for number in range(len(kept))]
    decide(study, "d2", "male")
    assert current(study)["d2"] == "male"


def test_two_who_decide_at_once_lose_nothing(study, folder):
    authors = ("ann", "bob")
    processes = [writer(folder, author, 25) for author in authors]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    past = history(study)
    assert len(past) == 50
    for author in authors:
        assert past.loc[past["author"] == author, "reason"].tolist() == [str(number) for number in range(25)]
    assert past["counts"].sum() == 1


def test_there_is_a_write_ahead_log(study):
    decide(study, "d1", "male")
    database = sqlite3.connect(store_path(study))
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


def test_a_locked_database_is_said_in_one_line(study, monkeypatch):
    decide(study, "d1", "male")
    monkeypatch.setattr(adjudications, "PATIENCE", 0.05)
    other = sqlite3.connect(store_path(study), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(FairvizError) as caught:
        decide(study, "d1", "female")
    other.close()
    assert str(caught.value) == (
        f"the decision could not be saved in {store_path(study)} (database is locked)\n"
        "Make it a file that you can write and that no other program holds, and decide again."
    )
    assert current(study) == {"d1": "male"}


def test_a_writer_waits_for_another(study):
    decide(study, "d1", "male")
    other = sqlite3.connect(store_path(study), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    ended: list[str] = []

    def end() -> None:
        ended.append("the other's transaction")
        other.execute("COMMIT")

    timer = Timer(0.1, end)
    timer.start()
    decide(study, "d1", "female")
    assert ended, "it was stored behind the other's"
    timer.join()
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


def test_a_process_that_ended_before_the_table_was_made(study):
    sqlite3.connect(store_path(study)).close()
    store_path(study).touch()
    assert decisions(study).empty
    decide(study, "d1", "male")
    assert current(study) == {"d1": "male"}


READ_ONLY = """
import os, sys
from fairviz.errors import FairvizError
from fairviz.study.study import open_study_folder
from fairviz.annotation.adjudications import decide, decisions
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
study = open_study_folder(sys.argv[1])
print(decisions(study)["label"].tolist())
try:
    decide(study, "d1", "female")
except FairvizError as error:
    print(error)
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter, which another run of tests does not close, as it closes those of pytest."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


def run_program(program: str, *folders: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", program, *map(str, folders)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=environment)


def test_a_study_that_may_only_be_read(folder, public):
    folder = Path(shutil.copytree(folder, public / "mine"))
    study = fairviz.open_study(folder)
    decide(study, "d1", "male")
    store_path(study).chmod(0o444)
    folder.chmod(0o555)
    try:
        done = run_program(READ_ONLY, folder)
    finally:
        folder.chmod(0o755)
    assert done.stdout, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "['male']", done.stderr
    assert lines[1].startswith(f"the decision could not be saved in {store_path(study)} (")
    assert "readonly" in lines[1] or "unable to open" in lines[1]
    assert lines[2] == "Make it a file that you can write and that no other program holds, and decide again."


COPY = """
import os, sys
from pathlib import Path
import fairviz
from fairviz.annotation.adjudications import decide, decisions, store_path
from fairviz.study.study import open_study_folder
study = open_study_folder(sys.argv[1])
decide(study, "d1", "male")
import sqlite3
other = sqlite3.connect(store_path(study))
other.execute("SELECT * FROM decisions").fetchall()
decide(study, "d2", "female")  # stays in the log, as long as the other connection is open
copy = Path(sys.argv[2])
(copy / "runs").mkdir(parents=True)
for file in Path(sys.argv[1]).rglob("*"):
    if file.is_file() and not file.name.endswith("-shm"):
        (copy / file.relative_to(sys.argv[1])).write_bytes(file.read_bytes())
assert (copy / "adjudications.sqlite-wal").stat().st_size
copy.chmod(0o555)
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
print(sorted(decisions(open_study_folder(copy))["doc_id"]))
print(sorted(path.name for path in copy.iterdir()))
"""


def test_a_copy_that_may_only_be_read_holds_what_is_in_its_log(folder, public):
    done = run_program(COPY, folder, public / "copy")
    (public / "copy").chmod(0o755)
    assert done.stdout.splitlines() == [
        "['d1', 'd2']",
        "['adjudications.sqlite', 'adjudications.sqlite-wal', 'labels.csv', 'runs']",
    ], done.stderr


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


def test_an_annotator_of_its_own(study, folder):
    decide(study, "d1", "male", "he")
    decide(study, "d2", "female")
    opened = fairviz.open_study(folder)
    assert by(opened, "adjudicated") == {"d1": "male", "d2": "female"}
    assert by(opened, "gold") == {"d1": "female", "d2": "neutral", "=3": "male"}, "nobody's label is overwritten"
    assert opened.annotators["adjudicated"] == Annotator(
        "adjudicated", "person", "Decisions made in the label room; the latest on a document counts."
    )
    assert list(opened.labels) == ["doc_id", "annotator", "label"]


def test_the_fingerprint_follows_the_decisions(study, folder):
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


def test_joining_again_changes_nothing(study):
    decide(study, "d1", "male")
    joined = with_adjudications(study)
    assert with_adjudications(joined) is joined
    decide(study, "d1", "female")
    again = with_adjudications(joined)
    assert by(again, "adjudicated") == {"d1": "female"}
    undo(study, "d1")
    undo(study, "d1")
    assert by(with_adjudications(again), "adjudicated") == {}


def test_what_a_file_holds_by_that_name_gives_way_to_the_database(folder):
    with (folder / "labels.csv").open("a") as stream:
        stream.write("d1,adjudicated,neutral\nd2,adjudicated,male\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", "male")
    opened = fairviz.open_study(folder)
    assert by(opened, "adjudicated") == {"d1": "male", "d2": "male"}
    undo(study, "d1")
    assert by(fairviz.open_study(folder), "adjudicated") == {"d2": "male"}


def test_saving_keeps_decisions_in_place_and_in_a_copy(study, folder, tmp_path):
    decide(study, "d1", "male", "he", "ann")
    opened = fairviz.open_study(folder)
    save_study(opened, folder)
    assert by(fairviz.open_study(folder), "adjudicated") == {"d1": "male"}
    assert store_path(study).exists(), "the history stays beside the study"
    save_study(opened, tmp_path / "copy")
    assert by(fairviz.open_study(tmp_path / "copy"), "adjudicated") == {"d1": "male"}


def test_rationales_stand_beside_others(folder):
    (folder / "labels.csv").write_text("doc_id,annotator,label,rationale\nd1,gold,female,says she\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", "male", "says he")
    rows = fairviz.open_study(folder).labels
    assert rows["rationale"].tolist() == ["says she", "says he"]


def test_decisions_outside_the_groups_are_counted(study, folder):
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


def test_asking_for_decisions_before_there_are_any(study):
    assert chosen_annotator(study, Settings(annotator="adjudicated")) == "adjudicated"
    rows = labels_of(study, "adjudicated")
    assert dict(zip(rows["doc_id"], rows["label"], strict=True)) == by(study, "gold")


def test_a_study_of_decisions_alone(folder):
    (folder / "labels.csv").unlink()
    study = fairviz.open_study(folder)
    decide(study, "d1", "male")
    opened = fairviz.open_study(folder)
    assert chosen_annotator(opened, Settings()) == "adjudicated"
    assert labels_of(opened, "adjudicated")["label"].tolist() == ["male"]


def test_growing_a_decided_study(study, folder):
    decide(study, "d1", "male")
    opened = fairviz.open_study(folder)
    more = pd.DataFrame({"system": ["three"], "query_id": ["q"], "doc_id": ["d1"], "rank": [1], "score": [1.0]})
    grown = with_adjudications(add_runs(opened, more))
    assert grown.systems == ("one", "two", "three")
    assert by(grown, "adjudicated") == {"d1": "male"}
    decide(study, "d1", "neutral")
    assert by(with_adjudications(grown), "adjudicated") == {"d1": "neutral"}
    with pytest.raises(FairvizError, match="has a label of document 'd1' by 'adjudicated' already"):
        add_labels(opened, pd.DataFrame({"doc_id": ["d1"], "annotator": ["adjudicated"], "label": ["male"]}))
