"""Study folders: which files are parts, of which kinds and forms, what is wrong in any of them at once, and what is not
read; folders as authors publish them."""

import gzip
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.errors import DataError, noticing
from fairviz.study.loaders import finding
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.finding import IN_ITS_PLACE
from fairviz.study.loaders.folder import read_folder, study_stamp
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.packaged import read_packaged
from fairviz.study.loaders.unread import LEAVE, UNKNOWN, UNKNOWN_ONES
from fairviz.study.record import Study
from fairviz.study.study import open_study_folder
from tests.conftest import Call, refused
from tests.publications import clones
from tests.study.loaders.files import PACKED, RUN, fill, put, refusal_of, rows

IN_FOLDERS = (
    "runs are read from the folder runs itself, and from a folder in it those called seed1.run, seed2.run, … or "
    "fold1.run, fold2.run, …."
)
HOW_TO_FILL = "Add queries.tsv, documents.tsv, runs/NAME.run, qrels.txt or labels.csv; the README shows each."
PARTS = {
    "queries.tsv": "query_id\ttext\n1\tx\n",
    "documents.csv": "doc_id,text\nd,she\n",
    "runs/b.run": "1 Q0 d 1 1 t\n",
    "runs/a.txt": "1 Q0 e 1 1 t\n",
    "qrels.qrels": "1 0 d 1\n",
    "labels.jsonl": '{"doc_id": "d", "label": "f"}\n',
    "lexicon.csv": "she,f\n",
}


def test_every_part_and_the_order_of_systems(tmp_path: Path) -> None:
    content = read_folder(fill(tmp_path, PARTS))
    sizes = {part: len(table) for part, table in content.tables.items()}
    assert sizes == {"queries": 1, "documents": 1, "qrels": 1, "labels": 1, "runs": 2}
    assert content.lexicon is not None
    assert (content.lexicon.name, content.lexicon.words) == ("lexicon", (("she", "female"),))
    assert list(content.tables["runs"]["system"].cat.categories) == ["a", "b"]
    assert content.warnings == ["labels.jsonl: the label 'f' was read as 'female' (once)."]
    toml = 'systems = ["b", "x"]\nlexicon = "words.txt"\n'
    content = read_folder(fill(tmp_path, {"study.toml": toml, "words.txt": "he,m\n"}))
    assert list(content.tables["runs"]["system"].cat.categories) == ["b", "a"]
    assert "study.toml: systems names 'x', of which there is no run." in content.warnings
    assert (content.lexicon.name, content.lexicon.words) == ("words", (("he", "male"),))
    (tmp_path / "words.txt").unlink()
    assert refusal_of(tmp_path) == (
        "words.txt: the file cannot be read (No such file or directory)\n"
        "Check that it is there and that you may read it."
    )


