"""Fetching a data set: everything into a temporary folder, which gets its name when it is whole."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fairviz.datasets.download import copy_local, download
from fairviz.datasets.record import Dataset, Progress
from fairviz.errors import FairvizError
from fairviz.home import data_home, hold, new_folder, release
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.changes import changing, mend
from fairviz.study.loaders.folder import RUNS_FOLDER, find_files

Report = Callable[[str], None]


def fetch_dataset(
    dataset: Dataset, source: Path | None, progress: Progress, report: Report, *, replace: bool, address: str | None
) -> Path:
    """The folder of the data set, a study or word vectors, made under the data folder.

    source: a folder with local copies or a zip of one, else the files are downloaded (from `address` instead of where
    they are published, where it is given). report hears one sentence for each thing that was cleaned. Whole files of an
    interrupted download are kept and used by the next call. Of a folder that is there the files of the data set change;
    runs, decisions and what else lies in it stay.
    Raises FairvizError; then no study folder was made or changed.
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
    with _raw(dataset, source, progress, address) as raw:
        with changing(target, lambda: _published(dataset, target)) as folder:
            notes = dataset.build(raw, folder)
        if source is None:
            shutil.rmtree(raw, ignore_errors=True)
    for note in notes:
        report(note)
    return target


def _published(dataset: Dataset, target: Path) -> list[Path]:
    """The files in the folder that an earlier fetch may have made: those of the study, without runs."""
    if dataset.kind != "study":
        return []
    return [path for path in find_files(target).all if path.parent.name != RUNS_FOLDER]


@contextmanager
def _raw(dataset: Dataset, source: Path | None, progress: Progress, address: str | None) -> Iterator[Path]:
    """The folder of the published files, which nobody else writes to. Raises FairvizError where somebody does."""
    if source is not None:
        with new_folder(dataset.folder.parent, f".{dataset.name}-new-") as beside:
            raw = beside / "raw"
            raw.mkdir()
            copy_local(dataset, read_zip(source, beside / "zip") if os.path.isfile(source) else source, raw, progress)
            yield raw
        return
    raw = data_home() / "downloads" / dataset.name
    raw.mkdir(parents=True, exist_ok=True)
    held, free = hold(raw)
    try:
        if free is False:
            raise FairvizError(f"another process is fetching {dataset.name}", "Wait until it is done, or end it.")
        (dataset.download or download)(dataset, raw, progress, address)
        yield raw
    finally:
        release(held)


def _reason(error: OSError) -> str:
    name = error.filename2 or error.filename  # of a copy, the second is where it was to go
    place = f" ({name})" if name else ""
    return f"{error.strerror or error}{place}"


def _remedy(error: OSError, dataset: Dataset) -> str:
    again = f"run it again: fairviz fetch {dataset.name}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"Make room under {data_home()}, or set FAIRVIZ_HOME to a folder with room, and {again}"
    return f"Make {data_home()} a folder that you can write, or set FAIRVIZ_HOME to one, and {again}"
