"""The log of changes on a server: a line for each, only ever appended."""

import json
import os
from datetime import UTC, datetime

from fairviz.home import data_home

FILE = "changes.jsonl"  # in the data folder


def append(who: str, study: str, deed: str, details: str) -> None:
    """Append a change; it is on the disk when this returns. Raises OSError."""
    time = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    row = {"time": time, "who": who, "study": study, "deed": deed, "details": details}
    line = f"{json.dumps(row, ensure_ascii=False)}\n".encode(errors="replace")
    descriptor = os.open(data_home() / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def changes() -> list[dict[str, str]]:
    """Return the log, the oldest change first: time, who, study, deed, details. A line cut off by a crash is left out.
    Raises OSError."""
    rows = []
    try:
        lines = (data_home() / FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows
