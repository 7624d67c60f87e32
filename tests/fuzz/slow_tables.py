"""The parts of a study read slowly, after what the README says a file of each holds."""

import io
import math
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from tests.fuzz import slow_sgml
from tests.fuzz.slow_packing import plain_suffix, unpacked
from tests.fuzz.slow_text import NUMBER, WHOLE, Row, UnreadableError, cells_of, json_rows, lines_of, named_rows, text_of

GROUPS = ("neutral", "female", "male")
COLUMN_WORDS = {
    "id", "_id", "qid", "q_id", "query_id", "did", "docid", "doc_id", "pid", "text", "query", "title", "document",
    "passage", "label", "annotator", "word", "group", "gender_bias", "content_gender", "d_id",
}  # fmt: skip
UNNAMED_TSV = {"queries": ["query_id", "text"], "documents": ["doc_id", "text"]}  # as MS MARCO has them
GUARDED = "guarded_by_apostrophe"
IDS = {"queries": "query_id", "documents": "doc_id", "labels": "doc_id", "decisions": "doc_id"}


OTHER_NAMES = {  # of BEIR, Grep-BiasIR and MSMGenderBias: read where the column's own name is absent
    "queries": [("_id", "query_id"), ("q_id", "query_id"), ("query", "text")],
    "documents": [("_id", "doc_id"), ("d_id", "doc_id"), ("document", "text"), ("doc_title", "title")],
    "labels": [("d_id", "doc_id"), ("gender_bias", "label"), ("content_gender", "label")],
}


def rows_of(part: str, suffix: str, source: str | bytes) -> list[Row]:
    """The rows of a file of this ending; `source` is its text, or the bytes of a Parquet file."""
    if isinstance(source, bytes):
        rows = parquet_rows(source)
    elif suffix == ".jsonl":
        rows = json_rows(source)
    else:
        return csv_rows(part, source) if suffix == ".csv" else tsv_rows(part, source)
    names = list(dict.fromkeys(name for row in rows for name in row))
    own = dict(zip(names, _own(names, part), strict=True))
    return [{own[name]: value for name, value in row.items()} for row in rows]


def _moment(value: Any) -> Any:
    """A day as the moment at which it begins, which is how it is read."""
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    return datetime(value.year, value.month, value.day) if is_day else value


def _own(names: list[str], part: str) -> list[str]:
    """The columns under their own names, the first of a name alone."""
    found = [*names]
    for other, own in OTHER_NAMES.get(part, []):
        if own not in found and other in found:
            found[found.index(other)] = own
    return found


