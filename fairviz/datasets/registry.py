"""The public data sets that can be fetched, by name."""

from pathlib import Path

from fairviz.datasets.crows_pairs import CROWS_PAIRS
from fairviz.datasets.fetching import Report, fetch_dataset
from fairviz.datasets.genderbias_ir import GENDERBIAS_IR
from fairviz.datasets.google_news import GOOGLE_NEWS_SUBSET
from fairviz.datasets.grep_biasir import GREP_BIASIR
from fairviz.datasets.msmarco_qs2 import MSMARCO_QS2
from fairviz.datasets.record import Dataset, Progress
from fairviz.errors import UsageError, use_one_of
from fairviz.home.access import require_server_owner

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset for dataset in (GREP_BIASIR, MSMARCO_QS2, GENDERBIAS_IR, CROWS_PAIRS, GOOGLE_NEWS_SUBSET)
}


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
    what was cleaned) are called during the work. replace: fetch a data set again; its runs are kept. address: download
    from this address instead. Raises UsageError for an unknown name and FairvizError if fetching fails; then no partial
    files are left.
    """
    if name not in DATASETS:
        raise UsageError(f"there is no data set {name!r} to fetch", use_one_of(DATASETS, name))
    place = None if source is None else Path(source)
    require_server_owner("fetch data sets")
    return fetch_dataset(
        DATASETS[name], place, progress or _silent, report or _silent, replace=replace, address=address
    )
