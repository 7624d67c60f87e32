"""The parts of a collection: its files, large plain ones in pieces, in an order that every machine finds; or ranges of
the documents of a data set of ir_datasets.
"""

import glob
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairviz.errors import UsageError
from fairviz.files import check_regular
from fairviz.study.loaders.archive import packed_names, packing_of
from fairviz.study.loaders.packaged import load_ir_dataset

PIECE = 1 << 25  # bytes of a plain file in one part
RANGE = 500_000  # documents of ir_datasets in one part: it reads a file from its beginning to reach a range
PACKAGE = "ir_datasets:"
TSV, JSON, PARQUET = packed_names(".tsv", ".txt"), packed_names(".jsonl", ".json"), (".parquet",)
LAYOUTS = "Write doc_id, a tab and the text on each line, an object with doc_id and text, or those columns in Parquet."


@dataclass(frozen=True)
class Part:
    """A file of a collection, or the lines of it that begin in the bytes from `start` to `end`.

    end: 0 for the whole file. size, changed: bytes and time of change of the file, by which a part is known again. Of a
    data set of ir_datasets (path: `ir_datasets:NAME`) start, end and size are numbers of documents.
    """

    number: int
    path: str
    start: int
    end: int
    size: int
    changed: int

    @property
    def file(self) -> str:
        """The name of the part's counts."""
        return f"part-{self.number:05}.parquet"

    @property
    def package(self) -> str:
        """The data set's name in ir_datasets; empty for a file."""
        return self.path.removeprefix(PACKAGE) if self.path.startswith(PACKAGE) else ""

    @property
    def source(self) -> str:
        """The name of the file, without its folder, or of the data set."""
        return self.path if self.package else Path(self.path).name


def parts_of(collection: str) -> list[Part]:
    """Return the parts of a file, a folder or a glob of files, by name, or of `ir_datasets:NAME`. Raises UsageError for
    none, and for a file of another ending; FairvizError for an unknown data set.
    """
    if collection.startswith(PACKAGE):
        return _packaged_parts(collection)
    path = Path(collection)
    paths = (
        sorted(path.iterdir())
        if path.is_dir()
        else [path]
        if path.exists()
        else map(Path, sorted(glob.glob(collection)))
    )
    files = [file for file in paths if file.is_file() and not file.name.startswith(".")]
    if not files:
        raise UsageError(f"{collection} is not a file, a folder or a pattern of files", "Name the collection's files.")
    for file in files:
        if not file.name.lower().endswith((*TSV, *JSON, *PARQUET)):
            raise UsageError(
                f"{file.name} is neither .tsv, .jsonl nor .parquet", f"{LAYOUTS} Name other files by a glob."
            )
    ranges = [(file, *one) for file in files for one in _ranges(file)]
    return [
        Part(number, str(file.absolute()), start, end, (status := check_regular(file)).st_size, status.st_mtime_ns)
        for number, (file, start, end) in enumerate(ranges)
    ]


def _ranges(file: Path) -> Iterator[tuple[int, int]]:
    size = file.stat().st_size
    if packing_of(file) or file.suffix.lower() in PARQUET or size <= PIECE:
        yield 0, 0
        return
    for start in range(0, size, PIECE):
        yield start, min(start + PIECE, size)


def _packaged_parts(collection: str) -> list[Part]:
    name = collection.removeprefix(PACKAGE)
    data = load_ir_dataset(name)
    if not data.has_docs():
        raise UsageError(f"the data set {name!r} of ir_datasets has no documents", "Name another one.")
    count = data.docs_count() or sum(1 for _ in data.docs_iter())
    starts = range(0, count, RANGE)
    return [Part(number, collection, start, min(start + RANGE, count), count, 0) for number, start in enumerate(starts)]
