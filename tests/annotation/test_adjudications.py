"""Decisions in the database and as an annotator of the study: appended, visible, undone, out to files and in again, and
what cannot be done. Kills, and several who decide at once: tests/reliability."""

import csv
import gzip
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Timer

import pandas as pd
import pytest

import fairviz
from fairviz.annotation import adjudications
from fairviz.annotation.adjudications import (
    Row,
    add_rows,
    decide,
    decisions,
    export_decisions,
    export_labels,
    history,
    import_decisions,
    last_decision,
    origin,
    stamp_of,
    store_path,
    timestamp,
    undo,
    with_adjudications,
)
from fairviz.annotation.voters import labels_of, voters_of
from fairviz.datasets import additions_folder
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, add_runs, make_study, save_study
from tests.conftest import refused

NO_WRITE = "Make it a file that you can write and that no other program holds, and decide again."
AS_EXPORTED = "Write the file as `adjudications export` does, with labels that the study allows."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study folder of three documents that decisions can be kept beside."""
    place = tmp_path / "mine"
    (place / "runs").mkdir(parents=True)
    (place / "runs" / "one.run").write_text("q Q0 d1 1 2.0 one\nq Q0 d2 2 1.0 one\n")
    (place / "runs" / "two.run").write_text("q Q0 d2 1 2.0 two\nq Q0 =3 2 1.0 two\n")
    (place / "labels.csv").write_text("doc_id,annotator,label\nd1,gold,female\nd2,gold,neutral\n=3,gold,male\n")
    return place


@pytest.fixture
def study(folder: Path) -> Study:
    return fairviz.open_study(folder)


def of(table: pd.DataFrame, column: str = "label") -> dict[str, str]:
    return dict(zip(table["doc_id"], table[column], strict=True))


def by(study: Study, annotator: str = "adjudicated") -> dict[str, str]:
    return of(study.labels[study.labels["annotator"] == annotator])


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
    assert of(decisions(study)) == {"d1": "neutral", "d2": "female"}
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
    assert of(decisions(study), "reason") == {"d1": "a\nbc?", "d2": "", "=3": hostile}


def test_undo_is_a_row_that_brings_back_what_stood_before(study):
    stamps = [stamp_of(study)]
    for step in (
        lambda: decide(study, "d1", "male"), lambda: decide(study, "d1", "neutral"), lambda: undo(study, "d1")
    ):  # fmt: skip
        step()
        stamps.append(stamp_of(study))
    assert of(decisions(study)) == {"d1": "male"}
    assert stamps[0] == ()
    assert len(set(stamps)) == 4, "every decision changes the stamp"
    assert stamp_of(study) == stamps[-1], "reading changes nothing"
    undo(study, "d1")
    assert decisions(study).empty
    assert history(study)["action"].tolist() == ["decide", "decide", "undo", "undo"]
    assert history(study)["counts"].tolist() == [False] * 4
    decide(study, "d1", "male", author="ann")
    decide(study, "d1", "neutral", author="bob")
    undo(study, "d1", "ann")
    assert of(decisions(study)) == {"d1": "neutral"}
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
    assert of(decisions(study)) == {"d1": "female"}, "a clock that goes back reorders nothing"
    assert history(study)["time"].iloc[-1] == "2999-01-01T00:00:00.000001Z"


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
    assert of(decisions(study)) == {"d2": "female", "d1": "female"}


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
    with refused(f"the decision could not be saved in {store_path(study)} (database is locked)\n{NO_WRITE}"):
        decide(study, "d1", "neutral")
    other.close()
    assert of(decisions(study)) == {"d1": "female"}


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


@contextmanager
def without_rights() -> Iterator[None]:
    """As a person who may write nothing that is not hers: whoever runs tests as root may write everywhere."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        os.setegid(65534)
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        os.setegid(group)


