"""Kinds of files that people put into a study and that are none of its parts: recognised by their first bytes, named as
what they are, each with one step that makes the file readable.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from fairviz.errors import DataError, problem

HEAD = 1 << 16  # bytes of a file that are looked at
VALUES = "a file of values by trec_eval, without its lists"
FAIR_RUN = "a run of TREC Fair Ranking (id, page_id)"
_WHOLE = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_FAIR_COLUMNS = {"id", "page_id", "seq_no", "rank"}
_UNPACK = "Unpack it into the study's folder; one of runs may stay in the folder runs."
Lines = list[list[str]]


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
