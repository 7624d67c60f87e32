"""Files opened: their bytes, unpacked and checked; every failure becomes one line."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path

from fairviz.errors import DataError, FairvizError, display_path, notice, parsing, problem
from fairviz.files import EndlessError, check_regular
from fairviz.study.loaders.archive import packing_of, read_members, unpack
from fairviz.study.loaders.hashes import read_and_hash

MOST_BYTES = 16 * 1024**3  # of a whole file, unpacked
FREE_BYTES = 256 * 1024**2  # that any compressed file may unpack to
MOST_RATIO = 100
MOST_COLUMNS = 1000  # of any table
AS_UTF8 = "Save the file as UTF-8 text."
CHECK = "Check that it is there and that you may read it."
BOM = b"\xef\xbb\xbf"
_BOMS = re.compile(b"(?:%s)*+" % BOM)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TOOLS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


HEAD = 1 << 16  # bytes of a file that are looked at
VALUES = "a file of values by trec_eval, without its lists"
FAIR_RUN = "a run of TREC Fair Ranking (id, page_id)"
_WHOLE = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_FAIR_COLUMNS = {"id", "page_id", "seq_no", "rank"}
_UNPACK = "Unpack it into the study's folder; one of runs may stay in the folder runs."
Lines = list[list[str]]


MOST_MEMBERS = 1_000
MOST_CELLS = 50_000_000
MOST_WIDE = 1_000  # columns
_AS_CSV = "Save the sheet as CSV (UTF-8)."


def most_unpacked(packed: int) -> int:
    """Return the most bytes that a compressed file of this size may unpack to."""
    return min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * packed))


def check_file(path: str | Path, root: str | Path | None = None, most: int = MOST_BYTES) -> None:
    """Raise DataError for a pipe or a device, which may never end, and for a file too large to be read."""
    file = display_path(path, root)
    with _reading(file):
        status = check_regular(path)
    if status.st_size > most:
        limit_text = f"{most / 1024**3:.0f} GB" if most >= 1024**3 else f"{most / 1024**2:.0f} MB"
        raise problem(file, f"the file holds more than {limit_text}", "Keep the part of it that is needed.")


@contextmanager
def _reading(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        remedy = "Put the file itself in its place." if isinstance(error, EndlessError) else CHECK
        raise problem(file, f"the file cannot be read ({error.strerror})", remedy) from error
    except ValueError as error:
        raise problem(file, "the file cannot be read (its name holds a zero byte)", CHECK) from error


def read_raw(path: str | Path, root: str | Path | None = None, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file unchanged. Raises DataError for an unreadable, too large or empty file."""
    file = display_path(path, root)
    check_file(path, root, most)
    with _reading(file):
        data = read_and_hash(Path(path))
    if not data:
        raise _empty(file)
    return data


@dataclass(frozen=True)
class Source:
    """The content of a file; `file`: its name for errors; `ending`: its last one, without one of compression: .parquet
    for any Parquet file, .csv for a workbook, whose first sheet is the text; `most_bytes`: the limit for its content,
    unpacked.
    """

    file: str
    ending: str
    data: bytes
    most_bytes: int


def open_source(path: str | Path, root: str | Path | None = None) -> Source:
    """Return a file's text, without a byte-order mark, or the bytes of a Parquet file. What it is unpacked by, and
    whether it is Parquet or a workbook, show its first bytes, whatever its name.

    Raises DataError for an unreadable or empty file, for a truncated one, and for one that is no text.
    """
    return source_of(read_raw(path, root), display_path(path, root))


