"""Long work in threads: it continues while other pages are used, reports its progress, and can be stopped.

A job belongs to the server, not to a session: sessions that request work under the same key share one job, and a page
that is left and reopened shows it unchanged. Files that the work writes are not managed here.

On a server with a configuration, a job waits in a queue, ends at the limit of seconds, works for the visitor who began
it, and its state is kept in the data folder. Only that visitor, or the server's owner, can stop it. Visitors in several
server processes who request work under the same key begin a job in each. There, KINDS is the table of who may start
what, and no page starts a job without a press.

A page with a button of its own calls `start` from it and draws `follow`; `fairviz.ui.kept.flow` has the button, what
is asked before, and the result.
"""

import atexit
import hashlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.home.permissions import (
    DONE,
    FAILED,
    INTERRUPTED,
    OWNER,
    RUNNING,
    STOPPED,
    VIEWER,
    Limits,
    Place,
    QueuedJob,
    Visitor,
    permissions,
    visiting,
    visitor,
)
from fairviz.models.addresses import base_address, server_address
from fairviz.models.reading_time import free_share
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import APOLOGY, APOLOGY_REMEDY, guarded, repeated
from fairviz.ui.state import library
from fairviz.ui.state.registry import ANY, PAGES, STUDY_OWNER, JobKind
from fairviz.words.sentences import counted, seconds_text

LOG = logging.getLogger("fairviz")
TURN = 0.2  # seconds between two looks of a waiting job at the queue
LOOK = 1.0  # seconds between two looks of a running job for a request from elsewhere that it ends
QUICK_AT_ONCE = 1  # quick jobs, beside the long ones
LAST_WAIT = 10.0  # seconds that the server waits at its end for each job to stop
Progress = Callable[[str, int, int], None]


EVERY = 0.7  # seconds between two redraws of the progress bar
SHORT = 1.5  # seconds that a page waits for work that it has just begun, which may be over by then
INTERRUPTED_TEXT = "Interrupted by a restart of the server; answers so far are kept."
NOT_YOURS = "Only the visitor who began this job, or the server's owner, can stop it."
WHY_SENDING = "A language model there reads them. No link holds this address."
Texts = tuple[str, ...]  # a message and its remedy
IN_DEMO = ("This demo starts no work of models.", "On a machine of your own: fairviz app")
QUICK = 30.0  # seconds of a job that does not wait behind longer ones
SURE = 3.0  # seconds of work before its speed counts
LEAST_SHARE = 0.01  # share of a core
RECENT = 30.0  # seconds over which the speed is measured


@dataclass
class Pace:
    """The progress of work over time.

    estimate: seconds by the clock, made before the work began; None if unknown. share: the part of a core that a thread
    was expected to get then. Their product is the time that the work needs of a core; the clock takes longer by as much
    as the work's thread gets less. Progress and times are those of the last report.
    """

    estimate: float | None = None
    share: float = 1.0
    began: float | None = None  # processor time of the first report
    recent: deque[tuple[float, float]] = field(default_factory=deque)  # clock and processor time of the last reports
    step: str = ""
    step_began: tuple[float, int] = (0.0, 0)  # clock and count at which the step began
    done: int = 0
    total: int = 0

    def note(self, step: str, done: int, total: int, clock: float, processor: float) -> None:
        """Record a report of the work. clock, processor: seconds, of any origin; processor: of the work's thread."""
        self.began = processor if self.began is None else self.began
        if step != self.step or done < self.done:
            self.step, self.step_began = step, (clock, done)
        self.done, self.total = done, total
        self.recent.append((clock, processor))
        while self.recent[0][0] < clock - RECENT and len(self.recent) > 2:
            self.recent.popleft()

    def left(self, clock: float) -> float | None:
        """Return the seconds left at this time; None if nothing is known of them.

        They are those of the estimate at the measured speed, or those of the present step at its own speed if that is
        longer, as a step can show that the estimate was too short.
        """
        if not self.recent:
            return max(self.estimate, 0.0) if self.estimate is not None else None
        (first, before), (last, now) = self.recent[0], self.recent[-1]
        parts = []
        if self.estimate is not None and self.began is not None:
            share = max((now - before) / (last - first), LEAST_SHARE) if last - first >= SURE else self.share
            parts.append(max(self.estimate * self.share - (now - self.began), 0.0) / share)
        of_step, count = last - self.step_began[0], self.done - self.step_began[1]
        if of_step >= SURE and count > 0:
            parts.append(of_step * (self.total - self.done) / count)
        return max(max(parts) - (clock - last), 0.0) if parts else None


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
        return self.place is None or self.visitor == visitor() or permissions().is_server_owner()

    def report(self, what: str, done: int, total: int) -> None:
        """Record the progress of the work, which calls it. Raises Stopped after a request to stop, and over the limit
        of seconds."""
        self.what, self.done, self.total = what, done, total
        self.pace.note(what, done, total, time.monotonic(), time.thread_time())
        if self.place is not None and time.monotonic() > self._next_look:
            self._next_look = time.monotonic() + LOOK
            if self.place.is_to_end():
                self.stop()
        if self._stop.is_set() or time.monotonic() > self._latest_end:
            raise Stopped

    def _run(self, work: Callable[[Progress], Any]) -> None:
        _RUNNING.add(self)
        try:
            with visiting(self.visitor):
                self._await_turn()
                self.outcome = work(self.report)
            self._note(DONE)
            self.is_complete = True
        except Stopped:
            self._note_stop()
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
        if self._stop.is_set():  # the job before it and this one were ended together
            raise Stopped
        self.before = None
        self.place.note(RUNNING)
        self._latest_end = time.monotonic() + self.limits.job_seconds

    def _note_stop(self) -> None:
        """Record a stop: over the limit of seconds the job has failed; at the server's end it has no new state."""
        if not self._stop.is_set() and self.limits is not None:
            self._fail(
                FairvizError(
                    f"the job took more than {self.limits.job_seconds:,} seconds, the most on this server",
                    "Answers so far are kept. The owner of the server can raise job_seconds under [limits].",
                )
            )
        elif not self._server_ends:
            self._note(STOPPED)

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


