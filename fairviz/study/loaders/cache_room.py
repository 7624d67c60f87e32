"""The room of a cache whose entries are folders: the least recently used ones are removed."""

import contextlib
import shutil
from pathlib import Path

SUMS = "sums.json"  # of a whole entry: the SHA-256 of its files


def touch(folder: Path) -> None:
    """Record that the entry was just used."""
    with contextlib.suppress(OSError):
        (folder / SUMS).touch()


def make_room(newest: Path, most_bytes: int) -> None:
    """Remove the least recently used entries beside the newest one beyond the limit. Raises OSError."""
    entries = [folder for folder in newest.parent.iterdir() if (folder / SUMS).is_file()]
    total_bytes = 0
    for folder in sorted(entries, key=lambda folder: (folder / SUMS).stat().st_mtime_ns, reverse=True):
        total_bytes += sum(file.stat().st_size for file in folder.iterdir())
        if total_bytes > most_bytes and folder != newest:
            shutil.rmtree(folder, ignore_errors=True)
