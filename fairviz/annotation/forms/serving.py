"""Addresses: of links, with a random token for each person's batch, and of the apps that run on this data folder, so
that links name a running server.

Each app keeps a small file locked while it runs. The system releases the lock when the process ends, however it ends,
and unlocked files are ignored.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairviz.home import data_home, hold, release, remove_left_over, write_whole

PAGE = "label"  # of the interface: pages/label.py
PARAMETER = "token"
ALONE = "FAIRVIZ_ONLY_LABELLING"  # a variable of the server that shows nothing but that page
HERE = "http://localhost:8501"
UNKNOWN = "http://localhost:PORT"  # without a running app, whose port is unknown


def only_labelling() -> bool:
    """Return whether this server was started with `fairviz app --only-labelling`."""
    return os.environ.get(ALONE, "") == "1"


def address(token: str, server: str = HERE) -> str:
    """Return the link with this token to the labelling page of a server."""
    return f"{server.rstrip('/')}/{PAGE}?{PARAMETER}={token}"


def _folder() -> Path:
    return data_home() / "running"


@contextmanager
def announce_address(address: str, *, only_labelling: bool = False) -> Iterator[None]:
    """Keep the address of this process's app in the data folder while the block runs; a data folder that cannot be
    written is ignored."""
    path, lock = _folder() / f"{os.getpid()}.json", None
    facts = {"process": os.getpid(), "address": address, "only_labelling": only_labelling, "started": time.time_ns()}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        for other in path.parent.glob("*.json"):
            remove_left_over(other)
        lock, _ = hold(path)
        write_whole(path, json.dumps(facts))
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        if lock:
            release(lock)


def running_address() -> str:
    """Return the address of the app that runs on this data folder; empty without one.

    Of several apps: the newest that serves only the labelling page, else the newest. The file of an app that has ended,
    or that cannot be read, counts for nothing.
    """
    running = []
    for path in _folder().glob("*.json"):
        with suppress(OSError, ValueError, TypeError, KeyError):
            lock, is_free = hold(path)
            release(lock)
            if is_free is False:
                facts = json.loads(path.read_text(encoding="utf-8"))
                running.append((facts["only_labelling"], facts["started"], str(facts["address"])))
    return max(running, key=lambda facts: facts[:2])[2] if running else ""
