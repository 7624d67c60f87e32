"""The form of a labelling job: annotators, documents and cost, with the estimate before any request.

Nothing of it is in the address: links start no cost, and contain neither servers nor keys.
"""

import os
from functools import partial

import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import MILLION
from fairviz.annotation.annotators import METHODS, Choice, parse
from fairviz.annotation.annotators.annotating import DEMONSTRATION, is_demonstration
from fairviz.annotation.annotators.llm import PROMPTS, own_prompts
from fairviz.annotation.voters import annotator_names, is_machine
from fairviz.datasets import check_new_annotators
from fairviz.errors import FairvizError, UsageError
from fairviz.models.addresses import BASE, OPENAI, base_address, server_address
from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Estimate
from fairviz.models.language_model import SMOLLM2
from fairviz.models.remote_model import KEY, OPENAI_KEY, key_for
from fairviz.study.record import Study
from fairviz.ui.annotate import running
from fairviz.ui.annotate.connection import FIELDS, connections, model_fields
from fairviz.ui.annotate.prompts import prompts
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.call_picker import pick_calls
from fairviz.ui.kit.jobs import servers_of
from fairviz.ui.state import library
from fairviz.words.sentences import listed, out_of

WITH = "annotate_with"
HELD, SUGGESTED = "annotate_held", "annotate_suggested"
QUERIES, REPLACE = "annotate_queries", "annotate_replace"
AT_ONCE, PATIENT, REQUESTS, TOKENS = "annotate_at_once", "annotate_patience", "annotate_requests", "annotate_tokens"
PRICE_IN, PRICE_OUT = "annotate_price_in", "annotate_price_out"
USUAL = {WITH: "", QUERIES: 0, REPLACE: False, AT_ONCE: CONCURRENCY, PATIENT: PATIENCE, REQUESTS: None, TOKENS: None,
         PRICE_IN: None, PRICE_OUT: None}  # fmt: skip
CHEAP = ("lexicon(tau=0)", "mentions")
WITH_HELP = "Rules, classifiers and language models. A model's fields are below; Parameters has the other fields."


def _begin(study: Study) -> None:
    """Set the widgets to their last values in this session, at first to the cheap annotators missing from the study."""
    state, values = st.session_state, st.session_state.get(HELD, {})
    for name, value in (USUAL | values).items():
        state.setdefault(name, value)
    suggestion = state.get(SUGGESTED, "")
    if state[WITH] == suggestion:
        names = annotator_names(study)
        new_texts = [text for text in CHEAP if parse(text)[0].name not in names]
        state[WITH] = state[SUGGESTED] = ",".join(new_texts)


def prices() -> tuple[float | None, float | None]:
    """Return the prices of a million tokens of prompts and of answers, None for unknown ones."""
    values = {**st.session_state.get(HELD, {})}
    return values.get(PRICE_IN), values.get(PRICE_OUT)


def card(study: Study, *, is_running: bool) -> None:
    """Draw annotators, documents, estimate and button."""
    _begin(study)
    with st.container(gap="xsmall", key="annotate_card"):
        text, queries = st.columns([11, 2.4], gap="small", vertical_alignment="bottom")
        prompt_names = (*PROMPTS, *map(str, own_prompts().values()))
        values = {"prompt": prompt_names, "reference": annotator_names(study)}
        pick_calls(WITH, "Label the documents with", METHODS, values=values, elsewhere=FIELDS, place=text,
                   help=WITH_HELP)  # fmt: skip
        queries_help = "Only documents judged or ranked for the first N queries; 0: all."
        queries.number_input("First queries", 0, 1_000_000, key=QUERIES, step=1, help=queries_help)
        model_fields(WITH, values)
        prompts_column, requests_column, again_column = st.columns(
            [2, 2.6, 8.8], gap="small", vertical_alignment="center"
        )
        with prompts_column:
            prompts(study)
        with requests_column:
            _how()
        choices = _choices()
        with again_column:
            _again(study, choices)
        connections(choices)
        is_ready = _draw_estimate(study, choices)
        order = _order(choices)
        reason = jobs.refusal(running.key_of(study), running.terms_of(study, choices))
        st.button(_action(choices), key="annotate_go", type="primary",
                  disabled=bool(is_running or not is_ready or reason), help=" ".join(reason) or None,
                  on_click=guarded(partial(running.begin, study, order)))  # fmt: skip
        st.session_state[HELD] = {name: st.session_state[name] for name in USUAL if name in st.session_state}


def _action(choices: tuple[Choice, ...]) -> str:
    """Return the button's name, which lists the servers that texts are sent to."""
    try:
        servers = servers_of(one.values.get("url") for choice in choices for one in choice.walk())
    except FairvizError:  # reported with the estimate
        return "Label"
    hosts = list(dict.fromkeys(servers.values()))
    return f"Send texts to {html.literal(listed(hosts))} and label" if hosts else "Label"


