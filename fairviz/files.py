"""Files that a person names, opened for reading: the one door for all of them.

A pipe keeps its reader waiting for a writer, and a device may never end: neither is opened. What is read whole is
bounded.
"""

import errno
import json
import math
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

MOST_JSON = 32 * 1024**2  # bytes of a card or another small file beside a model
_PIECE = 1 << 20


class EndlessError(OSError):
    """A pipe, a socket or a device in the place of a file."""


def check_regular(path: str | Path) -> os.stat_result:
    """Return the status of the file or folder. Raises OSError where there is none, EndlessError for what is neither.

    For libraries that open a path themselves; `open_regular` opens it.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise EndlessError(errno.EINVAL, "it is a pipe or a device")
    return status


def open_regular(path: str | Path) -> BinaryIO:
    """Open the file to read its bytes. Raises OSError, EndlessError among it."""
    check_regular(path)
    return Path(path).open("rb")


def read_file(path: str | Path, most: int) -> bytes:
    """Return the content of a file of at most `most` bytes. Raises OSError, also for a longer one."""
    content = bytearray()
    with open_regular(path) as stream:
        while piece := stream.read(_PIECE):  # reading `most` bytes at once would take as much memory first
            content += piece
            if len(content) > most:
                raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes")
    return bytes(content)


def parse_json(content: bytes) -> Any:
    """Return what the JSON holds. Raises ValueError, with the reason, for what is not UTF-8 or not JSON, is nested too
    deep, or holds a number that is not finite: Python's own reader takes NaN, and makes infinity of 1e999."""
    try:
        return json.loads(content.decode(), parse_constant=_refuse, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def is_utf8(text: str) -> bool:
    """Whether the text can be written as UTF-8: not so with a byte of a file's name or argument that is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is too large for a number")
    return value