def source_of(data: bytes, file: str) -> Source:
    """Return the source in the bytes of a file: see `open_source`."""
    packing, most_bytes = packing_of(file, data), most_unpacked(len(data))
    name = Path(file)
    ending = Path(name.stem if name.suffix.lower() == packing else name.name).suffix.lower()
    if packing:
        data = _unpack_whole(data, file, packing, most_bytes)
    if ending == ".parquet" or data.startswith(b"PAR1"):
        return Source(file, ".parquet", data, most_bytes)
    if ending == ".xlsx" or is_workbook(data):
        text, sheet = sheet_as_csv(data, file, most_bytes)
        notice(f"{file}: the first sheet, {sheet!r}, was read.")
        return Source(file, ".csv", _text_of(text, file), most_bytes)
    return Source(file, ending, _text_of(data, file), most_bytes)


def _unpack_whole(data: bytes, file: str, ending: str, most_bytes: int) -> bytes:
    """Return the unpacked bytes; memory never exceeds the limit, as bytes are counted on the way."""
    content = io.BytesIO()
    with unpacking(file, ending):
        for piece in unpack(io.BytesIO(data), ending):
            if content.tell() + len(piece) > most_bytes:
                raise problem(
                    file, "the file unpacks out of all proportion", "Unpack it yourself, and look at what it holds."
                )
            content.write(piece)
    return content.getvalue()


def read_bytes(path: str | Path, root: str | Path | None = None) -> bytes:
    """Return the content of a text file: see `open_source`."""
    return open_source(path, root).data


def _text_of(data: bytes, file: str) -> bytes:
    """Return the text in these bytes. Raises DataError for an empty or obviously binary one."""
    marks = _BOMS.match(data)
    data = data[marks.end() :] if marks else data
    if data.startswith(_UTF16):
        raise problem(file, "the file is UTF-16 text, not UTF-8", AS_UTF8)
    if b"\0" in data:
        place = data.index(b"\0")
        error = problem(file, f"the file is not text (a zero byte at position {place + 1:,})", AS_UTF8)
        raise refusal(file, data) or error
    if not data[:1000].strip() and not data.strip():
        raise _empty(file)
    return data


def _empty(file: str) -> DataError:
    return problem(file, "the file is empty", "Remove it, or fill it.")


@contextmanager
def unpacking(file: str, ending: str) -> Iterator[None]:
    """Convert errors of reading a file compressed as `ending` inside the block into one DataError."""
    tool = _TOOLS[ending]
    unsound = f"the file is named {ending} and is not a sound {tool} file"
    remedy = f"Compress it again with {tool}, or remove {ending} from its name if it is not compressed."
    if Path(file).suffix.lower() != ending:
        unsound, remedy = f"the file begins as {tool} does, and is not sound", "Copy or download it again."
    with parsing(file, unsound, remedy):
        try:
            yield
        except EOFError as error:
            remedy = f"Copy or download it again; `{tool} -t` checks whether it is complete."
            raise problem(file, "the compressed file is cut off", remedy) from error


# --- Kinds of files that people put into a study and that are none of its parts: recognised by their first bytes,
# named as what they are, each with one step that makes the file readable.


@dataclass(frozen=True)
class Kind:
    """A kind of file. name: completes "this is …". step: makes the file readable; `{file}` is its name. fits: whether
    the first bytes of a file, and the columns of its first lines, are of the kind.
    """

    name: str
    step: str
    fits: Callable[[bytes, Lines], bool]


def _begins(*starts: bytes) -> Callable[[bytes, Lines], bool]:
    return lambda data, _: data.lstrip().startswith(starts)


def _widths(lines: Lines, width: int) -> bool:
    return bool(lines) and all(len(line) == width for line in lines)


def _is_track_run(_: bytes, lines: Lines) -> bool:
    """TREC Fair Ranking: its header; or whole numbers in two columns, or in three of which two repeat."""
    if lines and {*lines[0]} <= _FAIR_COLUMNS and {"id", "page_id"} <= {*lines[0]}:
        return True
    if not all(_WHOLE.fullmatch(cell) for line in lines for cell in line):
        return False
    sequences = {tuple(line[:2]) for line in lines}
    if not _widths(lines, 3):
        return _widths(lines, 2)
    are_ranks = [int(line[2]) for line in lines] == [*range(1, len(lines) + 1)]
    return not are_ranks and len(sequences) < len({tuple(line) for line in lines})


