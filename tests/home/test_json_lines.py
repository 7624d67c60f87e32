"""JSON lines: no text splits a line, and a line that was cut off takes no other with it."""

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.annotation.adjudications import to_text
from fairviz.home.json_lines import append, lines_of, read_records, to_line
from fairviz.study.loaders.rows import read_json_lines
from tests.conftest import full_disk

TEXTS = [
    "a\u2028b",
    "a\u2029b",
    "a\x85b",
    "a\x0bb\x0cc\x1cd\x1de\x1ef",
    "a\nb\r\nc\rd",
    "ünïcode 🙂",
    "\x00\x7f",
    "}{,",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_is_one_line_for_every_reader(text: str, tmp_path: Path) -> None:
    row = {"who": text, text: 1}
    assert len(to_line(row).splitlines()) == 1
    for _ in range(2):
        append(tmp_path / "log", row)
    assert read_records(tmp_path / "log").rows == [row, row]
    assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) == 2
    assert to_text(("a",), [{"a": text}], ".jsonl") == to_line({"a": text})


@pytest.mark.parametrize("text", TEXTS)
def test_lines_of_other_programs_split_at_line_feeds_alone(text: str, tmp_path: Path) -> None:
    """Others write the separators without escaping them."""
    rows = [{"doc_id": "1", "text": text}, {"doc_id": "2", "text": "after"}]
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    (tmp_path / "log").write_bytes(content)
    assert read_records(tmp_path / "log").rows == rows
    pieces = [content[place : place + 3] for place in range(0, len(content), 3)]
    assert [json.loads(line) for line in lines_of(pieces, 1000)] == rows
    frame, lines = read_json_lines(content, "documents.jsonl")
    assert (frame.to_dict("records"), lines) == (rows, [1, 2])
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "documents.jsonl").write_bytes(content)
    pd.DataFrame({"query_id": ["q"], "text": ["who"]}).to_csv(tmp_path / "study" / "queries.csv", index=False)
    assert fairviz.open_study(tmp_path / "study").documents["text"].tolist()[1] == "after"


def test_too_long_a_line_takes_no_other_with_it() -> None:
    assert list(lines_of([b"a\n", b"b" * 9, b"b" * 9, b"b\nc\n", b"d"], 5)) == [b"a", b"c", b"d"]


def test_a_line_that_was_cut_off_is_named_and_swallows_none(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, {"number": 1})
    with path.open("ab") as stream:
        stream.write(b'{"number": 2, "te')
    append(path, {"number": 3})
    found = read_records(path)
    assert [row["number"] for row in found.rows] == [1, 3]
    assert found.broken == [2]
    path.write_bytes(b'1\n\n[2]\n{"number": 4}\n\xff\n"x"')
    found = read_records(path)
    assert (found.rows, found.broken) == ([{"number": 4}], [1, 3, 5, 6])


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no limit of a file's size")
def test_on_a_full_disk_a_record_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, {"who": "before"})
    with full_disk(path.stat().st_size + 10), pytest.raises(OSError, match="No space left"):
        append(path, {"who": "cut off"})
    append(path, {"who": "after"})
    assert read_records(path).broken == []
    assert [row["who"] for row in read_records(path).rows] == ["before", "after"]
