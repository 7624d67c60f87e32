"""The public data sets that can be fetched, by name: their files are collected in a temporary folder, which is renamed
when it is complete."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fairviz.datasets.comsrb import COMSRB_QUERIES, SEARCH_ENGINES
from fairviz.datasets.crows_pairs import CROWS_PAIRS
from fairviz.datasets.download import copy_local, download
from fairviz.datasets.genderbias_ir import GENDERBIAS_IR
from fairviz.datasets.genderbias_qa import GENDERBIAS_QA
from fairviz.datasets.google_news import GOOGLE_NEWS_SUBSET
from fairviz.datasets.grep_biasir import GREP_BIASIR
from fairviz.datasets.msmarco_qs2 import MSMARCO_QS2
from fairviz.datasets.record import Dataset, Progress
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.home import data_home, locked, new_folder
from fairviz.home.permissions import permissions
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.changes import changing, mend
from fairviz.study.loaders.finding import RUNS_FOLDER, find_files

Report = Callable[[str], None]
DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        GREP_BIASIR, MSMARCO_QS2, GENDERBIAS_IR, GENDERBIAS_QA, CROWS_PAIRS, COMSRB_QUERIES, SEARCH_ENGINES,
        GOOGLE_NEWS_SUBSET,
    )
}  # fmt: skip


def _silent(*_: object) -> None:
    """Ignore progress and reports."""


def fetch(
    name: str,
    source: str | Path | None = None,
    progress: Progress | None = None,
    *,
    report: Report | None = None,
    replace: bool = False,
    address: str | None = None,
) -> Path:
    """Fetch the named data set into the data folder and return its folder: a study, or word vectors.

    source: a folder with local copies of the files, at any depth (a clone of the repository, or a folder with several
    clones), or a zip of such a folder; None downloads them. progress(bytes done, bytes in all) and report(sentence on
    what was cleaned) are called during the work. replace: fetch a data set again; its runs, decisions and other files
    are kept. address: download from this address instead. Complete files of an interrupted download are reused by the
    next call. Raises UsageError for an unknown name and FairvizError if fetching fails; then no partial files are left,
    and no study folder was created or changed.
    """
    if name not in DATASETS:
        raise UsageError(f"there is no data set {name!r} to fetch", use_one_of(DATASETS, name))
    place = None if source is None else Path(source)
    permissions().require_server_owner("fetch data sets")
    dataset = DATASETS[name]
    if dataset.local and place is None:
        raise FairvizError(
            f"{name} has {dataset.licence}: fairviz does not download it",
            f"Read its terms, download {dataset.homepage}, and run: fairviz fetch {name} --from FOLDER",
        )
    target = dataset.folder
    try:
        mend(target)
        if target.exists() and not replace:
            raise FairvizError(
                f"{name} is fetched already: {target}", f"To fetch it again: fairviz fetch {name} --replace"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        with _raw_folder(dataset, place, progress or _silent, address) as raw:
            with changing(target, lambda: _fetched_files(dataset)) as folder:
                notes = dataset.build(raw, folder)
            if place is None:
                shutil.rmtree(raw, ignore_errors=True)
    except OSError as error:
        raise FairvizError(f"could not write {name}: {_reason(error)}", _remedy(error, dataset)) from error
    for note in notes:
        (report or _silent)(note)
    return target


@contextmanager
def _raw_folder(dataset: Dataset, source: Path | None, progress: Progress, address: str | None) -> Iterator[Path]:
    """Yield the folder of the published files, locked against other processes. Raises FairvizError if it is locked."""
    if source is not None:
        with new_folder(dataset.folder.parent, f".{dataset.name}-new-") as temporary:
            raw = temporary / "raw"
            raw.mkdir()
            folder = read_zip(source, temporary / "zip") if os.path.isfile(source) else source
            copy_local(dataset, folder, raw, progress)
            yield raw
        return
    raw = data_home() / "downloads" / dataset.name
    raw.mkdir(parents=True, exist_ok=True)
    with locked(raw, FairvizError(f"another process is fetching {dataset.name}", "Wait until it is done, or end it.")):
        (dataset.download or download)(dataset, raw, progress, address)
        yield raw


def _fetched_files(dataset: Dataset) -> list[Path]:
    """Return the folder's files that an earlier fetch may have written: those of the study, without runs."""
    if dataset.kind != "study":
        return []
    return [path for path in find_files(dataset.folder).all if path.parent.name != RUNS_FOLDER]


def _reason(error: OSError) -> str:
    name = error.filename2 or error.filename  # for a copy, the second name is the target
    place = f" ({name})" if name else ""
    return f"{error.strerror or error}{place}"


def _remedy(error: OSError, dataset: Dataset) -> str:
    retry = f"run it again: fairviz fetch {dataset.name}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"Make room under {data_home()}, or set FAIRVIZ_HOME to a folder with room, and {retry}"
    return f"Make {data_home()} a folder that you can write, or set FAIRVIZ_HOME to one, and {retry}"
