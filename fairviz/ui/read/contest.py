"""The measure of labels and the two systems for the effects and bounds on the page."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.evaluation.choices import Resolved, chosen_runs
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Measure, unfairness
from fairviz.measures.exposure import EXPOSURE
from fairviz.study.record import Study
from fairviz.study.tables import expanded
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import pick
from fairviz.ui.read.state import Room
from fairviz.ui.state import choices, pair


@dataclass(frozen=True)
class Contest:
    """A measure with its cutoff as text, its short name, and two systems (empty text if fewer are shown).

    annotator: the source of the labels. exposures: the texts of the groups' exposures, neutral first.
    """

    text: str
    name: str
    first: str
    second: str
    annotator: str
    exposures: tuple[str, ...]

    @property
    def paired(self) -> bool:
        """Return True if there are two systems to compare."""
        return bool(self.first and self.second)

    def label_of(self, room: Room) -> str:
        """Return the open document's current label; empty without one."""
        code = room.decided[room.document] if self.annotator == ADJUDICATED else -1
        code = code if code >= 0 else room.catalogue.codes(self.annotator)[room.document]
        return room.catalogue.labels[code] if code >= 0 else ""


def measures(study: Study) -> tuple[str, ...]:
    """Return the registered measures of labels; those of a single group, such as its exposure, last, for each group."""
    records = [record for record in MEASURES.values() if record.of_exposures]
    names = [record.name for record in records if not record.of_one_group]
    return (*names, *(text for record in records if record.of_one_group for text in _each_group(record, study)))


def _each_group(record: Measure, study: Study) -> tuple[str, ...]:
    name = next(parameter.name for parameter in record.parameters if parameter.kind == "group")
    return tuple(f"{record.name}({name}={group!r})" for group in (study.neutral, *study.groups))


def lacking(study: Study, settings: Settings) -> str:
    """Return a sentence on the parts that the study lacks for measures of labels; empty if it lacks none."""
    if study.has("labels") and study.label_kind != "gender":
        return "its labels are not genders (labels = 'other' in study.toml)."
    return Resolved(study, settings).missing_for_label_changes(ask("CWEx", settings))


def contest(study: Study, settings: Settings) -> Contest | None:
    """Return the session's choice, else CWEx of the two fairest systems; None if no measure of labels can be computed.

    Raises: FairvizError if the settings name values that the study does not have.
    """
    if lacking(study, settings):
        return None
    name = choices.among(pair.MEASURE, measures(study))
    text = ask(name, settings).text
    first, second = _pair(study, settings, text)
    exposures = tuple(ask(measure, settings).text for measure in _each_group(EXPOSURE, study))
    return Contest(text, name, first, second, inspect_cache.annotator_key(study, settings), exposures)


def _pair(study: Study, settings: Settings, text: str) -> tuple[str, str]:
    systems = chosen_runs(study, settings)
    if len(systems) < 2:
        return (systems[0] if systems else "", "")
    fairest = expanded(fairest_first(cache.summary(study, (text,), settings), text, settings), study.run_names)
    first, second, *others = dict.fromkeys((*fairest, *systems))
    return pair.chosen(systems, (second, first, *others))


def fairest_first(summary: pd.DataFrame, text: str, settings: Settings) -> tuple[str, ...]:
    """Return the systems from the fairest on, without those that have no value."""
    rows = summary.dropna(subset=["value"])
    question = ask(text, settings)
    values = rows["value"].to_numpy(dtype=float)
    costs = -values if question.direction == "none" else unfairness(question, values)
    return tuple(str(name) for name in rows["system"].iloc[costs.argsort(kind="stable")])


def contest_choices(study: Study, settings: Settings, current: Contest) -> None:
    """Draw select boxes for the measure and the two systems."""
    systems = chosen_runs(study, settings)
    measure, *columns = st.columns([3, 3, 3], gap="xsmall")
    measure.selectbox(
        "measure", measures(study), key=pair.MEASURE, format_func="in {}".format, label_visibility="collapsed"
    )
    if current.paired:
        texts = (str, "against {}".format)
        pick.pair(systems, (current.first, current.second), ("first", "second"), columns, texts=texts, hide_label=True)
