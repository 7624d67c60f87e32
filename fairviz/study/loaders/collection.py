"""A collection of any size, `doc_id TAB text` a line as in MS MARCO: read as a stream, only wanted documents kept."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairviz.errors import BadLines, parsing, problem
from fairviz.files import open_regular
from fairviz.study.loaders.archive import pieces_of
from fairviz.study.loaders.source import AS_UTF8, BOM, CHECK, check_file, unpacking

REMEDY = "Write a collection line as: doc_id, a tab, the text."
_BLOCK = 1 << 23
_LONGEST = 1 << 26
MOST_BYTES = 1 << 50  # a collection is never in memory as a whole: only the disk limits it
_BATCH = 1 << 24
_IDS = {b"doc_id", b"docid", b"pid", b"id", b"_id"}
_TEXTS = {b"text", b"passage", b"body", b"contents"}


@dataclass
class _Selection:
    """Documents to be written, the line of each document so far, and bad lines."""

    bad: BadLines
    lines: dict[bytes, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    waiting: int = 0

    def add(self, name: bytes, text: bytes, line: int) -> None:
        """Add a wanted document, or record its defect."""
        earlier = self.lines.setdefault(name, line)
        if earlier != line:
            self.bad.add(line, f"this document is in line {earlier} already", name.decode("utf-8", "replace"))
            return
        if b"\t" in text:
            self.bad.add(
                line, f"expected 2 columns, found {text.count(bytes([9])) + 2}", _line_text(name + b"\t" + text)
            )
            return
        try:
            self.texts.append(text.decode())
        except UnicodeDecodeError as error:
            self.bad.add(line, f"not UTF-8 text: byte 0x{text[error.start]:02X} ({AS_UTF8[:-1]})")
            return
        self.names.append(name.decode())
        self.waiting += len(text)


def keep_documents(path: Path, wanted: set[str], target: Path, progress: Callable[[int, int], None]) -> int:
    """Write the wanted documents of the collection to `target`, a Parquet file, and return their number.

    Memory is bounded by the wanted ids and a few blocks for any size of file. progress(bytes read, bytes of the file);
    it may raise to stop. Raises DataError with the bad lines, OSError for an unwritable `target`.
    """
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("doc_id", pa.string()), ("text", pa.string())])
    selection = _Selection(BadLines(path.name, REMEDY))
    keys = {name.encode("utf-8", "surrogatepass") for name in wanted}
    with line_blocks(path, progress) as blocks, parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for number, block in blocks:
            _scan(block, number, keys, selection)
            if selection.waiting >= _BATCH:
                _write_batch(selection, writer, schema)
        _write_batch(selection, writer, schema)
    selection.bad.raise_collected()
    return len(selection.lines)


def _scan(block: list[bytes], number: int, wanted: set[bytes], selection: _Selection) -> None:
    """Select the wanted documents of a block, whose first line has this number."""
    for line, content in enumerate(block, start=number):
        name, tab, text = content.partition(b"\t")
        if name in wanted and tab:
            selection.add(name, text, line)
        elif not tab and content.strip():
            selection.bad.add(line, "expected 2 columns, found 1", _line_text(content))


def _write_batch(selection: _Selection, writer: Any, schema: Any) -> None:
    import pyarrow as pa

    writer.write_table(pa.table([selection.names, selection.texts], schema=schema))
    selection.names, selection.texts, selection.waiting = [], [], 0


def _line_text(line: bytes) -> str:
    return line[:200].decode("utf-8", "replace").rstrip("\r")


@contextmanager
def line_blocks(path: Path, progress: Callable[[int, int], None]) -> Iterator[Iterator[tuple[int, list[bytes]]]]:
    """Yield the whole lines of the file, block by block, each with the number of its first line."""
    check_file(path, path.parent, MOST_BYTES)
    try:
        raw = open_regular(path)
    except OSError as error:
        raise problem(path.name, f"the file cannot be read ({error.strerror})", CHECK) from error
    with raw:
        size = path.stat().st_size
        ending, pieces = pieces_of(raw, path, _BLOCK)
        yield _blocks(path.name, ending, pieces, lambda: progress(raw.tell(), size))


def _blocks(
    file: str, ending: str, pieces: Iterator[bytes], report: Callable[[], None]
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines of these pieces: see `line_blocks`. report: called after each block."""
    number, incomplete_line = 1, b""
    while data := _next_piece(file, ending, pieces):
        if number == 1 and not incomplete_line:
            data = data.removeprefix(BOM)
        *lines, incomplete_line = _with_line_feeds(incomplete_line + data).split(b"\n")
        if len(incomplete_line) > _LONGEST:
            raise problem(file, f"a line of more than {_LONGEST >> 20} MB", REMEDY, line=number + len(lines))
        if lines:
            yield number, _without_header(lines) if number == 1 else lines
        number += len(lines)
        report()
    incomplete_line = incomplete_line.removesuffix(b"\r")
    if incomplete_line:
        yield number, _without_header([incomplete_line]) if number == 1 else [incomplete_line]
    elif number == 1:
        raise problem(file, "the file is empty", "Name the file that holds the collection.")


def _next_piece(file: str, ending: str, pieces: Iterator[bytes]) -> bytes:
    """Return the next non-empty piece, empty at the end."""
    with unpacking(file, ending) if ending else parsing(file, "the file cannot be read to its end", CHECK):
        return next(filter(None, pieces), b"")


def _with_line_feeds(data: bytes) -> bytes:
    """Return the block with LF for CRLF and CR, except a CR at its end, which may be half of a CRLF."""
    if b"\r" not in data:
        return data
    final_return = b"\r" if data.endswith(b"\r") else b""
    return data.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n") + final_return


def _without_header(lines: list[bytes]) -> list[bytes]:
    """Return the lines, with a blank first line if it names columns."""
    name, _, text = lines[0].strip().lower().partition(b"\t")
    return [b"", *lines[1:]] if name in _IDS and text in _TEXTS else lines
