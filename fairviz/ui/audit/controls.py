"""The inputs of an audit: rankers, pairs, number of queries, and lists; and its job."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from fairviz.analyses.audit.auditing import LISTWISE, PAIRWISE, audit, estimates, rankers_of
from fairviz.analyses.audit.candidate_lists import check_lists
from fairviz.analyses.audit.list_plan import ListwisePlan
from fairviz.analyses.audit.listwise import ListwiseAudit, audit_listwise
from fairviz.analyses.audit.pairs import SOURCES, PairwisePlan
from fairviz.analyses.audit.pairwise import PairwiseAudit, audit_pairwise
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.output.recipes import Call, call
from fairviz.rankers import RANKERS
from fairviz.rankers.grammar import Choice, demonstrations
from fairviz.study.record import Study
from fairviz.ui.kept import rankers as kept
from fairviz.ui.kept.entries import vectors_stamp
from fairviz.ui.kit import html, jobs, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.state import library
from fairviz.words.sentences import counted

NAMES, SOURCE, QUERIES, LISTS = "audit_rankers", "audit_source", "audit_queries", "audit_lists"
RANKER_HELP = (
    "One or more, with parameters, as bm25,bi_encoder,llm(model='gpt-4o',url='http://localhost:8000/v1'); "
    "llm(model='smollm2') needs no network and shows the way, no more. BM25 is always audited beside them. "
    f"There are {', '.join(RANKERS)}."
)
SOURCE_TEXTS = {
    "auto": "wordings, else drawn",
    "same text": "one text, several wordings",
    "drawn": "drawn by lot",
    "both": "both",
}
SOURCE_HELP = (
    "Drawn pairs are two documents of one query, one of each group, both relevant or both not. Texts in several "
    "wordings differ in gender alone; Grep-BiasIR has them."
)
QUERIES_HELP = "0: all. A language model is asked two questions a pair, so take few queries first."
LISTS_HELP = "Has the rankers order whole lists too, under neutral queries and under queries that name a gender."
DONE = "This was run; its answer is below."
STOPPED = ("Stopped: nothing of it is shown.", "What was encoded and answered is kept, and Run goes on from there.")

COMMON_NAMES = ("queries", "annotator", "seed")
NAMES_BY_PLAN = {PairwisePlan: ("source", "per_query", "neutral"), ListwisePlan: ("window", "step", "per_list")}


@dataclass(frozen=True)
class AuditCalls:
    """The audits that the page computes, as calls for recipes. embedding: word vectors for rankers that use some."""

    study: Study
    rankers: str
    embedding: str

    def of(self, plan: PairwisePlan | ListwisePlan) -> Call:
        """Return the call of `fairviz.audit` by this plan."""
        values = {name: getattr(plan, name) for name in COMMON_NAMES + NAMES_BY_PLAN[type(plan)]}
        values["queries"] = values["queries"] or 0
        kind = LISTWISE if isinstance(plan, ListwisePlan) else PAIRWISE
        embedding = self.embedding if self.embedding != Settings.embedding else ""
        return call(audit, self.study, self.rankers, kind=kind, embedding=embedding, **values)


@dataclass(frozen=True)
class Asked:
    """The requested audit. lists: rankers and plan of the audit by lists, None without it. programs: the Python of its
    tables."""

    choices: tuple[Choice, ...]
    plan: PairwisePlan
    lists: tuple[tuple[Choice, ...], ListwisePlan] | None
    key: tuple
    calls: AuditCalls


@dataclass(frozen=True, eq=False)
class Audits:
    """The results of a job."""

    pairwise: PairwiseAudit
    listwise: ListwiseAudit | None


def missing(study: Study) -> tuple[str, str]:
    """Return the input that the study lacks and the way to add it; two empty texts if pairs can be built."""
    try:
        kept.pairs(study, PairwisePlan())
    except FairvizError as error:
        return f"{error.message}.", error.remedy
    return "", ""


def controls(study: Study, settings: Settings) -> Asked | None:
    """Draw the row of controls and return the requested audit; None if it cannot be run."""
    names, source, queries, whole, go = st.columns([6, 4, 2, 2, 2], gap="small", vertical_alignment="bottom")
    pick.text(NAMES, "Rankers", place=names, help=RANKER_HELP)
    pick.select(SOURCE, "Pairs", SOURCES, place=source, texts=SOURCE_TEXTS, help=SOURCE_HELP)
    pick.number(QUERIES, "Queries", place=queries, min_value=0, step=5, help=QUERIES_HELP)
    pick.toggle(LISTS, "Lists too", place=whole, help=LISTS_HELP)
    try:
        asked = _read_request(study, settings)
        sending = confirm_sending("audit", study.name, (one.parameters.get("url") for one in _rankers(asked)))
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return None
    done = jobs.is_running(asked.key) or jobs.completed(asked.key) is not None
    begin = partial(jobs.start, asked.key, partial(_work, study, asked))
    go.button("Run", key="audit_run", type="primary", width="stretch", disabled=done or not sending,
              help=DONE if done else None, on_click=guarded(begin))  # fmt: skip
    return asked


def _read_request(study: Study, settings: Settings) -> Asked:
    """Return the requested audit. Raises FairvizError for an audit that cannot be run."""
    state, vectors = st.session_state, settings.embedding
    plan = PairwisePlan(state[SOURCE], queries=state[QUERIES], annotator=settings.annotator)
    pairs = rankers_of(state[NAMES], PAIRWISE, embedding=vectors)
    lists = None
    if state[LISTS]:
        lists = (
            rankers_of(state[NAMES], LISTWISE, embedding=vectors),
            ListwisePlan(queries=state[QUERIES] or None, annotator=settings.annotator),
        )
    told = tuple((one.ranker.name, tuple(sorted(one.parameters.items()))) for one in pairs)
    stamp = vectors_stamp(settings)
    key = ("audit", study.fingerprint, told, plan, lists and lists[1], stamp, library.owner(study))
    return Asked(pairs, plan, lists, key, AuditCalls(study, state[NAMES], vectors))


def _work(study: Study, request: Asked, progress: jobs.Progress) -> Audits:
    """Runs in a thread, and uses no widget."""
    if request.lists:
        check_lists(study)  # before pairs are judged for nothing
    progress("Building pairs", 0, 0)
    pairwise = audit_pairwise(study, request.choices, request.plan, progress)
    listwise = audit_listwise(study, *request.lists, progress) if request.lists else None
    return Audits(pairwise, listwise)


def outcome(study: Study, request: Asked) -> Audits | None:
    """Return the results of the job, or draw its progress, its end, or its estimate. A note above calls a small model a
    demonstration."""
    if small := _small(request):
        html.message("warning", "\n".join(small))
    jobs.follow(request.key, "audit", STOPPED)
    if jobs.job(request.key) is None:
        _before(study, request)
    job = jobs.completed(request.key)
    return job.outcome if job is not None else None


def _small(request: Asked) -> tuple[str, ...]:
    """A sentence for each ranker whose figures are a demonstration."""
    return demonstrations(_rankers(request))


def _rankers(request: Asked) -> tuple[Choice, ...]:
    """The rankers that judge pairs, and those that order lists."""
    return (*request.choices, *(request.lists[0] if request.lists else ()))


def notes(request: Asked, messages: Sequence[str]) -> None:
    """Draw the messages of an audit that are not shown above it."""
    html.note("\n".join(message for message in messages if message not in _small(request)))


def _before(study: Study, request: Asked) -> None:
    """Draw the estimate of a run."""
    try:
        if request.lists:
            check_lists(study)
        made = kept.pairs(study, request.plan)
        questions = estimates(study, request.choices, request.plan)
        lists = estimates(study, *request.lists) if request.lists else {}
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return
    queries = made.table["query_id"].nunique()
    rankers = ", ".join(choice.system for choice in request.choices)
    told = [
        f"{name}: {one.open:,} of {one.questions:,} questions to ask, about {one.tokens_in:,} tokens of prompts and at "
        f"most {one.tokens_out:,} of answers."
        for name, one in (*questions.items(), *lists.items())
    ]
    html.message(
        "info",
        f"Run has {rankers} judge {counted(len(made.table), 'pair')} of {counted(queries, 'query', 'queries')}.",
        "\n".join([*told, *made.messages]),
    )
