"""The address /healthz, for a proxy, a container or a monitor: whether the server is up, and counts without names.

It answers before the gate, under any host and without a login. Other machines, and visitors behind a proxy, see only
whether the server is up.
"""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import __version__
from fairviz.home.server_config import server_config
from fairviz.ui.kit import jobs
from fairviz.ui.kit.job_store import RUNNING, WAITING
from fairviz.ui.shell.gate import App, Message, Receive, Send, is_local, within

PATH = "/healthz"
UP, STARTING = "ok", "starting"
Counts = Mapping[str, float | str | None]
_STARTED = time.monotonic()


class Health:
    """ASGI middleware that answers /healthz. sessions() returns the number of open sessions, None before the server is
    ready; jobs() the numbers of running and of waiting jobs; base() the path at which the server serves."""

    def __init__(
        self,
        app: App,
        sessions: Callable[[], int | None],
        jobs: Callable[[], tuple[int | None, int | None]],
        base: Callable[[], str] = str,
    ) -> None:
        self.app, self.sessions, self.jobs, self.base = app, sessions, jobs, base

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        # a proxy that adds the base path may check the path without it
        is_health = scope["type"] == "http" and PATH in (scope["path"], within(scope["path"], self.base()))
        if not is_health or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        sessions = self.sessions()
        facts: Counts = {"status": STARTING if sessions is None else UP}
        if sessions is not None and is_local(scope):
            facts = {**facts, **counts(sessions, *await asyncio.to_thread(self.jobs))}
        body = b"" if scope["method"] == "HEAD" else f"{json.dumps(facts)}\n".encode()
        status = HTTPStatus.SERVICE_UNAVAILABLE if sessions is None else HTTPStatus.OK
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def count_jobs() -> tuple[int | None, int | None]:
    """Return the numbers of running and of waiting jobs: of all processes of a server, else of this one. None where
    they cannot be read."""
    if server_config() is None:
        return sum(thread.name == "fairviz job" for thread in threading.enumerate()), 0
    try:
        states = [job.state for job in jobs.queue()]
    except FairvizError:
        return None, None
    return states.count(RUNNING), states.count(WAITING)


def counts(sessions: int, running: int | None, waiting: int | None) -> Counts:
    """Return what a monitor reads: version, numbers of jobs, and of this process sessions, memory in MB, and seconds
    since its start."""
    return {
        "version": __version__,
        "process": os.getpid(),
        "sessions": sessions,
        "jobs_running": running,
        "jobs_waiting": waiting,
        "threads": threading.active_count(),
        "memory_mb": _memory(),
        "uptime_seconds": round(time.monotonic() - _STARTED),
    }


def _memory() -> float | None:
    """Return the memory that this process has now, in MB; None on systems without /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
