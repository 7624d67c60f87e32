"""Labelling by rules and models: the form with its estimate before any request, the job, and its result.

Nothing of the form is in the address: links start no cost, and contain neither servers nor keys.
"""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import MILLION
from fairviz.annotation.annotators import METHODS, MethodChoice, parse
from fairviz.annotation.annotators.annotating import (
    DEMONSTRATION,
    Annotations,
    Hearing,
    annotate,
    is_demonstration,
    with_annotations,
)
from fairviz.annotation.annotators.llm import PROMPTS, keep_prompt, own_prompts, template
from fairviz.annotation.voters import annotator_names, is_machine
from fairviz.datasets import check_new_annotators, save_labels
from fairviz.declared import ANNOTATE
from fairviz.errors import FairvizError, UsageError
from fairviz.models.addresses import BASE, OPENAI, base_address, server_address
from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Estimate
from fairviz.models.language_model import SMOLLM2, chosen_model
from fairviz.models.remote_model import KEY, OPENAI_KEY, key_for
from fairviz.models.replies import OUTCOMES, check_connection
from fairviz.parameters import Call
from fairviz.study.record import Study
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.jobs import servers_of
from fairviz.ui.kit.pick import call_field, pick_calls, read_calls
from fairviz.ui.state import library
from fairviz.words.counting import document_text
from fairviz.words.sentences import counted, listed, out_of

WITH = "annotate_with"
HELD, SUGGESTED = "annotate_held", "annotate_suggested"
QUERIES, REPLACE = "annotate_queries", "annotate_replace"
AT_ONCE, PATIENT, REQUESTS, TOKENS = "annotate_at_once", "annotate_patience", "annotate_requests", "annotate_tokens"
PRICE_IN, PRICE_OUT = "annotate_price_in", "annotate_price_out"
USUAL = {WITH: "", QUERIES: 0, REPLACE: False, AT_ONCE: CONCURRENCY, PATIENT: PATIENCE, REQUESTS: None, TOKENS: None,
         PRICE_IN: None, PRICE_OUT: None}  # fmt: skip
CHEAP = ("lexicon(tau=0)", "mentions")
WITH_HELP = "Rules, classifiers and language models. A model's fields are below; Parameters has the other fields."
FIELDS = {"model": "Language model", "url": "Address of its server", "prompt": "Prompt"}
CONNECTION, CONNECTION_PATIENCE = "annotate_connection", 20.0  # seconds
SHOWN, KEPT = "annotate_prompt", "annotate_prompt_kept"
LOOKED = 100  # documents searched for one with text
PLACES = (
    "{passage} is required: the document's text. {classes}, {number}, {definitions} and {terms} come from the study's "
    "groups; {examples} is where worked examples go. A prompt with “Reasoning:” gets rationales, which Read shows."
)
IN_SESSION = "The labels are in this session's study: save it."
STOPPED = (
    "Stopped: no label was written. Answers are kept.",
    "Press Label to resume. Unfinished questions are sent again.",
)


def prices() -> tuple[float | None, float | None]:
    """Return the prices of a million tokens of prompts and of answers, None for unknown ones."""
    values = st.session_state.get(HELD, {})
    return values.get(PRICE_IN), values.get(PRICE_OUT)


def card(study: Study, *, is_running: bool) -> None:
    """Draw annotators, documents, estimate and button."""
    _restore(study)
    with st.container(gap="xsmall", key="annotate_card"):
        text, queries = st.columns([11, 2.4], gap="small", vertical_alignment="bottom")
        values = {"prompt": (*PROMPTS, *map(str, own_prompts().values())), "reference": annotator_names(study)}
        pick_calls(WITH, "Label the documents with", METHODS, values=values, elsewhere=FIELDS, place=text,
                   help=WITH_HELP)  # fmt: skip
        queries_help = "Only documents judged or ranked for the first N queries; 0: all."
        queries.number_input("First queries", *ANNOTATE["queries"].ends, key=QUERIES, step=1, help=queries_help)
        _model_fields(values)
        widths = [2, 2.6, 8.8]
        prompts_column, requests_column, again_column = st.columns(widths, gap="small", vertical_alignment="center")
        with prompts_column:
            _prompts(study)
        with requests_column:
            _requests()
        choices = _choices()
        existing = _existing(study, choices)
        if existing:
            again_column.checkbox("Replace the labels that they gave before", key=REPLACE)
        _connections(choices)
        is_ready = _draw_estimate(study, choices, existing)
        order = _order(choices)
        reason = jobs.refusal(_key(study), order.terms(study))
        st.button(
            _button_label(choices), key="annotate_go", type="primary",
            disabled=bool(is_running or not is_ready or reason), help=" ".join(reason) or None,
            on_click=guarded(partial(_begin, study, order)),
        )  # fmt: skip
        st.session_state[HELD] = {name: st.session_state[name] for name in USUAL if name in st.session_state}


