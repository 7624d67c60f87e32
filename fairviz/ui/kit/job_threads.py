"""One job: work in a thread of its own, with its place in the queue of a server, its limits and its end."""

import atexit
import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from fairviz.errors import FairvizError
from fairviz.home.access import Visitor, is_server_owner, visiting, visitor
from fairviz.home.server_config import Limits
from fairviz.ui.kit.boundary import APOLOGY, APOLOGY_REMEDY
from fairviz.ui.kit.job_store import DONE, FAILED, RUNNING, STOPPED, Place
from fairviz.ui.kit.pace import Pace

LOG = logging.getLogger("fairviz")
TURN = 0.2  # seconds between two looks of a waiting job at the queue
LOOK = 1.0  # seconds between two looks of a running job for a request from elsewhere that it ends
QUICK_AT_ONCE = 1  # quick jobs, beside the long ones
LAST_WAIT = 10.0  # seconds that the server waits at its end for each job to stop
Progress = Callable[[str, int, int], None]


class Stopped(BaseException):
    """A request to stop the work, raised within the work by its call of `progress`."""


@dataclass(eq=False)
class Job:
    """One piece of work in a thread of its own.

    what, done, total: the progress that the work last reported. is_complete: whether it has returned. outcome:
    its return value. problem: the error that ended it. visitor: who began it. place: in the queue of a server. before:
    the number of jobs before it, while it waits; else None. pace: its speed and the time left.
    """

    key: Hashable
    visitor: Visitor | None = None
    place: Place | None = None
    limits: Limits | None = None
    before: int | None = None
    what: str = ""
    done: int = 0
    total: int = 0
    is_complete: bool = False
    outcome: Any = None
    problem: FairvizError | None = None
    pace: Pace = field(default_factory=Pace)
    _latest_end: float = float("inf")  # the monotonic time at which it is over the limit
    _next_look: float = 0.0  # the monotonic time
    _server_ends: bool = False
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

    def end(self) -> None:
        """Request that the work stops because the server ends: the job counts as interrupted, not as stopped."""
        self._server_ends = True
        self.stop()

    def give_up(self) -> None:
        """Leave the queue, if it has a place there."""
        if self.place is not None:
            self.place.leave()

    def may_stop(self) -> bool:
        """Return whether the visitor may stop the job."""
        return self.place is None or self.visitor == visitor() or is_server_owner()

    def report(self, what: str, done: int, total: int) -> None:
        """Record the progress of the work, which calls it. Raises Stopped after a request to stop, and over the limit
        of seconds."""
        self.what, self.done, self.total = what, done, total
        self.pace.note(what, done, total, time.monotonic(), time.thread_time())
        if self.place is not None and time.monotonic() > self._next_look:
            self._next_look = time.monotonic() + LOOK
            if self.place.is_to_end():
                self.stop()
        if self._stop.is_set() or self._is_late():
            raise Stopped

    def _is_late(self) -> bool:
        return time.monotonic() > self._latest_end

    def _run(self, work: Callable[[Progress], Any]) -> None:
        _RUNNING.add(self)
        try:
            with visiting(self.visitor):
                self._await_turn()
                self.outcome = work(self.report)
            self._note(DONE)
            self.is_complete = True
        except Stopped:
            self._settle_stop()
        except FairvizError as error:
            self._fail(error)
        except Exception:
            LOG.exception("a job failed")
            self._fail(FairvizError(APOLOGY, APOLOGY_REMEDY))
        finally:
            self.give_up()
            _RUNNING.discard(self)

    def _await_turn(self) -> None:
        """Return when the job may run. Raises Stopped after a request to stop."""
        if self.place is None or self.limits is None:
            return
        at_once = QUICK_AT_ONCE if self.place.is_quick else self.limits.jobs_at_once
        while (before := self.place.before()) >= at_once:
            self.before = before
            if self.place.is_to_end():
                self.stop()
            if self._stop.wait(TURN):
                raise Stopped
        self.before = None
        self.place.note(RUNNING)
        self._latest_end = time.monotonic() + self.limits.job_seconds

    def _settle_stop(self) -> None:
        if self._stop.is_set() or self.limits is None:
            if not self._server_ends:
                self._note(STOPPED)
            return
        self._fail(
            FairvizError(
                f"the job took more than {self.limits.job_seconds:,} seconds, the most on this server",
                "Answers so far are kept. The owner of the server can raise job_seconds under [limits].",
            )
        )

    def _fail(self, error: FairvizError) -> None:
        self._note(FAILED)
        self.problem = error

    def _note(self, state: str) -> None:
        """Append a state in which the job ends; an error is only logged, as the outcome is there."""
        try:
            if self.place is not None:
                self.place.note(state)
        except FairvizError:
            LOG.exception("the state of a job could not be stored")


_RUNNING: set[Job] = set()


@atexit.register
def end_all() -> None:
    """Request that every job stops and wait for it: a job killed while a library's own threads work for it would end
    the program with an error of that library."""
    running_jobs = tuple(_RUNNING)
    for running_job in running_jobs:
        running_job.end()
    for running_job in running_jobs:
        running_job.wait(LAST_WAIT)
