"""Study folders as a whole: which files are parts, and everything that is wrong in any of them at once."""

import os
import re
import socket
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import DataError
from fairviz.study.loaders import finding
from fairviz.study.loaders.folder import read_folder, study_stamp
from fairviz.study.loaders.packaged import read_packaged
from fairviz.study.loaders.unread import LEAVE, UNKNOWN, UNKNOWN_ONES
from tests.conftest import refused
from tests.study.loaders.files import RUN, fill, refusal_of

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
    assert refusal_of(fill(tmp_path / "a", PARTS | {"queries.csv": "query_id,text\n1,y\n"})) == (
        "queries.csv: a study has one file of queries, and queries.tsv is another\nKeep one."
    )
    assert refusal_of(fill(tmp_path / "b", PARTS | {"study.toml": 'documents = "gensim:lee"\n'})) == (
        "documents.csv: a study has one file of documents, and gensim:lee in study.toml is another\nKeep one."
    )


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


TO_PUT = "Put a file in its place, or give it another name."


@pytest.mark.parametrize("name", ["labels.csv", "runs/b.run", "study.toml", "lexicon.csv", "qrels.txt"])
def test_a_link_to_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    fill(tmp_path, {"queries.tsv": PARTS["queries.tsv"], "runs/a.run": PARTS["runs/b.run"]})
    (tmp_path / name).symlink_to("../.git/annex/objects/x")
    assert refusal_of(tmp_path) == (
        f"{name}: a link to a file that is not there\n"
        "Put a file where it leads, or remove the link; git-annex fetches it with "
        f"`git annex get {name.removeprefix('runs/')}`."
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
        "runs/old was not read: runs are read from the folder runs itself, and from a folder in it those called "
        "seed1.run, seed2.run, … or fold1.run, fold2.run, ….\nMove it into the folder runs itself.",
        f"a.md and lexicon-old.csv were not read: {UNKNOWN_ONES}.\n{LEAVE}",
    ]
    fill(tmp_path, {"study.toml": "description = 'See a.md.'\n"})
    assert read_folder(tmp_path).warnings[-1] == f"lexicon-old.csv was not read: {UNKNOWN}.\n{LEAVE}"


@pytest.mark.parametrize("where", ["", "runs"])
def test_thousands_of_other_files(tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty are named, the others are counted, and none of them is looked at."""
    fill(tmp_path, PARTS)
    names = [f"{number:06}.csv.old.tsv.x.csv" for number in range(10_000)]
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
    assert warnings[-1] == f"… and 9,980 more that were not read.\n{LEAVE}"
    assert len(study_stamp(tmp_path)) == len(PARTS) + 21
    assert len(seen) < 5_000


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
