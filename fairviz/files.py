"""The only functions that open files named by a user.

A pipe blocks its reader until there is a writer, and a device may never end: neither is opened. Whole files are read up
to a limit.
"""

import errno
import json
import math
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

MOST_JSON = 32 * 1024**2  # bytes of a card or another small file next to a model
_PIECE = 1 << 20


class EndlessError(OSError):
    """A pipe, a socket or a device in the place of a file."""


def check_regular(path: str | Path) -> os.stat_result:
    """Return the status of the file or folder. Raises OSError for a missing one, EndlessError for any other kind.

    For libraries that open a path themselves; otherwise use `open_regular`.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise EndlessError(errno.EINVAL, "it is a pipe or a device")
    return status


def open_regular(path: str | Path) -> BinaryIO:
    """Open the file to read its bytes. Raises OSError, including EndlessError."""
    check_regular(path)
    return Path(path).open("rb")


def read_file(path: str | Path, most: int) -> bytes:
    """Return the content of a file of at most `most` bytes. Raises OSError, also for a longer one."""
    content = bytearray()
    with open_regular(path) as stream:
        while piece := stream.read(_PIECE):  # reading `most` bytes at once would allocate them first
            content += piece
            if len(content) > most:
                raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes")
    return bytes(content)


def parse_json(content: bytes) -> Any:
    """Return the content of the JSON text.

    Raises ValueError, with the reason, for text that is not UTF-8 or not JSON, is nested too deep, or has a number that
    is not finite: Python's own reader accepts NaN, and reads 1e999 as infinity.
    """
    try:
        return json.loads(content.decode(), parse_constant=_refuse, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def is_utf8(text: str) -> bool:
    """Return whether the text can be written as UTF-8; false for a file's name or argument with other bytes."""
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
