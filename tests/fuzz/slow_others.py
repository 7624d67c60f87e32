"""What is no table of a study, read slowly: word vectors, zips, study.toml, decisions, measures, addresses."""

import io
import re
import struct
import tomllib
import zipfile
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from tests.fuzz.slow_tables import GUARDED, Row, UnreadableError, group_of, need, rows_of, text_of

Vectors = dict[str, list[float]]
TOML_TEXTS = ("title", "description", "licence", "citation", "neutral", "protected", "lexicon", "labels", "annotator")
TOML_SOURCES = ("queries", "documents", "qrels")
TOML_LISTS = ("groups", "notices", "systems")
IGNORED = {"__MACOSX", ".DS_Store", "Thumbs.db"}
ROW = ("mark", "time", "doc_id", "action", "label", "reason", "author")
FORMULA = tuple("=+-@\t\r'")
TAKES_NO_CUTOFF = (
    "Rprec", "RPrec", "Bpref", "BPref", "infAP", "SetF", "SetP", "SetRelP", "SetR", "SetAP", "NumRet", "NumRelRet",
    "NumQ", "NumRel", "IPrec", "Compat",
)  # fmt: skip


def vectors(suffix: str, data: bytes) -> Vectors:
    """Words and their numbers; of two equal words the first counts."""
    first, _, rest = data.partition(b"\n")
    head = first.split()
    if len(head) == 2 and all(part.isdigit() for part in head):
        count, width = int(head[0]), int(head[1])
        found = _binary(rest, count, width) if suffix == ".bin" else _lines(rest, width)
        need(len(found) == count, f"{count} words are spoken of and {len(found)} are there")
    else:
        need(suffix != ".bin", "no header")
        found = _lines(data, len(first.split(b" ")) - 1)
    kept: Vectors = {}
    for word, numbers in found:
        kept.setdefault(word, numbers)
    return kept


def _lines(data: bytes, width: int) -> list[tuple[str, list[float]]]:
    found = []
    for line in text_of(data).split("\n"):
        word, *numbers = line.rstrip().split(" ")
        if not word and not numbers:
            continue
        try:
            row = [float(number) for number in numbers]  # Python's, which knows the digits of every script
        except ValueError as error:
            raise UnreadableError("a word and what is no number") from error
        need(len(row) == width, f"{len(row)} numbers, not {width}")
        found.append((word, row))
    return found


def _binary(data: bytes, count: int, width: int) -> list[tuple[str, list[float]]]:
    found = []
    for _ in range(count):
        word, blank, data = data.partition(b" ")
        need(blank != b"" and len(data) >= 4 * width, "cut off")
        numbers, data = data[: 4 * width], data[4 * width :]
        try:
            found.append((word.lstrip(b"\n").decode("utf-8"), list(struct.unpack(f"<{width}f", numbers))))
        except UnicodeDecodeError as error:
            raise UnreadableError("a word that is not UTF-8") from error
    need(not data.strip(), "more than the header speaks of")
    return found


def fasttext_words(data: bytes) -> list[str]:
    """The vocabulary of a fastText model: a header of 64 bytes, the dictionary's counts, then each word."""
    magic, *about = struct.unpack_from("<14i", data) if len(data) > 92 else (0,)
    need(magic == 793712314, "no fastText file")
    count, width, place, found = struct.unpack_from("<i", data, 64)[0], about[1], 64 + 28, []
    for _ in range(count):
        end = data.find(b"\0", place)
        need(0 <= end <= len(data) - 10, "cut off in its words")
        found.append(data[place:end].decode("utf-8", "backslashreplace"))
        place = end + 10
    rows, columns = struct.unpack_from("<qq", data, place + 1) if len(data) >= place + 17 else (0, 0)
    is_whole = rows >= count and columns == width and len(data) >= place + 17 + 4 * rows * columns
    need(is_whole, "cut off in its numbers")
    return found


def same_vectors(words: list[str], numbers: np.ndarray, expected: Vectors) -> str:
    """What differs between the program's vectors and the slow ones, or nothing."""
    kept: dict[str, np.ndarray] = {}
    for word, vector in zip(words, numbers, strict=True):
        kept.setdefault(word, vector)
    if list(kept) != list(expected):
        odd = sorted(set(kept) ^ set(expected))
        return f"words differ: {odd[:3]!r} ({len(kept)} read, {len(expected)} there)"
    for word, vector in kept.items():
        with np.errstate(over="ignore"):
            wanted = np.array(expected[word], dtype=np.float32)
        if vector.shape != wanted.shape or not np.allclose(vector, wanted, rtol=1e-5, atol=0, equal_nan=True):
            return f"the vector of {word!r} differs: {vector[:3]} and {wanted[:3]}"
    return ""


def toml(data: bytes) -> Row:
    """What a study.toml sets; a key that there is not refuses it. In a file without any other end of a line, a
    carriage return is one."""
    text = text_of(data).replace("\r\n", "\n")
    try:
        found = tomllib.loads(text if "\n" in text else text.replace("\r", "\n"))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise UnreadableError("no TOML") from error
    unknown = set(found) - {*TOML_TEXTS, *TOML_SOURCES, *TOML_LISTS, "targets", "annotators"}
    need(not unknown, f"unknown {unknown}")
    return found


