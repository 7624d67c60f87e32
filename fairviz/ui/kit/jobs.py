"""Long work beside the page: it goes on while other pages are used, tells how far it is, and can be stopped.

A job belongs to the server, not to a session: two sessions that ask for the same work under the same key look at one
job, and a page that is left and opened again finds it as it is. What the work keeps on the disk is its own affair.
"""

import atexit
import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import APOLOGY, APOLOGY_REMEDY, guarded, repeated

LOG = logging.getLogger("fairviz")
EVERY = 0.7  # seconds between two looks
LAST_WAIT = 10.0  # seconds that the end of the server waits for its jobs, which it has asked to stop
Told = Callable[[str, int, int], None]


class Stopped(BaseException):
    """The work was asked to stop; raised in it by its own call of `progress`."""


@dataclass(eq=False)
class Job:
    """One piece of work in a thread of its own.

    what, done, total: how far it is, as the work last told it. outcome: what the work returned, once it is whole.
    problem: what ended it. Both are None for work that was stopped.
    """

    key: Hashable
    what: str = ""
    done: int = 0
    total: int = 0
    outcome: Any = None
    problem: FairvizError | None = None
    began: float = field(default_factory=time.time)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop; it does where it next tells how far it is."""
        return self._stop.is_set()

    def start(self, work: Callable[[Told], Any]) -> None:
        """Runs work(progress) in a thread, where it may use no widget; progress(what, done, total) raises Stopped once
        the work is to stop."""
        self._thread = threading.Thread(target=self._run, args=(work,), name="fairviz job", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Asks the work to stop."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Returns when the work has ended, one way or another, or after so many seconds."""
        if self._thread is not None:
            self._thread.join(seconds)

    def tell(self, what: str, done: int, total: int) -> None:
        """What the work calls to say how far it is. Raises Stopped where it is to stop."""
        self.what, self.done, self.total = what, done, total
        if self._stop.is_set():
            raise Stopped

    def _run(self, work: Callable[[Told], Any]) -> None:
        _RUNNING.add(self)
        try:
            self.outcome = work(self.tell)
        except Stopped:
            return
        except FairvizError as error:
            self.problem = error
        except Exception:
            LOG.exception("a job failed")
            self.problem = FairvizError(APOLOGY, APOLOGY_REMEDY)
        finally:
            _RUNNING.discard(self)


_RUNNING: set[Job] = set()


@atexit.register
def end_all() -> None:
    """Asks every job to stop and waits for it: what is cut off while a library's own threads work for it would end the
    program with that library's complaint."""
    running = tuple(_RUNNING)
    for one in running:
        one.stop()
    for one in running:
        one.wait(LAST_WAIT)


@st.cache_resource
def _jobs() -> dict[Hashable, Job]:
    """The jobs of this server, the last one of each key."""
    return {}


def job(key: Hashable) -> Job | None:
    """The last job of this key, running or ended."""
    return _jobs().get(key)


def begin(key: Hashable, work: Callable[[Told], Any]) -> Job:
    """The job of this key: the one that runs, or a new one that does this work."""
    found = job(key)
    if found is not None and found.running:
        return found
    new = Job(key)
    _jobs()[key] = new
    new.start(work)
    return new


def forget(key: Hashable) -> None:
    """Drops a job that has ended."""
    found = job(key)
    if found is not None and not found.running:
        _jobs().pop(key, None)


def show(key: Hashable, widget: str) -> bool:
    """Draws a running job's bar and its button to stop, under keys that begin with `widget`; gives whether it runs.
    When it ends, the whole page is drawn anew."""
    found = job(key)
    if found is None or not found.running:
        return False
    _bar(key, widget)
    return True


@repeated(EVERY)
def _bar(key: Hashable, widget: str) -> None:
    found = job(key)
    if found is None or not found.running:
        st.rerun()
    bar, stop = st.columns([9, 2], gap="small", vertical_alignment="center")
    said = f"{found.what}: {found.done:,} of {found.total:,}" if found.total else found.what or "Beginning"
    share = min(found.done / found.total, 1.0) if found.total else 0.0
    ending = "stopping after what is under way" if found.stopping else "the app can be used meanwhile"
    bar.progress(share, html.literal(f"{said}; {ending}"))
    stop.button("Stop", key=f"{widget}_stop", on_click=guarded(partial(_stop, key)), disabled=found.stopping,
                width="stretch")  # fmt: skip


def _stop(key: Hashable) -> None:
    found = job(key)
    if found is not None:
        found.stop()
