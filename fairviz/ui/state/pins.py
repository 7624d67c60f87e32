"""The pinned picture: its settings as text for the address.

A pin contains the study and the settings that the results of Overview and Trade-off depend on. It does not contain the
selection of systems: a hidden system is hidden in the pinned picture too, so that both show the same systems.
"""

from urllib.parse import parse_qs, urlencode

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator, chosen_lexicon
from fairviz.evaluation.settings import CHOICES, PAGES, Settings, from_query, to_query
from fairviz.evaluation.study_values import filter_columns, filter_values, known_columns, voters
from fairviz.study.record import Study
from fairviz.ui.state import choices

KEY = "pin"
FIELDS = tuple(  # the choices of the sidebar, without the selection of systems
    name for name, one in CHOICES.items() if one.group != PAGES and not one.shown_only and name != "systems"
)
_VALUES = {  # the fields with one value, which a study has or has not
    name: values
    for name in FIELDS
    if (values := CHOICES[name].values) is not None and isinstance(CHOICES[name].default, str)
}
TOO_LONG = "These settings are too long to be kept: the address would need {:,} characters for them"
SHORTER = f"Keep settings of {choices.MOST_CHARACTERS:,} characters or fewer: a shorter word list or table of weights."
NAME = "study"


def to_text(settings: Settings) -> str:
    """Return the study and the settings that differ from the defaults: `study=newswire&cutoff=5`.

    Raises: FairvizError if the text is longer than a choice in the address may be.
    """
    query = {name: texts for name, texts in to_query(settings).items() if name in (NAME, *FIELDS)}
    text = urlencode(query, doseq=True)
    if len(text) > choices.MOST_CHARACTERS:
        raise FairvizError(TOO_LONG.format(len(text)), SHORTER)
    return text


def from_text(text: str) -> Settings:
    """Return the settings in the text of a pin. Raises: FairvizError that names an invalid part."""
    query = parse_qs(text, keep_blank_values=True)
    foreign = next((name for name in query if name not in (NAME, *FIELDS)), None)
    if foreign is not None:
        raise FairvizError(f"it holds {foreign[:80]!r}, which cannot be kept")
    if NAME not in query:
        raise FairvizError("it names no study")
    settings, ignored = from_query(query)
    if ignored:
        raise FairvizError(ignored[0].removeprefix("The address sets ").partition("; the default was used.")[0])
    return settings


def check(study: Study, settings: Settings) -> None:
    """Raise FairvizError if the pinned settings name values that the study does not have."""
    chosen_annotator(study, settings)
    column = settings.filter_column
    column_values = filter_values(study, column) if column in filter_columns(study) else ()
    for name, pinned_values, allowed in (
        *((name, (getattr(settings, name),), values(study)) for name, values in _VALUES.items()),
        ("filter_values", settings.filter_values, column_values),
        ("columns", settings.columns, known_columns(study, settings.columns)),
        ("voters", settings.voters, voters(study)),
        ("lexicon", chosen_lexicon(study, settings).groups if settings.lexicon else (), study.groups),
    ):
        missing_value = next((value for value in pinned_values if value not in allowed), None)
        if missing_value is not None:
            raise FairvizError(f"{name} to {missing_value[:80]!r}, not in this study")


def pinned(study: Study, settings: Settings) -> Settings | None:
    """Return the pinned settings with the current selection of systems; None if nothing is pinned in this study.

    An invalid pin is removed and reported in one line. The pin of another study stays, unused.
    """
    text = choices.value_of(KEY)
    if not text:
        return None
    try:
        pinned_settings = from_text(text)
        if pinned_settings.study != study.name:
            return None
        check(study, pinned_settings)
    except FairvizError as error:
        choices.report(f"The address sets pin to {text[:80]!r} ({error.message}); nothing is kept.")
        st.session_state[KEY] = ""
        return None
    return settings.changed(**{name: getattr(pinned_settings, name) for name in FIELDS})


def resting(study: Study) -> str:
    """Return the study of the pin, if it is not this one; else an empty string."""
    text = st.session_state.get(KEY, "")
    name = from_text(text).study if text else study.name
    return "" if name == study.name else name


def pin(settings: Settings) -> None:
    """Pin these settings. For a button's on_click. Raises: FairvizError if they are too long."""
    st.session_state[KEY] = to_text(settings)


def unpin() -> None:
    """Remove the pin. For a button's on_click."""
    choices.take_back(KEY)
