"""The inputs of an audit, the request that is made of them with the Python of its tables, and its run.

An audit that takes a few seconds runs without the button. Of a longer one, the rankers that read no text are shown at
once, and the button runs all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.extensions.ranker_audits.analysis import LISTWISE, PAIRWISE
from fairviz.extensions.ranker_audits.attribution import AttributionAudit, audit_attribution
from fairviz.extensions.ranker_audits.attribution_plan import AttributionPlan
from fairviz.extensions.ranker_audits.auditing import audit, estimates, keywords_of, rankers_of
from fairviz.extensions.ranker_audits.list_plan import ListwisePlan, check_lists
from fairviz.extensions.ranker_audits.listwise import ListwiseAudit, audit_listwise
from fairviz.extensions.ranker_audits.pairs import PairwisePlan
from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit, audit_pairwise
from fairviz.extensions.ranker_audits.ui import kept
from fairviz.output.recipes import Call, call
from fairviz.parameters import format_call
from fairviz.rankers.grammar import RankerChoice, absent_layer, demonstrations
from fairviz.rankers.ranking import reading_seconds, reads
from fairviz.study.record import Study
from fairviz.ui.kept import flow
from fairviz.ui.kept.entries import vectors_stamp
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import html, jobs
from fairviz.ui.state import library
from fairviz.words.sentences import counted, out_of, seconds_text

PACKAGED = "audit"  # the name of packaged results
MOST_DOCUMENTS = 3_000  # of a study whose audit may run without the button
DONE = "This was run; its answer is below."
STOPPED = ("Stopped: nothing of it is shown.", "Encoded texts and answers are kept. Press Run to resume.")
RankersPlan = PairwisePlan | AttributionPlan  # of rankers that score or compare; lists have a plan of their own
Lists = tuple[tuple[RankerChoice, ...], ListwisePlan]


@dataclass(frozen=True)
class AuditCalls:
    """The audits that the page computes, as calls for recipes. embedding: word vectors for rankers that use some."""

    study: Study
    rankers: str
    embedding: str

    def of(self, plan: RankersPlan | ListwisePlan) -> Call:
        """Return the call of `fairviz.audit` by this plan."""
        return call(audit, self.study, self.rankers, **keywords_of(plan, self.embedding))


@dataclass(frozen=True)
class AuditRequest:
    """The requested audit. lists: rankers and plan of the audit by lists, None without it. calls: the Python of its
    tables."""

    choices: tuple[RankerChoice, ...]
    plan: RankersPlan
    lists: Lists | None
    key: tuple
    calls: AuditCalls

    @property
    def rankers(self) -> tuple[RankerChoice, ...]:
        """The rankers that judge pairs, and those that order lists."""
        return (*self.choices, *(self.lists[0] if self.lists else ()))

    def only(self, keeps: Callable[[RankerChoice], bool], *, in_lists: bool = True) -> "AuditRequest":
        """Return the request for the rankers that are kept. in_lists: with lists, where it has some."""
        chosen = tuple(filter(keeps, self.choices))
        lists = (tuple(filter(keeps, self.lists[0])), self.lists[1]) if self.lists and in_lists else None
        if (chosen, lists) == (self.choices, self.lists):
            return self
        rankers = ",".join(format_call(choice.ranker.name, choice.parameters) for choice in chosen)
        key = (*self.key[:2], _named(chosen), self.plan, lists and lists[1], *self.key[5:])
        return AuditRequest(chosen, self.plan, lists, key, replace(self.calls, rankers=rankers))


@dataclass(frozen=True, eq=False)
class Audits:
    """The results of a job, with its request."""

    request: AuditRequest
    pairwise: PairwiseAudit
    listwise: ListwiseAudit | None


def _named(rankers: Sequence[RankerChoice]) -> tuple:
    """Return the rankers' names and parameters, for the key of a job."""
    return tuple((choice.ranker.name, tuple(sorted(choice.parameters.items()))) for choice in rankers)


def request_of(
    study: Study,
    settings: Settings,
    text: str,
    rankers: tuple[RankerChoice, ...],
    plan: RankersPlan,
    lists: Lists | None = None,
) -> AuditRequest:
    """Return the request for these rankers, which the text names, by this plan, with the key of its job, for those
    whose layer is installed. A message names a layer that is absent."""
    stamp = vectors_stamp(settings)
    key = ("audit", study.fingerprint, _named(rankers), plan, lists and lists[1], stamp, library.owner(study))
    calls = AuditCalls(study, text, settings.embedding)
    request = AuditRequest(rankers, plan, lists, key, calls)
    if absent := absent_layer(choice.ranker for choice in request.rankers):
        html.problem(absent, "info")
    return request.only(lambda choice: choice.ranker.is_installed)


def missing(study: Study) -> tuple[str, str]:
    """Return the input that the study lacks and the way to add it; two empty texts if pairs can be built."""
    try:
        kept.pairs(study, PairwisePlan())
    except FairvizError as error:
        return f"{error.message}.", error.remedy
    return "", ""


