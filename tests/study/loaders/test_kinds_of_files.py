"""Every kind of file that people have is read under its own name, and what is of no kind is named."""

import bz2
import gzip
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from fairviz.errors import DataError
from fairviz.study.loaders import finding
from fairviz.study.loaders.collection import keep_documents
from fairviz.study.loaders.finding import IN_ITS_PLACE
from fairviz.study.loaders.folder import read_folder
from fairviz.study.loaders.unread import LEAVE, UNKNOWN, UNKNOWN_ONES
from fairviz.study.study import open_study_folder
from tests.conftest import Call, refused
from tests.study.loaders.files import RUN, put, refusal_of

QRELS = "1 0 d1 1\n1 0 d2 0\n"
BEIR_QRELS = "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n"
TOPICS = "<top>\n<num> Number: 1\n<title> Topic: who sings\n<desc> Description:\nx\n</top>\n"
DOCUMENTS = (
    "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>\nShe & he.\n</TEXT>\n</DOC>\n<DOC><DOCNO>d2</DOCNO><TEXT>A</TEXT></DOC>\n"
)


def zstd(data: bytes) -> bytes:
    return pa.compress(data, codec="zstd", asbytes=True)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd,
}  # fmt: skip
AS_RUN = "Write its lines as: query_id Q0 doc_id rank score tag, or move it out of the folder runs."
IN_FOLDERS = (
    "runs are read from the folder runs itself, and from a folder in it those called seed1.run, seed2.run, … or "
    "fold1.run, fold2.run, ….\nMove it into the folder runs itself."
)


@pytest.mark.parametrize("packing", PACKED)
def test_a_file_of_each_part_may_be_packed(tmp_path: Path, packing: str) -> None:
    parts = {
        "topics.sgml": TOPICS,
        "corpus.jsonl": '{"_id": "d1", "title": "", "text": "she"}\n{"_id": "d2", "title": "", "text": "he"}\n',
        "qrels": QRELS,
        "labels.csv": "doc_id,label\nd1,female\nd2,male\n",
        "lexicon.csv": "word,group\nshe,female\n",
        "runs/a.run": RUN,
        "runs/input.b": RUN,
    }
    for name, content in parts.items():
        put(tmp_path, name + packing, PACKED[packing](content.encode()))
    content = read_folder(tmp_path)
    assert content.warnings == []
    assert content.lexicon is not None
    assert (content.lexicon.name, content.lexicon.words) == ("lexicon", (("she", "female"),))
    assert {part: len(table) for part, table in content.tables.items()} == {
        "queries": 1, "documents": 2, "qrels": 2, "labels": 2, "runs": 4,
    }  # fmt: skip
    assert list(content.tables["runs"]["system"].cat.categories) == ["a", "b"]


