"""The parts of a collection: its files, large plain ones in pieces, in an order that every machine finds."""

import glob
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from fairviz.errors import UsageError, parsing, problem
from fairviz.files import check_regular, open_regular, parse_json
from fairviz.study.loaders.collection import line_blocks
from fairviz.study.loaders.packing import packed_names, packing_of, plain_name
from fairviz.study.loaders.source import BOM, CHECK

PIECE = 1 << 25  # bytes of a plain file in one part
BATCH = 20_000  # documents at a time
TSV, JSON, PARQUET = packed_names(".tsv", ".txt"), packed_names(".jsonl", ".json"), (".parquet",)
IDS = ("doc_id", "docid", "docno", "_id", "id", "pid")
TEXTS = ("text", "contents", "body", "passage", "segment")
LAYOUTS = "Write doc_id, a tab and the text on each line, an object with doc_id and text, or those columns in Parquet."
Document = tuple[int, str, str]  # line or row, from 1; doc_id; text


@dataclass(frozen=True)
class Part:
    """A file of a collection, or the lines of it that begin in the bytes from `start` to `end`.

    end: 0 for the whole file. size, changed: bytes and time of change of the file, by which a part is known again.
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


class BrokenDocumentError(ValueError):
    """A document that cannot be read: the defect and the line's beginning."""

    def __init__(self, line: int, problem: str, value: str) -> None:
        super().__init__(problem)
        self.line, self.problem, self.value = line, problem, value


def parts_of(collection: str) -> list[Part]:
    """Return the parts of a file, a folder or a glob of files, by name. Raises UsageError for none, and for a file of
    another ending.
    """
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
        Part(number, str(file), start, end, (status := check_regular(file)).st_size, status.st_mtime_ns)
        for number, (file, start, end) in enumerate(ranges)
    ]


def _ranges(file: Path) -> Iterator[tuple[int, int]]:
    size = file.stat().st_size
    if packing_of(file) or file.suffix.lower() in PARQUET or size <= PIECE:
        yield 0, 0
        return
    for start in range(0, size, PIECE):
        yield start, min(start + PIECE, size)


def batches(part: Part, broken: list[BrokenDocumentError]) -> Iterator[list[Document]]:
    """Yield the documents of a part in its order, BATCH at a time; what cannot be read is added to `broken`.

    Raises DataError for a file that cannot be read, or that has no column of ids or of texts.
    """
    name = plain_name(part.path).lower()
    if name.endswith(".parquet"):
        yield from _parquet(Path(part.path), broken)
        return
    read = _json_line if name.endswith((".jsonl", ".json")) else _tab_reader(part)
    documents = _documents(_lines(part), read, broken)
    while batch := list(islice(documents, BATCH)):
        yield batch


def _documents(lines: Iterator[tuple[int, bytes]], read: Any, broken: list[BrokenDocumentError]) -> Iterator[Document]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield read(number, line)
        except UnicodeDecodeError as error:
            broken.append(
                BrokenDocumentError(number, f"not UTF-8 text: byte 0x{line[error.start]:02X}", _beginning(line))
            )
        except BrokenDocumentError as error:
            broken.append(error)


def _lines(part: Part) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a part with their numbers in the part; a header line is left out at the file's beginning."""
    if not part.end:
        with line_blocks(Path(part.path), lambda *_: None) as blocks:
            for number, block in blocks:
                is_header = number == 1 and bool(block) and _is_header(block[0])
                yield from enumerate(block[is_header:], start=number + is_header)
        return
    with open_regular(part.path) as stream, parsing(part.path, "the file cannot be read to its end", CHECK):
        stream.seek(max(part.start - 1, 0))
        if part.start:
            stream.readline()  # the end of a line of the part before
        number = 0
        while stream.tell() < part.end and (line := stream.readline()):
            number += 1
            if number == 1 and not part.start:
                line = line.removeprefix(BOM)
                if _is_header(line):
                    continue
            yield number, line.rstrip(b"\r\n")