def _restore(study: Study) -> None:
    """Set the widgets to their last values in this session, at first to the cheap annotators missing from the study."""
    state = st.session_state
    for name, value in (USUAL | state.get(HELD, {})).items():
        state.setdefault(name, value)
    if state[WITH] == state.get(SUGGESTED, ""):
        names = annotator_names(study)
        state[WITH] = state[SUGGESTED] = ",".join(text for text in CHEAP if parse(text)[0].name not in names)


def _model_fields(values: Mapping[str, Sequence[str]]) -> None:
    """Draw model, address and prompt of each language model that is named, else of one to be added. values: offered
    ones by parameter."""
    text = str(st.session_state[WITH])
    calls = list(enumerate(read_calls(text)))
    if text.strip() and not calls:
        return
    models = [(place, call) for place, call in calls
              if call.name in METHODS and METHODS[call.name].questions is not None]  # fmt: skip
    for place, call in models or [(len(calls), Call("llm", {}))]:
        parameters = {each.name: each for each in METHODS[call.name].parameters}
        for column, (name, label) in zip(st.columns([3, 5, 3], gap="small"), FIELDS.items(), strict=True):
            with column:
                call_field(WITH, place, call, parameters[name], values.get(name, ()), label)


def _prompts(study: Study) -> None:
    """Draw the popover with the prompts: as they are sent for a document of this study, and custom ones."""
    with st.popover("Prompts", width="stretch"):
        custom_prompts = own_prompts()
        about = f"As sent for the first document of {study.title or study.name}, at temperature 0."
        name = st.selectbox("Prompt", (*PROMPTS, *custom_prompts), key=SHOWN, help=html.literal(about))
        try:
            prompt_text = template(name if name in PROMPTS else str(custom_prompts[name]), study)
        except FairvizError as error:
            html.problem(error, "info")
            return
        sent, edit = st.tabs(["As it is sent", "Write your own"])
        with sent:
            texts = document_text(study.documents.head(LOOKED)).dropna()
            first_text = str(texts.iloc[0])[:4000] if len(texts) else "(the text of a document)"
            st.code(prompt_text.filled(first_text), language=None, wrap_lines=True, height=420)
        with edit:
            key = f"annotate_prompt_text_{name}"
            text = st.text_area("Template", prompt_text.text, key=key, height=320, help=html.literal(PLACES))
            name_column, button_column = st.columns([3, 1], vertical_alignment="bottom")
            own_name = name_column.text_input("Name", key="annotate_prompt_name", placeholder="my-prompt")
            keep = guarded(partial(_keep_prompt, own_name, text))
            button_column.button("Keep", key="annotate_prompt_keep", on_click=keep)
            html.quiet(st.session_state.pop(KEPT, ""))


def _keep_prompt(name: str, text: str) -> None:
    path = keep_prompt(name.strip(), text)
    st.session_state[KEPT] = f"Kept as {path}: Parameters offers it as a prompt."
    st.session_state[SHOWN] = path.stem


def _requests() -> None:
    try:
        bound = base_address() or OPENAI
    except FairvizError:  # an invalid address is reported once a model is named
        bound = f"the server in {BASE}"
    about = f"The API key is read from {KEY}; for OpenAI, from {OPENAI_KEY}."
    about = html.tooltip(about, f"It is sent only to {bound} and never stored.")
    with st.popover("Requests to models", width="stretch", help=about):
        left, right = st.columns(2)
        left.number_input("Requests at a time", *ANNOTATE["concurrency"].ends, key=AT_ONCE, step=1)
        longest = ANNOTATE["patience"].ends[1]
        right.number_input("Seconds to wait for a whole answer", 1.0, longest, key=PATIENT, step=10.0)
        ends = ANNOTATE["most_requests"].ends
        left.number_input("Most requests", *ends, None, key=REQUESTS, step=100, placeholder="no limit")
        ends = ANNOTATE["most_tokens"].ends
        right.number_input("Most tokens", *ends, None, key=TOKENS, step=10_000, placeholder="no limit")
        for place, key, what in ((left, PRICE_IN, "prompts"), (right, PRICE_OUT, "answers")):
            label = f"Price of a million tokens of {what}"
            place.number_input(label, *ANNOTATE["price_in"].ends, None, key=key, placeholder="unknown")


