"""Counts on disk, over all processes, sessions and restarts: requests that carry the owner's key, and tokens by person
on a server.
"""

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.files import make_private
from fairviz.home import data_home, is_shared
from fairviz.models.protocol import letters_to_tokens

VARIABLE = "FAIRVIZ_MOST_REQUESTS"
EXAMPLE = f"{VARIABLE}=500/day,5000"
_PART = re.compile(r"([0-9]{1,12})(/day)?")
_PATIENCE = 30.0  # seconds to wait for another process's transaction
_TABLE = "CREATE TABLE IF NOT EXISTS requests (day TEXT PRIMARY KEY, requests INTEGER NOT NULL)"
_COUNT = "INSERT INTO requests VALUES (?, 1) ON CONFLICT (day) DO UPDATE SET requests = requests + 1"


@dataclass(frozen=True)
class OwnerBudget:
    """Most requests on a day (UTC), and most in all; None for no limit."""

    per_day: int | None
    in_all: int | None

    def __str__(self) -> str:
        """Return a text such as `500 requests a day and 5,000 requests in all`."""
        limits = ((self.per_day, "a day"), (self.in_all, "in all"))
        return " and ".join(f"{most:,} requests {span}" for most, span in limits if most is not None)


def owner_budget() -> OwnerBudget | None:
    """Return the budget in FAIRVIZ_MOST_REQUESTS; None where it is not set. Raises FairvizError for another text."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    parts = [_PART.fullmatch(part.strip()) for part in text.split(",")]
    limits = {bool(part[2]): int(part[1]) for part in parts if part}
    if len(limits) < len(parts):
        raise FairvizError(
            f"the environment variable {VARIABLE} holds no budget: {text[:40]!r}",
            f"Set it as {EXAMPLE}: requests a day, requests in all, or both.",
        )
    return OwnerBudget(limits.get(True), limits.get(False))


def requests_path() -> Path:
    """Return the path of the counts."""
    return data_home() / "requests.sqlite"


def take_request() -> None:
    """Count one request that carries the owner's key, before it is sent. The count is on the disk when this returns.

    Raises FairvizError where no budget is left, and where the request cannot be counted. Without a budget nothing is
    counted on a server for this machine only; where others can open the page, no request is allowed.
    """
    budget, day = owner_budget(), today()
    if budget is None and is_shared():
        raise FairvizError(
            f"others can open this page, and {VARIABLE} is not set: no request may carry the owner's key",
            f"Set a budget where the page is started, as {EXAMPLE}.",
        )
    if budget is None:
        return
    with counts(_TABLE) as database:  # one transaction
        sent = dict(database.execute("SELECT day, requests FROM requests"))
        _refuse_used_up(budget, in_all=sum(sent.values()), today=sent.get(day, 0))
        database.execute(_COUNT, (day,))


def _refuse_used_up(budget: OwnerBudget, in_all: int, today: int) -> None:
    if budget.in_all is not None and in_all >= budget.in_all:
        raise FairvizError(
            f"the owner's budget of {budget.in_all:,} requests in all is used up",
            f"Set a larger one in {VARIABLE} where fairviz is started. Answers so far are kept.",
        )
    if budget.per_day is not None and today >= budget.per_day:
        raise FairvizError(
            f"the owner's budget of {budget.per_day:,} requests a day is used up",
            f"Try again after midnight UTC, or set a larger one in {VARIABLE}. Answers so far are kept.",
        )


@contextmanager
def counts(table: str) -> Iterator[sqlite3.Connection]:
    """Open a transaction on the counts that is on the disk when the block ends, and undone where it raises. Raises
    FairvizError where nothing can be counted."""
    path = requests_path()
    try:
        make_private(path)
        with closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as database:
            database.execute("PRAGMA synchronous = FULL")
            database.execute("BEGIN IMMEDIATE")
            database.execute(table)
            yield database
            database.execute("COMMIT")
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"a request could not be counted in {path} ({error}), so it was not sent",
            "Make it a file that you can write, with room, or set FAIRVIZ_HOME to another folder.",
        ) from error


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """Return the approximate tokens of a request's prompt."""
    return sum(letters_to_tokens(str(message.get("content", ""))) for message in body.get("messages", ()))


def today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"
