"""Attaching text from a large collection: what is kept, what is refused, and that nothing half-written stays."""

import gzip
import random
import shutil
import sys
from pathlib import Path

import pytest

from fairviz.datasets import attach
from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from tests.conftest import full_disk, refused
from tests.study.loaders.files import fill, put, rows

REMEDY = "Write a collection line as: doc_id, a tab, the text."
LINES = 'a\tThe text of a\nb\tof "b, with a quote\r\nc\tunwanted\nnull\t\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study whose run names a, b and x, and whose labels name null."""
    parts = {"runs/s.run": "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 x 3 1 t\n", "labels.csv": "doc_id,label\nnull,female\n"}
    return fill(tmp_path / "mine", parts)


def collection(folder: Path, content: str | bytes, name: str = "collection.tsv") -> Path:
    return put(folder.parent, name, content)


def silent(*_: int) -> None:
    """Hears of progress."""


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("name", "before"),
    [("collection.tsv", ""), ("collection.tsv", "\n"), ("collection.tsv.gz", "\ufeff"),
     ("collection.tsv.gz", "pid\tpassage\n")],
)  # fmt: skip
def test_what_the_study_names_is_kept(folder, name, before):
    content = (before + LINES).encode()
    steps = []
    path = collection(folder, gzip.compress(content) if name.endswith(".gz") else content, name)
    written, found, wanted = attach(open_study(folder), path, lambda *step: steps.append(step))
    assert (written, found, wanted) == (folder / "documents.parquet", 3, 4)
    assert steps[-1] == (path.stat().st_size, path.stat().st_size)
    study = open_study(folder)
    expected = [("a", "The text of a"), ("b", 'of "b, with a quote'), ("null", "")]
    assert rows(study.documents, "doc_id", "text") == expected
    assert files(folder) == ["documents.parquet", "labels.csv", "runs"]


def test_the_command_whatever_the_sizes_of_blocks_and_batches(folder, call, monkeypatch):
    monkeypatch.setattr("fairviz.study.loaders.collection._BLOCK", 5)
    monkeypatch.setattr("fairviz.study.loaders.collection._BATCH", 1)
    path = collection(folder, LINES[:-1])
    assert call("attach", folder, "--collection", path).err == (
        f"wrote {folder}/documents.parquet: 3 of the 4 documents that mine names\n"
        "1 are not in collection.tsv; they stay without text.\n"
    )
    assert call("attach", folder, "--collection", path, status=1).err == (
        "mine has documents already (documents.parquet)\nAdd --replace to put those of the collection in their place.\n"
    )
    assert open_study(folder).documents["doc_id"].tolist() == ["a", "b", "null"]
    (folder / "documents.parquet").unlink()
    (folder / "documents.csv").write_text("doc_id,text\na,old\n")
    call("attach", folder, "--replace --collection", path)
    assert files(folder) == ["documents.parquet", "labels.csv", "runs"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(LINES.encode() * 1000)[:-20], "collection.tsv.gz: the compressed file is cut off\n"
         "Copy or download it again; `gzip -t` checks whether it is complete."),
        (None, "collection.tsv: the file cannot be read (No such file or directory)\nCheck that it is there and that "
         "you may read it."),
        ("a The text\nb\tx\n", f"collection.tsv:1: expected 2 columns, found 1: 'a The text'\n{REMEDY}"),
        ("c\td\te\na\tx\ty\n", f"collection.tsv:2: expected 2 columns, found 3: 'a\\tx\\ty'\n{REMEDY}"),
        ("a\tx\nc\ty\nc\ty\na\tx\n", f"collection.tsv:4: this document is in line 1 already: 'a'\n{REMEDY}"),
        (b"c\t\xff\na\tx\xff\n",
         f"collection.tsv:2: not UTF-8 text: byte 0xFF (Save the file as UTF-8 text)\n{REMEDY}"),
        ("", "collection.tsv: the file is empty\nName the file that holds the collection."),
        ("1\tx\n2\ty\n", "collection.tsv holds none of the 4 documents that mine names\n"
         "Check that it is the right collection: the study names 'a' and others."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_collection(folder, content, message):
    name = "collection.tsv.gz" if content and content[:1] == b"\x1f" else "collection.tsv"
    path = folder.parent / name if content is None else collection(folder, content, name)
    with refused(message):
        attach(open_study(folder), path, silent)
    told = r"^collection\.tsv\.gz: the file is named \.gz and is not a sound gzip file\n"
    with pytest.raises(FairvizError, match=told):
        attach(open_study(folder), collection(folder, LINES, "collection.tsv.gz"), silent)
    assert files(folder) == ["labels.csv", "runs"]


def test_who_stops_leaves_nothing_and_some_studies_cannot_take_documents(folder):
    path = collection(folder, LINES)

    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attach(open_study(folder), path, stop)
    assert files(folder) == ["labels.csv", "runs"]
    with refused("football is built in, and stays as it is\nAttach to a study folder of your own."):
        attach(open_study("football"), path, silent, replace=True)
    bare = fill(folder.parent / "bare", {"queries.csv": "query_id,text\n1,a\n"})
    with refused("bare names no document: it has neither runs nor labels\nAdd runs/NAME.run or labels.csv first."):
        attach(open_study(bare), path, silent)
    (folder / "study.toml").write_text("documents = 'gensim:lee'\n")
    with refused("the documents of mine come from its study.toml\nRemove the line that names them first."):
        attach(open_study(folder), path, silent, replace=True)
    (folder / "study.toml").unlink()
    study = open_study(folder)
    shutil.rmtree(folder)
    with refused(f"there is no folder {folder}\nCheck the path of the study."):
        attach(study, path, silent)


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no limit of a file's size")
def test_a_full_disk(folder, call):
    letters = random.Random(0)
    noise = "".join(f"{name}\t{''.join(letters.choices('abcdefghij', k=9000))}\n" for name in ("a", "b", "x"))
    path = collection(folder, noise)
    with full_disk(1000):
        said = call("attach", folder, "--collection", path, status=1)
    assert said.err.startswith(f"could not write the documents into {folder}: File too large\n")
    assert files(folder) == ["labels.csv", "runs"]