def test_copies_that_may_only_be_read(folder, study):
    """Also what is only in the log. The place is one that everybody may enter, unlike pytest's own."""
    decide(study, "d1", "male")
    with tempfile.TemporaryDirectory() as place, closing(sqlite3.connect(store_path(study))) as other:
        Path(place).chmod(0o755)
        closed, logged = (Path(place, name) for name in ("closed", "logged"))
        shutil.copytree(folder, closed, ignore=shutil.ignore_patterns("*-shm", "*-wal"))
        other.execute("SELECT * FROM decisions").fetchall()
        decide(study, "d2", "female")  # stays in the log, as long as the other connection is open
        shutil.copytree(folder, logged, ignore=shutil.ignore_patterns("*-shm"))
        assert (logged / "adjudications.sqlite-wal").stat().st_size
        for copy in (closed, logged):
            (copy / "adjudications.sqlite").chmod(0o444)
            copy.chmod(0o555)
        with without_rights():
            for copy, found in ((closed, ["d1"]), (logged, ["d1", "d2"])):
                opened, files = fairviz.open_study(copy), sorted(path.name for path in copy.glob("adjud*"))
                assert sorted(of(decisions(opened))) == found
                assert sorted(path.name for path in copy.glob("adjud*")) == files
                with pytest.raises(FairvizError, match=r"readonly|unable to open") as told:
                    decide(opened, "d1", "female")
                assert told.value.message.startswith(f"the decision could not be saved in {store_path(opened)} (")
                assert told.value.remedy == NO_WRITE
        for copy in (closed, logged):
            copy.chmod(0o755)


@pytest.mark.parametrize(
    "time", ["9999-12-31T23:59:59.999999Z", "500-01-01T00:00:00.000000Z", "", "never", "2026-02-31T00:00:00.000000Z"]
)
def test_a_database_that_holds_a_time_that_cannot_be_takes_more_decisions(study, time):
    decide(study, "d1", "male", "first")
    with closing(sqlite3.connect(store_path(study))) as database, database:
        database.execute("INSERT INTO decisions VALUES ('poison', ?, 'd1', 'decide', 'female', 'second', '')", (time,))
    assert decisions(study)["reason"].tolist() == ["second"], "it was added later, so it counts"
    decide(study, "d1", "neutral", "third")
    undo(study, "d1")
    decide(study, "d1", "neutral", "fourth")
    assert history(study)["reason"].tolist() == ["first", "second", "third", "", "fourth"]
    assert history(study)["counts"].tolist() == [False, False, False, False, True]
    assert by(fairviz.open_study(study.folder)) == {"d1": "neutral"}


# --- decisions as an annotator of the study, and what that does to measures and fingerprints


def test_an_annotator_of_its_own(study, folder, tmp_path):
    assert chosen_annotator(study, Settings(annotator="adjudicated")) == "adjudicated", "before there is any"
    assert labels_of(study, "adjudicated")["label"].tolist() == ["female", "neutral", "male"]
    decide(study, "d1", "male", "he", "ann")
    decide(study, "d2", "female")
    opened = fairviz.open_study(folder)
    assert by(opened) == {"d1": "male", "d2": "female"}
    assert by(opened, "gold") == {"d1": "female", "d2": "neutral", "=3": "male"}, "nobody's label is overwritten"
    assert opened.annotators["adjudicated"] == Annotator(
        "adjudicated", "person", "Decisions made in the label room; the latest on a document counts."
    )
    assert list(opened.labels) == ["doc_id", "annotator", "label"]
    for place in (folder, tmp_path / "copy"):
        save_study(opened, place)
        assert by(fairviz.open_study(place)) == {"d1": "male", "d2": "female"}
    assert store_path(study).exists(), "the history stays beside the study"
    with pytest.raises(FairvizError, match="has a label of document 'd1' by 'adjudicated' already"):
        add_labels(opened, pd.DataFrame({"doc_id": ["d1"], "annotator": ["adjudicated"], "label": ["male"]}))
    assert with_adjudications(opened) is opened, "joining again changes nothing"
    grown = with_adjudications(add_runs(opened, opened.runs[opened.runs["system"] == "one"].assign(system="three")))
    assert grown.systems == ("one", "two", "three")
    decide(study, "d1", "neutral", author="ann")
    grown = with_adjudications(grown)
    assert by(grown) == {"d1": "neutral", "d2": "female"}
    for document, author in (("d2", ""), ("d1", "ann"), ("d1", "ann")):
        undo(study, document, author)
    assert by(with_adjudications(grown)) == {}


def test_decisions_alone_beside_rationales_and_of_any_label(folder):
    (folder / "labels.csv").write_text("doc_id,annotator,label,rationale\nd1,gold,female,says she\n")
    decide(fairviz.open_study(folder), "d1", "male", "says he")
    assert fairviz.open_study(folder).labels["rationale"].tolist() == ["says she", "says he"]
    (folder / "labels.csv").unlink()
    opened = fairviz.open_study(folder)
    assert chosen_annotator(opened, Settings()) == "adjudicated"
    assert labels_of(opened, "adjudicated")["label"].tolist() == ["male"]
    (folder / "study.toml").write_text("labels = 'other'\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", " stereotype ")
    assert of(decisions(study)) == {"d1": "stereotype"}
    with refused("'  ' is not a label of this study\nUse any label but an empty one."):
        decide(study, "d1", "  ")


