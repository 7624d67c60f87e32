"""The SHA-256 of a file's content, remembered on disk as long as the file is visibly the same."""

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path

from fairviz.files import write_whole
from fairviz.home import data_home

SMALL = 1 << 18
_SETTLED = 2_000_000_000


def cache_folder() -> Path:
    """Where lies what can be made again."""
    return data_home() / "cache"


def file_hash(path: Path) -> str:
    """The SHA-256 of the content, in hexadecimal. Raises OSError where the file cannot be read.

    Of files of 256 kB or more it is remembered with their size, inode and times, as git does: it is computed anew
    where any of them differs, and where the file had been changed within two seconds before it was last looked at.
    """
    about = path.stat()
    if about.st_size < SMALL:
        return _computed(path)
    seen = [about.st_size, about.st_ino, about.st_mtime_ns, about.st_ctime_ns]
    place = cache_folder() / "hashes" / f"{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]}.json"
    known = _remembered(place)
    if known.get("seen") == seen and isinstance(known.get("sha256"), str):
        return known["sha256"]
    found = _computed(path)
    if time.time_ns() - max(about.st_mtime_ns, about.st_ctime_ns) > _SETTLED:
        with contextlib.suppress(OSError):  # nothing depends on it
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, json.dumps({"seen": seen, "sha256": found}))
    return found


def _computed(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _remembered(place: Path) -> dict:
    try:
        found = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