def test_a_folder_with_every_kind_is_read_or_named(tmp_path: Path) -> None:
    """Each of these files is a part of the study or stands in a warning with the reason."""
    runs = {"a.run": "a", "b": "b", "c.res": "c", "input.d.gz": "d", "e.run.bz2": "e", "f.run.xz": "f", "g.zst": "g"}
    runs |= {"bm25-0.9": "bm25-0.9", "i.txt": "i"}
    for name in runs:
        packing = "." + name.rpartition(".")[2]
        put(tmp_path, f"runs/{name}", PACKED.get(packing, PACKED[""])(RUN.encode()))
    put(tmp_path, "runs/marco.tsv", "1\td1\t1\n1\td2\t2\n")
    put(tmp_path, "topics.txt", TOPICS)
    put(tmp_path, "documents.trec.gz", gzip.compress(DOCUMENTS.encode()))
    put(tmp_path, "qrels/test.tsv", BEIR_QRELS)
    put(tmp_path, "MSMGenderBias.csv", "doc_id,gender_bias\nd1,F\nd2,N\n")
    put(tmp_path, "lexicon.csv.zst", zstd(b"she,f\n"))
    unread = {
        "qrels/train.tsv": f"the study has its qrels in qrels/test.tsv.\n{IN_ITS_PLACE}",
        "corpus.jsonl": f"the study has its documents in documents.trec.gz.\n{IN_ITS_PLACE}",
        "runs/sub/a.run": IN_FOLDERS,
        "runs/README": f"its first line is not a line of a run.\n{AS_RUN}",
        "runs/model.h5": f"{UNKNOWN}.\n{LEAVE}",
        "old/labels.csv": f"{UNKNOWN}.\n{LEAVE}",
    }
    for name in unread:
        put(tmp_path, name, "Read me first, if you please\n")
    put(tmp_path, "notes.xyz", "x")
    put(tmp_path, ".hidden/labels.csv", "x")
    study = open_study_folder(tmp_path)
    assert sorted(study.systems) == sorted([*runs.values(), "marco"])
    assert study.queries.to_numpy().tolist() == [["1", "who sings"]]
    assert study.documents[["doc_id", "text"]].to_numpy().tolist() == [["d1", "She & he."], ["d2", "A"]]
    assert study.labels["label"].tolist() == ["female", "neutral"]
    assert (len(study.qrels), study.lexicon.words) == (2, (("she", "female"),))
    assert [told for told in study.warnings if "was read as" not in told] == [
        *(f"{name} was not read: {unread[name]}" for name in sorted(unread)),
        f"notes.xyz was not read: {UNKNOWN}.\n{LEAVE}",
    ]


def test_two_files_of_one_part_or_name(tmp_path: Path) -> None:
    """Two that say something else are refused, two that say the same are read once; hidden ones are left alone."""
    for name, run in (
        ("bm25.run", RUN),
        ("input.bm25.gz", RUN.replace("2.5", "2.1")),
        ("bm25", RUN.replace("2.5", "2")),
    ):
        put(tmp_path, f"runs/{name}", gzip.compress(run.encode()) if name.endswith("gz") else run)
    assert refusal_of(tmp_path) == (
        "runs/bm25.run: a second run called 'bm25', after bm25\n"
        "runs/input.bm25.gz: a second run called 'bm25', after bm25\nRename one."
    )
    for name in ("bm25.run", "input.bm25.gz", ".bm25.run", "._bm25.run", ".c"):
        put(tmp_path / "same", f"runs/{name}", gzip.compress(RUN.encode()) if name.endswith("gz") else RUN)
    put(tmp_path / "same", "qrels.txt", QRELS)
    put(tmp_path / "same", "qrels.json", '{"1": {"d2": 0, "d1": 1}}')
    content = read_folder(tmp_path / "same")
    assert (len(content.tables["runs"]), len(content.tables["qrels"])) == (2, 2)
    assert content.warnings == [
        "qrels.txt was left out: it holds the same qrels as qrels.json.",
        "runs/input.bm25.gz was left out: it holds the same run as bm25.run.",
    ]
    # of two in other places the first is read
    for name, content in (("topics.sgml", TOPICS), ("topics.txt", TOPICS), ("qrels/dev.tsv", BEIR_QRELS)):
        put(tmp_path / "places", name, content)
    put(tmp_path / "places", "qrels/train.tsv", BEIR_QRELS)
    assert read_folder(tmp_path / "places").warnings == [
        f"qrels/train.tsv was not read: the study has its qrels in qrels/dev.tsv.\n{IN_ITS_PLACE}",
        f"topics.txt was not read: the study has its queries in topics.sgml.\n{IN_ITS_PLACE}",
    ]


def test_of_many_files_twenty_are_named_and_a_tree_too_large_is_not_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "qrels", QRELS)
    for number in range(25):
        put(tmp_path, f"figures/{number:02}.png", "x")
    named = ", ".join(f"figures/{number:02}.png" for number in range(20))
    assert read_folder(tmp_path).warnings == [f"{named} and 5 more were not read: {UNKNOWN_ONES}.\n{LEAVE}"]
    monkeypatch.setattr(finding, "MOST_WALKED", 3)
    assert read_folder(tmp_path).warnings == [
        f"figures was not read: it holds more than 3 files, which were not all looked at.\n{LEAVE}",
        f"figures/00.png, figures/01.png and figures/02.png were not read: {UNKNOWN_ONES}.\n{LEAVE}",
    ]


