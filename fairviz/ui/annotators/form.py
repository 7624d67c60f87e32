"""What is to be labelled, by whom and for how much: the card at the top, with the estimate before anything is asked.

None of it is in the address: a link starts no cost, and names neither a server nor what might be a key.
"""

import os
from functools import partial

import streamlit as st

from fairviz.annotation.annotators import Choice, parse
from fairviz.annotation.annotators.annotating import DEMONSTRATION, is_demonstration
from fairviz.annotation.electorate import annotator_names, by_hand
from fairviz.datasets import check_new_annotators
from fairviz.errors import FairvizError, UsageError
from fairviz.inspection.labellers import MILLION
from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Estimate
from fairviz.models.language_model import BASE, OPENAI, SMOLLM2, base_address, server_address
from fairviz.models.remote_model import KEY, OPENAI_KEY, key_for
from fairviz.study.study import Study
from fairviz.ui.annotators import running
from fairviz.ui.annotators.builder import WITH, builder
from fairviz.ui.annotators.prompts import prompts
from fairviz.ui.kept import annotators as kept
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.sending import confirmed
from fairviz.ui.state import library

HELD, SUGGESTED = "annotate_held", "annotate_suggested"
QUERIES, REPLACE = "annotate_queries", "annotate_replace"
AT_ONCE, PATIENT, REQUESTS, TOKENS = "annotate_at_once", "annotate_patience", "annotate_requests", "annotate_tokens"
PRICE_IN, PRICE_OUT = "annotate_price_in", "annotate_price_out"
USUAL = {WITH: "", QUERIES: 0, REPLACE: False, AT_ONCE: CONCURRENCY, PATIENT: PATIENCE, REQUESTS: None, TOKENS: None,
         PRICE_IN: None, PRICE_OUT: None}  # fmt: skip
CHEAP = ("lexicon(tau=0)", "mentions")
WITH_HELP = (
    "One or more, with their parameters by name: lexicon(tau=0), mentions, prototypes, classifier(features='words'), "
    "vote(lexicon(tau=0),mentions,classifier), llm(model='gpt-4o',url='openai'), "
    "logprob(model='smollm2'). A url='http://localhost:8000/v1' names a server of your own."
)


def _begin(study: Study) -> None:
    """Gives the widgets what this session said when it was last here, and at first the cheap ones that are not in the
    study."""
    state, held = st.session_state, st.session_state.get(HELD, {})
    for name, value in (USUAL | held).items():
        state.setdefault(name, value)
    before = state.get(SUGGESTED, "")
    if state[WITH] == before:
        known = annotator_names(study)
        fresh = [text for text in CHEAP if parse(text)[0].name not in known]
        state[WITH] = state[SUGGESTED] = ",".join(fresh)


def prices() -> tuple[float | None, float | None]:
    """What a million tokens of prompts and of answers cost, None where nobody has said."""
    held = {**st.session_state.get(HELD, {})}
    return held.get(PRICE_IN), held.get(PRICE_OUT)


def card(study: Study) -> None:
    """Annotators, documents, what it takes, and the button."""
    _begin(study)
    with st.container(border=True, gap="xsmall", key="annotate_card"):
        text, queries, go = st.columns([9, 2.4, 2], gap="small", vertical_alignment="bottom")
        text.text_input("Label the documents with", key=WITH, help=WITH_HELP)
        asked = "Only documents judged or ranked for so many of the first queries; 0: all."
        queries.number_input("First queries", 0, 1_000_000, key=QUERIES, step=1, help=asked)
        add, shown, how, again = st.columns([2.4, 2, 2.6, 6.4], gap="small", vertical_alignment="center")
        with add:
            builder()
        with shown:
            prompts(study)
        with how:
            _how()
        choices = _choices()
        with again:
            _again(study, choices)
        busy = running.running(study)
        ready = _told(study, choices)
        order = _order(choices)
        go.button("Label", key="annotate_go", type="primary", width="stretch", disabled=busy or not ready,
                  on_click=guarded(partial(running.begin, study, order)))  # fmt: skip
        st.session_state[HELD] = {name: st.session_state[name] for name in USUAL if name in st.session_state}


def _how() -> None:
    with st.popover("How models are asked", width="stretch"):
        html.quiet(f"A key comes from the environment alone: {KEY}, or {OPENAI_KEY} for OpenAI itself. It goes to "
                   f"{_bound()}, and into no file.")  # fmt: skip
        left, right = st.columns(2)
        left.number_input("Requests at a time", 1, 1000, key=AT_ONCE, step=1)
        right.number_input("Seconds to wait for a whole answer", 1.0, 3600.0, key=PATIENT, step=10.0)
        left.number_input("At most so many requests", 1, None, None, key=REQUESTS, step=100, placeholder="no limit")
        right.number_input("At most so many tokens", 1, None, None, key=TOKENS, step=10_000, placeholder="no limit")
        left.number_input("Price of a million tokens of prompts", 0.0, None, None, key=PRICE_IN, placeholder="unknown")
        right.number_input(
            "Price of a million tokens of answers", 0.0, None, None, key=PRICE_OUT, placeholder="unknown"
        )


