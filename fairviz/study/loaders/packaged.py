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
    tables = {part: _part(data, part, name) for part in _READERS if _has(data, part)}
    if not tables:
        raise FairvizError(f"the data set {name!r} of ir_datasets has no {', '.join(_READERS)}", "Name another one.")
    return tables


def _ir_datasets(part: str, name: str) -> pd.DataFrame:
    """Return the part of a data set of the package ir_datasets, which downloads missing files."""
    data = load_ir_dataset(name)
    if not _has(data, part):
        raise FairvizError(f"the data set {name!r} of ir_datasets has no {part}", "Name another one.")
    return _part(data, part, name)


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


def _has(data, part: str) -> bool:
    """Return whether the data set has this part."""
    if part == "queries":
        return data.has_queries()
    return data.has_docs() if part == "documents" else data.has_qrels()


def _part(data, part: str, name: str) -> pd.DataFrame:
    """Return the part of this data set, which has it. Raises FairvizError."""
    read_rows, columns, schema = _READERS[part]
    try:
        rows = read_rows(data)
    except Exception as error:  # of the connection, or of a file in an unexpected format
        raise FairvizError(
            f"ir_datasets could not get the {part} of {name!r} ({error})", "Check the connection and try again."
        ) from error
    frame = pd.DataFrame(rows, columns=columns, dtype="str" if part != "qrels" else None)
    return conform(frame.drop_duplicates() if part == "qrels" else frame, schema)


def _query_rows(data) -> list[tuple]:
    return [(query.query_id, query.default_text()) for query in data.queries_iter()]


def _document_rows(data) -> list[tuple]:
    return [(document.doc_id, document.default_text()) for document in data.docs_iter()]


def _qrel_rows(data) -> list[tuple]:
    return [(judged.query_id, judged.doc_id, judged.relevance) for judged in data.qrels_iter()]


_READERS: dict[str, tuple[Callable[[Any], list[tuple]], list[str], Schema]] = {  # of ir_datasets: rows, columns
    "queries": (_query_rows, ["query_id", "text"], QUERIES),
    "documents": (_document_rows, ["doc_id", "text"], DOCUMENTS),
    "qrels": (_qrel_rows, [*QRELS.column_names], QRELS),
}
PACKAGES: dict[str, Callable[[str, str], pd.DataFrame]] = {"gensim": _gensim, "ir_datasets": _ir_datasets}
EXAMPLES = ("gensim:lee", "ir_datasets:NAME")