def _is_of_subtopics(_: bytes, lines: Lines) -> bool:
    if not _widths(lines, 4) or not all(_WHOLE.fullmatch(line[1]) and _NUMBER.fullmatch(line[3]) for line in lines):
        return False
    return len({line[1] for line in lines}) > 1


def _is_of_preferences(_: bytes, lines: Lines) -> bool:
    return _widths(lines, 5) and all(_NUMBER.fullmatch(line[4]) and not _NUMBER.fullmatch(line[3]) for line in lines)


def _is_of_triples(_: bytes, lines: Lines) -> bool:
    """Query, better and worse document."""
    if not _widths(lines, 3) or any(line[1].upper() == "Q0" or line[1] == "0" for line in lines):
        return False
    prefixes = {re.match(r"[A-Za-z_-]*", cell)[0] for line in lines for cell in line[1:]}  # type: ignore[index]
    return len(prefixes) == 1 and prefixes != {""} and not any(_NUMBER.fullmatch(line[2]) for line in lines)


def _is_of_values(_: bytes, lines: Lines) -> bool:
    """Values of trec_eval: `map all 0.35`."""
    named = [line for line in lines if len(line) == 3 and not _NUMBER.fullmatch(line[0])]
    return bool(lines) and len(named) == len(lines) and any(line[0] in ("map", "num_q", "runid") for line in lines)


KINDS = (
    Kind("a pointer of Git LFS, not the file itself", "Run: git lfs pull", _begins(b"version https://git-lfs")),
    Kind("a web page, not the file itself", "Download the raw file that the page shows.",
         lambda data, _: data.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))),
    Kind("a workbook of old Excel (.xls)", "Save it as .xlsx, or its sheet as CSV.", _begins(b"\xd0\xcf\x11\xe0")),
    Kind("an OpenDocument sheet (.ods)", "Save it as .xlsx, or its sheet as CSV.",
         lambda data, _: data.startswith(b"PK") and b"mimetypeapplication/vnd.oasis" in data[:200]),
    Kind("an lz4 file of ranx", "Write it as JSON: ranx.Run.from_file('{file}').save('NAME.json'), or Qrels for Run.",
         lambda data, _: data.startswith(b"\x04\x22\x4d\x18")),
    Kind("a pickle of Python", "Write its table as Parquet: pandas.read_pickle('{file}').to_parquet('NAME.parquet').",
         lambda data, _: data[:1] == b"\x80" and data[1:2] in (b"\2", b"\3", b"\4", b"\5")),
    Kind("a file of NumPy arrays", "Write its ids and numbers as CSV.", _begins(b"\x93NUMPY")),
    Kind("an HDF5 file", "Write its table as CSV or Parquet.", _begins(b"\x89HDF")),
    Kind("an SQLite database", "Export the table as CSV.", _begins(b"SQLite format 3")),
    Kind("a PDF", "Copy its table into a CSV file.", _begins(b"%PDF-")),
    Kind("a zip archive", _UNPACK, _begins(b"PK\3\4")),
    Kind("a tar archive", _UNPACK,
         lambda data, _: data[257:262] == b"ustar"),
    Kind("a file of scores by MTEB, without its lists",
         "Write the lists: mteb.evaluate(…, prediction_folder=FOLDER).",
         lambda data, _: data.lstrip()[:1] == b"{" and b'"mteb_version"' in data and b'"scores"' in data),
    Kind("features for learning to rank (SVMlight)",
         "Write its labels as query_id 0 doc_id relevance into qrels.txt; the ids stand behind #.",
         lambda data, _: bool(re.match(rb"\S+ +qid:\S+ +[0-9]+:", data.lstrip()))),
    Kind(VALUES, "Put the run itself into the folder runs.", _is_of_values),
    Kind(FAIR_RUN,
         "Run: fairviz trec-fair FOLDER --topics FILE --runs {file} --attributes FILE", _is_track_run),
    Kind("judgements by subtopic (query, subtopic, document, relevance)",
         "Keep the highest of a document: sort -k1,1 -k3,3 -k4,4nr {file} | awk '!n[$1,$3]++ {{print $1, 0, $3, $4}}'",
         _is_of_subtopics),
    Kind("preference judgements (query, group, subtopic, document, level)",
         "Keep one grade of each document: awk '!n[$1,$4]++ {{print $1, 0, $4, $5}}' {file}", _is_of_preferences),
    Kind("pairs of documents by preference (query, better, worse)",
         "Give graded judgements, a line each: query_id 0 doc_id relevance.", _is_of_triples),
)  # fmt: skip


