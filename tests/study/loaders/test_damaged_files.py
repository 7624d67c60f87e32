"""Files that are damaged, hostile or odd: one line that says what is wrong, and never more memory than allowed."""

import gzip
import os
import tracemalloc
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

from fairviz.errors import DataError, parsing
from fairviz.study.loaders import read_documents, read_labels, read_lexicon, read_qrels, read_queries, read_run
from fairviz.study.loaders.collection import keep_documents
from fairviz.study.loaders.lines import decode
from fairviz.study.loaders.metadata import KEYS, read_metadata
from fairviz.study.loaders.packaged import read_packaged
from fairviz.study.loaders.source import check_file
from fairviz.study.loaders.weights import parse_weights
from tests.conftest import refused
from tests.study.loaders.files import put, read_collection, refusal, rows

MB = 1024**2
PARQUET = "the file is not a sound Parquet file\nWrite it again, or save it as CSV."
TOML = 'Write each line as: title = "My study".'
LOOK = "Check its contents, or save them as CSV."


def test_line_ends_of_every_system(tmp_path: Path) -> None:
    for end in ("\n", "\r\n", "\r", "\r\r\n"):
        run = read_run(put(tmp_path, "a.run", f"1 Q0 d 1 2.5 t{end}1 Q0 e 2 1.5 t{end}"))
        assert rows(run, "doc_id", "rank") == [("d", 1), ("e", 2)]
        assert read_qrels(put(tmp_path, "q.txt", f"1 0 d 1{end}1 0 e 2{end}"))["relevance"].tolist() == [1, 2]
        for quote in ("", '"'):
            table = read_queries(put(tmp_path, "q.csv", f"query_id,text{end}1,{quote}a{quote}{end}2,b{end}"))
            assert rows(table, "query_id", "text") == [("1", "a"), ("2", "b")]
        assert rows(read_queries(put(tmp_path, "q.tsv", f"1\ta{end}2\tb{end}")), "text") == [("a",), ("b",)]
        lines = '{"query_id": "1", "text": "a"}' + end
        assert rows(read_queries(put(tmp_path, "q.jsonl", lines)), "text") == [("a",)]
        assert read_lexicon(put(tmp_path, "l.csv", f"she,f{end}he,m{end}")).words == (("she", "female"), ("he", "male"))
        assert parse_weights("w.csv", f"1,0.5{end}2,1{end}".encode()) == (0.5, 1.0)
    assert read_metadata(put(tmp_path, "study.toml", "title = 'a'\rlicence = 'b'\r")).licence == "b"


def test_line_ends_inside_quotes_and_before_a_header(tmp_path: Path) -> None:
    table = read_documents(put(tmp_path, "d.csv", 'doc_id,text\r\n1,"a\r\nb\rc\nd"\r\n2,\u2028\x85\r\n'))
    assert rows(table, "doc_id", "text") == [("1", "a\r\nb\rc\nd"), ("2", "\u2028\x85")]
    for start in ("\n", "  \n", "\t\r\n", "\ufeff\n", "\ufeff\ufeff"):
        table = read_documents(put(tmp_path, "d.csv", f"{start}doc_id,text\n1,a\n"))
        assert rows(table, "doc_id", "text") == [("1", "a")]


def test_long_cells_and_numbers_spelt_as_anywhere(tmp_path: Path) -> None:
    word = "a" * 200_000
    assert read_lexicon(put(tmp_path, "l.csv", f"{word},f\n")).words == ((word, "female"),)
    assert refusal(read_lexicon, put(tmp_path, "l.csv", f"{word}\n"), tmp_path).startswith(
        "l.csv:1: expected 2 columns, found 1"
    )
    with pytest.raises(DataError, match=r"^w: the rank|^w:1: the rank is not a whole number from 1 to 1000: '1111"):
        parse_weights("w", b"1" * 200_000 + b",1\n")
    with pytest.raises(DataError, match=r"^w:1: a quote is opened and never closed: '\"1,1'\n"):
        parse_weights("w", b'"1,1\n')
    run = read_run(put(tmp_path, "a.run", "1 Q0 d +5 +.5e-0002 t\n1 Q0 0x1F 0000000000007 5. t\n1 Q0 e -0 1e-4000 t\n"))
    assert rows(run, "doc_id", "rank", "score") == [("d", 5, 0.005), ("0x1F", 7, 5.0), ("e", 0, 0.0)]
    for text in ("1_000", "٣", "5.5", ""):
        with pytest.raises(DataError):
            read_qrels(put(tmp_path, "q.txt", f"1 0 d {text}\n"))


def test_many_bad_lines_take_no_memory(tmp_path: Path) -> None:
    for read, name in ((read_run, "a.run"), (read_documents, "d.jsonl"), (read_lexicon, "l.csv")):
        path = put(tmp_path, name, "xy\n" * 300_000)
        tracemalloc.start()
        refusal(read, path, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20 * MB, name


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.lengthy)])
def test_bytes_of_a_parquet_file_inverted(tmp_path: Path, step: int) -> None:
    table = pa.table({"doc_id": ["1", "2"], "text": ["a", "é"], "label": pa.array(["male"] * 2).dictionary_encode()})
    forms = ({}, {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}, "store_schema": False})
    path = tmp_path / "d.parquet"
    for form in forms:
        parquet.write_table(table, path, **form)
        whole = path.read_bytes()
        for place in range(0, len(whole), step):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
            for read in (read_documents, read_labels):
                with suppress(DataError):
                    assert len(read(path, tmp_path)) == 2, place
        path.write_bytes(whole[:-9])
        assert refusal(read_documents, path, tmp_path) == f"d.parquet: {PARQUET}"


def test_categories_indices_and_gaps_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    frame = pd.DataFrame({"doc_id": [7, 8], "text": ["a", "a"], "title": ["t", None], "label": ["M", "male"]})
    frame.astype("category").to_parquet(path)
    table = read_documents(path)
    assert rows(table, "doc_id", "title", "text", "label") == [("7", "t", "a", "M"), ("8", "", "a", "male")]
    assert {str(dtype) for dtype in table.dtypes} == {"str"}
    assert read_labels(path)["label"].tolist() == ["male", "male"]
    frame.astype("category").iloc[:0].to_parquet(path)
    assert read_documents(path).empty
    # an index with a name is a column
    frame.astype({"doc_id": "str"}).set_index("doc_id").to_parquet(path)
    assert rows(read_documents(path), "doc_id", "text") == [("7", "a"), ("8", "a")]
    frame[["doc_id", "text"]].set_index(pd.Index([5, 5])).to_parquet(path)
    assert read_documents(path).columns.tolist() == ["doc_id", "title", "text"]
    # whole numbers with gaps stay whole
    parquet.write_table(pa.table({"doc_id": [1, None], "text": ["a", "b"]}), path)
    told = "d.parquet: the doc_id is empty or not text\nGive every row a doc_id."
    assert refusal(read_documents, path, tmp_path) == told


@pytest.mark.parametrize("column", ["text", "doc_id", "added"])
def test_times_with_a_zone_outside_the_calendar(tmp_path: Path, column: str) -> None:
    """pandas holds them and cannot show them."""
    path = tmp_path / "d.parquet"
    what = f"d.parquet: the column {column!r} holds a time with a zone outside the years 2 to 9998"
    for year in (-250, 1, 9999, 40_000):
        for unit, second in (("us", 10**6), ("ms", 10**3)):
            since = pa.array([(year - 1970) * 31_556_952 * second, None], "int64")
            cells = since.view(pa.timestamp(unit, "Europe/Berlin"))
            parquet.write_table(pa.table({"doc_id": ["1", "2"], "text": ["a", "b"]} | {column: cells}), path)
            assert refusal(read_documents, path, tmp_path) == f"{what}\nWrite its times as text."
    for year in (2, 1969, 9998):
        time = datetime(year, 6, 1, tzinfo=ZoneInfo("America/New_York"))
        parquet.write_table(pa.table({"doc_id": ["1"], "text": ["a"], "added": pa.array([time])}), path)
        assert str(read_documents(path)["added"].iloc[0].date()) == str(time.date())


@pytest.mark.parametrize("form", [{}, {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}])
def test_a_parquet_file_that_asks_for_gigabytes(tmp_path: Path, form: dict) -> None:
    path = tmp_path / "d.parquet"
    text = pa.array(["x" * 50_000])
    if form:
        texts = pa.chunked_array([pc.take(text, pa.array([0] * 500))] * 12)
    else:
        texts = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000), text)
    table = pa.table({"doc_id": pa.array(range(len(texts))), "text": texts})
    parquet.write_table(table, path, compression="zstd", row_group_size=100_000 if not form else 500, **form)
    assert refusal(read_documents, path, tmp_path) == (
        f"d.parquet: the file unpacks to more than 256 MB, out of all proportion\n{LOOK}"
    )


def test_the_footer_of_a_parquet_file_is_looked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "d.parquet"
    parquet.write_table(pa.table({"doc_id": ["1"], "text": ["a"]} | {f"c{n}": [1] for n in range(999)}), path)
    what = "d.parquet: the file has 1,001 columns, more than 1,000\nKeep the columns that are needed."
    assert refusal(read_documents, path, tmp_path) == what
    parquet.write_table(pa.table({"doc_id": pa.array(range(40_000)), "text": ["a"] * 40_000}), path)
    assert len(read_documents(path)) == 40_000
    monkeypatch.setattr("fairviz.study.loaders.source.FREE_BYTES", 1000)
    monkeypatch.setattr("fairviz.study.loaders.source.MOST_RATIO", 1)
    told = f"d.parquet: the file unpacks out of all proportion, to 80,000 values\n{LOOK}"
    assert refusal(read_documents, path, tmp_path) == told
    monkeypatch.setattr("fairviz.study.loaders.rows.FREE_CELLS", 1000)
    path = put(tmp_path, "d.jsonl", "".join(f'{{"k{n % 900}": 1}}\n' for n in range(2000)))
    assert refusal(read_documents, path, tmp_path) == (
        "d.jsonl: 2,000 objects with 900 different keys, of which most are absent\nKeep those keys that are needed."
    )


