"""Whose labels count: the control of the voters, their disagreement in a sentence, the buttons that make people's
labels count, and back, and the card of means that people's labels of a sample correct."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from fairviz.annotation.voters import (
    CONSENSUSES,
    GROUPS,
    PEOPLE,
    annotator_names,
    default_group,
    voter_groups,
    votes_of,
)
from fairviz.correction.corrected import corrected, sample_for
from fairviz.correction.sampling import of_labels
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import counting_text, disagreement_text, speakers, unused_people_labels
from fairviz.evaluation.study_values import annotators, correctors, voters
from fairviz.figures import corrected as corrected_figure
from fairviz.figures.frame import value_text
from fairviz.measures import Question
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import session
from fairviz.words.sentences import first_listed

FIELDS = ("annotator", "voters", "corrected_by")  # of Settings: whose labels count
BEFORE = "voters_before"  # these fields before people's labels were used
NAMED = 3
HELP = "Whose labels make majorities, agreement and disagreement, on every page: a group, or names."
CORRECTED = "Corrected"  # the tab of the card
MOST_PANELS = 3
CHOOSE = "A sample was drawn for people to label. Choose whose labels correct the machine's."
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}


def control(study: Study, key: str = "voters", place: Any = st) -> None:
    """Draw the choice of the voters, a group or names. key: of the widget, which several places have."""
    groups, own = voter_groups(study), annotator_names(study)
    texts = {
        name: f"{name}: {first_listed(groups[name], NAMED)}" for name in GROUPS if groups[name] and name not in own
    }
    if key != "voters":
        st.session_state[key] = list(st.session_state["voters"])
    place.multiselect(
        "Voters", voters(study), key=key, on_change=guarded(partial(_choose, key, tuple(texts))), help=HELP,
        placeholder=texts.get(default_group(study), default_group(study)),
        format_func=lambda name: texts.get(name, name),
    )  # fmt: skip


def _choose(key: str, groups: Sequence[str]) -> None:
    """Store the choice. A group stands alone: it replaces names, and a name replaces it."""
    chosen = list(st.session_state[key])
    names = [name for name in chosen if name not in groups]
    st.session_state["voters"] = chosen[-1:] if chosen and chosen[-1] in groups else names


def disagreement(study: Study, settings: Settings) -> str:
    """Return whose votes differ on how many documents, and Krippendorff's alpha."""
    text = disagreement_text(votes_of(study, settings.voters))
    alpha = kept.alpha(study, settings)
    return f"{text}." if alpha is None else f"{text}; {kept.ALPHA} {value_text(*alpha)}."


def use_button(study: Study, settings: Settings, names: Sequence[str], key: str) -> None:
    """Draw the button that makes these people's labels count on every page; once they do, the way back."""
    wanted = wanted_settings(study, names)
    if all(getattr(settings, name) == value for name, value in wanted.items()):
        before = st.session_state.get(BEFORE, {}).get("annotator", "")
        others = settings.reset(*FIELDS).changed(annotator=before if before in annotators(study) else "")
        name = html.literal(chosen_annotator(study, others))
        st.button(f"Back to {name}", key=f"{key}_back", on_click=guarded(back))
        return
    several = f"these {NUMBERS.get(len(names), f'{len(names):,}')} people's"
    whose = several if len(names) > 1 else f"{html.literal(names[0])}'s"
    st.button(f"Use {whose} labels", key=key, type="primary", on_click=guarded(partial(use, wanted)),
              help=_consequence(study, wanted))  # fmt: skip


def chip(study: Study, settings: Settings) -> None:
    """Draw what counts where people's labels do not, as a button that makes them count."""
    if study.label_kind != "gender" or not study.has("runs") or not unused_people_labels(study, settings):
        return
    wanted = wanted_settings(study, voter_groups(study)[PEOPLE])
    text = html.literal(f"{counting_text(study, settings)}. Use them")
    st.button(text, key="use_people", on_click=guarded(partial(use, wanted)), help=_consequence(study, wanted))


def wanted_settings(study: Study, names: Sequence[str]) -> dict[str, Any]:
    """Return the settings under which the labels of these people count: where a sample was drawn for them, they correct
    the machine's."""
    voting = () if tuple(names) == voter_groups(study)[default_group(study)] else tuple(names)
    annotator = CONSENSUSES[0] if len(names) > 1 else names[0]
    with suppress(FairvizError):  # no sample, or one that is not labelled whole
        machine = sample_for(study, annotator, voting).annotator
        return {"annotator": machine, "voters": voting, "corrected_by": annotator}
    return {"annotator": annotator, "voters": voting, "corrected_by": ""}


def _consequence(study: Study, wanted: dict[str, Any]) -> str:
    """Return what counts afterwards, for the tooltip of a button."""
    whose = speakers(study, wanted["corrected_by"] or wanted["annotator"], wanted["voters"])
    text = f"{wanted['annotator']}, corrected by {whose}" if wanted["corrected_by"] else whose
    return html.literal(f"Every measure then counts {text}.")


def use(wanted: dict[str, Any]) -> None:
    """Make these labels count. For callbacks."""
    st.session_state[BEFORE] = {name: st.session_state[name] for name in FIELDS}
    session.choose_all(wanted)


def back() -> None:
    """Make the labels count that counted before people's were used. For callbacks."""
    usual = {name: getattr(Settings, name) for name in FIELDS}
    session.choose_all(st.session_state.pop(BEFORE, usual))


def has_sample(study: Study) -> bool:
    """Return whether a sample for correction was drawn in the study, and people labelled something."""
    return len(correctors(study)) > 1


def corrected_card(
    study: Study, settings: Settings, questions: Sequence[Question], key: str, against: str = ""
) -> None:
    """Draw whose labels correct the machine's, the figure with its table, and the sample in words.

    against: the system from which the figure shows differences. key: of the page's widgets.
    """
    choice, _, more = st.columns([3, 6, 1.6], gap="small", vertical_alignment="bottom")
    names = correctors(study)
    choice.selectbox("Corrected by", names, key="corrected_by", format_func=lambda name: name or "nobody", help=CHOOSE)
    if not settings.corrected_by:
        return
    measures = tuple(of_labels(questions)[:MOST_PANELS])
    try:
        means = kept.corrections(study, settings, measures, against)
    except FairvizError as error:
        html.problem(error, "info")
        return
    data = corrected_figure.info(means.table, means.machine, means.people, against)
    with more:
        code = recipe(corrected, study, list(dict.fromkeys(means.table["measure"])), settings, against=against)
        charts.table(means.table, data.alt, f"{key}_corrected", code, notes=(f"{means.text}. For {means.target}.",))
    figure = corrected_figure.draw(data, charts.theme(), corrected_figure.height_of(data))
    charts.chart(figure, data.alt, f"{key}_corrected_chart")
    if means.no_tests:
        html.quiet(f"No verdict on systems: {means.no_tests}.")