def parquet_rows(data: bytes) -> list[Row]:
    from pyarrow import parquet

    table = parquet.ParquetFile(io.BytesIO(data)).read()
    if len(set(table.column_names)) < len(table.column_names):
        raise UnreadableError("two columns of one name")
    columns = [[_moment(value) for value in column.to_pylist()] for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _names(cells: list[str], part: str) -> list[str]:
    plain = [cell.strip().strip('"') for cell in cells]
    if any(name and plain.count(name) > 1 for name in plain):
        raise UnreadableError("two columns of one name")
    return [name or f"column_{place}" for place, name in enumerate(_own(plain, part), start=1)]


def csv_rows(part: str, text: str) -> list[Row]:
    """A file whose last column is called `guarded_by_apostrophe` has one apostrophe too many before some cells."""
    names, *rows = cells_of(text, ",")
    if names[-1].strip().strip('"') != GUARDED:
        return named_rows(_names(names, part), rows)
    if any(len(row) == len(names) and row[-1] != "yes" for row in rows):
        raise UnreadableError("a row that does not say that it is guarded")
    plain = [name.strip().strip('"').removeprefix("'") for name in names[:-1]]
    found = named_rows([*_names(plain, part), "the mark"], ([cell.removeprefix("'") for cell in row] for row in rows))
    return [{name: cell for name, cell in row.items() if name != "the mark"} for row in found]


def tsv_rows(part: str, text: str) -> list[Row]:
    """Quotes are letters, save around a whole cell under a header, and where the file makes no sense without them."""
    rows = [line.split("\t") for line in lines_of(text)]
    unnamed = UNNAMED_TSV.get(part, [])
    if len(rows[0]) == len(unnamed) and not COLUMN_WORDS & {cell.strip().strip('"').lower() for cell in rows[0]}:
        return named_rows(unnamed, rows)
    if '"' in text and any(len(row) != len(rows[0]) for row in rows):
        rows = cells_of(text, "\t")
        return named_rows(_names(rows[0], part), rows[1:])
    return named_rows(_names(rows[0], part), ([_bare(cell) for cell in row] for row in rows[1:]))


def _bare(cell: str) -> str:
    inner = cell[1:-1]
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if whole else cell


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UnreadableError(f"no id: {value!r}")
    return str(value)


def _text(value: Any, *, missing: bool) -> Any:
    if not isinstance(value, str) and not (missing and value is None):
        raise UnreadableError(f"no text: {value!r}")
    return value


def _need(rows: list[Row], *names: str) -> None:
    if rows and not set(names) <= set(rows[0]):
        raise UnreadableError(f"a column of {names} is missing")


def _each_once(rows: list[Row], *names: str) -> None:
    keys = [tuple(row[name] for name in names) for row in rows]
    if len(set(keys)) < len(keys):
        raise UnreadableError("a key twice")


def queries(suffix: str, source: str | bytes) -> list[Row]:
    rows = slow_sgml.topics(str(source)) if suffix == ".sgml" else rows_of("queries", suffix, source)
    _need(rows, "query_id", "text")
    rows = [row | {"query_id": _id(row["query_id"]), "text": _text(row["text"], missing=False)} for row in rows]
    _each_once(rows, "query_id")
    return rows


def documents(suffix: str, source: str | bytes) -> list[Row]:
    rows = slow_sgml.documents(str(source)) if suffix == ".sgml" else rows_of("documents", suffix, source)
    _need(rows, "doc_id", "text")
    rows = [row | {"doc_id": _id(row["doc_id"]), "text": _text(row["text"], missing=True)} for row in rows]
    rows = [row | {"title": _text(row.get("title"), missing=True) or ""} for row in rows]
    _each_once(rows, "doc_id")
    return rows


def group_of(label: str) -> str:
    plain = label.strip().lower()
    for group in GROUPS:
        if plain == group or (plain and plain == group[0]):
            return group
    raise UnreadableError(f"no group: {label!r}")


def labels(suffix: str, source: str | bytes) -> list[Row]:
    """A row that says again what an earlier one said counts once."""
    rows = rows_of("labels", suffix, source)
    _need(rows, "doc_id", "label")
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        made = row | {"doc_id": _id(row["doc_id"]), "annotator": _id(row.get("annotator", "annotator"))}
        made["label"] = group_of(_id(row["label"]))
        if "test_label" in row:
            made["test_label"] = group_of(row["test_label"]) if row["test_label"] else ""
        earlier = kept.setdefault((made["doc_id"], made["annotator"]), made)
        if earlier["label"] != made["label"]:
            raise UnreadableError("two labels of one annotator for one document")
    return list(kept.values())


def columns_of(text: str, width: int) -> list[list[str]]:
    """Columns between blanks, as TREC writes them."""
    rows = [line.replace("\t", " ").strip(" ").split(" ") for line in lines_of(text)]
    rows = [[cell for cell in row if cell] for row in rows]
    if any(len(row) != width for row in rows):
        raise UnreadableError(f"a line without {width} columns")
    return rows


def _whole(cell: str) -> int:
    if not WHOLE.fullmatch(cell) or len(cell) > 20 or not -(2**31) <= int(cell) < 2**31:
        raise UnreadableError(f"no whole number: {cell[:40]!r}")
    return int(cell)


def _is_whole(cell: str) -> bool:
    try:
        _whole(cell)
    except UnreadableError:
        return False
    return True


def _number(cell: str) -> float:
    if not NUMBER.fullmatch(cell) or not math.isfinite(float(cell)):
        raise UnreadableError(f"no number: {cell[:40]!r}")
    return float(cell)


def runs(_: str, source: str) -> list[Row]:
    first = lines_of(source)[0].replace("\t", " ").split()
    if len(first) == 3 and first[1].upper() != "Q0" and _is_whole(first[2]):
        rows = [{"query_id": q, "doc_id": d, "rank": _whole(rank)} for q, d, rank in columns_of(source, 3)]
        _each_once(rows, "query_id", "doc_id")
        return [row | {"score": -float(row["rank"])} for row in rows]
    found = columns_of(source, 6)
    if len({row[5] for row in found}) > 1:
        raise UnreadableError("two tags")
    rows = [
        {"query_id": q, "doc_id": d, "rank": _whole(rank), "score": _number(score)} for q, _, d, rank, score, _ in found
    ]
    _each_once(rows, "query_id", "doc_id")
    return rows


def qrels(_: str, source: str) -> list[Row]:
    first, _, rest = source.partition("\n")
    beir = first.rstrip("\r").split("\t") == ["query-id", "corpus-id", "score"]
    found = columns_of(rest if beir else source, 3 if beir else 4)
    rows = [{"query_id": row[0], "doc_id": row[-2], "relevance": _whole(row[-1])} for row in found]
    _each_once(rows, "query_id", "doc_id")
    return rows


def lexicon(_: str, source: str) -> list[Row]:
    found: dict[str, str] = {}
    for place, line in enumerate(lines_of(source)):
        cells = [cell.strip() for cell in cells_of(line, ",\t")[0]]
        if place == 0 and [cell.lower() for cell in cells] in (["word", "group"], ["word", "gender"]):
            continue
        if len(cells) != 2 or not cells[0]:
            raise UnreadableError("no word and group")
        if found.setdefault(cells[0].lower(), group_of(cells[1])) != group_of(cells[1]):
            raise UnreadableError("a word in two groups")
    return [{"word": word, "group": group} for word, group in found.items()]


def weights(_: str, source: str) -> list[Row]:
    found: dict[int, float] = {}
    for place, line in enumerate(lines_of(source)):
        cells = cells_of(line, ",\t")[0]
        if place == 0 and [cell.strip().lower() for cell in cells] == ["rank", "weight"]:
            continue
        if len(cells) != 2:
            raise UnreadableError("not two columns")
        rank, weight = _whole(cells[0].strip()), _number(cells[1].strip())
        if not 1 <= rank <= 1000 or rank in found or weight < 0:
            raise UnreadableError("a rank or weight that is none")
        found[rank] = weight
    if not any(found.values()):
        raise UnreadableError("no weight above 0")
    return [{"weight": found.get(rank, 0.0)} for rank in range(1, max(found) + 1)]


READERS: dict[str, Callable[[str, Any], list[Row]]] = {
    "queries": queries,
    "documents": documents,
    "labels": labels,
    "runs": runs,
    "qrels": qrels,
    "lexicon": lexicon,
    "weights": weights,
}


def readings(part: str, suffix: str, data: bytes) -> list[list[Row]]:
    """Every way in which the file may be read; raises UnreadableError where there is none."""
    from tests.fuzz.slow_text import line_ends

    if suffix == ".parquet":
        return [READERS[part](suffix, data)]
    plain, found, refusals = plain_suffix(suffix), [], []
    for text in line_ends(text_of(unpacked(suffix, data))):
        try:
            found.append(READERS[part](plain, text))
        except UnreadableError as refusal:
            refusals.append(refusal)
    if not found:
        raise refusals[0]
    return found
