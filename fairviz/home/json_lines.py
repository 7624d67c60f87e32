"""JSON lines, written and read the same way everywhere: a record a line, and lines end with a line feed alone.

Python's `splitlines` also splits at U+2028, U+2029 and U+0085, which JSON text may contain. They are escaped here, so
that other programs read these files too.
"""

import errno
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.home import locked

_SEPARATORS = {ord(letter): f"\\u{ord(letter):04x}" for letter in "\x7f\x85\u2028\u2029"}
_PATIENCE = 30.0  # seconds to wait for another writer


@dataclass
class Records:
    """The objects of a file of JSON lines. broken: the numbers of the lines that are none, such as one that a full disk
    has cut off."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)


def to_line(record: Any) -> str:
    """Return the record as a line with its end, which no program splits further."""
    return json.dumps(record, ensure_ascii=False).translate(_SEPARATORS) + "\n"


def lines_of(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield the lines of a text that arrives in pieces, without their ends; of more than `most` bytes, nothing."""
    rest, is_too_long = b"", False
    for piece in pieces:
        *ended, rest = (rest + piece).split(b"\n")
        for line in ended:
            if not is_too_long and len(line) <= most:
                yield line
            is_too_long = False
        if len(rest) > most:
            rest, is_too_long = b"", True
    if rest and not is_too_long:
        yield rest


def read_records(path: Path) -> Records:
    """Return the objects of a file; none if it is missing. Raises OSError."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Records()
    found = Records()
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):  # also for bytes that are not UTF-8
            found.broken.append(number)
            continue
        if isinstance(row, dict):
            found.rows.append(row)
        elif line.strip():
            found.broken.append(number)
    return found


def append(path: Path, record: Any, mode: int = 0o600) -> None:
    """Append a record whole or not at all; it is on the disk when this returns.

    Other writers wait. A line that a killed process left without an end is ended first. Raises OSError, such as of a
    full disk, and FairvizError while another program holds the file.
    """
    line = to_line(record).encode("utf-8", "backslashreplace")  # half a character becomes its escape
    busy = FairvizError(f"another program holds {path.name}", "Try again in a moment.")
    with locked(path, busy, _PATIENCE):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), mode)
        try:
            size = os.fstat(descriptor).st_size
            if size:
                os.lseek(descriptor, size - 1, os.SEEK_SET)
                line = line if os.read(descriptor, 1) == b"\n" else b"\n" + line
            try:
                if os.write(descriptor, line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)
