"""Each kind of input handed to the function that people's input reaches, and what the program makes of it held against
the slow readers. All imports of the program stand here.

`judge(path, data)` returns what was lost or changed without a word, or nothing. It raises FairvizError where the
program refused.
"""

import datetime
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import import_decisions
from fairviz.annotation.adjudications import rows_of as stored_decisions
from fairviz.errors import FairvizError as FairvizError
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import from_query, to_query
from fairviz.measures import parse
from fairviz.study.loaders import reader_of
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.folder import read_folder
from fairviz.study.loaders.metadata import read_metadata
from fairviz.study.loaders.weights import parse_weights
from fairviz.study.record import Study
from fairviz.study.study import make_study, open_study_folder, save_study
from fairviz.words.vectors import read_vectors
from tests.fuzz import slow
from tests.fuzz.good import DOCUMENTS
from tests.fuzz.slow import Row, UnreadableError, has_lone_return, text_of
from tests.made import documents_of, labels_of, qrels_of, queries_of, runs_of


def plain(value: Any) -> Any:
    """A cell as Python's own, None for what is missing."""
    value = value.item() if isinstance(value, np.generic) else value
    is_missing = value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and math.isnan(value))
    return None if is_missing else value


def table_rows(table: pd.DataFrame) -> list[Row]:
    return [{str(name): plain(value) for name, value in row.items()} for row in table.to_dict("records")]


def read_part(part: str, path: Path) -> list[Row]:
    if part == "weights":
        return [{"weight": weight} for weight in parse_weights(path.name, path.read_bytes())]
    found = reader_of(part, path)(path, path.parent)
    return [{"word": word, "group": group} for word, group in found.words] if part == "lexicon" else table_rows(found)


def read_study(folder: Path) -> tuple[Any, dict[str, list[Row]], list[str]]:
    """What study.toml says, the rows of every part of the folder, and what is said of its other files."""
    content = read_folder(folder)
    parts = {part: table_rows(table) for part, table in content.tables.items()}
    if content.lexicon is not None:
        parts["lexicon"] = [{"word": word, "group": group} for word, group in content.lexicon.words]
    return content.metadata, parts, content.warnings


def unzip(path: Path, below: Path) -> dict[str, bytes]:
    """The files that the zip became, by their paths below the study's folder."""
    folder = read_zip(path, below)
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@cache
def small_study() -> Study:
    """Two systems, two queries, five documents with labels, text and judgements."""
    lists = {(system, query): DOCUMENTS[::step] for system, step in (("one", 1), ("two", -1)) for query in ("q1", "q2")}
    texts = ("she is", "his son", "a tree", "", "her king")
    return make_study(
        "small",
        runs=runs_of(lists),
        queries=queries_of({"q1": "nurse", "q2": "king"}),
        documents=documents_of(dict(zip(DOCUMENTS, texts, strict=True))),
        labels=labels_of(dict(zip(DOCUMENTS, ["female", "male"] * 2, strict=False)), "a"),
        qrels=qrels_of({"q1": {name: place % 3 for place, name in enumerate(DOCUMENTS)}}),
    )


# --- What the program makes of an input, held against the slow readers


def difference(read: list[Row], expected: list[Row], *, loosely: bool) -> str:
    """The first row that differs, or nothing. loosely: ends of lines inside cells do not count."""
    for number, (one, other) in enumerate(zip(read, expected, strict=False), start=1):
        for name, value in other.items():
            if not _same(one.get(name), value, loosely):
                return f"row {number}, {name}: read {one.get(name)!r:.80}, in the file {value!r:.80}"
    if len(read) != len(expected):
        return f"{len(read)} rows read of {len(expected)}"
    return ""


def _same(one: Any, other: Any, loosely: bool) -> bool:
    one, other = plain(one), plain(other)
    if type(other) is datetime.date:  # pandas has a day as its first moment
        other = datetime.datetime.combine(other, datetime.time())
    if loosely and isinstance(one, str) and isinstance(other, str):
        one, other = (text.replace("\r", "").replace("\n", "") for text in (one, other))
    return bool(one == other)


def against(part: str, suffix: str, data: bytes, read: list[Row]) -> str:
    """What the slow reader holds against the rows that the program read."""
    try:
        expected = slow.readings(part, suffix, data)
    except UnreadableError as refusal:
        return f"{len(read)} rows read, though: {refusal}"
    loosely = not suffix.startswith((".jsonl", ".sgml")) and has_lone_return(slow.unpacked(suffix, data))
    found = [difference(read, rows, loosely=loosely) for rows in expected]
    return "" if "" in found else found[0]


def judge_part(part: str, suffix: str, path: Path, data: bytes) -> str:
    return against(part, suffix, data, read_part(part, path))