KINDS: dict[str, JobKind] = {  # by the first part of a job's key; docs/how-to/server.md has the same table
    "combinations": JobKind("Sensitivity analysis", ANY, reads_models=False),
    "analysis": JobKind("Analysis {}", ANY),
    "checks": JobKind("Checks of {}", ANY, reads_models=False),
    "rank": JobKind("Runs for {}", ANY),
    "annotators": JobKind("Labels for {}", ANY),
    "fetch": JobKind("Download of {}"),
    "word vectors": JobKind("Word vectors"),
}


@dataclass(frozen=True)
class Terms:
    """Terms that decide who may start a job, and when it runs.

    study: that it is about. calls: the parameters of its rankers or annotators. seconds: an estimate of its time, None
    if it is unknown.
    """

    study: Study | None = None
    calls: tuple[Mapping[str, Any], ...] = ()
    seconds: float | None = None

    @property
    def asks_model(self) -> bool:
        """True if requests go to a language model, in the name and on the account of the server's owner."""
        return any("url" in parameters for parameters in self.calls)


_BEGINNING = threading.Lock()


@st.cache_resource
def _jobs() -> dict[Hashable, Job]:
    """Return the jobs of this server, the last one of each key."""
    return {}


def job(key: Hashable) -> Job | None:
    """Return the last job of this key, running or ended; None without one."""
    return _jobs().get(key)


def begin(key: Hashable, work: Callable[[Progress], Any], terms: Terms = Terms()) -> Job:
    """Return the running or waiting job of this key, or a new one that does this work.

    On a server, the new job is on the disk when this returns. Raises FairvizError for a visitor who may not start it or
    has too many jobs waiting, and where it cannot be stored.
    """
    with _BEGINNING:
        last_job = job(key)
        if last_job is not None and last_job.running:
            return last_job
        if reason := refusal(key, terms):
            raise FairvizError(*reason)
        new = Job(key, visitor(), pace=Pace(terms.seconds, free_share()))
        if permissions().is_server:
            is_quick = terms.seconds is not None and terms.seconds <= QUICK
            new.place = permissions().take_place(key_hash(key), title_of(key), is_quick=is_quick)
            new.limits = permissions().limits()
        try:
            new.start(work)
        except RuntimeError:  # no thread is left
            new.give_up()
            raise
        _jobs()[key] = new
        return new


def refusal(key: Hashable, terms: Terms = Terms()) -> Texts:
    """Return why the visitor may not start this job, with a remedy; nothing if it may start. KINDS is the rule."""
    if not permissions().is_server:
        return ()
    kind = _kind_of(key)
    if permissions().is_demo():
        return IN_DEMO if kind.reads_models else ()
    if permissions().is_server_owner():
        return ()
    study, who = terms.study, kind.who
    if terms.asks_model and who == ANY:
        who = STUDY_OWNER
    is_own = study is not None and library.is_own(study)
    if who == ANY:
        is_allowed = study is None or is_own or permissions().allows(study.name, VIEWER)
    else:  # who brings a study here owns it, but not the account of the models
        is_served = study is not None and not is_own and (permissions().is_of_all(study.name) or not terms.asks_model)
        is_allowed = (
            who == STUDY_OWNER
            and study is not None
            and ((is_own and not terms.asks_model) or (is_served and permissions().allows(study.name, OWNER)))
        )
    return () if is_allowed else (f"{who[:1].upper()}{who[1:]} starts this work.", "Ask one of them for the role.")


def key_hash(key: Hashable) -> str:
    """Return a hash of a job's key that is the same in every process, unless the key holds objects without a text of
    their own."""
    return hashlib.sha256(stable_text(key).encode("utf-8", "backslashreplace")).hexdigest()


