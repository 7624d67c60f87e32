"""A file of labels passes from one loader's file to the next: none is called again after it was left."""

import json
import sys
from pathlib import Path
from types import FrameType

import pandas as pd
import pytest

from fairviz import errors
from fairviz.errors import DataError
from fairviz.study import loaders
from fairviz.study.loaders import read_labels

ROWS = [("doc_id", "annotator", "label"), ("d1", "a", "male"), ("d2", "a", "f")]
LABELS = [("d1", "a", "male"), ("d2", "a", "female")]


def delimited(separator: str, quote: str = "") -> str:
    return "".join(separator.join(f"{quote}{cell}{quote}" for cell in row) + "\n" for row in ROWS)


FILES = {
    "fast.csv": delimited(","),
    "quoted.csv": delimited(",", '"'),
    "guarded.csv": "doc_id,annotator,label,guarded_by_apostrophe\nd1,'a,male,yes\nd2,a,f,yes\n",
    "fast.tsv": delimited("\t"),
    "quoted.tsv": delimited("\t", '"'),
    "lines.jsonl": "".join(f"{json.dumps(dict(zip(ROWS[0], row, strict=True)))}\n" for row in ROWS[1:]),
}


def file_of(frame: FrameType | None) -> str:
    """Return the name of the loaders' file, or errors, that the frame is in or was called from through a library."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.parent == Path(loaders.__file__).parent or path == Path(errors.__file__):
            return path.name
        frame = frame.f_back
    return ""


def calls_between_files(path: Path) -> list[tuple[str, str]]:
    """Return each first call of a function of another file, as (calling file, called file), while labels are read."""
    calls: list[tuple[str, str]] = []
    frames: dict[int, FrameType] = {}  # kept, so that no later frame gets the identity of an earlier one

    def record(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and id(frame) not in frames:  # a generator that goes on is not called again
            frames[id(frame)] = frame
            here, caller = file_of(frame), file_of(frame.f_back)
            if Path(frame.f_code.co_filename).name == here and caller != here:
                calls.append((caller, here))

    sys.setprofile(record)
    try:
        read_labels(path)
    except DataError:
        pass
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", [*FILES, "table.parquet", "short.csv"])
def test_no_file_of_the_loaders_is_called_after_it_was_left(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "table.parquet":
        pd.DataFrame(ROWS[1:], columns=ROWS[0]).to_parquet(path)
    elif name == "short.csv":
        path.write_text("doc_id,label\nd1,male\nd2\nd3,female,x\n")
    else:
        path.write_text(FILES[name])
    calls = calls_between_files(path)
    entered = [called for _, called in calls if called != "errors.py"]
    assert entered[:3] == ["labels.py", "rows.py", "source.py"]
    again = [called for place, called in enumerate(entered) if called in entered[:place]]
    assert set(again) <= {"lines.py"}, "its layouts are asked for each separator"
    assert [called for caller, called in calls if caller == "errors.py"] == []
    if name != "short.csv":
        assert read_labels(path)[["doc_id", "annotator", "label"]].to_records(index=False).tolist() == LABELS