def test_no_study(tmp_path: Path) -> None:
    file = tmp_path / "a.run"
    file.write_text("1 Q0 d 1 1 t\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refusal_of(tmp_path / "no") == "there is no folder FOLDER\nCheck the path of the study."
    assert refusal_of(file) == "FOLDER is a file, not a study folder\nGive the folder that holds it."
    assert refusal_of(empty) == f"FOLDER holds no part of a study\n{HOW_TO_FILL}"
    fill(empty, {"study.toml": "title = 'x'\n", "readme.txt": "x"})
    said = f"readme.txt was not read: {UNKNOWN}.\n{LEAVE}"
    assert refusal_of(empty) == f"FOLDER holds no part of a study\n{HOW_TO_FILL}\n{said}"


def test_the_errors_of_all_files_are_said_at_once(tmp_path: Path) -> None:
    files = {
        "study.toml": "titel = 'x'\n",
        "queries.tsv": "query_id\ttext\n1\n",
        "labels.csv": "doc_id,label\n,x\n",
        "runs/a.run": "1 Q0 d 1\n",
        "runs/b.run": "1 Q0 d 1 nan t\n",
    }
    with pytest.raises(DataError) as error:
        read_folder(fill(tmp_path, files))
    assert [str(line) for line in error.value.lines] == [
        "study.toml:1: unknown key: 'titel'",
        "queries.tsv:2: expected 2 columns, found 1: '1'",
        "labels.csv:2: the doc_id is empty or not text",
        "runs/a.run:1: expected 6 columns, found 4: '1 Q0 d 1'",
        "runs/b.run:1: the score is not a finite number: 'nan'",
    ]
    assert error.value.remedy.count("\n") == 4


def test_two_files_of_a_part(tmp_path: Path) -> None:
    """Two that say something else are refused, two that say the same are read once; hidden ones are left alone."""
    assert refusal_of(fill(tmp_path / "a", PARTS | {"queries.csv": "query_id,text\n1,y\n"})) == (
        "queries.csv: a study has one file of queries, and queries.tsv is another\nKeep one."
    )
    assert refusal_of(fill(tmp_path / "b", PARTS | {"study.toml": 'documents = "gensim:lee"\n'})) == (
        "documents.csv: a study has one file of documents, and gensim:lee in study.toml is another\nKeep one."
    )
    others = {"runs/bm25.run": RUN, "runs/bm25": RUN.replace("2.5", "2")}
    others["runs/input.bm25.gz"] = gzip.compress(RUN.replace("2.5", "2.1").encode())
    assert refusal_of(fill(tmp_path / "c", others)) == (
        "runs/bm25.run: a second run called 'bm25', after bm25\n"
        "runs/input.bm25.gz: a second run called 'bm25', after bm25\nRename one."
    )
    same = dict.fromkeys((f"runs/{name}" for name in ("bm25.run", ".bm25.run", "._bm25.run", ".c")), RUN)
    same |= {"runs/input.bm25.gz": gzip.compress(RUN.encode())}
    same |= {"qrels.txt": QRELS, "qrels.json": '{"1": {"d2": 0, "d1": 1}}'}
    content = read_folder(fill(tmp_path / "same", same))
    assert (len(content.tables["runs"]), len(content.tables["qrels"])) == (2, 2)
    assert content.warnings == [
        "qrels.txt was left out: it holds the same qrels as qrels.json.",
        "runs/input.bm25.gz was left out: it holds the same run as bm25.run.",
    ]
    # of two in other places the first is read
    places = {"topics.sgml": TOPICS, "topics.txt": TOPICS, "qrels/dev.tsv": BEIR_QRELS, "qrels/train.tsv": BEIR_QRELS}
    assert read_folder(fill(tmp_path / "places", places)).warnings == [
        f"qrels/train.tsv was not read: the study has its qrels in qrels/dev.tsv.\n{IN_ITS_PLACE}",
        f"topics.txt was not read: the study has its queries in topics.sgml.\n{IN_ITS_PLACE}",
    ]


def test_labels_are_checked_against_the_studys_groups(tmp_path: Path) -> None:
    toml = 'groups = ["woman", "man", "other"]\nneutral = "none"\n'
    files = {"labels.csv": "doc_id,label\n1,Woman\n2,NONE\n3,other\n", "lexicon.csv": "she,woman\nthey,o\n"}
    content = read_folder(fill(tmp_path, files | {"study.toml": toml}))
    assert content.tables["labels"]["label"].tolist() == ["woman", "none", "other"]
    assert content.lexicon is not None
    assert content.lexicon.words == (("she", "woman"), ("they", "other"))
    fill(tmp_path, {"labels.csv": "doc_id,label\n1,female\n"})
    assert refusal_of(tmp_path).startswith(
        "labels.csv:2: a label outside the groups: 'female'\nUse one of none, woman, man, other (or"
    )
    fill(tmp_path, {"study.toml": toml + 'labels = "other"\n'})
    assert read_folder(tmp_path).tables["labels"]["label"].tolist() == ["female"]


def test_sources_of_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = read_folder(fill(tmp_path, {"study.toml": "documents = 'gensim:lee'\n"})).tables["documents"]
    assert len(documents) == 343
    assert documents["doc_id"].iloc[[0, -1]].tolist() == ["lee-001", "lee-343"]
    assert documents["text"].iloc[0].startswith("Hundreds of people have been forced to vacate their homes")
    assert documents["text"].is_unique
    assert not documents["text"].str.contains("\ufffd").any()
    for line, told in (
        ("documents = 'lee'", "documents names no source: 'lee'\nWrite it as gensim:lee or ir_datasets:NAME."),
        ("queries = 'gensim:lee'", "gensim holds no queries called 'lee'\nWrite documents = 'gensim:lee'."),
    ):
        assert refusal_of(fill(tmp_path, {"study.toml": line})) == f"study.toml: {told}"
    for part, package, source in (("queries", "ir_datasets", "vaswani"), ("documents", "gensim", "lee")):
        monkeypatch.setitem(sys.modules, package, None)
        told = f"study.toml: {package}:{source} needs the package {package}, which is not installed"
        with refused(f"{told}\nRun: pip install {package}", DataError):
            read_packaged(part, f"{package}:{source}", "study.toml")


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    first = read_folder(fill(tmp_path / "a", PARTS)).fingerprint
    assert read_folder(fill(tmp_path / "elsewhere" / "b", PARTS | {"notes.md": "x"})).fingerprint == first
    others = {name: re.sub(r"\b[dexf]\b", "m", content).replace("she", "her") for name, content in PARTS.items()}
    seen = {first}
    for name, content in (others | {"study.toml": "title = 'x'\n"}).items():
        seen.add(read_folder(fill(tmp_path / f"changed {name}", PARTS | {name: content})).fingerprint)
    assert len(seen) == len(PARTS) + 2


def test_system_names_are_not_lost_in_big_folders(tmp_path: Path) -> None:
    names = [f"s{place:02d}" for place in range(20)]
    runs = read_folder(fill(tmp_path, {f"runs/{name}.run": f"1 Q0 {name} 1 1 t\n2 Q0 d 1 1 t\n" for name in names}))
    table = runs.tables["runs"]
    assert list(table["system"].cat.categories) == names
    expected = [row for name in names for row in ((name, "1", name), (name, "2", "d"))]
    assert list(table[["system", "query_id", "doc_id"]].itertuples(index=False, name=None)) == expected
    assert isinstance(table["doc_id"].cat.categories.dtype, pd.StringDtype)


# --- Kinds of files.

QRELS = "1 0 d1 1\n1 0 d2 0\n"
BEIR_QRELS = "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n"
TOPICS = "<top>\n<num> Number: 1\n<title> Topic: who sings\n<desc> Description:\nx\n</top>\n"
DOCUMENTS = (
    "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>\nShe & he.\n</TEXT>\n</DOC>\n<DOC><DOCNO>d2</DOCNO><TEXT>A</TEXT></DOC>\n"
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
    content = read_folder(fill(tmp_path, {name + packing: PACKED[packing](parts[name].encode()) for name in parts}))
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
    unread = {
        "qrels/train.tsv": f"the study has its qrels in qrels/test.tsv.\n{IN_ITS_PLACE}",
        "corpus.jsonl": f"the study has its documents in documents.trec.gz.\n{IN_ITS_PLACE}",
        "runs/sub/a.run": f"{IN_FOLDERS}\nMove it into the folder runs itself.",
        "runs/README": "its first line is not a line of a run.\n"
        "Write its lines as: query_id Q0 doc_id rank score tag, or move it out of the folder runs.",
        "runs/model.h5": f"{UNKNOWN}.\n{LEAVE}",
        "old/labels.csv": f"{UNKNOWN}.\n{LEAVE}",
    }
    files = {f"runs/{name}": PACKED.get(Path(name).suffix, PACKED[""])(RUN.encode()) for name in runs}
    files |= {
        "runs/marco.tsv": "1\td1\t1\n1\td2\t2\n", "topics.txt": TOPICS, "qrels/test.tsv": BEIR_QRELS,
        "documents.trec.gz": gzip.compress(DOCUMENTS.encode()), "lexicon.csv.zst": PACKED[".zst"](b"she,f\n"),
        "MSMGenderBias.csv": "doc_id,gender_bias\nd1,F\nd2,N\n", "notes.xyz": "x", ".hidden/labels.csv": "x",
    }  # fmt: skip
    study = open_study_folder(fill(tmp_path, files | dict.fromkeys(unread, "Read me first, if you please\n")))
    assert sorted(study.systems) == sorted([*runs.values(), "marco"])
    assert study.queries.to_numpy().tolist() == [["1", "who sings"]]
    assert rows(study.documents, "doc_id", "text") == [("d1", "She & he."), ("d2", "A")]
    assert study.labels["label"].tolist() == ["female", "neutral"]
    assert (len(study.qrels), study.lexicon.words) == (2, (("she", "female"),))
    assert [told for told in study.warnings if "was read as" not in told] == [
        *(f"{name} was not read: {unread[name]}" for name in sorted(unread)),
        f"notes.xyz was not read: {UNKNOWN}.\n{LEAVE}",
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


def test_folds_with_each_query_once_are_one_system_and_those_that_share_a_query_are_draws(tmp_path: Path) -> None:
    files = {
        "labels.csv": "doc_id,label\nd1,female\nd2,male\nd3,neutral\n",
        "runs/bm25.run": "q1 Q0 d1 1 2.0 t\nq2 Q0 d3 1 2.0 t\nq3 Q0 d2 1 1.0 t\n",
    }
    one, two = "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n", "q2 Q0 d3 1 2.0 t\nq3 Q0 d2 1 1.0 t\n"
    folds = fill(tmp_path / "folds", files | {"runs/cv/fold1.run": one, "runs/cv/fold2.run": two})
    study = fairviz.open_study(folds)
    assert study.systems == study.run_names == ("bm25", "cv")
    assert not study.draws
    told = "runs/cv: 2 folds with 3 queries, each in one of them, are one system."
    assert any(told in line for line in study.warnings)
    whole = fairviz.open_study(fill(tmp_path / "whole", files | {"runs/cv.run": one + two}))
    values = [fairviz.evaluate(each, ["CWEx@5", "AWRF@5"]) for each in (study, whole)]
    pd.testing.assert_frame_equal(*values)
    fairviz.save_study(study, tmp_path / "saved")
    assert (tmp_path / "saved" / "runs" / "cv.run").is_file()
    # q1 in both folds: its value is the mean over both lists
    study = fairviz.open_study(fill(folds, {"runs/cv/fold2.run": "q1 Q0 d3 1 2.0 t\nq2 Q0 d3 1 2.0 t\n"}))
    assert study.draws == {"cv": ("cv/fold1", "cv/fold2")}
    told = "runs/cv: 1 query of 2 in several folds, so that its 2 files are draws"
    assert any(told in line for line in study.warnings)
    value = fairviz.evaluate(study, "Exposure@5", systems=["cv"])["value"].iloc[0]
    assert value == pytest.approx((0 + 1) / 2)
    with pytest.raises(DataError, match=r"a second run called 'cv', after cv\.run"):
        fairviz.open_study(fill(folds, {"runs/cv.run": one}))


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


# --- What is no file, and what is not read.

TO_PUT = "Put a file in its place, or give it another name."


def test_a_link_to_a_file_that_is_not_there(tmp_path: Path) -> None:
    for number, name in enumerate(("labels.csv", "runs/b.run", "study.toml", "lexicon.csv", "qrels.txt")):
        files = {"queries.tsv": PARTS["queries.tsv"], "runs/a.run": PARTS["runs/b.run"]}
        folder = fill(tmp_path / str(number), files)
        (folder / name).symlink_to("../.git/annex/objects/x")
        assert refusal_of(folder) == (
            f"{name}: a link to a file that is not there\n"
            "Put a file where it leads, or remove the link; git-annex fetches it with "
            f"`git annex get {Path(name).name}`."
        )


def test_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, {"queries.tsv": PARTS["queries.tsv"], "study.toml": 'lexicon = "words.txt"\n', "runs/a.run": "x"})
    (tmp_path / "documents.tsv").mkdir()
    os.mkfifo(tmp_path / "labels.csv")  # nobody writes to it: a reader would wait for ever
    os.mkfifo(tmp_path / "words.txt")
    (tmp_path / "qrels.txt").symlink_to("/dev/null")
    (tmp_path / "runs" / "loop.run").symlink_to("loop.run")
    monkeypatch.chdir(tmp_path / "runs")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("heard.run")
    with pytest.raises(DataError) as error:
        read_folder(tmp_path)
    assert [str(line) for line in error.value.lines] == [
        "documents.tsv: this is a folder, not a file",
        "labels.csv: this is a named pipe, not a file",
        "qrels.txt: this is a device, not a file",
        "runs/heard.run: this is a socket, not a file",
        "runs/loop.run: a link that leads back to itself",
        "words.txt: this is a named pipe, not a file",
        "runs/a.run:1: expected 6 columns, found 1: 'x'",
    ]
    assert error.value.remedy.split("\n")[:2] == [TO_PUT, "Point it at a file, or remove it."]


def test_runs_that_are_no_folder_and_links_that_lead_somewhere(tmp_path: Path) -> None:
    fill(tmp_path, {"queries.tsv": PARTS["queries.tsv"], "store/x": PARTS["documents.csv"], "store/y/b.run": RUN})
    (tmp_path / "runs").symlink_to("gone")
    assert refusal_of(tmp_path).startswith("runs: a link to a folder that is not there\nPut a folder where it leads")
    (tmp_path / "runs").unlink()
    (tmp_path / "runs").write_text(RUN)
    assert refusal_of(tmp_path) == (
        "runs: this is a file, not a folder\nPut a folder in its place, or give it another name."
    )
    (tmp_path / "runs").unlink()
    (tmp_path / "documents.csv").symlink_to(tmp_path / "store" / "x")
    (tmp_path / "runs").symlink_to(tmp_path / "store" / "y")
    assert sorted(read_folder(tmp_path).tables) == ["documents", "queries", "runs"]
    # a part alone that cannot be read is no empty study
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "labels.csv").symlink_to("gone.csv")
    assert refusal_of(tmp_path / "alone").startswith("labels.csv: a link to a file that is not there\n")


def test_what_is_no_part_is_told(tmp_path: Path) -> None:
    """What looks like a part stands alone, notes stand together, and hidden files nowhere."""
    more = {"query.tsv": "x", "runs/notes.md": "x", ".hidden.csv": "x", "lexicon-old.csv": "x", "Labels.xls": "x"}
    more |= {"documents.yaml": "{}", "Study.toml": "", "notes/x.csv": "", "a.md": ""}
    fill(tmp_path, PARTS | more)
    (tmp_path / "Runs").mkdir()
    (tmp_path / "runs" / "old").mkdir()
    (tmp_path / "more.csv").symlink_to("gone.csv")
    (tmp_path / ".other.csv").symlink_to("gone.csv")
    assert read_folder(tmp_path).warnings[1:] == [
        f"Labels.xls was not read: {UNKNOWN}.\n{LEAVE}",
        "Runs was not read: the folder of runs is called runs.\nRename the folder.",
        f"Study.toml was not read: {UNKNOWN}.\n{LEAVE}",
        f"documents.yaml was not read: {UNKNOWN}.\n{LEAVE}",
        "more.csv was not read: a link to a file that is not there.\n"
        "Put a file where it leads, or remove the link; git-annex fetches it with `git annex get more.csv`.",
        f"notes/x.csv was not read: {UNKNOWN}.\n{LEAVE}",
        f"query.tsv was not read: {UNKNOWN}.\n{LEAVE}",
        f"runs/notes.md was not read: {UNKNOWN}.\n{LEAVE}",
        f"runs/old was not read: {IN_FOLDERS}\nMove it into the folder runs itself.",
        f"a.md and lexicon-old.csv were not read: {UNKNOWN_ONES}.\n{LEAVE}",
    ]
    fill(tmp_path, {"study.toml": "description = 'See a.md.'\n"})
    assert read_folder(tmp_path).warnings[-1] == f"lexicon-old.csv was not read: {UNKNOWN}.\n{LEAVE}"


@pytest.mark.parametrize("where", ["", "runs"])
def test_thousands_of_other_files(tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty are named, the others are counted, and none of them is looked at."""
    fill(tmp_path, PARTS)
    names = [f"{number:06}.csv.old.tsv.x.csv" for number in range(5000)]
    listed, looked = finding.entries, os.stat
    inside = str(tmp_path / where)
    seen: list[str] = []

    def entries(path: Path) -> list[finding.Entry]:
        more = [finding.Entry(name, False) for name in names] if str(path) == inside else []
        return sorted(listed(path) + more)

    def stat(path: str | Path, *rest: object, **named: bool) -> os.stat_result:
        seen.append(str(path))
        return looked(path, *rest, **named)

    monkeypatch.setattr(finding, "entries", entries)
    monkeypatch.setattr(os, "stat", stat)
    warnings = read_folder(tmp_path).warnings[1:]
    assert len(warnings) == 21
    assert warnings[0].startswith(f"{where}{'/' if where else ''}{names[0]} was not read: ")
    assert warnings[-1] == f"… and 4,980 more that were not read.\n{LEAVE}"
    assert len(study_stamp(tmp_path)) == len(PARTS) + 21
    assert len(seen) < 2_500


def test_of_many_files_twenty_are_named_and_a_tree_too_large_is_not_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, {"qrels": QRELS} | {f"figures/{number:02}.png": "x" for number in range(25)})
    named = ", ".join(f"figures/{number:02}.png" for number in range(20))
    assert read_folder(tmp_path).warnings == [f"{named} and 5 more were not read: {UNKNOWN_ONES}.\n{LEAVE}"]
    monkeypatch.setattr(finding, "MOST_WALKED", 3)
    assert read_folder(tmp_path).warnings == [
        f"figures was not read: it holds more than 3 files, which were not all looked at.\n{LEAVE}",
        f"figures/00.png, figures/01.png and figures/02.png were not read: {UNKNOWN_ONES}.\n{LEAVE}",
    ]


def test_the_stamp_changes_with_the_study_and_settles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second change within a tick of the clock shows in no time and no size: the stamp of a file that was just
    written is another one later."""
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)  # no file settles between two looks at it
    fill(tmp_path, {name: PARTS[name] for name in ("queries.tsv", "runs/b.run")})
    fill(tmp_path, {"study.toml": 'lexicon = "words.txt"\n', "words.txt": "he,m\n", "notes.md": "x"})
    stamps = [study_stamp(tmp_path)]
    assert study_stamp(tmp_path) == stamps[0]
    for name, content in {"words.txt": "she,f\n", "queries.tsv": "query_id\ttext\n1\tlonger\n", "b.csv": "x"}.items():
        (tmp_path / name).write_text(content)
        stamps.append(study_stamp(tmp_path))
    os.replace(tmp_path / "runs" / "b.run", tmp_path / "runs" / "c.run")
    stamps.append(study_stamp(tmp_path))
    (tmp_path / "labels.csv").symlink_to("gone")
    stamps.append(study_stamp(tmp_path))
    assert len(set(stamps)) == len(stamps)
    (tmp_path / "notes.md").write_text("longer")
    (tmp_path / "adjudications.sqlite-wal").write_text("x")
    assert study_stamp(tmp_path) == stamps[-1]
    monkeypatch.setattr(time, "time_ns", lambda: now + 3_000_000_000)
    settled = study_stamp(tmp_path)
    assert settled != stamps[-1]
    monkeypatch.setattr(time, "time_ns", lambda: now + 9_000_000_000)
    assert study_stamp(tmp_path) == settled
    assert study_stamp(tmp_path / "none") == ()


# --- Folders as their authors publish them: Grep-BiasIR, MSMGenderBias and CPJKU's repository.


def as_published(folder: Path, below: Path) -> Study:
    """The folder, which is the same study in a zip, as a host of repositories packs it: everything in one folder."""
    file = below / f"{folder.name}.zip"
    with zipfile.ZipFile(file, "w") as packed:
        for path in sorted(folder.rglob("*")):
            packed.write(path, f"{folder.name}-main/{path.relative_to(folder).as_posix()}")
    study, again = open_study_folder(folder), open_study_folder(read_zip(file, below / "unpacked"))
    assert (again.fingerprint, again.warnings) == (study.fingerprint, study.warnings)
    return study


def test_grep_biasir(tmp_path: Path) -> None:
    study = as_published(clones(tmp_path)["KlaraKrieg/GrepBiasIR"], tmp_path)
    assert study.queries["text"].tolist() == ["hair rules", "team work"]
    assert study.documents["doc_id"].tolist() == ["0", "1", "2", "10", "3"]
    assert study.documents.columns.tolist() == ["doc_id", "title", "text", "query_id", "stereotype"]
    assert study.documents["title"].tolist()[:2] == ["Hair of women", "Hair of men"]
    assert study.documents["text"].tolist()[2] == "Hair\nis hair."
    assert dict(zip(study.labels["doc_id"], study.labels["label"], strict=True)) == {
        "0": "female", "1": "male", "2": "neutral", "10": "neutral", "3": "neutral",
    }  # fmt: skip
    assert set(study.labels["annotator"]) == {"gold"}
    assert study.qrels.to_numpy().tolist()[:4] == [["0", "0", 1], ["0", "1", 1], ["0", "2", 0], ["1", "10", 0]]
    career = "csv_formatted/queries-documents_Career.csv: the label"
    assert [told for told in study.warnings if told.startswith(career)] == [
        f"{career} 'both' was read as 'neutral' (once).",
        f"{career} 'botrh' was read as 'neutral' (once).",
    ]
    assert study.warnings[-1] == (f"README.md and csv_formatted/README.md were not read: {UNKNOWN_ONES}.\n{LEAVE}")


def test_fairness_retrieval_results(tmp_path: Path) -> None:
    study = as_published(clones(tmp_path)["CPJKU/FairnessRetrievalResults"], tmp_path)
    assert study.queries.to_numpy().tolist() == [["11", "how to row"], ["12", "what is a boat"]]
    assert sorted(study.systems) == ["BM25", "advbert_L4", "bert_L4", "tk"]
    assert len(study.runs) == 39, "those of the other collection are not among them"
    assert study.lexicon.words == (("boy", "male"), ("she", "female"), ("girl", "female"), ("he", "male"))
    assert study.warnings == (
        "fairness_measurement/sample_trec_runs/trecdl2019_passage/BM25.run was not read: this is a run outside of the "
        "folder runs.\nMove it into the folder runs.",
        f"README.md was not read: {UNKNOWN}.\n{LEAVE}",
    )


def test_msmgenderbias(tmp_path: Path) -> None:
    made = clones(tmp_path)
    study = as_published(made["MaryamMousavian/MSMGenderBias"], tmp_path)
    assert study.labels[["doc_id", "label"]].to_numpy().tolist() == [
        ["d1", "neutral"], ["d2", "female"], ["d3", "male"], ["d4", "neutral"],
    ]  # fmt: skip
    assert study.warnings[-1] == f"README.md was not read: {UNKNOWN}.\n{LEAVE}"
    # beside the runs that they are of
    shutil.copy(made["MaryamMousavian/MSMGenderBias"] / "MSMGenderBias.csv", made["CPJKU/FairnessRetrievalResults"])
    scores = fairviz.evaluate(open_study_folder(made["CPJKU/FairnessRetrievalResults"]), "CWEx@5", unlabelled="skip")
    assert scores["value"].notna().all()


# Of each publication: where its files are by their ending, and the sizes and labels that the papers give.
PUBLISHED = {
    "grep-biasir": (
        {".csv": "csv_formatted"}, {"queries": 117, "documents": 702, "qrels": 702, "labels": 702},
        {"neutral": 238, "female": 232, "male": 232},
    ),
    "msmgenderbias": ({}, {"labels": 893}, {"neutral": 636, "male": 144, "female": 113}),
    "fairness-retrieval-results": (
        {".run": "measurement/sample_trec_runs/msmarco_passage", ".txt": "resources",
         ".tsv": "resources/fairnesssensitive_queries"},
        {"queries": 215, "runs": 43_000 + 3 * 42_435}, {},
    ),
}  # fmt: skip
BESIDE = [  # the queries of the third
    f"resources/fairnesssensitive_queries/{name}.tsv"
    for name in ("trecdeep19_passage.fair", "msmarco_passage.dev.fair.FULL_ANNOTATION")
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_files_themselves(tmp_path: Path, shared_data: Path, name: str) -> None:
    """They open as they come, with the figures that their papers give."""
    homes, expected, labels = PUBLISHED[name]
    for file in sorted((shared_data / name).rglob("*.*")):
        put(tmp_path, f"{homes.get(file.suffix, '.')}/{file.name}", file.read_bytes())
    beside = BESIDE if ".tsv" in homes else []
    study = open_study_folder(fill(tmp_path, dict.fromkeys(beside, "1 is not read\n")))
    sizes = {part: len(getattr(study, part)) for part in ("queries", "documents", "qrels", "labels", "runs")}
    assert {part: size for part, size in sizes.items() if size} == expected
    assert study.labels["label"].value_counts().to_dict() == labels
    if study.systems:
        assert (sorted(study.systems), len(study.lexicon.words)) == (["BM25", "advbert_L4", "bert_L4", "tk"], 326)
    assert all(name in "\n".join(study.warnings) for name in beside)


def test_what_a_person_adds_goes_before(tmp_path: Path) -> None:
    """Labels of one's own replace the published ones, runs of one's own stand beside them."""
    folder = clones(tmp_path)["KlaraKrieg/GrepBiasIR"]
    study = open_study_folder(fill(folder, {"labels.csv": "doc_id,label\n3,male\n", "runs/mine.run": "0 Q0 3 1 1 t\n"}))
    assert study.labels["label"].tolist() == ["male"]
    assert (len(study.documents), len(study.qrels), study.systems) == (5, 5, ("mine",))
    study = open_study_folder(fill(folder, {"documents.csv": "doc_id,text\n3,x\n", "qrels": "0 0 3 1\n"}))
    assert (len(study.documents), len(study.qrels)) == (1, 1)
    told = "csv_formatted/queries-documents_Career.csv was not read: the study has its documents in documents.csv.\n"
    assert f"{told}{IN_ITS_PLACE}" in study.warnings


def test_one_table_as_labels(tmp_path: Path) -> None:
    """As the Data page takes a file of labels: columns by the names that the authors gave them."""
    table = clones(tmp_path)["KlaraKrieg/GrepBiasIR"] / "csv_formatted" / "queries-documents_Career.csv"
    told: list[str] = []
    with noticing(told):
        labels = read_labels(table, table.parent)
    assert rows(labels, "doc_id", "label") == [("10", "neutral"), ("3", "neutral")]
    assert told == [
        "queries-documents_Career.csv: the label 'both' was read as 'neutral' (once).",
        "queries-documents_Career.csv: the label 'botrh' was read as 'neutral' (once).",
    ]
    # a file with both is one's own: its labels are read as anybody's
    file = put(tmp_path, "labels.csv", "d_id,doc_id,content_gender,label\n7,1,both,M\n8,2,F,F\n")
    assert rows(read_labels(file, tmp_path), "doc_id", "label", "d_id", "content_gender") == [
        ("1", "male", "7", "both"), ("2", "female", "8", "F"),
    ]  # fmt: skip
    for content in ("doc_id,label\n1,both\n", "doc_id,content_gender,label\n1,F,both\n"):
        with pytest.raises(DataError, match=r"^labels.csv:2: a label outside the groups: 'both'\n"):
            read_labels(put(tmp_path, "labels.csv", content), tmp_path)


def test_bad_rows_of_a_table_are_named(tmp_path: Path) -> None:
    file = clones(tmp_path)["KlaraKrieg/GrepBiasIR"] / "csv_formatted" / "queries-documents_Career.csv"
    text = file.read_text() + "1,11,{0},q,t,x,F,a\n1,{1},1,q,t,x,F,a\n"
    for cells, told in (
        (("maybe", ""), "5: the d_id is empty or not text\nGive every row a d_id and a q_id."),
        (("maybe", "1"), "4: the relevance is not a whole number: 'maybe'\n"
         "Take the file again from where it is published."),
        (("0", "1"), "5: this d_id is in queries-documents_Appearance.csv already: '1'\n"
         "Keep one row for each document."),
    ):  # fmt: skip
        file.write_text(text.format(*cells))
        with refused(f"queries-documents_Career.csv:{told}", DataError):
            open_study_folder(file.parent)
