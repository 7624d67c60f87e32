"""The program's side: each kind of input handed to the function that people's input reaches. All imports of the
program stand here."""

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import import_decisions
from fairviz.annotation.adjudications import rows_of as stored_decisions
from fairviz.errors import FairvizError as FairvizError
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.measures import parse
from fairviz.study.loaders import reader_of
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.folder import read_folder
from fairviz.study.loaders.metadata import read_metadata
from fairviz.study.loaders.weights import parse_weights
from fairviz.study.record import Study
from fairviz.study.study import make_study, open_study_folder, save_study
from fairviz.words.vectors import read_vectors
from tests.fuzz.good import DOCUMENTS

Row = dict[str, Any]


def plain(value: Any) -> Any:
    """A cell as Python's own, None for what is missing."""
    value = value.item() if isinstance(value, np.generic) else value
    return (
        None
        if value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and math.isnan(value))
        else value
    )


def table_rows(table: pd.DataFrame) -> list[Row]:
    return [{str(name): plain(value) for name, value in row.items()} for row in table.to_dict("records")]


def read_part(part: str, path: Path) -> list[Row]:
    if part == "weights":
        return [{"weight": weight} for weight in parse_weights(path.name, path.read_bytes())]
    found = reader_of(part, path)(path, path.parent)
    return [{"word": word, "group": group} for word, group in found.words] if part == "lexicon" else table_rows(found)


def read_study(folder: Path) -> tuple[Any, dict[str, list[Row]]]:
    """What study.toml says, and the rows of every part of the folder."""
    content = read_folder(folder)
    parts = {part: table_rows(table) for part, table in content.tables.items()}
    if content.lexicon is not None:
        parts["lexicon"] = [{"word": word, "group": group} for word, group in content.lexicon.words]
    return content.metadata, parts


def read_parts(folder: Path) -> tuple[dict[str, list[Row]], list[str]]:
    """The rows of every table of the folder, and what is said of its other files."""
    content = read_folder(folder)
    return {part: table_rows(table) for part, table in content.tables.items()}, content.warnings


def read_toml(path: Path) -> Any:
    return read_metadata(path, path.parent)


def unzip(path: Path, below: Path) -> dict[str, bytes]:
    """The files that the zip became, by their paths below the study's folder."""
    folder = read_zip(path, below)
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def import_into_new_study(path: Path, folder: Path) -> list[Any]:
    """The rows of decisions of a fresh study into which the file was imported."""
    shutil.rmtree(folder, ignore_errors=True)
    save_study(small_study(), folder)
    study = open_study_folder(folder)
    import_decisions(study, path)
    return stored_decisions(study)


def small_study() -> Study:
    """Two systems, two queries, five documents with labels, text and judgements."""
    documents = [*DOCUMENTS]
    runs = [
        (system, query, name, rank, 9.0 - rank)
        for system, step in (("one", 1), ("two", -1))
        for query in ("q1", "q2")
        for rank, name in enumerate(documents[::step], start=1)
    ]
    texts = ["she is", "his son", "a tree", "", "her king"]
    return make_study(
        "small",
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
        queries=pd.DataFrame([("q1", "nurse"), ("q2", "king")], columns=["query_id", "text"]),
        documents=pd.DataFrame(zip(documents, texts, strict=True), columns=["doc_id", "text"]),
        labels=pd.DataFrame(
            [(name, "a", label) for name, label in zip(documents, ["female", "male"] * 2, strict=False)],
            columns=["doc_id", "annotator", "label"],
        ),
        qrels=pd.DataFrame(
            [("q1", name, place % 3) for place, name in enumerate(documents)],
            columns=["query_id", "doc_id", "relevance"],
        ),
    )


def vectors_of(path: Path) -> tuple[list[str], np.ndarray]:
    words, numbers, _ = read_vectors(path)
    return words, numbers


def ask(text: str, study: Study) -> tuple[Any, str]:
    """The question, and what it says of itself when its own text is asked again; computed on the study."""
    question = parse(text, 10)
    evaluate(study, [text])
    return question, parse(question.text).text


def settings_from(query: dict[str, list[str]]) -> tuple[Settings, list[str], tuple[Settings, list[str]]]:
    """The settings of an address, the lines on what was ignored, and both once more from their own address."""
    settings, ignored = from_query(query)
    return settings, ignored, from_query(to_query(settings))
