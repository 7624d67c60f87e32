"""The pinned picture: which settings it was drawn with, as text that the address can hold.

A pin holds what the answers of Overview and Trade-off depend on, and the study it was made in. It does not hold who is
shown: a system that is hidden is hidden in the pinned picture too, so that like is set against like.
"""

from urllib.parse import parse_qs, urlencode

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator, chosen_lexicon
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.study.study import Study
from fairviz.ui.state import choices, session

KEY = "pin"
FIELDS = (
    "cutoff", "alpha", "position_bias", "custom_bias", "filter_column", "filter_values", "annotator", "unlabelled",
    "tokenizer", "tau", "background", "lexicon", "effectiveness", "ties", "tests", "tested",
)  # fmt: skip
TOO_LONG = "These settings are too long to be pinned: the address would need {:,} characters for them"
SHORTER = f"Pin settings of {choices.MOST_CHARACTERS:,} characters or fewer: a shorter word list or table of weights."
NAME = "study"


def to_text(settings: Settings) -> str:
    """`study=newswire&cutoff=5`: the study, and what differs from the defaults.

    Raises FairvizError where that is longer than a choice in the address may be.
    """
    query = {name: texts for name, texts in to_query(settings).items() if name in (NAME, *FIELDS)}
    text = urlencode(query, doseq=True)
    if len(text) > choices.MOST_CHARACTERS:
        raise FairvizError(TOO_LONG.format(len(text)), SHORTER)
    return text


def from_text(text: str) -> Settings:
    """The settings that a pin holds. Raises FairvizError that says what in it cannot be."""
    query = parse_qs(text, keep_blank_values=True)
    foreign = next((name for name in query if name not in (NAME, *FIELDS)), None)
    if foreign is not None:
        raise FairvizError(f"it holds {foreign[:80]!r}, which cannot be pinned")
    if NAME not in query:
        raise FairvizError("it names no study")
    settings, ignored = from_query(query)
    if ignored:
        raise FairvizError(ignored[0].removeprefix("The address sets ").removesuffix("; the default was used."))
    return settings


def check(study: Study, settings: Settings) -> None:
    """Raises FairvizError where the study does not hold what the pinned settings name."""
    chosen_annotator(study, settings)
    columns = session.filter_columns(study)
    values = session.filter_values(study, settings.filter_column) if settings.filter_column in columns else ()
    for name, held, allowed in (
        ("annotator", (settings.annotator,), session.annotators(study)),
        ("background", (settings.background,), session.backgrounds(study)),
        ("filter_column", (settings.filter_column,), columns),
        ("filter_values", settings.filter_values, values),
        ("lexicon", chosen_lexicon(study, settings).groups if settings.lexicon else (), study.groups),
    ):
        gone = next((value for value in held if value not in allowed), None)
        if gone is not None:
            raise FairvizError(f"{name} to {gone[:80]!r}, not in this study")


def pinned(study: Study, settings: Settings) -> Settings | None:
    """The pinned settings, with the systems that are shown now; None where nothing is pinned in this study.

    What cannot be honoured is told in one line and let go. The pin of another study stays, and rests.
    """
    text = choices.given(KEY)
    if not text:
        return None
    try:
        held = from_text(text)
        if held.study != study.name:
            return None
        check(study, held)
    except FairvizError as error:
        told = f"The address pins {text[:80]!r} ({error.message}); nothing is pinned."
        st.session_state["ignored"] = [*st.session_state.get("ignored", []), told]
        st.session_state[KEY] = ""
        return None
    return settings.changed(**{name: getattr(held, name) for name in FIELDS})


def resting(study: Study) -> str:
    """The study that the pin is of, where that is another one; else nothing."""
    text = st.session_state.get(KEY, "")
    name = from_text(text).study if text else study.name
    return "" if name == study.name else name


def pin(settings: Settings) -> None:
    """Pins these settings. For a button's on_click. Raises FairvizError where they are too long."""
    st.session_state[KEY] = to_text(settings)


def unpin() -> None:
    """Lets the pin go. For a button's on_click."""
    choices.take_back(KEY)
