"""Files and zips that are damaged, hostile or odd: one line says what is wrong, and memory stays within its bounds."""

import bz2
import gzip
import lzma
import os
import shutil
import stat
import tracemalloc
import zipfile
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

from fairviz.errors import DataError, FairvizError, parsing
from fairviz.study.loaders import archive, read_documents, read_labels, read_lexicon, read_run
from fairviz.study.loaders.archive import AGAIN, read_zip
from fairviz.study.loaders.collection import keep_documents
from fairviz.study.loaders.folder import read_folder
from fairviz.study.loaders.lines import decode
from fairviz.study.loaders.metadata import KEYS, read_metadata
from fairviz.study.loaders.packaged import read_packaged
from fairviz.study.loaders.source import check_file
from tests.conftest import refused
from tests.study.loaders.files import PACKED, RUN, put, read_collection, refusal, refusal_of, rows, zipped

MB = 1024**2
PARQUET = "the file is not a sound Parquet file\nWrite it again, or save it as CSV."
TOML = 'Write each line as: title = "My study".'
DELTA = {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
LOOK = "Check its contents, or save them as CSV."


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.lengthy)])
def test_bytes_of_a_parquet_file_inverted(tmp_path: Path, step: int) -> None:
    table = pa.table({"doc_id": ["1", "2"], "text": ["a", "é"], "label": pa.array(["male"] * 2).dictionary_encode()})
    path = tmp_path / "d.parquet"
    for form in ({}, DELTA | {"store_schema": False}):
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


@pytest.mark.parametrize("form", [{}, DELTA])
def test_a_parquet_file_that_asks_for_gigabytes(tmp_path: Path, form: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    path, text = tmp_path / "d.parquet", pa.array(["x" * 50_000])
    if form:
        monkeypatch.setattr("fairviz.study.loaders.source.FREE_BYTES", 64 * MB)
        texts = pa.chunked_array([pc.take(text, pa.array([0] * 500))] * 3)
    else:
        texts = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000), text)
    table = pa.table({"doc_id": pa.array(range(len(texts))), "text": texts})
    parquet.write_table(table, path, compression="zstd", row_group_size=500 if form else 100_000, **form)
    most = 64 if form else 256
    assert refusal(read_documents, path, tmp_path) == (
        f"d.parquet: the file unpacks to more than {most} MB, out of all proportion\n{LOOK}"
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


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    with path.open("wb") as stream:
        stream.truncate(16 * 1024**3 + 1)  # a hole: it takes no room on the disk
    told = "a.run: the file holds more than 16 GB\nKeep the part of it that is needed."
    assert refusal(read_run, path, tmp_path) == told


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
    "title = " + "1" * 5000: TOO_LONG,
    "title = " + "[" * 5000 + "]" * 5000: TOO_LONG,
    "title = 0x" + "f" * 5000: "study.toml:1: title is not text\n",
    "[targets]\nfemale = 0.5\nmale = " + "9" * 4000:
        "study.toml:1: targets must be above 0 and add up to 1: \"{'female': 0.5, 'male': 9999",
    "\n" + ".".join("a" * 21) + " = 1":
        f"study.toml:2: not TOML as a study has it: a key of more than 20 parts: '{'.'.join('a' * 21)}'\n{TOML}",
    f"lexicon = '{'a' * 300}'":
        f"study.toml:1: lexicon is not the name of a file in this folder: '{'a' * 119}…'\n",
    "[annotators]\n" + "".join(f"a{n} = {{}}\n" for n in range(10_000)):
        f"study.toml: 10,001 keys, more than 10,000\nIts keys are {', '.join(KEYS)}.",
    "title = 'a'\n" * 200_000: "study.toml: the file holds more than 2 MB\nKeep the part of it that is needed.",
}  # fmt: skip


def test_hostile_metadata(tmp_path: Path) -> None:
    for content, message in STUDY.items():
        assert refusal(read_metadata, put(tmp_path, "study.toml", content), tmp_path).startswith(message)


def test_collections_of_every_system_and_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, text = tmp_path / "kept.parquet", "".join(f"d{number}\tword {number}\n" for number in range(3000))
    for ending, pack in PACKED.items():
        path = put(tmp_path, f"collection.tsv{ending}", pack(text.encode()))
        assert keep_documents(path, {"d1", "d2999", "x"}, kept, lambda *_: None) == 2
    monkeypatch.setattr("fairviz.study.loaders.collection._BLOCK", 5)
    for end in ("\n", "\r\n", "\r"):
        path = put(tmp_path, "c.tsv", f"1\ta b{end}2\tc{end}3\td")
        assert keep_documents(path, {"1", "3"}, kept, lambda *_: None) == 2
        assert rows(read_documents(kept), "doc_id", "text") == [("1", "a b"), ("3", "d")]


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


