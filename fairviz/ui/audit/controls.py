"""The inputs of an audit: rankers, pairs, number of queries, and lists; and its job.

An audit that takes a few seconds runs without the button. Of a longer one, the rankers that read no text are shown at
once, and the button runs all of them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from fairviz.analyses.audit.attribution import AttributionAudit, audit_attribution
from fairviz.analyses.audit.attribution_plan import AttributionPlan
from fairviz.analyses.audit.auditing import LISTWISE, PAIRWISE, estimates, rankers_of
from fairviz.analyses.audit.list_plan import ListwisePlan, check_lists
from fairviz.analyses.audit.listwise import audit_listwise
from fairviz.analyses.audit.pairs import SOURCES, PairwisePlan
from fairviz.analyses.audit.pairwise import audit_pairwise
from fairviz.analyses.packaged import PackagedResult
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.models.asking import Estimate
from fairviz.rankers import RANKERS
from fairviz.rankers.grammar import Choice, absent_layer, demonstrations
from fairviz.rankers.reading import reading_seconds, reads
from fairviz.study.record import Study
from fairviz.ui.audit.requests import AuditCalls, AuditRequest, Audits, Plan, named
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.entries import vectors_stamp
from fairviz.ui.kept.runs import packaged, tell
from fairviz.ui.kit import html, jobs, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.call_picker import pick_calls
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.state import choices, library
from fairviz.words.sentences import counted, out_of, seconds_text

NAMES, SOURCE, QUERIES, LISTS = "audit_rankers", "audit_source", "audit_queries", "audit_lists"
RANKER_HELP = "Parameters has the fields of each. BM25 is always audited too. llm(model='smollm2') is a demonstration."
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
QUERIES_HELP = "0: all. A language model gets two questions a pair, so take few queries first."
LISTS_HELP = "Has the rankers order whole lists too, under neutral queries and under queries that name a gender."
PACKAGED = "audit"  # the name of packaged results
AT_ONCE, MOST_DOCUMENTS = 5.0, 3_000  # seconds of an audit that runs without the button, and documents
DONE = "This was run; its answer is below."
STOPPED = ("Stopped: nothing of it is shown.", "Encoded texts and answers are kept. Press Run to resume.")


def missing(study: Study) -> tuple[str, str]:
    """Return the input that the study lacks and the way to add it; two empty texts if pairs can be built."""
    try:
        kept.pairs(study, PairwisePlan())
    except FairvizError as error:
        return f"{error.message}.", error.remedy
    return "", ""


def controls(study: Study, settings: Settings) -> AuditRequest | None:
    """Draw the row of controls and return the requested audit; None if it cannot be run."""
    names, source, queries, whole, go = st.columns([6, 4, 2, 2, 2], gap="small", vertical_alignment="bottom")
    pick_rankers(study, settings, names)
    pick.select(SOURCE, "Pairs", SOURCES, place=source, texts=SOURCE_TEXTS, help=SOURCE_HELP)
    pick.number(QUERIES, "Queries", place=queries, min_value=0, step=5, help=QUERIES_HELP)
    pick.toggle(LISTS, "Lists too", place=whole, help=LISTS_HELP)
    return runnable(study, partial(_read_request, study, settings), go)


def pick_rankers(study: Study, settings: Settings, place: Any) -> None:
    """Draw the list of rankers."""
    choices.value_of(NAMES)
    values, defaults = {"run": study.systems}, {"embedding": settings.embedding}
    pick_calls(NAMES, "Rankers", RANKERS, values=values, defaults=defaults, place=place, help=RANKER_HELP)


def runnable(study: Study, read: Callable[[], AuditRequest], go: Any) -> AuditRequest | None:
    """Return the request that `read` makes of the controls, and draw its button; None, and the error, if it cannot be
    run. A short audit begins by itself, but on a server."""
    try:
        request = read()
        if absent := absent_layer(choice.ranker for choice in request.rankers):
            html.message("info", f"{absent.message}.", absent.remedy)
        request = request.of_installed()
        sending = confirm_sending("audit", study.name, (one.parameters.get("url") for one in request.rankers))
        _run_at_once(study, request)
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return None
    done = jobs.is_running(request.key) or jobs.completed(request.key) is not None
    terms = _terms(study, request)
    reason = jobs.refusal(request.key, terms)
    begin = partial(jobs.start, request.key, partial(_work, study, request), terms)
    go.button("Run", key="audit_run", type="primary", width="stretch", disabled=bool(done or not sending or reason),
              help=DONE if done else " ".join(reason) or None, on_click=guarded(begin))  # fmt: skip
    return request


def _read_request(study: Study, settings: Settings) -> AuditRequest:
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
    return request_of(study, settings, pairs, plan, lists)


def request_of(
    study: Study, settings: Settings, rankers: tuple[Choice, ...], plan: Plan,
    lists: tuple[tuple[Choice, ...], ListwisePlan] | None = None,
) -> AuditRequest:  # fmt: skip
    """Return the request for these rankers by this plan, with the key of its job."""
    stamp = vectors_stamp(settings)
    key = ("audit", study.fingerprint, named(rankers), plan, lists and lists[1], stamp, library.owner(study))
    return AuditRequest(rankers, plan, lists, key, AuditCalls(study, st.session_state[NAMES], settings.embedding))


def _run_at_once(study: Study, request: AuditRequest) -> None:
    """Begin an audit of a few seconds whose result is not packaged, but on a server. Raises FairvizError without the
    encoder."""
    if not jobs.starts_alone() or _packaged(study, request) is not None or jobs.job(request.key) is not None:
        return
    if not request.lists and len(study.documents) <= MOST_DOCUMENTS:
        seconds = reading_seconds(study, request.choices, others=_also_read(study, request))
        if seconds is not None and seconds < AT_ONCE:
            jobs.start(request.key, partial(_work, study, request))


def _terms(study: Study, request: AuditRequest) -> jobs.Terms:
    """Return the terms of the audit's job. Raises FairvizError without the encoder."""
    seconds = None
    if not request.lists and len(study.documents) <= MOST_DOCUMENTS:
        seconds = reading_seconds(study, request.choices, others=_also_read(study, request))
    return jobs.Terms(study, tuple(one.parameters for one in request.rankers), seconds)