def same_metadata(metadata: Any, expected: Row) -> str:
    for key, value in expected.items():
        if key in TOML_SOURCES:
            read = metadata.sources.get(key)
        elif key == "annotators":
            read = {name: {"kind": kind, "description": about} for name, (kind, about) in metadata.annotators.items()}
            value = {name: {"kind": "", "description": ""} | entry for name, entry in value.items()}
        else:
            read = getattr(metadata, key)
        read = list(read) if isinstance(read, tuple) else read
        if (read.strip() if isinstance(read, str) else read) != (value.strip() if isinstance(value, str) else value):
            return f"{key} is {read!r} and the file says {value!r}"
    return ""


def zipped(data: bytes) -> dict[str, bytes]:
    """The files of a zipped study by their paths, below the one folder that holds them all if there is one."""
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                parts = PurePosixPath(member.filename.replace("\\", "/")).parts
                if member.is_dir() or IGNORED & set(parts):
                    continue
                name = "/".join(parts)
                is_safe = bool(parts) and parts[0] != "/" and ".." not in parts
                need(is_safe and name not in found, f"a member {member.filename!r}")
                found[name] = archive.read(member)
    except UnreadableError:
        raise
    except Exception as error:  # whatever a spoilt zip raises, it cannot be read
        raise UnreadableError(f"no zip: {error}") from error
    tops = {name.split("/")[0] for name in found}
    if len(tops) == 1 and tops != {"runs"} and all("/" in name for name in found):
        return {name.split("/", 1)[1]: content for name, content in found.items()}
    return found


def decisions(suffix: str, text: str) -> list[Row]:
    """The rows of decisions that a file holds, cells as text."""
    made = []
    first = text.splitlines()[0] if text.strip() else ""
    older = suffix == ".csv" and not first.strip().strip('"').endswith(GUARDED)
    for row in rows_of("decisions", suffix, text):
        need({"doc_id", "label"} <= set(row), "a column is missing")
        cells = {name: _cell(value, older and "mark" in row) for name, value in row.items()}
        if cells.get("annotator", "adjudicated") != "adjudicated":
            continue
        row = {name: cells.get(name, "") for name in ROW}
        row |= {name: cleaned(row[name]) for name in ROW if name != "doc_id"}
        need(row["action"] in ("", "decide", "undo") and row["doc_id"] != "", "no action or no document")
        row["action"] = row["action"] or "decide"
        row["label"] = row["label"] if row["action"] == "undo" else group_of(row["label"])
        row["time"] = moment(row["time"]) if row["time"] else ""
        made.append(row)
    return made


def cleaned(text: str) -> str:
    """As the database keeps a text: without zero bytes, carriage returns and blanks around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def _cell(value: Any, guarded: bool) -> str:
    """As text; guarded: without the apostrophe that earlier versions put in front, in a file that does not say so."""
    if value is None:
        return ""
    return value[1:] if guarded and value.startswith("'") and value[1:].startswith(FORMULA) else str(value)


def moment(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
    except (ValueError, OverflowError) as error:
        raise UnreadableError(f"no time: {text!r}") from error


def missing_decision(stored: list[Any], expected: list[Row]) -> str:
    """The first decision of the file that the database does not hold, or nothing."""
    marked: dict[str, Row] = {}
    loose: dict[str, Row] = {}
    for row in expected:
        if row["mark"]:
            marked.setdefault(row["mark"], row)
        else:
            loose[row["doc_id"]] = row
    by_mark = {row.mark: row for row in stored}
    for mark, row in marked.items():
        found = by_mark.get(mark)
        if found is None or any(row[name] not in ("", getattr(found, name)) for name in ROW):
            return f"the file holds {row!r} and the database {found!r}"
    for name, row in loose.items():
        if not any(found.doc_id == name and found.label == row["label"] for found in stored):
            return f"the decision {row!r} is not in the database"
    if len(stored) > len(marked) + len(loose):
        return f"{len(stored)} rows in the database of {len(marked) + len(loose)} in the file"
    return ""


def measure(text: str) -> tuple[str, dict[str, str], int | None]:
    """Name, parameters as written, and cutoff of a measure's text."""
    match = re.fullmatch(r"([A-Za-z_0-9]+)([^@]*?)(?:@(.*))?", text.strip(), re.DOTALL) if "'" not in text else None
    if match is None or len(text) > 1000 or {'"', "#"} & {*text}:
        raise UnreadableError("only simple texts are judged")
    inside = match[2].strip()
    parts = inside[1:-1].split(",") if len(inside) > 1 and inside[0] + inside[-1] == "()" else None
    need(not (parts is None and inside) and not {*"()[]{}"} & {*inside[1:-1]}, "brackets in brackets")
    pairs = [part.partition("=") for part in parts or () if part.strip()]
    given = {name.strip(): value.strip() for name, _, value in pairs}
    need(len(given) == len(pairs), "a name twice")
    at = (match[3] or "").strip()
    return match[1], given, int(at) if at.isascii() and at.isdigit() and len(at) < 7 else None