def judge_placed(part: str, place: str, suffix: str, path: Path, data: bytes) -> str:
    """A file that lies at this place of a folder: it is read, or named with the reason."""
    folder = path.parent / "study"
    target = folder / place
    target.parent.mkdir(parents=True)
    target.write_bytes(data)
    (folder / "lexicon.csv").write_text("word,group\nshe,female\n", encoding="utf-8")
    _, parts, warnings = read_study(folder)
    if part in parts:
        return against(part, suffix, data, parts[part])
    if not any(line.startswith(f"{place} was not read: ") for line in warnings):
        return f"{place} is neither read nor named: {warnings!r:.200}"
    try:
        slow.readings(part, suffix, data)
    except UnreadableError:
        return ""
    return f"{place} was left out, and can be read"


def judge_toml(path: Path, data: bytes) -> str:
    metadata = read_metadata(path, path.parent)
    try:
        return slow.same_metadata(metadata, slow.toml(data))
    except UnreadableError as refusal:
        return f"read, though: {refusal}"


def judge_zip(path: Path, data: bytes) -> str:
    below = path.parent / "unpacked"
    try:
        read = unzip(path, below)
    except FairvizError:
        left = [file.name for file in below.rglob("*")] if below.exists() else []
        if left:
            return f"refused, and {left[:3]} was left behind"
        raise
    try:
        expected = slow.zipped(data)
    except UnreadableError as refusal:
        return f"{len(read)} files unpacked, though: {refusal}"
    odd = sorted(name for name in {*read, *expected} if read.get(name) != expected.get(name))
    return f"files differ: {odd[:3]!r}" if odd else ""


def judge_study(path: Path, data: bytes) -> str:
    folder = path.parent / "study"
    files = slow.zipped(data)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    metadata, parts, _ = read_study(folder)
    try:
        wrong = slow.same_metadata(metadata, slow.toml(files["study.toml"]))
    except UnreadableError as refusal:
        return f"study.toml was read, though: {refusal}"
    for name in ("queries.tsv", "documents.csv", "labels.csv", "qrels.txt", "lexicon.csv", "runs/one.run"):
        part = name.split("/")[0].split(".")[0]
        wrong = wrong or (f"{part} is missing" if part not in parts else "")
        wrong = wrong or against(part, Path(name).suffix, files[name], parts[part])
    return wrong


def judge_decisions(suffix: str, path: Path, data: bytes) -> str:
    folder = path.parent / "decided"
    save_study(small_study(), folder)
    study = open_study_folder(folder)
    import_decisions(study, path)
    stored = stored_decisions(study)
    if has_lone_return(data):
        return ""
    try:
        return slow.missing_decision(stored, slow.decisions(suffix, text_of(data)))
    except UnreadableError as refusal:
        return f"{len(stored)} decisions imported, though: {refusal}"


def judge_vectors(suffix: str, path: Path, data: bytes) -> str:
    words, numbers, _ = read_vectors(path)
    if suffix != ".bin" and has_lone_return(data):
        return ""
    try:
        return slow.same_vectors(words, numbers, slow.vectors(suffix, data))
    except UnreadableError as refusal:
        return f"{len(words)} vectors read, though: {refusal}"


def judge_fasttext(path: Path, data: bytes) -> str:
    words = read_vectors(path)[0]
    try:
        expected = slow.fasttext_words(data)
    except UnreadableError as refusal:
        return f"{len(words)} vectors read, though: {refusal}"
    odd = sorted({*words} ^ {*expected})
    return f"words differ: {odd[:3]!r}" if odd else ""


def judge_measure(_: Path, data: bytes) -> str:
    text = data.decode("utf-8", "surrogateescape")
    question = parse(text, 10)
    evaluate(small_study(), [text])
    again = parse(question.text).text
    if again != question.text:
        return f"{question.text!r} read again is {again!r}"
    try:
        name, given, cutoff = slow.measure(text)
    except UnreadableError:
        return ""
    if name != question.name or not set(given) <= set(question.parameters):
        return f"{text!r} was read as {question.text!r}"
    if cutoff and cutoff != question.cutoff and name not in slow.TAKES_NO_CUTOFF:
        return f"the cutoff of {text!r} was read as {question.cutoff}"
    return ""


def judge_address(_: Path, data: bytes) -> str:
    query: dict[str, list[str]] = {}
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        name, _, value = line.partition("=")
        query.setdefault(name, []).append(value)
    settings, ignored = from_query(query)
    again = from_query(to_query(settings))
    if again != (settings, []):
        return f"the settings read back from their own address are others: {again[1][:1]}"
    for name, texts in query.items():
        said = any(repr(name[:80]) in line or f"sets {name} to" in line for line in ignored)
        if not said and not _holds(getattr(settings, name, None), texts):
            return f"{name} is {getattr(settings, name, None)!r} and the address says {texts!r}"
    return ""


def _holds(value: Any, texts: list[str]) -> bool:
    if isinstance(value, tuple):
        return [*map(str, value)] == texts or [*value] == [float(text) for text in texts]
    return value == (texts[-1] if isinstance(value, str) else type(value)(texts[-1]))
