"""Whose labels count: the control of the voters, and the buttons that make people's labels count, and back."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from fairviz.annotation.consensus import CONSENSUSES
from fairviz.annotation.voters import GROUPS, annotator_names, default_group, voter_groups
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.drawn_samples import sample_for
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.evaluation.speakers import speakers, unused_people_labels
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import session
from fairviz.words.sentences import agreeing, counted, first_listed

FIELDS = ("annotator", "voters", "corrected_by")  # of Settings
BEFORE = "voters_before"  # these fields before the button was pressed, and after
NAMED = 3
HELP = "Whose labels make majorities, agreement and disagreement on every page: a group, or names."
NUMBERS = {2: "two ", 3: "three ", 4: "four ", 5: "five "}


def control(study: Study, key: str = "voters", place: Any = st) -> None:
    """Draw the choice of the voters, a group or names. key: of the widget, which is drawn at several places."""
    groups = voter_groups(study)
    members = {name: first_listed(groups[name], NAMED) or "nobody" for name in GROUPS}
    if key != "voters":
        st.session_state[key] = list(st.session_state["voters"])
    group = default_group(study)
    values = CHOICES["voters"].values
    place.multiselect(
        "Voters", values(study) if values else (), key=key, on_change=guarded(partial(_choose, study, key)), help=HELP,
        placeholder=f"{group}: {members[group]}", format_func=lambda name: f"{name}: {members[name]}"
        if name in members and name not in annotator_names(study) else name,
    )  # fmt: skip


def _choose(study: Study, key: str) -> None:
    """Store the choice. A group stands alone: it replaces names, and a name replaces it."""
    chosen = list(st.session_state[key])
    groups = [name for name in chosen if name in GROUPS and name not in annotator_names(study)]
    names = [name for name in chosen if name not in groups]
    st.session_state["voters"] = groups[-1:] if groups and chosen[-1] in groups else names


def use_button(study: Study, settings: Settings, names: Sequence[str], key: str) -> None:
    """Draw the button that makes these people's labels count on every page; once they do, the way back."""
    wanted = _wanted(study, tuple(names))
    if {name: getattr(settings, name) for name in FIELDS} == wanted:
        usual = chosen_annotator(study, settings.reset(*FIELDS))
        st.button(f"Back to {html.literal(usual)}", key=f"{key}_back", on_click=guarded(_back))
        return
    label = f"Use {html.literal(names[0])}'s labels"
    if len(names) > 1:
        label = f"Use these {NUMBERS.get(len(names), f'{len(names):,} ')}people's labels"
    st.button(label, key=key, type="primary", on_click=guarded(partial(_use, wanted)), help=_consequence(study, wanted))


def chip(study: Study, settings: Settings) -> None:
    """Draw what counts where people's labels do not, with the way to use them."""
    unused = unused_people_labels(study, settings)
    if not unused:
        return
    whose = speakers(study, chosen_annotator(study, settings), settings.voters)
    text = f"labels: {whose}; {counted(unused, 'label')} by people {agreeing(unused, 'is', 'are')} not used. Use them"
    people = voter_groups(study)["people"]
    wanted = _wanted(study, people)
    st.button(html.literal(text), key="use_people", on_click=guarded(partial(_use, wanted)),
              help=_consequence(study, wanted))  # fmt: skip


def _wanted(study: Study, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings under which the labels of these annotators count: as a correction where a sample was drawn
    for them, else as the annotator."""
    is_default = names == voter_groups(study)[default_group(study)]
    voters: tuple[str, ...] = () if is_default else names
    annotator = CONSENSUSES[0] if len(names) > 1 else names[0]
    with suppress(FairvizError):  # no sample, or one that is not labelled whole
        return {"annotator": sample_for(study, annotator, voters).annotator, "voters": voters, "corrected_by": annotator}
    return {"annotator": annotator, "voters": voters, "corrected_by": ""}


def _consequence(study: Study, wanted: dict[str, Any]) -> str:
    """Return what counts afterwards, for the tooltip of a button."""
    whose = speakers(study, wanted["corrected_by"] or wanted["annotator"], wanted["voters"])
    text = f"{wanted['annotator']}, corrected by {whose}" if wanted["corrected_by"] else whose
    return html.literal(f"Every measure then counts: {text}.")


def _use(wanted: dict[str, Any]) -> None:
    before = {name: st.session_state[name] for name in FIELDS}
    st.session_state[BEFORE] = before
    session.choose_all(wanted)


def _back() -> None:
    usual = {name: getattr(Settings, name) for name in FIELDS}
    session.choose_all(st.session_state.pop(BEFORE, usual))
