"""Which measure of labels, between which two systems: what the effects, flips and bounds on the page are about."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.evaluation.choices import chosen_systems, missing_part
from fairviz.evaluation.scores import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Measure, unfairness
from fairviz.measures.exposure import EXPOSURE
from fairviz.study.study import Study
from fairviz.ui.inspect.state import PREFIX, Room
from fairviz.ui.kept import inspect as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.state import choices


@dataclass(frozen=True)
class Contest:
    """A measure with its cutoff as text, its short name, and two systems (empty text where fewer are shown).

    annotator: whose labels count. exposures: the texts of the groups' exposures, neutral first.
    """

    text: str
    name: str
    first: str
    second: str
    annotator: str
    exposures: tuple[str, ...]

    @property
    def paired(self) -> bool:
        """Whether there are two systems to compare."""
        return bool(self.first and self.second)

    def label_of(self, room: Room) -> str:
        """The open document's label as it counts at present; empty without."""
        code = room.decided[room.document] if self.annotator == ADJUDICATED else -1
        code = code if code >= 0 else room.listed.codes(self.annotator)[room.document]
        return room.listed.labels[code] if code >= 0 else ""


def measures(study: Study) -> tuple[str, ...]:
    """The measures of labels in the registry; those of one group, as its exposure, come last, one for each group."""
    records = [record for record in MEASURES.values() if record.family == "labels"]
    whole = [record.name for record in records if not _of_one_group(record)]
    return (*whole, *(text for record in records if _of_one_group(record) for text in _each_group(record, study)))


def _of_one_group(record: Measure) -> bool:
    """Whether the measure is about one group, and not about the study's protected one."""
    return any(parameter.kind == "group" and parameter.default is not None for parameter in record.parameters)


def _each_group(record: Measure, study: Study) -> tuple[str, ...]:
    name = next(parameter.name for parameter in record.parameters if parameter.kind == "group")
    return tuple(f"{record.name}({name}={group!r})" for group in (study.neutral, *study.groups))


def lacking(study: Study, settings: Settings) -> str:
    """What the study lacks for any measure of labels, in one sentence; empty where it lacks nothing."""
    if study.has("labels") and study.label_kind != "gender":
        return "its labels are not genders (labels = 'other' in study.toml)."
    return missing_part(study, ask("CWEx", settings), settings)


def contest(study: Study, settings: Settings) -> Contest | None:
    """What the session chose, else CWEx between the fairest system and the next; None where nothing can be measured.

    Raises FairvizError where the settings name what the study does not hold.
    """
    if lacking(study, settings):
        return None
    name = choices.among(PREFIX + "measure", measures(study))
    text = ask(name, settings).text
    first, second = _pair(study, settings, text)
    exposures = tuple(ask(measure, settings).text for measure in _each_group(EXPOSURE, study))
    return Contest(text, name, first, second, inspect_cache.annotator_key(study, settings), exposures)


def _pair(study: Study, settings: Settings, text: str) -> tuple[str, str]:
    systems = chosen_systems(study, settings)
    if len(systems) < 2:
        return (systems[0] if systems else "", "")
    order = (*fairest_first(cache.summary(study, (text,), settings), text, settings), *systems)
    first = choices.among(PREFIX + "first", systems, order[0])
    others = tuple(name for name in systems if name != first)
    return first, choices.among(PREFIX + "second", others, next(name for name in order if name != first))


def fairest_first(summary: pd.DataFrame, text: str, settings: Settings) -> tuple[str, ...]:
    """The systems from the fairest on; those without a value left out."""
    rows = summary.dropna(subset=["value"])
    question = ask(text, settings)
    values = rows["value"].to_numpy(dtype=float)
    costs = -values if question.direction == "none" else unfairness(question, values)
    return tuple(str(name) for name in rows["system"].iloc[costs.argsort(kind="stable")])


def contest_choices(study: Study, settings: Settings, current: Contest) -> None:
    """Select boxes for the measure and the two systems."""
    systems = chosen_systems(study, settings)
    measure, first, second = st.columns([3, 3, 3], gap="xsmall")
    _box(measure, "measure", measures(study), "by {}")
    if current.paired:
        _box(first, "first", systems, "{}")
        _box(second, "second", tuple(name for name in systems if name != current.first), "against {}")


def _box(place, name: str, options: tuple[str, ...], text: str) -> None:
    place.selectbox(name, options, key=PREFIX + name, format_func=text.format, label_visibility="collapsed")