def _bound() -> str:
    """The only server that gets the key. A variable that holds no address is reported once a model is named."""
    try:
        return f"{base_address() or OPENAI} alone"
    except FairvizError:
        return f"the server in {BASE} alone"


def _choices() -> tuple[Choice, ...]:
    """The annotators that are named; none, and a line that says why, where they cannot be."""
    text = str(st.session_state[WITH]).strip()
    if not text:
        html.quiet("Name an annotator, or add one.")
        return ()
    try:
        return parse(text)
    except UsageError as error:
        html.message("error", error.message, error.remedy)
        return ()


def _again(study: Study, choices: tuple[Choice, ...]) -> None:
    taken = [choice.name for choice in choices if choice.name in annotator_names(study)]
    if taken:
        st.checkbox("Replace the labels that they gave before", key=REPLACE)


def _order(choices: tuple[Choice, ...]) -> running.Order:
    state = st.session_state
    return running.Order(
        choices, int(state[QUERIES]), int(state[AT_ONCE]), float(state[PATIENT]),
        Budget(state[REQUESTS], state[TOKENS]), bool(state[REPLACE]),
    )  # fmt: skip


def _told(study: Study, choices: tuple[Choice, ...]) -> bool:
    """What this would ask and cost, what it is no evidence of, and what keeps it from beginning; gives whether
    anything does not."""
    if not choices:
        return False
    try:
        _check(study, choices)
        found = kept.estimated(study, str(st.session_state[WITH]), int(st.session_state[QUERIES]))
        keys = [_key_line(choice) for choice in choices]
    except FairvizError as error:
        html.message("info", error.message, error.remedy)
        return False
    lines = [_estimate_line(name, one) for name, one in found.items()] or [
        "No language model is asked: nothing to pay."
    ]
    html.quiet(" ".join(dict.fromkeys(filter(None, [*lines, *keys]))))
    for choice in choices:
        if is_demonstration(choice):
            html.message("warning", f"{choice.name}: {DEMONSTRATION}")
    return confirmed("annotate", study.name, (one.values.get("url") for choice in choices for one in choice.walk()))


def _check(study: Study, choices: tuple[Choice, ...]) -> None:
    """Raises FairvizError where the labels could not join the study."""
    names, replacing = [choice.name for choice in choices], bool(st.session_state[REPLACE])
    taken = [name for name in names if name in annotator_names(study)]
    if taken and not replacing:
        raise FairvizError(f"{study.name} has labels by {', '.join(taken)} already",
                           "Tick Replace to give them anew, or take others.")  # fmt: skip
    if not library.is_own(study):
        check_new_annotators(study, names, replace=replacing)
        return
    people = [name for name in taken if by_hand(study, name)]
    if people:
        raise FairvizError(f"the labels by {people[0]} are not known to be a rule's or a model's, and stay",
                           "Rename that annotator in the file of labels first.")  # fmt: skip


def _key_line(choice: Choice) -> str:
    """Where the key of a model that is asked over the network comes from. Raises FairvizError where one is needed and
    there is none."""
    lines = []
    for one in choice.walk():
        model, url = str(one.values.get("model", "")), str(one.values.get("url", ""))
        if one.method.questions is None or (not url and (model == SMOLLM2 or model.lower().endswith(".gguf"))):
            continue
        base = base_address()
        address, home = server_address(url), base or OPENAI
        named = f"{KEY} or {OPENAI_KEY}" if address == OPENAI else KEY
        bound = f"goes to {home} alone" if address != home and os.environ.get(KEY) else "is not set"
        known = "is set" if key_for(address) else f"{bound}, and none is sent to {address}"
        lines.append(f"The key comes from the environment variable {named}, which {known}.")
    return " ".join(lines)


def _estimate_line(name: str, one: Estimate) -> str:
    price_in, price_out = st.session_state[PRICE_IN], st.session_state[PRICE_OUT]
    cost = (one.tokens_in * (price_in or 0) + one.tokens_out * (price_out or 0)) / MILLION
    shown = f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"
    priced = f", at most about {shown}" if price_in is not None or price_out is not None else ""
    return (
        f"{name}: {one.open:,} of {one.questions:,} questions to ask, about {one.tokens_in:,} tokens of prompts and at "
        f"most {one.tokens_out:,} of answers{priced}."
    )
