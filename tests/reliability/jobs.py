"""What is killed in the middle: a study folder, the jobs that write to it, and what must be true of it afterwards."""

import gzip
import hashlib
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pandas as pd

import fairviz
from fairviz import datasets
from fairviz.annotation.adjudications import decide, decisions, export_decisions, store_path
from fairviz.datasets import Dataset, RemoteFile, attach, fetch, save_runs
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.study.study import open_study_folder, save_study
from fairviz.study.tables import RUNS, conform
from tests.study.loaders.files import fill

NAME = "mine"
COLLECTION = b"d1\tHe said so.\nd2\tShe said so.\nd3\tNobody did.\n"
PUBLISHED = {"queries.csv": b"query_id,text\nq,who said so\n", "labels.csv": b"doc_id,label\nd1,male\nd2,female\n"}
OLD_RUN = "q Q0 d1 1 2.0 a\nq Q0 d2 2 1.0 a\n"


def home() -> Path:
    """The data folder of these jobs."""
    return Path(os.environ["FAIRVIZ_HOME"])


def place() -> Path:
    """The folder of the study that is written to."""
    return home() / "studies" / NAME


def make() -> None:
    """A stored study with runs of two systems, decisions, and a file that is no part of a study."""
    parts = {
        "runs/a.trec": OLD_RUN, "runs/b.run": OLD_RUN.replace(" a\n", " b\n"), "notes.md": "mine\n",
        "documents.csv": "doc_id,text\nd1,old\nd2,older\n", "queries.tsv": "query_id\ttext\nq\twho\n",
        "labels.jsonl": '{"doc_id": "d1", "label": "male"}\n',
    }  # fmt: skip
    fill(place(), parts)
    fill(home(), {"collection.tsv.gz": gzip.compress(COLLECTION)})
    fill(home() / "raw", PUBLISHED)
    decide(fairviz.open_study(NAME), "d1", "neutral", "kept", "ann")


def _build(raw: Path, folder: Path) -> tuple[str, ...]:
    for name in PUBLISHED:
        (folder / name).write_bytes((raw / name).read_bytes())
    return ()


def _dataset(name: str) -> Dataset:
    files = tuple(
        RemoteFile(file, len(content), hashlib.sha256(content).hexdigest()) for file, content in PUBLISHED.items()
    )
    return Dataset(name, name, "CC0", "Nobody", "https://example.org/", "http://127.0.0.1:9/", files, _build)


def runs(*systems: str, documents: tuple[str, str] = ("d2", "d3")) -> pd.DataFrame:
    """Runs of these systems that differ from the stored ones."""
    rows = [(system, "q", document, rank, 3.0 - rank) for system in systems for rank, document in enumerate(documents)]
    return conform(pd.DataFrame(rows, columns=list(RUNS.column_names)), RUNS)


def _changed() -> Study:
    """The stored study with other parts in every file, and a system fewer."""
    study = open_study_folder(place())
    texts = study.documents.assign(text=["new", None])
    return replace(study, title="changed", documents=texts, runs=runs("c"), labels=study.labels.assign(label="female"))


def save_over() -> None:
    save_study(_changed(), place())


def save_as_it_is() -> None:
    save_study(open_study_folder(place()), place())


def save_new() -> None:
    save_study(replace(_changed(), name="other", folder=None), place().with_name("other"))


def rank() -> None:
    """Two runs at once: one in place of a file of another suffix, one new."""
    save_runs(open_study_folder(place()), runs("a", "c"), replace=True)


def rank_builtin() -> None:
    save_runs(fairviz.open_study("football"), runs("mine", documents=("n1", "n2")))


def attach_text() -> None:
    attach(open_study_folder(place()), home() / "collection.tsv.gz", lambda *_: None, replace=True)


def fetch_new() -> None:
    datasets.DATASETS["fetched"] = _dataset("fetched")
    fetch("fetched", home() / "raw")


def fetch_again() -> None:
    datasets.DATASETS[NAME] = _dataset(NAME)
    fetch(NAME, home() / "raw", replace=True)


def decide_more() -> None:
    study = fairviz.open_study(NAME)
    decide(study, "d2", "male", "one", "ann")


def export() -> None:
    study = fairviz.open_study(NAME)
    export_decisions(study, home() / "decisions.csv")


JOBS: dict[str, Callable[[], None]] = {
    job.__name__: job
    for job in (save_over, save_new, rank, rank_builtin, attach_text, fetch_new, fetch_again, decide_more, export)
}
LOOKED_AT = {"save_new": "other", "fetch_new": "fetched", "rank_builtin": "football"}


def state(job: str) -> str:
    """What somebody who opens the study after the job finds, in one line; another line where that is not sound."""
    return seen(job)[0]


def seen(job: str) -> tuple[str, Study | None]:
    """The same, and the study; None where it is not opened."""
    name = LOOKED_AT.get(job, NAME)
    if job == "export":
        file = home() / "decisions.csv"
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else "no file", None
    if name not in (*datasets.BUILTIN, *datasets.stored_names()):
        return "no study", None
    try:
        study = fairviz.open_study(name)
    except FairvizError as error:
        return f"BROKEN: {error}", None
    decided = [f"{row.doc_id}={row.label}" for row in decisions(study).itertuples()]
    warned = ["with warnings", *study.warnings] if study.warnings else []
    return " ".join((study.fingerprint, ",".join(study.systems), study.title, *decided, *warned)), study


def left_over() -> list[str]:
    """Hidden files and folders under the data folder, but for the cache."""
    return sorted(
        path.relative_to(home()).as_posix()
        for path in home().rglob(".*")
        if path.relative_to(home()).parts[0] != "cache"
    )


def sound(study: Study) -> bool:
    """Whether the database of decisions is whole."""
    with closing(sqlite3.connect(store_path(study))) as database:
        return database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def notes_kept() -> bool:
    """Whether the file that is no part of a study is as it was."""
    return (place() / "notes.md").read_text() == "mine\n"