def test_the_fingerprint_follows_the_decisions(study, folder):
    assert store_path(study) == folder / "adjudications.sqlite"
    seen = [study.fingerprint]
    for label in ("male", "neutral"):
        decide(study, "d1", label)
        seen.append(fairviz.open_study(folder).fingerprint)
    assert len(set(seen)) == 3
    for before in seen[1::-1]:
        undo(study, "d1")
        assert fairviz.open_study(folder).fingerprint == before, "equal decisions, equal fingerprint"
    decide(study, "d1", "neutral")
    assert origin(fairviz.open_study(folder)) == origin(study) == study.fingerprint
    builtin = fairviz.open_study("football")
    decide(builtin, "n1", "male")
    assert store_path(builtin) == additions_folder("football") / "adjudications.sqlite"
    assert of(decisions(fairviz.open_study("football"))) == {"n1": "male"}
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
    assert by(fairviz.open_study(folder)) == {"d1": "male", "d2": "male"}
    undo(study, "d1")
    assert by(fairviz.open_study(folder)) == {"d2": "male"}
    decide(study, "d1", "male")
    decide(study, "d2", "female")
    (folder / "study.toml").write_text("groups = ['female', 'other']\n")
    (folder / "labels.csv").write_text("doc_id,label\nd1,other\n")
    opened = fairviz.open_study(folder)
    assert by(opened) == {"d2": "female"}
    assert opened.warnings[-1] == "adjudications.sqlite: 1 decision is outside the groups of the study; not shown."


def test_a_decision_moves_a_measure_only_where_it_is_asked_for(study, folder):
    def cwex(study: Study, **choices: str) -> pd.DataFrame:
        return fairviz.summarise(fairviz.evaluate(study, ["CWEx@2"], **choices))

    before = cwex(study)["value"].tolist()
    decide(study, "d1", "neutral")
    opened = fairviz.open_study(folder)
    assert chosen_annotator(opened, Settings()) == "gold", "a vote against gold would only open ties"
    assert voters_of(opened) == ("gold",)
    assert cwex(opened)["value"].tolist() == before
    decided = cwex(opened, annotator="adjudicated")
    assert decided["value"].tolist() == [0.5, before[1]], "d1 and d2 neutral: 1/2 · 1 - 1/2 · 0"
    assert decided["coverage"].tolist() == [1.0, 1.0]
    assert of(labels_of(opened, "adjudicated")) == {"d1": "neutral", "d2": "neutral", "=3": "male"}


# --- out to files and in again: the same, once, and nothing that a spreadsheet would run


@pytest.fixture
def decided(study):
    decide(study, "d1", "male", "=HYPERLINK(\"http://x\")\nsecond line, with 'quotes'", "ann")
    decide(study, "=3", "neutral", "@sum", "+bob")
    decide(study, "d2", "female", "'=already", "-1")
    undo(study, "d2", "-1")
    return study


def copy_of(study: Study, name: str) -> Study:
    """The study in another folder, without decisions."""
    shutil.copytree(study.folder, study.folder.parent / name, ignore=shutil.ignore_patterns("adjud*"))
    return fairviz.open_study(study.folder.parent / name)


def test_out_and_in_again(decided, tmp_path):
    """As CSV; as JSON lines, too: tests/test_round_trip.py."""
    other, third = (copy_of(decided, name) for name in ("other", "third"))
    file = export_decisions(decided, tmp_path / "decisions.csv")
    assert import_decisions(other, file) == 4
    pd.testing.assert_frame_equal(history(other), history(decided))
    pd.testing.assert_frame_equal(decisions(other), decisions(decided))
    assert import_decisions(other, file) == import_decisions(decided, file) == 0, "importing twice adds nothing"
    labels = export_labels(fairviz.open_study(decided.folder), tmp_path / "labels.csv")
    assert import_decisions(third, labels) == 2, "only the rows by adjudicated are decisions"
    assert import_decisions(third, labels) == 0
    assert of(decisions(third)) == {"d1": "male", "=3": "neutral"}
    for path in (file, labels):
        with path.open(newline="", encoding="utf-8") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))], "no formula"
        assert "'=3" in cells
        assert cells.count("guarded_by_apostrophe") == 1
    # two histories meet
    decide(other, "d1", "neutral", author="cyd")
    import_decisions(decided, export_decisions(other, tmp_path / "other.csv"))
    pd.testing.assert_frame_equal(decisions(other), decisions(decided))
    assert of(decisions(decided))["d1"] == "neutral", "the later one counts"
    # of a clock that was ahead: its rows have marks; those of a table without marks must not be ahead
    ahead = timestamp(datetime.now(UTC) + timedelta(days=800))
    assert add_rows(decided, [Row("m1", ahead, "d1", "decide", "male", "", "ann")]) == 1
    decide(decided, "d1", "female", "after it", "bob")
    file = export_decisions(decided, tmp_path / "ahead.csv")
    assert (import_decisions(decided, file), import_decisions(other, file)) == (0, 2)
    pd.testing.assert_frame_equal(history(other), history(decided))