def _how() -> None:
    with st.popover("Requests to models", width="stretch"):
        html.quiet(f"The API key is read from {KEY}; for OpenAI, from {OPENAI_KEY}. It is sent only to {_bound()} "
                   "and never stored.")  # fmt: skip
        left, right = st.columns(2)
        left.number_input("Requests at a time", 1, 1000, key=AT_ONCE, step=1)
        right.number_input("Seconds to wait for a whole answer", 1.0, 3600.0, key=PATIENT, step=10.0)
        left.number_input("Most requests", 1, None, None, key=REQUESTS, step=100, placeholder="no limit")
        right.number_input("Most tokens", 1, None, None, key=TOKENS, step=10_000, placeholder="no limit")
        left.number_input("Price of a million tokens of prompts", 0.0, None, None, key=PRICE_IN, placeholder="unknown")
        right.number_input(
            "Price of a million tokens of answers", 0.0, None, None, key=PRICE_OUT, placeholder="unknown"
        )


def _bound() -> str:
    """Return the only server that gets the key. An invalid address is reported once a model is named."""
    try:
        return base_address() or OPENAI
    except FairvizError:
        return f"the server in {BASE}"


def _choices() -> tuple[Choice, ...]:
    """Return the named annotators; none, with a message, if the text is invalid."""
    text = str(st.session_state[WITH]).strip()
    if not text:
        html.quiet("Name an annotator, or add one.")
        return ()
    try:
        return parse(text)
    except UsageError as error:
        html.message("error", error.message, error.remedy)
        return ()


def _existing(study: Study, choices: tuple[Choice, ...]) -> list[str]:
    """Return the names under which the study has labels already."""
    names = annotator_names(study)
    return [choice.name for choice in choices if choice.name in names]


def _again(study: Study, choices: tuple[Choice, ...]) -> None:
    existing = _existing(study, choices)
    if existing:
        st.checkbox("Replace the labels that they gave before", key=REPLACE)


def _order(choices: tuple[Choice, ...]) -> running.Order:
    state = st.session_state
    return running.Order(
        choices, int(state[QUERIES]), int(state[AT_ONCE]), float(state[PATIENT]),
        Budget(state[REQUESTS], state[TOKENS]), bool(state[REPLACE]),
    )  # fmt: skip


def _draw_estimate(study: Study, choices: tuple[Choice, ...]) -> bool:
    """Draw requests and cost, warnings, and obstacles; return whether there are no obstacles."""
    if not choices:
        return False
    existing = _existing(study, choices)
    if existing and not st.session_state[REPLACE]:
        html.quiet(f"Labelled by {', '.join(existing)}. To label again, tick Replace.")
        return False
    try:
        _check(study, choices)
        estimate_by_name = kept.estimated(study, str(st.session_state[WITH]), int(st.session_state[QUERIES]))
        keys = [_key_line(choice) for choice in choices]
    except FairvizError as error:
        html.message("info", error.message, error.remedy)
        return False
    lines = [_estimate_line(name, one) for name, one in estimate_by_name.items()] or [
        "No language model is used: nothing to pay."
    ]
    html.quiet(" ".join(dict.fromkeys(filter(None, [*lines, *keys]))))
    for choice in choices:
        if is_demonstration(choice):
            html.message("warning", f"{choice.name}: {DEMONSTRATION}")
    return True


def _check(study: Study, choices: tuple[Choice, ...]) -> None:
    """Raise FairvizError if the labels could not be added to the study."""
    names, replacing = [choice.name for choice in choices], bool(st.session_state[REPLACE])
    if not library.is_own(study):
        check_new_annotators(study, names, replace=replacing)
        return
    people = [name for name in _existing(study, choices) if not is_machine(study, name)]
    if people:
        raise FairvizError(f"the labels by {people[0]} may be a person's, so they stay",
                           "Rename that annotator in the file of labels first.")  # fmt: skip


def _key_line(choice: Choice) -> str:
    """Return the source of the key of a remote model. Raises FairvizError for a missing key."""
    lines = []
    for part in choice.walk():
        model, url = str(part.values.get("model", "")), str(part.values.get("url", ""))
        if part.method.questions is None or (not url and (model == SMOLLM2 or model.lower().endswith(".gguf"))):
            continue
        base = base_address()
        address, home = server_address(url), base or OPENAI
        variables = f"{KEY} or {OPENAI_KEY}" if address == OPENAI else KEY
        bound = f"goes to {home} alone" if address != home and os.environ.get(KEY) else "is not set"
        state = "is set" if key_for(address) else f"{bound}, and none is sent to {address}"
        lines.append(f"The key comes from the environment variable {variables}, which {state}.")
    return " ".join(lines)


def _estimate_line(name: str, estimate: Estimate) -> str:
    price_in, price_out = st.session_state[PRICE_IN], st.session_state[PRICE_OUT]
    cost = (estimate.tokens_in * (price_in or 0) + estimate.tokens_out * (price_out or 0)) / MILLION
    amount = f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"
    cost_text = f", at most about {amount}" if price_in is not None or price_out is not None else ""
    return (
        f"{name}: {out_of(estimate.open, estimate.questions, 'question')} to ask. About {estimate.tokens_in:,} tokens "
        f"of prompts, at most {estimate.tokens_out:,} of answers{cost_text}."
    )