def controls(study: Study, settings: Settings) -> Task | None:
    """Draw the row of controls and return the requested audit; None if it cannot be run."""
    values, go = flow.choose(PAIRWISE, study, settings)

    def read() -> Task:
        queries, annotator, rankers = values["queries"], settings.annotator, values["rankers"]
        plan = PairwisePlan(values["source"], queries=queries, annotator=annotator)
        pairs = rankers_of(rankers, PAIRWISE.name, embedding=settings.embedding)
        lists = None
        if values["lists"]:
            list_plan = ListwisePlan(queries=queries or None, annotator=annotator)
            lists = rankers_of(rankers, LISTWISE.name, embedding=settings.embedding), list_plan
        return task_of(study, request_of(study, settings, rankers, pairs, plan, lists))

    return flow.asked(read, go)


def task_of(study: Study, request: AuditRequest) -> Task:
    """Return the run of the request. Its result is Audits or, of authors' names, an AttributionAudit."""

    def seconds() -> float | None:
        if request.lists or len(study.documents) > MOST_DOCUMENTS:
            return None
        return reading_seconds(study, request.choices, others=_also_read(study, request))

    def told(found: Any, seconds: float | None) -> tuple[str, str]:
        rankers = ", ".join(one.system for one in request.choices)
        return f"Rankers: {rankers}; {_counts(study, request.plan)}; seed 0", ""

    return Task(
        study, request.key, partial(_work, study, request), "audit", STOPPED,
        calls=tuple(one.parameters for one in request.rankers), seconds=seconds,
        before=lambda _: _before(study, request), told=told, done=DONE, request=request,
        packaged=(PACKAGED, request.key[:-1], {"request": request}),  # without the owner of the session
    )  # fmt: skip


def _also_read(study: Study, request: AuditRequest) -> tuple[str, ...]:
    """Return the texts that a model reads beside those of the study. Raises: see `candidates_of`."""
    return kept.version_texts(study, request.plan).texts if isinstance(request.plan, AttributionPlan) else ()


def _work(study: Study, request: AuditRequest, progress: jobs.Progress) -> Audits | AttributionAudit:
    if isinstance(request.plan, AttributionPlan):
        return audit_attribution(study, request.choices, request.plan, progress)
    if request.lists:
        check_lists(study)  # before pairs are judged for nothing
    progress("Building pairs", 0, 0)
    pairwise = audit_pairwise(study, request.choices, request.plan, progress)
    listwise = audit_listwise(study, *request.lists, progress) if request.lists else None
    return Audits(request, pairwise, listwise)


def outcome(study: Study, task: Task) -> Any:
    """Return the results of the run; before it has any those of the rankers that read no text, None without such. A
    note above calls a small model a demonstration."""
    request = task.request
    if small := demonstrations(request.rankers):
        html.message("warning", "\n".join(small))
    found = task.outcome()
    quick = request.only(lambda choice: not reads(choice), in_lists=False)
    if found is not None or quick is request or not quick.choices or len(study.documents) > MOST_DOCUMENTS:
        return found
    quick_task = Task(study, quick.key, partial(_work, study, quick), "audit_quick", STOPPED, at_once=True)
    quick_task.begin_at_once()
    return quick_task.outcome()


def notes(request: AuditRequest, messages: Sequence[str]) -> None:
    """Draw the messages of an audit that are not shown above it, folded."""
    small = demonstrations(request.rankers)
    if lines := [message for message in messages if message not in small]:
        with st.expander(f"Notes ({len(lines)})", key="audit_notes", type="compact"):
            html.note("\n".join(lines))


def _before(study: Study, request: AuditRequest) -> jobs.Texts:
    """Return what a run adds and how long it reads, with the requests to language models. Raises FairvizError."""
    if request.lists:
        check_lists(study)
    counts = _counts(study, request.plan)
    questions = estimates(study, request.choices, request.plan)
    lists = estimates(study, *request.lists) if request.lists else {}
    scored = [one for one in request.choices if one.system not in questions]
    seconds = reading_seconds(study, scored, others=_also_read(study, request))
    reading = ", ".join(choice.system for choice in scored if reads(choice))
    requests = [
        f"{name}: {out_of(need.open, need.questions, 'question')} to ask. About {need.tokens_in:,} tokens of prompts, "
        f"at most {need.tokens_out:,} of answers."
        for name, need in (*questions.items(), *lists.items())
    ]
    run = f"Run adds {reading}: {counts}; {seconds_text(seconds)}." if seconds and reading else f"Run: {counts}."
    return run, "\n".join(requests)


def _counts(study: Study, plan: RankersPlan) -> str:
    """Return how much there is to judge."""
    if isinstance(plan, AttributionPlan):
        versions = kept.version_texts(study, plan)
        documents, queries = versions.documents, versions.queries
        return f"{counted(documents, 'document')} in five versions, {counted(queries, 'query', 'queries')}"
    pairs = kept.pairs(study, plan).table
    return f"{counted(len(pairs), 'pair')}, {counted(pairs['query_id'].nunique(), 'query', 'queries')}"
