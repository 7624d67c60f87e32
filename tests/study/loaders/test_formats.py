"""A format is one entry in LOADERS: every place that reads, offers, names or replaces such a file learns it there."""

import json
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

from fairviz.study import loaders
from fairviz.study.loaders import LOADERS, Loader, extensions, suffixes_of
from fairviz.study.loaders.runs import system_name
from fairviz.study.loaders.unread import LEAVE, UNKNOWN
from fairviz.study.loaders.writing import replace_runs, run_files
from fairviz.study.study import make_study, open_study_folder, save_study
from fairviz.study.tables import RUNS, conform
from fairviz.ui.data.uploads import KINDS, add_run_file, open_zip_file

FILE = "bm25.ranking"


def read_ranking(path, root=None) -> pd.DataFrame:
    """A format that nobody has heard of: query to documents, best first."""
    lists = json.loads(Path(path).read_text(encoding="utf-8"))
    rows = [(query, doc, rank, -rank) for query, docs in lists.items() for rank, doc in enumerate(docs, start=1)]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])
    return conform(table.assign(system=system_name(path, (".ranking",))), RUNS)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "LOADERS", (*LOADERS, Loader("runs", (".ranking",), read_ranking)))


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / FILE).write_text('{"q": ["b", "a"]}', encoding="utf-8")
    (folder / "runs" / "other.run").write_text("q Q0 a 1 2.5 t\n", encoding="utf-8")
    return folder


def listed(study, system: str = "bm25") -> list[str]:
    return study.runs.loc[study.runs["system"] == system, "doc_id"].tolist()


def test_a_study_folder_reads_it(folder: Path) -> None:
    (folder / FILE).write_text("{}", encoding="utf-8")  # in the wrong place
    study = open_study_folder(folder)
    assert (study.systems, listed(study)) == (("bm25", "other"), ["b", "a"])
    assert study.warnings == (f"{FILE} was not read: {UNKNOWN}.\n{LEAVE}",)


def test_saving_leaves_one_run_of_a_name_and_ranking_anew_replaces_it(folder: Path) -> None:
    assert run_files(folder / "runs", "bm25") == [folder / "runs" / FILE]
    table = read_ranking(folder / "runs" / FILE)
    save_study(open_study_folder(folder), folder)
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["bm25.run", "other.run"]
    replace_runs(table, folder / "runs")
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["bm25.run.gz", "other.run"]


def test_the_page_offers_and_takes_it_alone_and_in_a_zip(folder: Path, tmp_path: Path) -> None:
    offered = {kind.name: kind.suffixes for kind in KINDS}
    assert "ranking" in offered["run"]
    study = add_run_file(make_study("s"), folder / "runs" / FILE, folder)
    assert (study.systems, listed(study)) == (("bm25",), ["b", "a"])
    with ZipFile(tmp_path / "mine.zip", "w") as packed:
        for path in sorted((folder / "runs").iterdir()):
            packed.write(path, f"runs/{path.name}")
    assert listed(open_zip_file(make_study("s"), tmp_path / "mine.zip", tmp_path)) == ["b", "a"]


def test_what_the_page_offers_is_what_loaders_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "LOADERS", LOADERS)
    offered = {kind.name: set(kind.suffixes) for kind in KINDS}
    tables, packed = {"csv", "tsv", "jsonl", "json", "xlsx", "parquet"}, {"gz", "bz2", "xz", "zst"}
    assert offered.pop("annotators") == tables  # read as annotators.csv is, by `read_annotators`: no loader
    assert offered.pop("zip") == {"zip"}
    assert set(offered) == {"run", "labels", "documents", "queries", "qrels", "lexicon"}
    for name, suffixes in offered.items():
        assert suffixes == set(extensions("runs" if name == "run" else name))
        assert suffixes >= packed | ({"csv", "xlsx"} if name == "lexicon" else tables)
    assert offered["run"] >= {"run", "txt", "trec", "res", "zip", "tar", "tgz"}
    assert offered["documents"] & offered["queries"] >= {"txt", "trec", "sgml", "sgm", "xml"}
    assert offered["qrels"] >= {"txt", "qrels"}
    assert suffixes_of("qrels")[:5] == (".txt", ".txt.gz", ".txt.bz2", ".txt.xz", ".txt.zst")
    assert set(extensions()) >= set().union(*offered.values())