def _choices() -> tuple[MethodChoice, ...]:
    """Return the named annotators; none, with a message, if the text is invalid."""
    text = str(st.session_state[WITH]).strip()
    if not text:
        html.quiet("Name an annotator, or add one.")
        return ()
    try:
        return parse(text)
    except UsageError as error:
        html.problem(error)
        return ()


def _existing(study: Study, choices: Sequence[MethodChoice]) -> list[str]:
    """Return the named annotators whose labels the study has already."""
    names = annotator_names(study)
    return [choice.name for choice in choices if choice.name in names]


def _connections(choices: Iterable[MethodChoice]) -> None:
    """Draw a button for each language model that tests its connection, and the result of the last test."""
    models = dict.fromkeys(
        (str(part.values["model"]), str(part.values.get("url") or ""))
        for choice in choices
        for part in choice.walk()
        if part.values.get("model") and "url" in part.values
    )
    if not models:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for model, url in models:
            label = "Test connection" if len(models) == 1 else f"Test connection to {model}"
            st.button(html.literal(label), key=f"annotate_test {model} {url}",
                      help="Sends one short question, and no document.",
                      on_click=guarded(partial(_test_connection, model, url)))  # fmt: skip
        tested, kind, line = st.session_state.get(CONNECTION, (None, "", ""))
        if tested in models:
            html.message(kind, line)


def _test_connection(model: str, url: str) -> None:
    try:
        check_connection(chosen_model(model, url), CONNECTION_PATIENCE)
        result = ("good", f"{model} answers.")
    except FairvizError as error:
        result = ("error", str(error))
    st.session_state[CONNECTION] = ((model, url), *result)


def _draw_estimate(study: Study, choices: tuple[MethodChoice, ...], existing: Sequence[str]) -> bool:
    """Draw requests and cost, warnings, and obstacles; return whether there are no obstacles. existing: the annotators
    who gave labels before."""
    if not choices:
        return False
    if existing and not st.session_state[REPLACE]:
        html.quiet(f"Labelled by {', '.join(existing)}. To label again, tick Replace.")
        return False
    try:
        _check(study, choices, existing)
        estimates = kept.estimated(study, str(st.session_state[WITH]), int(st.session_state[QUERIES]))
        keys = [_key_line(choice) for choice in choices]
    except FairvizError as error:
        html.problem(error, "info")
        return False
    lines = [_estimate_line(name, estimate) for name, estimate in estimates.items()]
    if not lines:
        lines = ["No language model is used: nothing to pay."]
    small = [f"{choice.name}: {DEMONSTRATION}" for choice in choices if is_demonstration(choice)]
    told = " ".join(dict.fromkeys(filter(None, [*lines, *keys])))
    html.message("warning" if small else "info", "\n".join([told, *small]))
    return True


def _check(study: Study, choices: Sequence[MethodChoice], existing: Sequence[str]) -> None:
    """Raise FairvizError if the labels could not be added to the study."""
    if not library.is_own(study):
        names = [choice.name for choice in choices]
        check_new_annotators(study, names, replace=bool(st.session_state[REPLACE]))
        return
    people = [name for name in existing if not is_machine(study, name)]
    if people:
        raise FairvizError(f"the labels by {people[0]} may be a person's, so they stay",
                           "Rename that annotator in the file of labels first.")  # fmt: skip


def _estimate_line(name: str, estimate: Estimate) -> str:
    """Return the questions of an annotator, their tokens, and their cost if a price is known."""
    price_in, price_out = st.session_state[PRICE_IN], st.session_state[PRICE_OUT]
    cost = (estimate.tokens_in * (price_in or 0) + estimate.tokens_out * (price_out or 0)) / MILLION
    amount = f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"
    cost_text = f", at most about {amount}" if price_in is not None or price_out is not None else ""
    return (
        f"{name}: {out_of(estimate.open, estimate.questions, 'question')} to ask. About {estimate.tokens_in:,} tokens "
        f"of prompts, at most {estimate.tokens_out:,} of answers{cost_text}."
    )


def _key_line(choice: MethodChoice) -> str:
    """Return the source of the key of a remote model. Raises FairvizError for a missing key."""
    lines = []
    for part in choice.walk():
        model, url = str(part.values.get("model", "")), str(part.values.get("url", ""))
        if part.method.questions is None or (not url and (model == SMOLLM2 or model.lower().endswith(".gguf"))):
            continue
        address, home = server_address(url), base_address() or OPENAI
        variables = f"{KEY} or {OPENAI_KEY}" if address == OPENAI else KEY
        bound = f"goes to {home} alone" if address != home and os.environ.get(KEY) else "is not set"
        state = "is set" if key_for(address) else f"{bound}, and none is sent to {address}"
        lines.append(f"The key comes from the environment variable {variables}, which {state}.")
    return " ".join(lines)


