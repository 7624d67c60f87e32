"""Decisions out to files and in again: the same, once, and nothing that a spreadsheet would run."""

import csv
import gzip
import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

import fairviz
from fairviz.annotation.adjudications import (
    Row,
    add_rows,
    decide,
    decisions,
    export_decisions,
    export_labels,
    history,
    import_decisions,
    store_path,
    timestamp,
    undo,
)
from fairviz.errors import DataError, UsageError
from fairviz.study.study import save_study
from tests.conftest import refused


@pytest.fixture
def decided(study):
    decide(study, "d1", "male", "=HYPERLINK(\"http://x\")\nsecond line, with 'quotes'", "ann")
    decide(study, "=3", "neutral", "@sum", "+bob")
    decide(study, "d2", "female", "'=already", "-1")
    undo(study, "d2", "-1")
    return study


@pytest.fixture
def others(study, tmp_path):
    """Two copies of the study without decisions."""
    for name in ("other", "third"):
        save_study(study, tmp_path / name)
    return tuple(fairviz.open_study(tmp_path / name) for name in ("other", "third"))


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_out_and_in_again(others, decided, tmp_path, suffix):
    other, third = others
    file = export_decisions(decided, tmp_path / f"decisions.{suffix}")
    assert import_decisions(other, file) == 4
    pd.testing.assert_frame_equal(history(other), history(decided))
    pd.testing.assert_frame_equal(decisions(other), decisions(decided))
    assert import_decisions(other, file) == 0, "importing twice adds nothing"
    assert import_decisions(decided, file) == 0
    labels = export_labels(fairviz.open_study(decided.folder), tmp_path / f"labels.{suffix}")
    assert import_decisions(third, labels) == 2, "only the rows by adjudicated are decisions"
    assert import_decisions(third, labels) == 0
    assert decisions(third).set_index("doc_id")["label"].to_dict() == {"d1": "male", "=3": "neutral"}
    if suffix == "csv":
        for path in (file, labels):
            with path.open(newline="", encoding="utf-8") as stream:
                cells = [cell for row in csv.reader(stream) for cell in row]
            assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))], "no formula"
            assert "'=3" in cells
            assert cells.count("guarded_by_apostrophe") == 1
    else:
        first, *_, last = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        assert list(first) == ["mark", "time", "doc_id", "action", "label", "reason", "author"]
        assert first["reason"] == "=HYPERLINK(\"http://x\")\nsecond line, with 'quotes'"
        assert last["action"] == "undo"
    # two histories meet
    decide(other, "d1", "neutral", author="cyd")
    import_decisions(decided, export_decisions(other, tmp_path / f"other.{suffix}"))
    pd.testing.assert_frame_equal(decisions(other), decisions(decided))
    assert decisions(decided).set_index("doc_id").loc["d1", "label"] == "neutral", "the later one counts"


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


def test_a_table_made_by_hand(study, tmp_path):
    file, soon = tmp_path / "mine.csv", (datetime.now(UTC) + timedelta(hours=23)).isoformat()
    file.write_text(
        "doc_id,label,author,time\nd1,M,ann,1970-01-01T00:00:00Z\n"
        f"d2,female,ann,{soon}\nd1, Neutral ,ann,1970-01-01T00:00:00Z\n"
    )
    assert import_decisions(study, file) == 2, "the last row of a document counts"
    assert import_decisions(study, file) == 0
    table = decisions(study).set_index("doc_id")
    assert table["label"].to_dict() == {"d1": "neutral", "d2": "female"}
    assert table["author"].tolist() == ["ann", "ann"]
    decide(study, "d2", "male")
    assert decisions(study).set_index("doc_id").loc["d2", "label"] == "male"


def test_every_bad_line_is_named_and_nothing_is_imported(study, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text(
        "doc_id,label,action,time\nd1,botrh,,\nd1,male,,yesterday\nd2,male,think,\nd2,,undo,\nd1,male,decide,\n"
    )
    with refused(
        "bad.csv:2: not a label of this study: 'botrh'\n"
        "bad.csv:3: not a time such as 2026-01-31T12:00:00Z: 'yesterday'\n"
        "bad.csv:4: an action that is neither decide nor undo: 'think'\n"
        "bad.csv:5: an undo without its mark: 'd2'\n"
        "Write the file as `adjudications export` does, with labels that the study allows.",
        DataError,
    ):
        import_decisions(study, file)
    file.write_text("doc_id,label\nd1,male\nD2,female\nd9,botrh\n d2,male\n")
    with refused(
        "bad.csv:3: a document that is not in the study: 'D2'\n"
        "bad.csv:4: not a label of this study: 'botrh'\n"
        "bad.csv:5: a document that is not in the study: ' d2'\n"
        "Check the id, and that the study is the one decided on.\n"
        "Write the file as `adjudications export` does, with labels that the study allows.",
        DataError,
    ):
        import_decisions(study, file)
    later = (datetime.now(UTC) + timedelta(hours=25)).isoformat()
    for time in ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-12:00", "0500-01-01", "0001-01-01T00:00:00+14:00",
                 "1969-12-31T23:59:59Z", later):  # fmt: skip
        file.write_text(f"doc_id,label,time\nd2,female,2026-01-31T12:00:00Z\nd1,male,{time}\n")
        with refused(
            f"bad.csv:3: a time before 1970 or after tomorrow: {time!r}\n"
            "Write the file as `adjudications export` does, with labels that the study allows.",
            DataError,
        ):
            import_decisions(study, file)
    assert history(study).empty


def test_what_cannot_be_read_or_written(study, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("document,label\nd1,male\n")
    with pytest.raises(DataError, match=r"the column 'doc_id' is missing"):
        import_decisions(study, file)
    with pytest.raises(DataError, match="cannot be read"):
        import_decisions(study, tmp_path / "nowhere.csv")
    with refused("decisions and labels are written as .csv or .jsonl, not '.xlsx'", UsageError):
        export_decisions(study, tmp_path / "d.xlsx")
    with refused(
        f"could not write {tmp_path / 'no' / 'd.csv'}: No such file or directory\n"
        "Name a file in a folder that you can write."
    ):
        export_decisions(study, tmp_path / "no" / "d.csv")


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
    assert decisions(fairviz.open_study(study.folder))["label"].tolist() == ["neutral"]


def test_decisions_of_a_clock_that_was_ahead_come_back(study, others, tmp_path):
    """Their rows have marks; those of a table without marks must not be ahead (see above)."""
    ahead = timestamp(datetime.now(UTC) + timedelta(days=800))
    assert add_rows(study, [Row("m1", ahead, "d1", "decide", "male", "", "ann")]) == 1
    decide(study, "d1", "female", "after it", "bob")
    for ending in (".csv", ".jsonl"):
        file = export_decisions(study, tmp_path / f"all{ending}")
        assert import_decisions(study, file) == 0
    assert import_decisions(others[0], file) == 2
    pd.testing.assert_frame_equal(history(others[0]), history(study))
    file = tmp_path / "far.csv"
    file.write_text("mark,doc_id,label,time\nm2,d1,male,3000-01-01T00:00:00Z\n")
    with pytest.raises(DataError, match="a time before 1970 or after 2999"):
        import_decisions(study, file)