def _also_read(study: Study, request: AuditRequest) -> tuple[str, ...]:
    """Return the texts that a model reads beside those of the study. Raises: see `candidates_of`."""
    return kept.version_texts(study, request.plan).texts if isinstance(request.plan, AttributionPlan) else ()


def _work(study: Study, request: AuditRequest, progress: jobs.Progress) -> Audits | AttributionAudit:
    """Runs in a thread, and uses no widget."""
    if isinstance(request.plan, AttributionPlan):
        return audit_attribution(study, request.choices, request.plan, progress)
    if request.lists:
        check_lists(study)  # before pairs are judged for nothing
    progress("Building pairs", 0, 0)
    pairwise = audit_pairwise(study, request.choices, request.plan, progress)
    listwise = audit_listwise(study, *request.lists, progress) if request.lists else None
    return Audits(request, pairwise, listwise)


def outcome(study: Study, request: AuditRequest) -> Any:
    """Return the results of the job, Audits or an AttributionAudit, None without any. Before it has any, draw its
    progress, its end, or its estimate, and return the packaged ones, or those of the rankers that read no text. A note
    above calls a small model a demonstration."""
    if small := demonstrations(request.rankers):
        html.message("warning", "\n".join(small))
    jobs.follow(request.key, "audit", STOPPED)
    found = _packaged(study, request) if jobs.completed(request.key) is None else None
    if found is not None:
        tell(
            found,
            f"Rankers: {', '.join(one.system for one in request.choices)}; {_counts(study, request.plan)}; seed 0",
        )
        return found.outcome
    if jobs.job(request.key) is None:
        _before(study, request)
    job = jobs.completed(request.key) or _quick(study, request)
    return job.outcome if job is not None else None


def _packaged(study: Study, request: AuditRequest) -> PackagedResult | None:
    """Return the packaged results of the request."""
    return packaged(study, PACKAGED, request.key[:-1], request=request)  # without the owner of the session


def _quick(study: Study, request: AuditRequest) -> jobs.Job | None:
    """Return the complete job of the rankers that read no text; None if there are none, or a study is large."""
    quick = request.without_reading()
    if quick.key == request.key or not quick.choices or len(study.documents) > MOST_DOCUMENTS:
        return None
    if jobs.job(quick.key) is None and jobs.starts_alone():
        jobs.start(quick.key, partial(_work, study, quick))
    jobs.follow(quick.key, "audit_quick", STOPPED)
    return jobs.completed(quick.key)


def notes(request: AuditRequest, messages: Sequence[str]) -> None:
    """Draw the messages of an audit that are not shown above it, folded."""
    small = demonstrations(request.rankers)
    if lines := [message for message in messages if message not in small]:
        with st.expander(f"Notes ({len(lines)})", key="audit_notes", type="compact"):
            html.note("\n".join(lines))


def _before(study: Study, request: AuditRequest) -> None:
    """Draw the estimate of a run."""
    try:
        if request.lists:
            check_lists(study)
        counts = _counts(study, request.plan)
        questions = estimates(study, request.choices, request.plan)
        lists = estimates(study, *request.lists) if request.lists else {}
        scored = [one for one in request.choices if one.system not in questions]
        seconds = reading_seconds(study, scored, others=_also_read(study, request))
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return
    reading = ", ".join(choice.system for choice in request.choices if reads(choice) and choice.system not in questions)
    html.message(
        "info",
        f"Run adds {reading}: {counts}; {seconds_text(seconds)}." if seconds and reading else f"Run: {counts}.",
        "\n".join(_questions_text(name, one) for name, one in (*questions.items(), *lists.items())),
    )


def _counts(study: Study, plan: Plan) -> str:
    """Return how much there is to judge."""
    if isinstance(plan, AttributionPlan):
        versions = kept.version_texts(study, plan)
        documents, queries = versions.documents, versions.queries
        return f"{counted(documents, 'document')} in five versions, {counted(queries, 'query', 'queries')}"
    pairs = kept.pairs(study, plan).table
    return f"{counted(len(pairs), 'pair')}, {counted(pairs['query_id'].nunique(), 'query', 'queries')}"


def _questions_text(name: str, need: Estimate) -> str:
    """Return the requests to a language model that a run needs."""
    return (
        f"{name}: {out_of(need.open, need.questions, 'question')} to ask. About {need.tokens_in:,} tokens of prompts, "
        f"at most {need.tokens_out:,} of answers."
    )