def _button_label(choices: Sequence[MethodChoice]) -> str:
    """Return the button's label, which lists the servers that texts are sent to."""
    try:
        servers = servers_of(part.values.get("url") for choice in choices for part in choice.walk())
    except FairvizError:  # reported with the estimate
        return "Label"
    hosts = list(dict.fromkeys(servers.values()))
    return f"Send texts to {html.literal(listed(hosts))} and label" if hosts else "Label"


@dataclass(frozen=True)
class Order:
    """A labelling job: annotators, documents, and how language models are requested."""

    choices: tuple[MethodChoice, ...]
    queries: int
    concurrency: int
    patience: float
    budget: Budget
    replacing: bool

    def terms(self, study: Study) -> jobs.Terms:
        """Return the terms of the job."""
        return jobs.Terms(study, tuple(one.values for choice in self.choices for one in choice.walk()))


def _order(choices: tuple[MethodChoice, ...]) -> Order:
    """Return the job of the widgets' values."""
    state = st.session_state
    return Order(
        choices=choices,
        queries=int(state[QUERIES]),
        concurrency=int(state[AT_ONCE]),
        patience=float(state[PATIENT]),
        budget=Budget(state[REQUESTS], state[TOKENS]),
        replacing=bool(state[REPLACE]),
    )


@dataclass
class Labelled:
    """The result of a job.

    notes: messages during the job. place: the file of labels, "" for a study of this session, whose fingerprint is
    stored. joined: whether the labels are in that study.
    """

    annotations: Annotations
    notes: list[str]
    place: str
    fingerprint: str
    replacing: bool
    joined: bool = False


def _key(study: Study) -> Hashable:
    """Return the key of a study's job: shared by all sessions, or for uploads private to this one."""
    return ("annotators", study.name, str(study.folder), library.owner(study))


def _begin(study: Study, order: Order) -> None:
    own = library.own_studies()[study.name].fingerprint if library.is_own(study) else None
    jobs.start(_key(study), partial(label_documents, study, order, own), order.terms(study))


def label_documents(study: Study, order: Order, own: str | None, progress: jobs.Progress) -> Labelled:
    """Label the documents and save the labels. own: the fingerprint of a session's study, which is joined later.

    Runs in a thread without widgets.
    """
    notes: list[str] = []
    progress("Labelling", 0, 0)
    callbacks = partial(progress, "Questions answered"), partial(progress, "Texts read by an encoder")
    annotations = annotate(
        study, order.choices, queries=order.queries, concurrency=order.concurrency, budget=order.budget,
        patience=order.patience, hearing=Hearing(notes.append, *callbacks),
    )  # fmt: skip
    labelling_names = set(annotations.labels["annotator"])
    place = ""
    if own is None and labelling_names:
        annotators = {name: one for name, one in annotations.annotators.items() if name in labelling_names}
        place = str(save_labels(study, annotations.labels, annotators, replace=order.replacing))
    return Labelled(annotations, notes, place, own or "", order.replacing)


def join_labels(study: Study) -> None:
    """Add a job's labels to a study of this session, once, and rerun the page. Called first."""
    job = jobs.completed(_key(study))
    if job is None or job.outcome.joined or not library.is_own(study):
        return
    result, own = job.outcome, library.own_studies()[study.name]
    result.joined = True
    if own.fingerprint != result.fingerprint:
        result.notes.append(
            f"{study.name} was changed while it was labelled; the labels are not in it. Label it again."
        )
        return
    library.keep(with_annotations(own, result.annotations, replacing=result.replacing))
    st.rerun()


def running(study: Study) -> bool:
    """Draw the running job's progress bar with its stop button, else each annotator's outcomes in the last one and the
    place of the labels; return whether a job is running."""
    is_running = jobs.follow(_key(study), "annotate", STOPPED)
    if job := jobs.completed(_key(study)):
        result, lines = job.outcome, []
        for row in result.annotations.record.to_dict("records"):
            numbers = {name: row[name.replace(" ", "_")] for name in OUTCOMES}
            counts = ", ".join(f"{number:,} {name}" for name, number in numbers.items() if number)
            requests = f"; {row['asked']:,} questions sent now" if row["asked"] or row["tokens_in"] else ""
            lines.append(f"{row['annotator']}: {counts} of {counted(row['documents'], 'document')}{requests}")
        place = f"The labels are in {result.place}." if result.place else IN_SESSION
        place = place if len(result.annotations.labels) else "No label was given, and nothing is written."
        html.message("good", "\n".join(lines), "\n".join([place, *result.notes]))
    return is_running
