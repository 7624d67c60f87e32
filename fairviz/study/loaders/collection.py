"""A collection of any size, `doc_id TAB text` a line as MS MARCO's: read as a stream, the wanted documents kept."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairviz.errors import BadLines
from fairviz.files import open_regular
from fairviz.study.loaders.packing import packing_of, unpacked
from fairviz.study.loaders.source import AS_UTF8, BOM, CHECK, check_file, parsing, problem, unpacking

REMEDY = "Write a collection line as: doc_id, a tab, the text."
_BLOCK = 1 << 23
_LONGEST = 1 << 26
MOST_BYTES = 1 << 50  # a collection is never held whole, so that nothing but the disk limits it
_BATCH = 1 << 24
_IDS = {b"doc_id", b"docid", b"pid", b"id", b"_id"}
_TEXTS = {b"text", b"passage", b"body", b"contents"}


@dataclass
class _Kept:
    """Documents that wait to be written, the line of each that was kept so far, and what was wrong."""

    bad: BadLines
    lines: dict[bytes, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    waiting: int = 0

    def add(self, name: bytes, text: bytes, line: int) -> None:
        """Keeps a wanted document, or notes what is wrong with it."""
        earlier = self.lines.setdefault(name, line)
        if earlier != line:
            self.bad.add(line, f"this document stands in line {earlier} already", name.decode("utf-8", "replace"))
            return
        if b"\t" in text:
            self.bad.add(line, f"expected 2 columns, found {text.count(bytes([9])) + 2}", _shown(name + b"\t" + text))
            return
        try:
            self.texts.append(text.decode())
        except UnicodeDecodeError as error:
            self.bad.add(line, f"not UTF-8 text: byte 0x{text[error.start]:02X} ({AS_UTF8[:-1]})")
            return
        self.names.append(name.decode())
        self.waiting += len(text)


def keep_documents(path: Path, wanted: set[str], target: Path, progress: Callable[[int, int], None]) -> int:
    """Writes the wanted documents of the collection to `target`, a Parquet file, and returns how many there were.

    Memory is bounded by the wanted ids and a few blocks, whatever the size of the file. progress(bytes read, bytes of
    the file); it may raise to stop. Raises DataError with the bad lines, OSError where `target` cannot be written.
    """
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("doc_id", pa.string()), ("text", pa.string())])
    kept = _Kept(BadLines(path.name, REMEDY))
    keys = {name.encode("utf-8", "surrogatepass") for name in wanted}
    with line_blocks(path, progress) as blocks, parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for number, block in blocks:
            _scan(block, number, keys, kept)
            if kept.waiting >= _BATCH:
                _flush(kept, writer, schema)
        _flush(kept, writer, schema)
    kept.bad.settle()
    return len(kept.lines)


def _flush(kept: _Kept, writer: Any, schema: Any) -> None:
    import pyarrow as pa

    writer.write_table(pa.table([kept.names, kept.texts], schema=schema))
    kept.names, kept.texts, kept.waiting = [], [], 0


def _scan(block: list[bytes], number: int, wanted: set[bytes], kept: _Kept) -> None:
    """Looks at the lines of a block, the first of which has this number."""
    for line, content in enumerate(block, start=number):
        name, tab, text = content.partition(b"\t")
        if name in wanted and tab:
            kept.add(name, text, line)
        elif not tab and content.strip():
            kept.bad.add(line, "expected 2 columns, found 1", _shown(content))


def _shown(line: bytes) -> str:
    return line[:200].decode("utf-8", "replace").rstrip("\r")


@contextmanager
def line_blocks(path: Path, progress: Callable[[int, int], None]) -> Iterator[Iterator[tuple[int, list[bytes]]]]:
    """The whole lines of the file, block by block, each with the number of its first line."""
    check_file(path, path.parent, MOST_BYTES)
    try:
        raw = open_regular(path)
    except OSError as error:
        raise problem(path.name, f"the file cannot be read ({error.strerror})", CHECK) from error
    with raw:
        size = path.stat().st_size
        ending = packing_of(path)
        pieces = unpacked(raw, ending, _BLOCK) if ending else iter(lambda: raw.read(_BLOCK), b"")
        yield _lines(path.name, pieces, lambda: progress(raw.tell(), size))


def _lines(file: str, pieces: Iterator[bytes], report: Callable[[], None]) -> Iterator[tuple[int, list[bytes]]]:
    number, rest = 1, b""
    while data := _read(file, pieces):
        if number == 1 and not rest:
            data = data.removeprefix(BOM)
        *lines, rest = _line_ends(rest + data).split(b"\n")
        if len(rest) > _LONGEST:
            raise problem(file, f"a line of more than {_LONGEST >> 20} MB", REMEDY, line=number + len(lines))
        if lines:
            yield number, _without_header(lines) if number == 1 else lines
        number += len(lines)
        report()
    rest = rest.removesuffix(b"\r")
    if rest:
        yield number, _without_header([rest]) if number == 1 else [rest]
    elif number == 1:
        raise problem(file, "the file is empty", "Name the file that holds the collection.")


def _without_header(lines: list[bytes]) -> list[bytes]:
    """The lines with the first one blank where it names columns."""
    name, _, text = lines[0].strip().lower().partition(b"\t")
    return [b"", *lines[1:]] if name in _IDS and text in _TEXTS else lines


def _line_ends(data: bytes) -> bytes:
    """The block with LF for CRLF and CR; a CR at its end may be half of a CRLF, and waits for the next block."""
    if b"\r" not in data:
        return data
    waiting = b"\r" if data.endswith(b"\r") else b""
    return data.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n") + waiting


def _read(file: str, pieces: Iterator[bytes]) -> bytes:
    """The next piece that holds anything, nothing at the end."""
    with unpacking(file) if packing_of(file) else parsing(file, "the file cannot be read to its end", CHECK):
        return next(filter(None, pieces), b"")
