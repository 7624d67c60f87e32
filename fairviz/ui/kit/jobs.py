"""Long work in threads: it continues while other pages are used, reports its progress, and can be stopped.

A job belongs to the server, not to a session: sessions that request work under the same key share one job, and a page
that is left and reopened shows it unchanged. Files that the work writes are not managed here.

A page with a button of its own calls `start` from it and draws `follow`; `card` adds the button and the estimate.
"""

import atexit
import logging
import threading
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.models.addresses import base_address, server_address
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import APOLOGY, APOLOGY_REMEDY, guarded, repeated

LOG = logging.getLogger("fairviz")
EVERY = 0.7  # seconds between two redraws of the progress bar
SHORT = 1.5  # seconds that a page waits for work that it has just begun, which may be over by then
LAST_WAIT = 10.0  # seconds that the server waits at its end for each job to stop
WHY_SENDING = "A language model there reads them. No link holds this address."
Progress = Callable[[str, int, int], None]
Texts = tuple[str, ...]  # a message and its remedy


class Stopped(BaseException):
    """A request to stop the work, raised within the work by its call of `progress`."""


@dataclass(eq=False)
class Job:
    """One piece of work in a thread of its own.

    what, done, total: the progress that the work last reported. is_complete: whether it has returned. outcome:
    its return value. problem: the error that ended it.
    """

    key: Hashable
    what: str = ""
    done: int = 0
    total: int = 0
    is_complete: bool = False
    outcome: Any = None
    problem: FairvizError | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """True while the work is running."""
        return self._thread is not None and self._thread.is_alive() and not self.is_complete

    @property
    def stopping(self) -> bool:
        """True after a stop was requested; the work ends at its next report of progress."""
        return self._stop.is_set()

    def start(self, work: Callable[[Progress], Any]) -> None:
        """Run work(progress) in a thread, where it must not use widgets; progress(what, done, total) raises Stopped
        after a request to stop."""
        self._thread = threading.Thread(target=self._run, args=(work,), name="fairviz job", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Request that the work stops."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        """Return when the work has ended, for whatever reason, or after this many seconds."""
        if self._thread is not None:
            self._thread.join(seconds)

    def report(self, what: str, done: int, total: int) -> None:
        """Record the progress of the work, which calls it. Raises Stopped after a request to stop."""
        self.what, self.done, self.total = what, done, total
        if self._stop.is_set():
            raise Stopped

    def _run(self, work: Callable[[Progress], Any]) -> None:
        _RUNNING.add(self)
        try:
            self.outcome = work(self.report)
            self.is_complete = True
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
    """Request that every job stops and wait for it: a job killed while a library's own threads work for it would end
    the program with an error of that library."""
    running_jobs = tuple(_RUNNING)
    for running_job in running_jobs:
        running_job.stop()
    for running_job in running_jobs:
        running_job.wait(LAST_WAIT)


@st.cache_resource
def _jobs() -> dict[Hashable, Job]:
    """Return the jobs of this server, the last one of each key."""
    return {}


def job(key: Hashable) -> Job | None:
    """Return the last job of this key, running or ended; None without one."""
    return _jobs().get(key)


def begin(key: Hashable, work: Callable[[Progress], Any]) -> Job:
    """Return the running job of this key, or a new one that does this work."""
    last_job = job(key)
    if last_job is not None and last_job.running:
        return last_job
    new = Job(key)
    _jobs()[key] = new
    new.start(work)
    return new


def start(key: Hashable, work: Callable[[Progress], Any]) -> Job:
    """Begin the work and wait for a moment: short work is complete when the page is drawn. For a button's on_click."""
    new_job = begin(key, work)
    new_job.wait(SHORT)
    return new_job


def is_running(key: Hashable) -> bool:
    """Return whether a job of this key is running."""
    last_job = job(key)
    return last_job is not None and last_job.running


def completed(key: Hashable) -> Job | None:
    """Return the last job of this key if its work is complete; None for a running, stopped or failed one."""
    last_job = job(key)
    return last_job if last_job is not None and last_job.is_complete else None


def forget(key: Hashable) -> None:
    """Drop a job whose work is complete."""
    if completed(key) is not None:
        _jobs().pop(key, None)


def follow(key: Hashable, widget: str, stopped: Texts) -> bool:
    """Draw a running job's progress bar and stop button, with keys that begin with `widget`; return whether it runs.

    When it ends, the whole page is redrawn. Of a job that ended early, draw its problem or the message `stopped`.
    """
    last_job = job(key)
    if last_job is None or last_job.is_complete:
        return False
    if last_job.running:
        _bar(key, widget)
        return True
    if last_job.problem is not None:
        html.message("error", last_job.problem.message, last_job.problem.remedy)
    else:
        html.message("info", *stopped)
    return False


def card(
    key: Hashable, work: Callable[[Progress], Any], widget: str, label: str, stopped: Texts,
    estimate: Callable[[], Texts] | None = None,
) -> None:  # fmt: skip
    """Draw work that a page needs: its progress, or its problem and a button to repeat or resume it.

    Without an estimate it begins at once; otherwise a button `label` below the estimate, which may be empty, begins it.
    """
    if job(key) is None and estimate is None:
        start(key, work)
    last_job = job(key)
    if last_job is None and estimate is not None and (texts := estimate()):
        html.message("info", *texts)
    if follow(key, widget, stopped) or completed(key) is not None:
        return
    if last_job is not None:
        label = "Try again" if last_job.problem is not None else "Go on"
    st.button(label, type="primary", key=f"{widget}_go", on_click=guarded(partial(start, key, work)))


@repeated(EVERY)
def _bar(key: Hashable, widget: str) -> None:
    last_job = job(key)
    if last_job is None or not last_job.running:
        st.rerun()
    bar, button_column = st.columns([9, 2], gap="small", vertical_alignment="center")
    progress = (
        f"{last_job.what}: {last_job.done:,} of {last_job.total:,}" if last_job.total else last_job.what or "Beginning"
    )
    share = min(last_job.done / last_job.total, 1.0) if last_job.total else 0.0
    ending = "stopping after what is under way" if last_job.stopping else "the app can be used meanwhile"
    bar.progress(share, html.literal(f"{progress}; {ending}"))
    button_column.button(
        "Stop", key=f"{widget}_stop", on_click=guarded(last_job.stop), disabled=last_job.stopping, width="stretch"
    )


def confirm_sending(page: str, study: str, urls: Iterable[object]) -> bool:
    """Draw a checkbox for each server to which work would send a study's texts; return whether all of them are ticked.

    page: begins the keys of the checkboxes. urls: as in `servers_of`, which also names the errors. A tick is valid for
    one study and one server, and no link contains it.
    """
    ticks = [
        st.checkbox(
            html.literal(f"Send the texts of {study} to {host}"), key=f"{page}_send {study} {server}", help=WHY_SENDING
        )
        for server, host in servers_of(urls).items()
    ]
    return all(ticks)


def servers_of(urls: Iterable[object]) -> dict[str, str]:
    """Return the servers other than FAIRVIZ_BASE_URL to which texts would go: hosts by address.

    urls: the parameter `url` of each annotator or ranker, empty for none.

    Raises: FairvizError for an address that cannot be read.
    """
    servers = dict.fromkeys(server_address(str(url)) for url in urls if url)
    return {server: urlsplit(server).netloc for server in servers if server != base_address()}
