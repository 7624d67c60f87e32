"""The log of changes on a server: a line for each, only ever appended."""

from datetime import UTC, datetime

from fairviz.errors import FairvizError
from fairviz.home import data_home
from fairviz.home.json_lines import append as append_line
from fairviz.home.json_lines import read_records

FILE = "changes.jsonl"  # in the data folder
COLUMNS = ("time", "who", "study", "deed", "details")


def append(who: str, study: str, deed: str, details: str) -> None:
    """Append a change; it is on the disk when this returns. Raises FairvizError where it cannot be written."""
    time = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    try:
        append_line(data_home() / FILE, dict(zip(COLUMNS, (time, who, study, deed, details), strict=True)))
    except OSError as error:
        raise FairvizError(
            f"the change was made, and the log of changes could not be written ({error.strerror or error})",
            "Tell the owner of this server, who makes room for it.",
        ) from error


def changes() -> list[dict[str, str]]:
    """Return the log, the oldest change first: time, who, study, deed, details. Raises OSError."""
    return read()[0]


def read() -> tuple[list[dict[str, str]], list[int]]:
    """Return the log as `changes` does, and the numbers of damaged lines. Raises OSError."""
    found = read_records(data_home() / FILE)
    return [{name: str(row.get(name, "")) for name in COLUMNS} for row in found.rows], found.broken