# --- Compressed files.

TOOLS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


@pytest.mark.parametrize("ending", TOOLS)
def test_compressed_files_that_are_not_whole(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tool, pack, name = TOOLS[ending], PACKED[ending], f"a.run{ending}"
    whole = pack("".join(f"1 Q0 d{number} {number} -{number} t\n" for number in range(1, 5000)).encode())
    for content, told in (
        (whole[:-20], "the compressed file is cut off\n"
         f"Copy or download it again; `{tool} -t` checks whether it is complete."),
        (RUN.encode(), f"the file is named {ending} and is not a sound {tool} file\n"
         f"Compress it again with {tool}, or remove {ending} from its name if it is not compressed."),
        (pack(b""), "the file is empty\nRemove it, or fill it."),
    ):  # fmt: skip
        put(tmp_path, f"runs/{name}", content)
        assert refusal_of(tmp_path) == f"runs/{name}: {told}"
    put(tmp_path, f"runs/{name}", pack(RUN.encode()) + pack(RUN.replace(" d", " e").encode()))
    assert len(read_folder(tmp_path).tables["runs"]) == 4, "one stream behind the other"
    monkeypatch.setattr("fairviz.study.loaders.source.FREE_BYTES", 50)
    monkeypatch.setattr("fairviz.study.loaders.source.MOST_RATIO", 0)
    assert refusal_of(tmp_path) == (
        f"runs/{name}: the file unpacks out of all proportion\nUnpack it yourself, and look at what it holds."
    )


def test_what_stands_behind_a_compressed_stream(tmp_path: Path) -> None:
    put(tmp_path, "runs/a.xz", lzma.compress(RUN.encode()) + bytes(8))
    assert len(read_folder(tmp_path).tables["runs"]) == 2, "padding"
    put(tmp_path, "runs/a.run.bz2", bz2.compress(RUN.encode()) + b"tail")
    assert "runs/a.run.bz2: the file is named .bz2 and is not a sound bzip2 file" in refusal_of(tmp_path)
    whole = gzip.compress(RUN.encode())
    put(tmp_path / "b", "runs/a.run.gz", whole[:14] + b"\xff\xff" + whole[16:])
    assert "runs/a.run.gz: the file is named .gz and is not a sound gzip file" in refusal_of(tmp_path / "b")


# --- Zipped studies, the honest and the hostile.

QUERIES = "query_id,text\n1,x\n"


def refused_zip(content: bytes, folder: Path, **limits: int) -> str:
    told = refusal(partial(read_zip, **limits), content, folder)
    assert list(folder.iterdir()) == [], "nothing is left behind"
    return told


def test_a_study_in_the_zip_or_in_one_folder_of_it(tmp_path: Path) -> None:
    flat = read_zip(zipped({"queries.csv": QUERIES, "runs/a.run": "x"}), tmp_path / "a")
    assert flat == tmp_path / "a" / "study"
    assert (flat / "runs" / "a.run").read_text() == "x"
    packed = zipped({"mine/queries.csv": QUERIES, "mine/runs/a.run": "x", "__MACOSX/mine/._a": "x"})
    assert read_zip(put(tmp_path, "upload.zip", packed), tmp_path / "b") == tmp_path / "b" / "upload" / "mine"
    assert read_zip(zipped({"runs/a.run": "x"}), tmp_path / "c") == tmp_path / "c" / "study"


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(archive, "_copy", stop)
    with pytest.raises(KeyboardInterrupt):
        read_zip(zipped({"queries.csv": QUERIES}), tmp_path)
    assert list(tmp_path.iterdir()) == []


def linked() -> bytes:
    member = zipfile.ZipInfo("queries.csv")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zipped({member: "/etc/passwd"})


def changed(old: bytes = b"queries.csv", new: bytes = b"queries.csv", flag: int = 0) -> bytes:
    """A zip with a member's name of the same length, and bits of its flags set in both of its headers."""
    content = zipped({"queries.csv": QUERIES})
    result = bytearray(content.replace(old, new))
    for start, place in ((content.index(b"PK\x03\x04"), 6), (content.index(b"PK\x01\x02"), 8)):
        number = int.from_bytes(result[start + place : start + place + 2], "little") | flag
        result[start + place : start + place + 2] = number.to_bytes(2, "little")
    return bytes(result)


WHOLE = zipped({"queries.csv": QUERIES * 100}, zipfile.ZIP_STORED)
DEEP = "a/" * 1500 + "b.csv"
HOSTILE = [
    *((zipped({"queries.csv": QUERIES, name: "x"}), f"the zip holds a member outside its folder: {name!r}\n{AGAIN}")
      for name in ("../e.csv", "a/../../e.csv", "/etc/e.csv", "..\\e.csv", "C:\\e.csv", "a/b/../../../e")),
    (linked(), "the zip holds a link: 'queries.csv'\nPut the file itself into the zip."),
    *((content, f"the upload is not a sound zip file\n{AGAIN}")
      for content in (b"", b"query_id,text\n", WHOLE[:-30], WHOLE[:60] + b"\xff" + WHOLE[61:])),
    (zipped({".DS_Store": "x"}), f"the zip is empty\n{AGAIN}"),
    (changed(flag=1), "the zip is encrypted: 'queries.csv'\nZip it without a password."),
    (changed(new=b"\0ueries.csv"), f"the zip holds a file without a name\n{AGAIN}"),
    (changed(new=b"\xff\xfeeries.csv", flag=0x800),
     f"the upload holds a file whose name is not UTF-8: b'\\xff\\xfeeries.csv'\n{AGAIN}"),
    (zipped({"é" * 150 + ".csv": "x"}), f"the zip holds a name of 304 bytes: '{'é' * 80}'…\nKeep names to 255 bytes."),
    (zipped({DEEP: "x"}), f"the zip holds more than 20 folders inside one another: '{DEEP[:80]}'…\n{AGAIN}"),
    (zipped({"a": "x", "a/b": "y"}), "the upload cannot be unpacked ("),
]  # fmt: skip


def test_hostile_zips(tmp_path: Path) -> None:
    for content, told in HOSTILE:
        found = refused_zip(content, tmp_path)
        assert found.startswith(told) if told.endswith("(") else found == told
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped({zipfile.ZipInfo("queries.csv"): "x", "queries.csv": "y"})
    assert refused_zip(twice, tmp_path) == "the zip holds two files called 'queries.csv'\nKeep one of them."


def test_zips_with_too_much_too_many_and_out_of_all_proportion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = zipped({"a.csv": "x" * 600, "b.csv": "x" * 600})
    message = "the zip unpacks to more than a study may hold\nKeep it below 2 GiB."
    assert refused_zip(content, tmp_path, most_bytes=1000) == message
    assert read_zip(content, tmp_path / "kept", most_bytes=1200).is_dir()
    shutil.rmtree(tmp_path / "kept")
    honest = zipped({"queries.csv": b"0" * 3_000_000})
    size = (3_000_000).to_bytes(4, "little")
    assert honest.count(size) == 2
    lying = honest.replace(size, (10).to_bytes(4, "little"))
    assert refused_zip(lying, tmp_path).startswith("the upload is not a sound zip file\n")
    monkeypatch.setattr(archive, "FREE_BYTES", 1_000_000)
    assert refused_zip(honest, tmp_path) == f"the zip unpacks out of all proportion: 'queries.csv'\n{AGAIN}"
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    content = zipped({f"{place}.csv": "x" for place in range(3)})
    assert refused_zip(content, tmp_path) == "the zip holds 3 files\nA study has 2 at most."


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_anywhere_is_one_line_and_leaves_nothing(tmp_path: Path, method: int) -> None:
    """Every byte in turn inverted, and the zip cut off here and there."""
    good = (QUERIES * 4, "doc_id,label\n1,f\n" * 4)
    whole = zipped(dict(zip(("q.csv", "l.csv"), good, strict=True)), method)
    cut = [whole[:place] for place in range(0, len(whole), 9)]
    inverted = [whole[:place] + bytes([byte ^ 0xFF]) + whole[place + 1 :] for place, byte in enumerate(whole)]
    for number, damaged in enumerate(cut + inverted):
        folder, told = tmp_path / str(number), ""
        folder.mkdir()
        try:
            read_zip(damaged, folder)
        except FairvizError as error:
            told = str(error)
        left = [path for path in folder.rglob("*") if path.is_file()]
        assert {path.read_text() for path in left} <= set(good)
        assert not (told and list(folder.iterdir())), "nothing is left behind"
        assert told.count("\n") == bool(told)