def test_runs_of_three_columns(tmp_path: Path) -> None:
    put(tmp_path, "runs/marco.tsv", "7\td2\t1\n7\t9\t2\n8\td2\t1\n")
    runs = read_folder(tmp_path).tables["runs"]
    assert runs.to_numpy().tolist() == [
        ["marco", "7", "d2", 1, -1.0],
        ["marco", "7", "9", 2, -2.0],
        ["marco", "8", "d2", 1, -1.0],
    ]
    careful = put(tmp_path, "runs/marco.tsv", "7  d2  1\n\n7\t9\t+2 \n8\td2\t1").parent.parent
    again = read_folder(careful).tables["runs"]
    assert again.astype({"query_id": "str", "doc_id": "str"}).to_numpy().tolist() == runs.to_numpy().tolist()
    put(tmp_path, "runs/marco.tsv", "7\td2\t1\n7\td2\t2\n7\td3\tbest\n7 Q0 d4 1 1.5 t\n")
    with refused(
        "runs/marco.tsv:2: document 'd2' is ranked for query '7' in line 1 already\n"
        "runs/marco.tsv:3: the rank or score is not a finite number: 'best'\n"
        "runs/marco.tsv:4: expected 3 columns, found 6: '7 Q0 d4 1 1.5 t'\n"
        "Write every line as: query_id doc_id rank; or every one as: query_id Q0 doc_id rank score tag.\n"
        "Write the score as a finite number, such as 8.5.\nWrite the rank as a whole number.\n"
        "Keep one line for each document of a query.",
        DataError,
    ):
        read_folder(tmp_path)
    put(tmp_path / "b", "runs/a.run", "1 Q0 7\n1 Q0 8\n")  # of TREC, and cut
    assert refusal_of(tmp_path / "b").startswith("runs/a.run:1: expected 6 columns, found 3: '1 Q0 7'\n")


def test_the_collection_of_attach_may_be_packed(tmp_path: Path) -> None:
    text = "".join(f"d{number}\tword {number}\n" for number in range(3000)).encode()
    for ending, pack in PACKED.items():
        path = put(tmp_path, f"collection.tsv{ending}", pack(text))
        assert keep_documents(path, {"d1", "d2999", "x"}, tmp_path / "kept.parquet", lambda *_: None) == 2


@pytest.mark.parametrize(
    "name", [b"runs/\xff.run", b"runs/\xff", b"runs/\xff/seed1.run", b"documents.\xff.csv", b"a/\xff"]
)
def test_a_name_that_is_not_utf8_is_told_in_text(name: bytes, tmp_path: Path, call: Call) -> None:
    put(tmp_path, "runs/good.run", RUN)
    put(tmp_path, "qrels.txt", QRELS)
    put(tmp_path, os.fsdecode(name), RUN)
    text = name.decode("utf-8", "backslashreplace")
    if name.startswith(b"runs"):
        said = call("check", tmp_path, status=1)
        assert said.out + said.err == f"{text}: its name is not UTF-8\nRename it in letters that UTF-8 has.\n"
        return
    for verb, options in (("check", ""), ("evaluate", "nDCG@2"), ("report", f"nDCG@2 -o {tmp_path.parent / 'r.html'}")):
        said = call(verb, tmp_path, options)
        assert text in said.out + said.err


def test_a_study_is_read_in_utf8_whatever_the_locale(tmp_path: Path) -> None:
    put(tmp_path, "runs/é.run", RUN)
    put(tmp_path, "qrels.txt", QRELS)
    found = subprocess.run(
        [sys.executable, "-m", "fairviz", "evaluate", str(tmp_path), "nDCG@2", "--format", "csv"],
        env={**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stdout.splitlines()[1].split(b",")[0]) == (0, rb"\xe9"), found.stderr
