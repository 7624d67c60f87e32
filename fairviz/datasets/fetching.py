"""Fetching a data set: files are collected in a temporary folder, which is renamed when it is complete."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fairviz.datasets.download import copy_local, download
from fairviz.datasets.record import Dataset, Progress
from fairviz.errors import FairvizError
from fairviz.home import data_home, locked, new_folder
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.changes import changing, mend
from fairviz.study.loaders.finding import RUNS_FOLDER, find_files

Report = Callable[[str], None]


def fetch_dataset(
    dataset: Dataset, source: Path | None, progress: Progress, report: Report, *, replace: bool, address: str | None
) -> Path:
    """Create the data set's folder, a study or word vectors, under the data folder and return it.

    source: a folder with local copies, or a zip of one; None downloads the files (from `address` instead of the
    published address, if set). report is called with one sentence for each cleaning step. Complete files of an
    interrupted download are reused by the next call. In an existing folder the data set's files are replaced; runs,
    decisions and other files are kept. Raises FairvizError; then no study folder was created or changed.
    """
    target = dataset.folder
    try:
        mend(target)
        if target.exists() and not replace:
            raise FairvizError(
                f"{dataset.name} is fetched already: {target}",
                f"To fetch it again: fairviz fetch {dataset.name} --replace",
            )
        return _fetch(dataset, source, progress, report, target, address)
    except OSError as error:
        raise FairvizError(f"could not write {dataset.name}: {_reason(error)}", _remedy(error, dataset)) from error


def _fetch(
    dataset: Dataset, source: Path | None, progress: Progress, report: Report, target: Path, address: str | None
) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with _raw_folder(dataset, source, progress, address) as raw:
        with changing(target, lambda: _fetched_files(dataset, target)) as folder:
            notes = dataset.build(raw, folder)
        if source is None:
            shutil.rmtree(raw, ignore_errors=True)
    for note in notes:
        report(note)
    return target


def _fetched_files(dataset: Dataset, target: Path) -> list[Path]:
    """Return the folder's files that an earlier fetch may have written: those of the study, without runs."""
    if dataset.kind != "study":
        return []
    return [path for path in find_files(target).all if path.parent.name != RUNS_FOLDER]


@contextmanager
def _raw_folder(dataset: Dataset, source: Path | None, progress: Progress, address: str | None) -> Iterator[Path]:
    """Yield the folder of the published files, locked against other processes. Raises FairvizError if it is locked."""
    if source is not None:
        with new_folder(dataset.folder.parent, f".{dataset.name}-new-") as temporary:
            raw = temporary / "raw"
            raw.mkdir()
            copy_local(
                dataset, read_zip(source, temporary / "zip") if os.path.isfile(source) else source, raw, progress
            )
            yield raw
        return
    raw = data_home() / "downloads" / dataset.name
    raw.mkdir(parents=True, exist_ok=True)
    with locked(raw, FairvizError(f"another process is fetching {dataset.name}", "Wait until it is done, or end it.")):
        (dataset.download or download)(dataset, raw, progress, address)
        yield raw


def _reason(error: OSError) -> str:
    name = error.filename2 or error.filename  # for a copy, the second name is the target
    place = f" ({name})" if name else ""
    return f"{error.strerror or error}{place}"


def _remedy(error: OSError, dataset: Dataset) -> str:
    retry = f"run it again: fairviz fetch {dataset.name}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"Make room under {data_home()}, or set FAIRVIZ_HOME to a folder with room, and {retry}"
    return f"Make {data_home()} a folder that you can write, or set FAIRVIZ_HOME to one, and {retry}"
