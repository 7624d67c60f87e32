"""Addresses of the apps that run on this data folder, so that links are written for a server that is there.

Each app keeps a small file, which it holds locked while it runs: the system lets go of the lock when the process ends,
however it ends, and a file that nobody holds counts for nothing.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairviz.home import data_home, hold, release, remove_left_over


def _folder() -> Path:
    return data_home() / "running"


@contextmanager
def announced(address: str, *, only_labelling: bool = False) -> Iterator[None]:
    """Keep the address of this process's app in the data folder while the block runs.

    A data folder that cannot be written does not keep the app from running.
    """
    path, held = _folder() / f"{os.getpid()}.json", None
    facts = {"process": os.getpid(), "address": address, "only_labelling": only_labelling, "started": time.time_ns()}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        for other in path.parent.glob("*.json"):
            remove_left_over(other)
        unseen = path.with_suffix(".new")  # locked before anybody can take it for left over
        unseen.write_text(json.dumps(facts), encoding="utf-8")
        held, _ = hold(unseen)
        os.replace(unseen, path)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        release(held)


def running_address() -> str:
    """Return the address of the app that runs on this data folder, empty where none does.

    Of several the newest that serves the labelling page alone, else the newest.
    """
    running = [facts for path in _folder().glob("*.json") if (facts := _facts(path))]
    newest = max(running, key=lambda facts: (facts["only_labelling"], facts["started"]), default={"address": ""})
    return str(newest["address"])


def _facts(path: Path) -> dict:
    """Return what the file tells of its app; nothing where that has ended, or the file cannot be read."""
    try:
        held, free = hold(path, shared=True)
        try:
            facts = json.loads(path.read_text(encoding="utf-8")) if free is False else {}
        finally:
            release(held)
        return {name: facts[name] for name in ("address", "only_labelling", "started")} if facts else {}
    except (OSError, ValueError, TypeError, KeyError):
        return {}
