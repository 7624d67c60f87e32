"""Fetching a data set: everything into a temporary folder, which gets its name when it is whole."""

import errno
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from fairviz.datasets.download import copy_local, download
from fairviz.datasets.home import data_home
from fairviz.datasets.record import Dataset, Progress
from fairviz.errors import FairvizError

Report = Callable[[str], None]


def fetch_dataset(
    dataset: Dataset, source: Path | None, progress: Progress, report: Report, *, replace: bool, address: str | None
) -> Path:
    """The folder of the data set, a study or word vectors, made under the data folder.

    source: a folder with local copies, else the files are downloaded (from `address` instead of where they are
    published, where it is given). report hears one sentence for each thing that was cleaned. Whole files of an
    interrupted download are kept and used by the next call. Runs and decisions in the folder that is replaced are kept.
    Raises FairvizError; then no study folder was made or changed.
    """
    target = dataset.folder
    if target.exists() and not replace:
        raise FairvizError(
            f"{dataset.name} is fetched already: {target}",
            f"To fetch it again: python -m fairviz fetch {dataset.name} --replace",
        )
    try:
        return _fetch(dataset, source, progress, report, target, address)
    except OSError as error:
        raise FairvizError(f"could not write {dataset.name}: {_reason(error)}", _remedy(error, dataset)) from error


def _fetch(
    dataset: Dataset, source: Path | None, progress: Progress, report: Report, target: Path, address: str | None
) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{dataset.name}-", dir=target.parent) as temporary:
        if source is not None:
            raw = Path(temporary, "raw")
            raw.mkdir()
            copy_local(dataset, source, raw, progress)
        else:
            raw = data_home() / "downloads" / dataset.name
            raw.mkdir(parents=True, exist_ok=True)
            (dataset.download or download)(dataset, raw, progress, address)
        study = Path(temporary, dataset.name)
        study.mkdir()
        notes = dataset.build(raw, study)
        _put(study, target, Path(temporary, "before"))
        if source is None:
            shutil.rmtree(raw, ignore_errors=True)
    for note in notes:
        report(note)
    return target


def _put(study: Path, target: Path, before: Path) -> None:
    """Renames the whole folder to its name; one that stood there is put back if that fails."""
    if not target.exists():
        study.rename(target)
        return
    if (target / "runs").is_dir():
        shutil.copytree(target / "runs", study / "runs")
    for decisions in target.glob("adjudications.*"):
        shutil.copy2(decisions, study)
    target.rename(before)
    try:
        study.rename(target)
    except BaseException:
        before.rename(target)
        raise


def _reason(error: OSError) -> str:
    name = error.filename2 or error.filename  # of a copy, the second is where it was to go
    place = f" ({name})" if name else ""
    return f"{error.strerror or error}{place}"


def _remedy(error: OSError, dataset: Dataset) -> str:
    again = f"run it again: python -m fairviz fetch {dataset.name}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"Make room under {data_home()}, or set FAIRVIZ_HOME to a folder with room, and {again}"
    return f"Make {data_home()} a folder that you can write, or set FAIRVIZ_HOME to one, and {again}"