def test_what_earlier_versions_exported_is_read_as_they_meant_it(study, tmp_path):
    file, time = tmp_path / "before.csv", "2026-01-01T00:00:00.000000Z"
    file.write_text(f"mark,time,doc_id,action,label,reason,author\nm1,{time},'=3,decide,male,''=already,'own\n")
    assert import_decisions(study, file) == 1
    assert decisions(study).loc[0, ["doc_id", "reason", "author"]].tolist() == ["=3", "'=already", "'own"]
    # such a file may be packed and have columns of its own
    for mark, name, column in (("m2", "before.csv.gz", "seen"), ("m3", "before.csv", "not_guarded_by_apostrophe")):
        content = f"mark,time,doc_id,action,label,{column}\n{mark},{time},'=3,decide,male,x\n".encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        assert import_decisions(study, tmp_path / name) == 1
    assert set(history(study)["doc_id"]) == {"=3"}


def in_hours(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def test_a_table_made_by_hand(study, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text(
        "doc_id,label,author,time\nd1,M,ann,1970-01-01T00:00:00Z\n"
        f"d2,female,ann,{in_hours(23)}\nd1, Neutral ,ann,1970-01-01T00:00:00Z\n"
    )
    assert import_decisions(study, file) == 2, "the last row of a document counts"
    assert import_decisions(study, file) == 0
    assert of(decisions(study)) == {"d1": "neutral", "d2": "female"}
    assert of(decisions(study), "author") == {"d1": "ann", "d2": "ann"}
    decide(study, "d2", "male")
    assert of(decisions(study))["d2"] == "male"


def test_every_bad_line_is_named_and_nothing_is_imported(study, tmp_path):
    file, impossible = tmp_path / "bad.csv", "a time before 1970 or after {}: {!r}"
    cases = [
        ("doc_id,label,action,time\nd1,botrh,,\nd1,male,,yesterday\nd2,male,think,\nd2,,undo,\nd1,male,decide,\n",
         "bad.csv:2: not a label of this study: 'botrh'\n"
         "bad.csv:3: not a time such as 2026-01-31T12:00:00Z: 'yesterday'\n"
         "bad.csv:4: an action that is neither decide nor undo: 'think'\n"
         "bad.csv:5: an undo without its mark: 'd2'"),
        ("doc_id,label\nd1,male\nD2,female\nd9,botrh\n d2,male\n",
         "bad.csv:3: a document that is not in the study: 'D2'\n"
         "bad.csv:4: not a label of this study: 'botrh'\n"
         "bad.csv:5: a document that is not in the study: ' d2'\n"
         "Check the id, and that the study is the one decided on."),
        ("mark,doc_id,label,time\nm2,d1,male,3000-01-01T00:00:00Z\n",
         f"bad.csv:2: {impossible.format(2999, '3000-01-01T00:00:00Z')}"),
    ]  # fmt: skip
    for time in ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-12:00", "0500-01-01", "0001-01-01T00:00:00+14:00",
                 "1969-12-31T23:59:59Z", in_hours(25)):  # fmt: skip
        cases.append((f"doc_id,label,time\nd2,female,2026-01-31T12:00:00Z\nd1,male,{time}\n",
                      f"bad.csv:3: {impossible.format('tomorrow', time)}"))  # fmt: skip
    for content, message in cases:
        file.write_text(content)
        with refused(f"{message}\n{AS_EXPORTED}", DataError):
            import_decisions(study, file)
    assert history(study).empty


def test_what_cannot_be_read_or_written(study, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("document,label\nd1,male\n")
    for path, message in ((file, r"the column 'doc_id' is missing"), (tmp_path / "nowhere.csv", "cannot be read")):
        with pytest.raises(DataError, match=message):
            import_decisions(study, path)
    with refused("decisions and labels are written as .csv or .jsonl, not '.xlsx'", UsageError):
        export_decisions(study, tmp_path / "d.xlsx")
    with refused(
        f"could not write {tmp_path / 'no' / 'd.csv'}: No such file or directory\n"
        "Name a file in a folder that you can write."
    ):
        export_decisions(study, tmp_path / "no" / "d.csv")
