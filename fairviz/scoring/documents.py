"""The documents of a part of a collection: a sound file by Arrow, any other line by line with every defect."""

from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from fairviz.errors import attempt, parsing, problem
from fairviz.files import is_utf8, open_regular, parse_json
from fairviz.scoring.parts import PIECE, Part
from fairviz.study.loaders.archive import packing_of, plain_name
from fairviz.study.loaders.collection import line_blocks
from fairviz.study.loaders.packaged import load_ir_dataset
from fairviz.study.loaders.source import BOM, CHECK

BATCH = 20_000  # documents at a time
COLUMNS = ["doc_id", "text"]
IDS = ("doc_id", "docid", "docno", "_id", "id", "pid")
TEXTS = ("text", "contents", "body", "passage", "segment")
HALF = "half a character (a lone surrogate)"
Document = tuple[str, str]  # doc_id, text


class BrokenDocumentError(ValueError):
    """A document that cannot be read: the defect and the line's beginning."""

    def __init__(self, line: int, problem: str, value: str) -> None:
        super().__init__(problem)
        self.line, self.problem, self.value = line, problem, value


def batches(part: Part, broken: list[BrokenDocumentError]) -> Iterator[Any]:
    """Yield the documents of a part in its order, BATCH at a time, as Arrow tables of doc_id and text; what cannot be
    read is added to `broken`.

    Raises DataError for a file that cannot be read, or that has no column of ids or of texts.
    """
    if part.package:
        yield from map(_table, _packaged(part, broken))
        return
    name = plain_name(part.path).lower()
    if name.endswith(".parquet"):
        yield from map(_table, _parquet(Path(part.path), broken))
        return
    read = _json_line if name.endswith((".jsonl", ".json")) else _tab_reader(part)
    sound = attempt(lambda: _read_sound(part)) if read is _tab_line else None
    if sound is not None:
        yield from (sound.slice(start, BATCH) for start in range(0, len(sound), BATCH))
        return
    documents = _documents(_lines(part), read, broken)
    while batch := list(islice(documents, BATCH)):
        yield _table(batch)


def _table(documents: list[Document]) -> Any:
    import pyarrow as pa

    columns = zip(*documents, strict=True) if documents else ((), ())
    return pa.table([pa.array(column, type=pa.large_string()) for column in columns], names=COLUMNS)


def _read_sound(part: Part) -> Any | None:
    """Return the documents of a plain file whose every line is doc_id, one tab and the text; else None, or an error of
    Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    content = b"" if packing_of(Path(part.path)) else _read_lines(part)
    if not content or b"\r" in content:
        return None
    has_header = not part.start and _is_header(content[: content.find(b"\n")])
    table: Any = csv.read_csv(
        pa.BufferReader(content),
        csv.ReadOptions(column_names=COLUMNS, skip_rows=int(has_header), block_size=PIECE, use_threads=False),
        csv.ParseOptions(delimiter="\t", quote_char=False, escape_char=False),
        csv.ConvertOptions(
            column_types=dict.fromkeys(COLUMNS, pa.large_string()), null_values=[], strings_can_be_null=False
        ),
    )
    is_sound = pc.all(pc.match_substring_regex(table["doc_id"], "[!-~]"))  # the careful reader decides on other ids
    return table if is_sound.as_py() else None


def _read_lines(part: Part) -> bytes:
    """Return the lines that begin in the part, without a mark of UTF-8 at the file's beginning."""
    with open_regular(part.path) as stream, parsing(part.path, "the file cannot be read to its end", CHECK):
        if not part.end:
            return stream.read().removeprefix(BOM)
        stream.seek(max(part.start - 1, 0))
        if part.start:
            stream.readline()  # the end of a line of the part before
        content = stream.read(max(part.end - stream.tell(), 0))
        if content and not content.endswith(b"\n"):
            content += stream.readline()
        return content if part.start else content.removeprefix(BOM)


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
    for number, line in enumerate(BytesIO(_read_lines(part)), start=1):
        if number > 1 or part.start or not _is_header(line):
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
        return values[at[0]], _with_title(title, values[at[1]])

    return read


def _first_line(part: Part) -> bytes:
    """Return the first line of the part's file; empty for MS MARCO's header of two columns."""
    if not packing_of(Path(part.path)):
        with open_regular(part.path) as stream:
            return stream.readline().removeprefix(BOM).rstrip(b"\n").split(b"\r")[0]
    with line_blocks(Path(part.path), lambda *_: None) as blocks:
        return next((line for _, block in blocks for line in block[:1]), b"")


def _tab_line(number: int, line: bytes) -> Document:
    name, tab, text = line.decode().partition("\t")
    if not tab or not name.strip():
        raise BrokenDocumentError(number, "expected doc_id, a tab and the text", _beginning(line))
    return name, text


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
    document = str(name), _with_title(fields.get("title"), text)
    if not all(map(is_utf8, document)):
        raise BrokenDocumentError(number, HALF, _beginning(line))
    return document


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
                    documents.append((str(name), _with_title(title[0] if title else "", text)))
            yield documents


def _packaged(part: Part, broken: list[BrokenDocumentError]) -> Iterator[list[Document]]:
    """Yield the documents of a range of a data set of ir_datasets, BATCH at a time."""
    data = load_ir_dataset(part.package)
    with parsing(part.path, "the documents cannot be read", "Check the connection and try again."):
        rows = enumerate(data.docs_iter()[part.start : part.end], start=part.start + 1)
        while numbered := list(islice(rows, BATCH)):
            documents = []
            for row, one in numbered:
                name, text = one.doc_id, one.default_text()
                if name.strip() and is_utf8(name + text):
                    documents.append((name, text))
                else:
                    broken.append(BrokenDocumentError(row, HALF if name.strip() else "no doc_id", text[:200]))
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