def test_gzip_is_counted_while_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.study.loaders.source.FREE_BYTES", 3 * MB)
    path = put(tmp_path, "a.run.gz", gzip.compress(b"x" * 100 * MB, 1))
    path.write_bytes(path.read_bytes()[:20_000])  # cut off, which is not found out: reading stops long before
    monkeypatch.setattr("fairviz.study.loaders.source.MOST_RATIO", 1)
    tracemalloc.start()
    assert refusal(read_run, path, tmp_path) == (
        "a.run.gz: the file unpacks out of all proportion\nUnpack it yourself, and look at what it holds."
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * MB


def test_files_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    with path.open("wb") as stream:
        stream.truncate(16 * 1024**3 + 1)  # a hole: it takes no room on the disk
    told = "the file holds more than {}\nKeep the part of it that is needed."
    assert refusal(read_run, path, tmp_path) == f"a.run: {told.format('16 GB')}"
    path = put(tmp_path, "study.toml", "title = 'a'\n" * 200_000)
    assert refusal(read_metadata, path, tmp_path) == f"study.toml: {told.format('2 MB')}"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    os.mkfifo(path)
    for read in (read_run, read_documents, read_lexicon, read_collection):
        assert refusal(read, path, tmp_path) == (
            "a.run: the file cannot be read (it is a pipe or a device)\nPut the file itself in its place."
        )
    with pytest.raises(DataError, match=r"^null: the file cannot be read \(it is a pipe or a device\)\n"):
        check_file("/dev/null", "/dev")


TOO_LONG = f"study.toml: not TOML that can be read: a number is too long, or brackets are nested too deep\n{TOML}"
STUDY = {
    "5,000 digits": ("title = " + "1" * 5000, TOO_LONG),
    "5,000 brackets": ("title = " + "[" * 5000 + "]" * 5000, TOO_LONG),
    "5,000 hexadecimal digits": ("title = 0x" + "f" * 5000, "study.toml:1: title is not text\n"),
    "a share of 4,000 digits": (
        "[targets]\nfemale = 0.5\nmale = " + "9" * 4000,
        "study.toml:1: targets must be above 0 and add up to 1: \"{'female': 0.5, 'male': 9999",
    ),
    "a key of 21 parts": (
        "\n" + ".".join("a" * 21) + " = 1",
        "study.toml:2: not TOML as a study has it: a key of more than 20 parts: 'a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"
        f".a.a'\n{TOML}",
    ),
    "a name of 300 characters": (
        f"lexicon = '{'a' * 300}'",
        f"study.toml:1: lexicon is not the name of a file in this folder: '{'a' * 119}…'\n",
    ),
    "10,001 keys": (
        "[annotators]\n" + "".join(f"a{n} = {{}}\n" for n in range(10_000)),
        f"study.toml: 10,001 keys, more than 10,000\nIts keys are {', '.join(KEYS)}.",
    ),
}


@pytest.mark.parametrize("case", STUDY)
def test_hostile_metadata(tmp_path: Path, case: str) -> None:
    content, message = STUDY[case]
    assert refusal(read_metadata, put(tmp_path, "study.toml", content), tmp_path).startswith(message)


def test_collections_of_every_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.study.loaders.collection._BLOCK", 5)
    for end in ("\n", "\r\n", "\r"):
        path = put(tmp_path, "c.tsv", f"1\ta b{end}2\tc{end}3\td")
        assert keep_documents(path, {"1", "3"}, tmp_path / "out.parquet", lambda *_: None) == 2
        assert rows(read_documents(tmp_path / "out.parquet"), "doc_id", "text") == [("1", "a b"), ("3", "d")]
    path = put(tmp_path, "c.tsv.gz", gzip.compress(b"1\ta\n" * 9)[:-6])
    assert refusal(read_collection, path, tmp_path) == (
        "c.tsv.gz: the compressed file is cut off\nCopy or download it again; `gzip -t` checks whether it is complete."
    )


def test_what_packages_and_libraries_raise_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def has_queries(self):
            return True

        def queries_iter(self):
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    monkeypatch.setattr("ir_datasets.load", lambda name: Broken())
    with refused(
        "study.toml: ir_datasets could not get the queries of 'x' ('utf-8' codec can't decode byte 0xff in position 0: "
        "invalid start byte)\nCheck the connection and try again.",
        DataError,
    ):
        read_packaged("queries", "ir_datasets:x", "study.toml")
    for error in (OSError(), OverflowError(), RecursionError(), NotImplementedError(), UnicodeError(), KeyError()):
        with pytest.raises(DataError, match=r"^f:3: what\nMend it\.$"), parsing("f", "what", "Mend it.", 3):
            raise error
    with pytest.raises(DataError, match=r"^f: the file does not fit into memory\n"), parsing("f", "what", "Mend it."):
        raise MemoryError
    with pytest.raises(KeyboardInterrupt), parsing("f", "what", "Mend it."):
        raise KeyboardInterrupt
    with pytest.raises(DataError, match=r"^f:4: not UTF-8 text: byte 0xFF at position 2 of the line\n"):
        decode(b"a\rb\r\nc\nd\xff", "f")