def stable_text(value: object) -> str:
    """Return the text of a value; sets have no order of their own."""
    if isinstance(value, Mapping):
        return f"{{{stable_text(sorted((stable_text(name), stable_text(part)) for name, part in value.items()))}}}"
    if isinstance(value, (set, frozenset)):
        return f"set {stable_text(sorted(map(stable_text, value)))}"
    if isinstance(value, (tuple, list)):
        return f"({','.join(map(stable_text, value))})"
    return repr(value)


def starts_alone() -> bool:
    """Return whether pages may begin short work without a press: on a server no address starts a job."""
    return not permissions().is_server


def _kind_of(key: Hashable) -> JobKind:
    """Return the kind of the job of this key; of an unknown one, a kind of the server's owner."""
    name = str(key[0] if isinstance(key, tuple) and key else key)
    return kinds().get(name, JobKind(name))


def kinds() -> dict[str, JobKind]:
    """Return the kinds of jobs by the first part of a job's key, those of pages among them."""
    return KINDS | {name: kind for page in PAGES.values() for name, kind in page.jobs.items()}


def title_of(key: Hashable) -> str:
    """Return the title of a job for a list of jobs."""
    rest = key[1:2] if isinstance(key, tuple) else ()
    return _kind_of(key).title.format(*rest)


def queue() -> list[QueuedJob]:
    """Return the jobs that wait or run in all processes of the server, for its owner: title, visitor, state, position
    (jobs before it) and since, in the order in which they were begun; empty outside a server."""
    return permissions().queued_jobs()


def end(queued: QueuedJob) -> None:
    """Request that a job ends, in whatever process it waits or runs. Raises FairvizError for a visitor who may not."""
    if not is_mine(queued):
        raise FairvizError(NOT_YOURS, "Ask one of them.")
    permissions().request_end(queued.number)


def is_mine(queued: QueuedJob) -> bool:
    """Return whether the visitor may end the job: who began it, and the server's owner."""
    person = visitor()
    is_own = person is not None and bool(person.name) and person.name == queued.visitor
    return is_own or permissions().is_server_owner()


def is_interrupted(key: Hashable) -> bool:
    """Return whether the last job of this key was running or waiting in a server process that is gone."""
    return permissions().is_server and job(key) is None and permissions().state_of(key_hash(key)) == INTERRUPTED


def start(key: Hashable, work: Callable[[Progress], Any], terms: Terms = Terms()) -> Job:
    """Begin the work and wait for a moment: short work is complete when the page is drawn. For a button's on_click."""
    new_job = begin(key, work, terms)
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

    When it ends, the whole page is redrawn. Of a job that ended early, draw its problem or the message `stopped`; of
    one that a restart of the server interrupted, a message with the remedy in `stopped`.
    """
    last_job = job(key)
    if last_job is not None and last_job.running:
        _bar(key, widget)
        return True
    if last_job is not None and last_job.problem is not None:
        html.problem(last_job.problem)
    elif is_interrupted(key) if last_job is None else not last_job.is_complete:
        html.message("info", INTERRUPTED_TEXT if last_job is None else stopped[0], *stopped[1:])
    return False


@repeated(EVERY)
def _bar(key: Hashable, widget: str) -> None:
    last_job = job(key)
    if last_job is None or not last_job.running:
        st.rerun()
    bar, button_column = st.columns([9, 2], gap="small", vertical_alignment="center")
    share = min(last_job.done / last_job.total, 1.0) if last_job.total else 0.0
    bar.progress(share, html.literal(_bar_text(last_job)))
    may_stop = last_job.may_stop()
    button_column.button(
        "Stop", key=f"{widget}_stop", on_click=guarded(partial(_stop, last_job)), width="stretch",
        disabled=last_job.stopping or not may_stop, help=None if may_stop else NOT_YOURS,
    )  # fmt: skip


def _bar_text(last_job: Job) -> str:
    """Return the text of a job's progress bar."""
    if last_job.before is not None and not last_job.stopping:
        return f"Waiting: {counted(last_job.before, 'job')} before this one."
    progress = (
        f"{last_job.what}: {last_job.done:,} of {last_job.total:,}" if last_job.total else last_job.what or "Beginning"
    )
    if last_job.stopping:
        return f"{progress}; stopping after what is under way"
    left = last_job.pace.left(time.monotonic())
    of_step = " in this step" if last_job.pace.estimate is None else ""
    time_left = f"; {seconds_text(left)} left{of_step}" if left is not None else ""
    return f"{progress}{time_left}; the app can be used meanwhile"


def _stop(running_job: Job) -> None:
    """Stop a job. Raises FairvizError for a visitor who may not."""
    if not running_job.may_stop():
        raise FairvizError(NOT_YOURS, "Ask one of them.")
    running_job.stop()


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