def recognise(data: bytes) -> Kind | None:
    """Return the kind of a file that begins with this data, unpacked; None for one that is not known."""
    head = data[:HEAD]
    lines = head.decode("utf-8", "replace").splitlines()
    if len(data) > HEAD:
        lines = lines[:-1]
    columns = [fields for line in lines if (fields := line.split()) and not line.startswith("#")]
    return next((kind for kind in KINDS if kind.fits(head, columns)), None)


def refusal(file: str, data: bytes, only: str = "") -> DataError | None:
    """Return the error for a file of a known kind in the place of a part; None for another file. only: the kind."""
    kind = recognise(data)
    if kind is None or only not in ("", kind.name):
        return None
    return problem(file, f"this is {kind.name}", kind.step.format(file=file))


# --- Workbooks (.xlsx) as CSV text: their first sheet, so that every reader of CSV reads workbooks.


def is_workbook(data: bytes) -> bool:
    """Return whether these are the bytes of a workbook: a zip with the parts of one."""
    return data.startswith(b"PK\3\4") and b"xl/workbook" in data


def sheet_as_csv(data: bytes, file: str, most_bytes: int) -> tuple[bytes, str]:
    """Return the first sheet of a workbook as CSV, and its name. Formulas are their stored values, and numbers are
    written as the sheet stores them. Raises DataError for a damaged or far too large one, and for entities of XML.
    """
    _check(data, file, most_bytes)
    from openpyxl import load_workbook

    lines, width, cells = [], 0, 0
    with parsing(file, "the file is not a sound workbook", _AS_CSV):
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()
        for row in sheet.iter_rows(values_only=True):
            texts = [_text(value) for value in row]
            while texts and not texts[-1]:
                texts.pop()
            width, cells = max(width, len(texts)), cells + len(texts) + 1
            if len(texts) > MOST_WIDE or cells > MOST_CELLS:
                raise problem(file, f"the sheet holds more than {MOST_WIDE:,} columns or {MOST_CELLS:,} cells", _AS_CSV)
            lines.append(texts)
        book.close()
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(
        [*texts, *[""] * (width - len(texts))] if texts else [] for texts in lines
    )
    return stream.getvalue().encode(), sheet.title


def _check(data: bytes, file: str, most_bytes: int) -> None:
    """Raise DataError for what is no workbook, or one that unpacks out of all proportion or defines entities."""
    if not zipfile.is_zipfile(io.BytesIO(data)) or not is_workbook(data):
        raise refusal(file, data) or problem(file, "the file is not a sound workbook", _AS_CSV)
    try:
        members = read_members(data, most_bytes, MOST_MEMBERS)
    except FairvizError as error:
        raise problem(file, f"the workbook cannot be unpacked ({error.message})", _AS_CSV) from error
    if any(b"<!DOCTYPE" in content or b"<!ENTITY" in content for content in members.values()):
        raise problem(file, "the workbook defines entities of XML, which no workbook needs", _AS_CSV)


def _text(value: object) -> str:
    """Return a cell as text: 10.0 is 10, a date is written as 2024-01-30."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    return value.isoformat() if isinstance(value, (date, time)) else str(value)
