"""Parts of a study from an installed package: `gensim:lee`, `ir_datasets:NAME`."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from fairviz.errors import DataError, FairvizError, problem
from fairviz.installed import package_folder, require_package
from fairviz.study.tables import DOCUMENTS, QRELS, QUERIES, Schema, conform

LEE_FILES = ("lee_background.cor", "lee.cor")


def read_packaged(part: str, source: str, file: str) -> pd.DataFrame:
    """Return the part that `source` names, such as gensim:lee. Raises DataError about `file`, which requests it."""
    package, colon, name = source.partition(":")
    reader = PACKAGES.get(package) if colon and name else None
    if reader is None:
        raise problem(file, f"{part} names no source", f"Write it as {' or '.join(EXAMPLES)}.", source)
    try:
        return reader(part, name)
    except DataError:
        raise
    except FairvizError as error:
        raise problem(file, error.message, error.remedy) from error


def _gensim(part: str, name: str) -> pd.DataFrame:
    """Return the 343 distinct documents of the Lee corpus, in the order of its two files."""
    if (part, name) != ("documents", "lee"):
        raise FairvizError(f"gensim holds no {part} called {name!r}", "Write documents = 'gensim:lee'.")
    folder = package_folder("gensim", "gensim:lee needs") / "test" / "test_data"  # importing it loads scipy.stats
    try:
        lines = [line for file in LEE_FILES for line in (folder / file).read_text(encoding="latin-1").split("\n")]
    except OSError as error:
        raise FairvizError(
            f"the Lee corpus of gensim cannot be read ({error.strerror})", "Install gensim again."
        ) from error
    texts = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    names = [f"lee-{place:03d}" for place in range(1, len(texts) + 1)]
    return conform(pd.DataFrame({"doc_id": names, "text": texts}), DOCUMENTS)


def read_ir_dataset(name: str) -> dict[str, pd.DataFrame]:
    """Return the queries, documents and qrels of the data set of ir_datasets, by part. Raises FairvizError."""
    data = load_ir_dataset(name)
    tables = {part: table for part in _OF_IR_DATASETS if (table := _part(data, part, name)) is not None}
    if not tables:
        raise FairvizError(
            f"the data set {name!r} of ir_datasets has no {', '.join(_OF_IR_DATASETS)}", "Name another one."
        )
    return tables


def _ir_datasets(part: str, name: str) -> pd.DataFrame:
    """Return the part of a data set of the package ir_datasets, which downloads missing files."""
    table = _part(load_ir_dataset(name), part, name)
    if table is None:
        raise FairvizError(f"the data set {name!r} of ir_datasets has no {part}", "Name another one.")
    return table


def load_ir_dataset(name: str):
    """Return the data set of this name as the package ir_datasets has it. Raises FairvizError."""
    require_package("ir_datasets", f"ir_datasets:{name} needs")
    import ir_datasets

    try:
        return ir_datasets.load(name)
    except KeyError as error:
        raise FairvizError(f"ir_datasets has no data set {name!r}", "See https://ir-datasets.com for names.") from error
    except Exception as error:
        raise FairvizError(
            f"ir_datasets cannot load {name!r} ({error})", "See https://ir-datasets.com for names."
        ) from error


def _part(data, part: str, name: str) -> pd.DataFrame | None:
    """Return the part of this data set, None if it has none. Raises FairvizError."""
    kind, columns, row_of, schema = _OF_IR_DATASETS[part]
    if not getattr(data, f"has_{kind}")():
        return None
    try:
        rows = [row_of(entry) for entry in getattr(data, f"{kind}_iter")()]
    except Exception as error:  # of the connection, or of a file in an unexpected format
        raise FairvizError(
            f"ir_datasets could not get the {part} of {name!r} ({error})", "Check the connection and try again."
        ) from error
    frame = pd.DataFrame(rows, columns=columns, dtype="str" if part != "qrels" else None)
    return conform(frame.drop_duplicates() if part == "qrels" else frame, schema)


_OF_IR_DATASETS: dict[str, tuple[str, list[str], Callable[[Any], tuple], Schema]] = {  # its word, columns, a row
    "queries": ("queries", ["query_id", "text"], lambda query: (query.query_id, query.default_text()), QUERIES),
    "documents": ("docs", ["doc_id", "text"], lambda document: (document.doc_id, document.default_text()), DOCUMENTS),
    "qrels": ("qrels", [*QRELS.column_names], lambda row: (row.query_id, row.doc_id, row.relevance), QRELS),
}


PACKAGES: dict[str, Callable[[str, str], pd.DataFrame]] = {"gensim": _gensim, "ir_datasets": _ir_datasets}
EXAMPLES = ("gensim:lee", "ir_datasets:NAME")
