"""Work that takes long, on every page alike: controls in a row, the button Run, what is told before, progress and
Stop, and the result.

    values, go = flow.choose(RECORD, study, settings)
    task = flow.asked(lambda: _task(study, settings, values), go)  # errors of the choices, servers, Run
    if task is not None and (found := task.outcome()) is not None:
        draw_views(RECORD.shown(found), flow.code_of(RECORD, study, settings, values))

A page with its button in the row of controls calls `asked` and `outcome`; a page without calls `outcome` with the label
of the button, which is then drawn below. A result is one of this server, or one that the program was shipped with.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import streamlit as st

from fairviz.analyses import Analysis
from fairviz.analyses.packaged import PackagedResult, path_of, read_packaged
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.home import BUILTIN
from fairviz.output.recipes import recipe
from fairviz.rankers import RANKERS
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, Shelf, kept, vectors_stamp
from fairviz.ui.kit import html, jobs, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.jobs import key_hash
from fairviz.ui.kit.views import Code
from fairviz.ui.state import choices, library

AT_ONCE = 5.0  # seconds of work that begins without its button, but on a server
MOST_OUTCOMES = 12  # of analyses, of a study
AGAIN = "Run makes it anew"


@dataclass(frozen=True, eq=False)
class Task:
    """Work that a reader's choices ask for.

    key: of its job. work: runs in a thread, and uses no widget. widget: begins the keys of its widgets. stopped: a
    message and its remedy after Stop. calls: the parameters of its rankers. seconds: its estimate, None if unknown.
    at_once: whether it begins without the button; None for work of less than AT_ONCE seconds. before: from the
    estimate to what is drawn before a run, empty for nothing. kept: the result if there is one; without it, that of the
    job. packaged: the name of packaged results, the key of this one, and what its file names and does not store. told:
    from a packaged result and the estimate to its settings and the time of a run. done: the help of the button once
    there is a result. request: the choices that it was made of, for its page.
    """

    study: Study | None
    key: tuple
    work: Callable[[jobs.Progress], Any]
    widget: str
    stopped: jobs.Texts
    calls: tuple[Mapping[str, Any], ...] = ()
    seconds: Callable[[], float | None] = lambda: None
    at_once: bool | None = None
    before: Callable[[float | None], jobs.Texts] = lambda seconds: ()
    kept: Callable[[], Any] | None = None
    packaged: tuple[str, Hashable, Mapping[str, Any]] | None = None
    told: Callable[[Any, float | None], tuple[str, str]] = lambda found, seconds: ("", "")
    done: str = ""
    request: Any = None

    def result(self) -> Any | None:
        """Return the result that was computed on this server."""
        if self.kept is not None:
            return self.kept()
        job = jobs.completed(self.key)
        return job.outcome if job is not None else None

    @cached_property
    def estimate(self) -> float | None:
        """The seconds of a run; None if they are unknown, and where there is no run to begin."""
        return None if self.result() is not None or jobs.is_running(self.key) else self.seconds()

    @cached_property
    def shipped(self) -> PackagedResult | None:
        """The packaged result."""
        if self.packaged is None or self.study is None:
            return None
        name, key, given = self.packaged
        return packaged(self.study, name, key, **given)

    @property
    def terms(self) -> jobs.Terms:
        """The terms of the job."""
        return jobs.Terms(self.study, self.calls, self.estimate)

    def begin_at_once(self) -> None:
        """Begin short work that was not begun and whose result is not packaged, but on a server."""
        is_open = jobs.starts_alone() and jobs.job(self.key) is None and self.result() is None and self.shipped is None
        if not is_open:
            return
        is_short = self.at_once
        if is_short is None:
            is_short = self.estimate is not None and self.estimate < AT_ONCE
        if is_short:
            jobs.start(self.key, self.work, self.terms)

    def button(self, place: Any, label: str = "Run", key: str = "", *, is_allowed: bool = True) -> None:
        """Draw the button in the row of controls. is_allowed: whether the texts may be sent to all servers."""
        is_done, reason = self.result() is not None, jobs.refusal(self.key, self.terms)
        place.button(
            label, key=key or f"{self.widget}_run", type="primary", width="stretch",
            disabled=bool(is_done or jobs.is_running(self.key) or not is_allowed or reason),
            help=(is_done and self.done) or html.tooltip(*reason, self._shipped_as()) or None,
            on_click=guarded(self._start),
        )  # fmt: skip

    def _shipped_as(self) -> str:
        """Return versions and settings of the packaged result; empty without one."""
        if self.shipped is None:
            return ""
        versions = ", ".join(f"{name} {version}" for name, version in self.shipped.versions.items())
        return f"Packaged: {self.told(self.shipped.outcome, self.estimate)[0]} ({versions})."

    def outcome(self, label: str = "") -> Any | None:
        """Return the result. Without one, draw the progress of its job, its end, or what a run would show and take, and
        return the packaged result.

        label: of the button of a page that has none in its row of controls.
        """
        if label:
            self.begin_at_once()
        is_running = jobs.follow(self.key, self.widget, self.stopped)
        if (found := self.result()) is not None:
            return found
        is_new = jobs.job(self.key) is None and not jobs.is_interrupted(self.key)
        if self.shipped is not None:
            time = self.told(self.shipped.outcome, self.estimate)[1]
            html.message("info", f"Packaged result of {self.shipped.made}. {AGAIN}{f': {time}' if time else ''}.")
        elif is_new:
            try:
                texts = self.before(self.estimate)
            except FairvizError as error:
                html.problem(error)
            else:
                html.message("info", *texts) if texts else None
        if label and not is_running and jobs.completed(self.key) is None:
            self._button_below(label, is_new=is_new)
        return self.shipped.outcome if self.shipped is not None else None

    def _button_below(self, label: str, *, is_new: bool) -> None:
        """Draw the button, or why the reader may not press it."""
        if reason := jobs.refusal(self.key, self.terms):
            html.message("info", *reason)
            return
        if not is_new:
            last_job = jobs.job(self.key)
            label = "Try again" if last_job is not None and last_job.problem is not None else "Resume"
        about = html.tooltip(self._shipped_as()) or None
        st.button(label, type="primary", key=f"{self.widget}_go", on_click=guarded(self._start), help=about)

    def _start(self) -> None:
        jobs.start(self.key, self.work, self.terms)


def choose(
    analysis: Analysis,
    study: Study,
    settings: Settings,
    own: Mapping[str, Callable[[], Any]] | None = None,
    go: float = 2,
) -> tuple[dict[str, Any], Any]:
    """Draw the record's controls in a row; return the values of their parameters, and the place of the button.

    own: draws a control of kind `own` and returns its value, by the parameter's name. go: the width of the button.
    """
    widths = [*(control.width for control in analysis.controls), go]
    *places, button = st.columns(widths, gap="small", vertical_alignment="bottom")
    values = {}
    for place, one in zip(places, analysis.controls, strict=True):
        about = " ".join(filter(None, [term(one.term) if one.term else "", one.help]))
        look: dict[str, Any] = {"place": place, "help": about or None}
        offered = one.offers(study, settings) if callable(one.offers) else one.offers
        if one.kind == "calls":
            choices.value_of(one.key)
            chosen: Any = pick.pick_calls(
                one.key, one.label, RANKERS, offered=offered, values={"run": study.systems},
                defaults={"embedding": settings.embedding}, place=place, help=about,
            )  # fmt: skip
        elif one.kind == "several":
            usual = [name for name in one.usual if name in offered]
            chosen = pick.several(one.key, one.label, offered, usual, texts=one.texts, **look)
        elif one.kind == "select":
            chosen = pick.select(one.key, one.label, offered, texts=one.texts, **look)
        elif one.kind == "number":
            chosen = pick.number(one.key, one.label, min_value=0, step=5, **look)
        elif one.kind == "own":
            with place:
                chosen = (own or {})[one.parameter]()
        else:
            chosen = (pick.toggle if one.kind == "toggle" else pick.text)(one.key, one.label, **look)
        values[one.parameter] = one.value(chosen)
    return values, button


def asked(read: Callable[[], Task], place: Any) -> Task | None:
    """Return the task that `read` makes of the controls, and draw its button in the place, below the controls a
    checkbox for each server that gets texts; None, and the error, where it raises FairvizError. Short work begins."""
    try:
        task = read()
        name = task.study.name if task.study is not None else ""
        is_allowed = jobs.confirm_sending(task.widget, name, (call.get("url") for call in task.calls))
        task.begin_at_once()
        task.button(place, is_allowed=is_allowed)
    except FairvizError as error:
        html.problem(error)
        return None
    return task


def packaged(study: Study, name: str, key: Hashable, **given: Any) -> PackagedResult | None:
    """Return the result of a page that the program was shipped with; None without one of this key.

    key: all that the result depends on, among it the study's fingerprint, and nothing of a session. given: what the
    file names and does not store.
    """
    if study.name not in BUILTIN:
        return None
    path = path_of(study.name, name, key_hash(key))
    return _read(study, path, key_hash(key), given) if path.is_file() else None


@kept(Entries("packaged results", number=12), by={"given": lambda _: ""})
def _read(study: Study, path: Path, key: str, given: dict[str, Any]) -> PackagedResult | None:
    return read_packaged(path, key, {"study": study, **given})


@dataclass(frozen=True, eq=False)
class Run:
    """An analysis of a study with these values of its parameters, which a reader may start."""

    analysis: Analysis
    study: Study
    settings: Settings
    values: Mapping[str, Any]

    @property
    def key(self) -> tuple:
        """All that the outcome depends on; of word vectors in a file also the state of the file."""
        fields = CHOICES if self.analysis.reads is None else self.analysis.reads
        read = repr([getattr(self.settings, name) for name in fields])
        stamp = vectors_stamp(self.settings) if "embedding" in fields else ()
        return self.analysis.name, self.study.fingerprint, tuple(sorted(self.values.items())), read, stamp

    @property
    def job_key(self) -> tuple:
        """The key of the job that computes the outcome."""
        return ("analysis", *self.key, library.owner(self.study))

    def task(self, widget: str, stopped: jobs.Texts, **more: Any) -> Task:
        """Return the task that computes the outcome. more: of `Task`."""
        return Task(self.study, self.job_key, self.work, widget, stopped, kept=self.outcome, **more)

    def outcome(self) -> Any | None:
        """Return the outcome if it was computed, also by a job that has just ended."""
        if job := jobs.completed(self.job_key):
            _outcomes(self.study).put(self.key, job.outcome)
            jobs.forget(self.job_key)
        return _outcomes(self.study).value_of(self.key)

    def outcome_at_once(self) -> Any:
        """Return the outcome of a quick analysis, computed here if it was not computed before."""
        outcome = self.outcome()
        if outcome is None:
            outcome = self.work(lambda what, done, total: None)
            _outcomes(self.study).put(self.key, outcome)
        return outcome

    def work(self, progress: jobs.Progress) -> Any:
        """Compute the outcome, in a thread without widgets."""
        return self.analysis.compute(
            self.study, self.settings, lambda what, *counts: progress(what[:1].upper() + what[1:], *counts),
            **self.values,
        )  # fmt: skip


@kept(Entries("outcomes", number=1), by={"study": lambda _: ""})
def _outcomes(study: Study) -> Shelf[Any]:
    return Shelf(MOST_OUTCOMES)


def code_of(analysis: Analysis, study: Study, settings: Settings, values: Mapping[str, Any]) -> Code:
    """Return what makes the Python of a view's numbers: the record's call, or that of `analyse`."""
    if analysis.call is not None:
        function, arguments, keywords = analysis.call(study, settings, values)
        return partial(recipe, function, *arguments, **keywords)
    defaults = {parameter.name: parameter.default for parameter in analysis.parameters}
    changed = {name: value for name, value in values.items() if value != defaults[name]}
    return partial(recipe, analyse, study, analysis.name, settings, **changed)
