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
    study = open_study_folder(folder)
    assert (study.systems, listed(study), study.warnings) == (("bm25", "other"), ["b", "a"], ())


def test_a_file_of_the_format_in_the_wrong_place_is_told(folder: Path) -> None:
    (folder / FILE).write_text("{}", encoding="utf-8")
    assert open_study_folder(folder).warnings == (f"{FILE} was not read: {UNKNOWN}.\n{LEAVE}",)


def test_saving_leaves_one_run_of_a_name(folder: Path) -> None:
    save_study(open_study_folder(folder), folder)
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["bm25.run", "other.run"]


def test_ranking_anew_replaces_it(folder: Path) -> None:
    assert run_files(folder / "runs", "bm25") == [folder / "runs" / FILE]
    replace_runs(read_ranking(folder / "runs" / FILE), folder / "runs")
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["bm25.run.gz", "other.run"]


def test_the_page_offers_and_takes_it(folder: Path) -> None:
    offered = {kind.name: kind.suffixes for kind in KINDS}
    assert "ranking" in offered["run"]
    study = add_run_file(make_study("s"), folder / "runs" / FILE, folder)
    assert (study.systems, listed(study)) == (("bm25",), ["b", "a"])


def test_a_zipped_study_may_hold_it(folder: Path, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "mine.zip", "w") as packed:
        for path in sorted((folder / "runs").iterdir()):
            packed.write(path, f"runs/{path.name}")
    assert listed(open_zip_file(make_study("s"), tmp_path / "mine.zip", tmp_path)) == ["b", "a"]


def test_what_the_page_offers_is_what_loaders_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "LOADERS", LOADERS)
    packed = {"gz", "bz2", "xz", "zst"}
    tables = {"csv", "tsv", "jsonl", "json", "xlsx", "parquet"}
    markup = {"txt", "trec", "sgml", "sgm", "xml"}
    offered = {kind.name: set(kind.suffixes) for kind in KINDS}
    known = {
        "run": {"run", "txt", "trec", "res", "zip", "tar", "tgz", *tables, *packed},
        "labels": {*tables, *packed},
        "documents": {*tables, *markup, *packed},
        "queries": {*tables, *markup, *packed},
        "qrels": {"txt", "qrels", *tables, *packed},
        "lexicon": {"csv", "xlsx", *packed},
        "zip": {"zip"},
    }
    of_annotators = offered.pop("annotators")  # read as a study's annotators.csv is, by `read_annotators`: no loader
    assert of_annotators == tables
    assert set(offered) == set(known)
    assert not {name: missing for name in known if (missing := known[name] - offered[name])}
    assert offered["zip"] == known["zip"]
    assert offered["run"] == set(extensions("runs"))
    assert all(offered[part] == set(extensions(part)) for part in set(known) - {"run", "zip"})
    assert suffixes_of("qrels")[:5] == (".txt", ".txt.gz", ".txt.bz2", ".txt.xz", ".txt.zst")
    assert set(extensions()) >= {"run", "res", "qrels", "zip", "tar", "tgz"} | tables | markup | packed