def _is_header(line: bytes) -> bool:
    return line.lower().split(b"\t")[0].strip().decode("latin-1") in IDS


def _tab_reader(part: Part) -> Callable[[int, bytes], Document]:
    """Return the reader of a line: by the columns that the file's first line names, else doc_id, a tab and the text."""
    cells = [cell.strip().lower() for cell in _first_line(part).decode("utf-8", "replace").split("\t")]
    if cells[0] not in IDS or len(cells) < 3:
        return _tab_line
    at = [next((cells.index(name) for name in offered if name in cells), -1) for offered in (IDS, TEXTS, ("title",))]
    if at[1] < 0:
        raise problem(Path(part.path).name, "no column of texts", f"Name it {TEXTS[0]}.", line=1)

    def read(number: int, line: bytes) -> Document:
        values = line.decode().split("\t")
        if len(values) != len(cells) or not values[at[0]].strip():
            message = f"expected {len(cells)} columns, found {len(values)}"
            raise BrokenDocumentError(number, message, _beginning(line))
        title = values[at[2]] if at[2] >= 0 else ""
        return number, values[at[0]], _with_title(title, values[at[1]])

    return read


def _first_line(part: Part) -> bytes:
    """Return the first line of the part's file; empty for MS MARCO's header of two columns."""
    if part.end:
        with open_regular(part.path) as stream:
            return stream.readline().removeprefix(BOM).rstrip(b"\r\n")
    with line_blocks(Path(part.path), lambda *_: None) as blocks:
        return next((line for _, block in blocks for line in block[:1]), b"")


def _tab_line(number: int, line: bytes) -> Document:
    name, tab, text = line.decode().partition("\t")
    if not tab or not name.strip():
        raise BrokenDocumentError(number, "expected doc_id, a tab and the text", _beginning(line))
    return number, name, text


def _json_line(number: int, line: bytes) -> Document:
    try:
        entry = parse_json(line)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise BrokenDocumentError(number, "not a JSON object", _beginning(line)) from error
    fields = entry if isinstance(entry, dict) else {}
    name = next((fields[key] for key in IDS if isinstance(fields.get(key), (str, int))), "")
    text = next((fields[key] for key in TEXTS if isinstance(fields.get(key), str)), None)
    if text is None or not str(name).strip():
        raise BrokenDocumentError(number, "an object without doc_id or text", _beginning(line))
    title = fields.get("title")
    return number, str(name), _with_title(title, text)


def _parquet(path: Path, broken: list[BrokenDocumentError]) -> Iterator[list[Document]]:
    from pyarrow import parquet

    with open_regular(path) as stream, parsing(path.name, "this is not a Parquet file that can be read", CHECK):
        file = parquet.ParquetFile(stream)
        columns = _columns(path.name, set(file.schema_arrow.names))
        row = 0
        for batch in file.iter_batches(BATCH, columns=columns):
            documents = []
            for name, text, *title in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                row += 1
                if name is None or not str(name).strip() or not isinstance(text, str):
                    broken.append(BrokenDocumentError(row, "a row without doc_id or text", str(name)))
                else:
                    documents.append((row, str(name), _with_title(title[0] if title else "", text)))
            yield documents


def _columns(file: str, names: set[str]) -> list[str]:
    """Return the columns of ids and texts, and of titles if there are any."""
    chosen = [next((name for name in offered if name in names), "") for offered in (IDS, TEXTS)]
    if "" in chosen:
        raise problem(file, "no column of ids or of texts", f"Name them {IDS[0]} and {TEXTS[0]}.")
    return [*chosen, *(["title"] if "title" in names else [])]


def _with_title(title: object, text: str) -> str:
    """Return title and text as `document_text` joins them."""
    return f"{title} {text}" if isinstance(title, str) and title else text


def _beginning(line: bytes) -> str:
    return line[:200].decode("utf-8", "replace")
