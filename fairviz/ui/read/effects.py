"""Effects of labels on a measure of labels and on two systems: decisive labels, doubtful labels, and missing labels."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.label_effects.label_effects import label_bounds
from fairviz.analyses.label_effects.replacing import label_noise, leave_one_annotator_out, without_note
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.voters import voters_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import Resolved, chosen_runs
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import told_voters
from fairviz.figures import label_ranges
from fairviz.figures.axes import possible
from fairviz.measures import MEASURES, Measure, unfairness
from fairviz.measures.exposure import EXPOSURE
from fairviz.measures.rankings import targets
from fairviz.output.recipes import call, recipe, summarised
from fairviz.study.record import Study
from fairviz.study.tables import expanded
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import charts, pick
from fairviz.ui.kit.boundary import explained, fragment, guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.read.state import PREFIX, Room, open_document
from fairviz.ui.state import choices, pair

DECIDE, NOISE, WITHOUT, BOUNDS = "which labels decide", "doubtful labels", "without one annotator", "missing labels"
SOURCES = {"annotators": "the annotators' own shares", "dawid-skene": "Dawid and Skene's posterior"}
HEIGHT = 300
FEW = 5  # rows of a table without a scrollbar
TO_APP = "inspect_to_app"


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
    question = ask(name, settings)
    systems = chosen_runs(study, settings)
    chosen = (systems[0] if systems else "", "")
    if len(systems) > 1:
        summary = cache.summary(study, (question.text,), settings).dropna(subset=["value"])
        values = summary["value"].to_numpy(dtype=float)
        costs = -values if question.direction == "none" else unfairness(question, values)
        fairest = expanded(
            [str(name) for name in summary["system"].iloc[costs.argsort(kind="stable")]], study.run_names
        )
        first, second, *others = dict.fromkeys((*fairest, *systems))
        chosen = pair.chosen(systems, (second, first, *others))
    exposures = tuple(ask(measure, settings).text for measure in _each_group(EXPOSURE, study))
    return Contest(question.text, name, *chosen, inspect_cache.annotator_key(study, settings), exposures)


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


def effects(study: Study, settings: Settings, contest: Contest | None) -> pd.DataFrame | None:
    """Return the effect of each label on the difference of the two systems; None without two comparable systems."""
    if contest is None or not contest.paired:
        return None
    try:
        return inspect_cache.effects(study, settings, contest.text, contest.first, contest.second)
    except FairvizError:  # no query in common, which the card reports
        return None


@fragment
def card(study: Study, settings: Settings, contest: Contest) -> None:
    """Draw the answer to one of four questions, the only one that is computed."""
    if st.session_state.pop(TO_APP, False):
        st.rerun(scope="app")
    questions = [*([DECIDE] if contest.paired else []), NOISE, WITHOUT, BOUNDS]
    with st.container(border=True, gap="xsmall"):
        question = pick.segmented("inspect_question", "From labels to measures", questions)
        draw = {DECIDE: _draw_decisive, NOISE: _draw_noise, WITHOUT: _draw_without, BOUNDS: _draw_bounds}[question]
        with explained():
            draw(study, settings, contest)


def _draw_decisive(study: Study, settings: Settings, contest: Contest) -> None:
    """Draw the labels of the largest effect; a selected row opens its document."""
    table = inspect_cache.effects(study, settings, contest.text, contest.first, contest.second)
    rows = table.head(100).rename(columns={"doc_id": "document"})
    alt, key, number = "Documents by effect times uncertainty of their label.", "inspect_effects", _number_column
    reversing_count = int(table["reverses"].sum())
    notes = (
        f"Effect: change of {contest.name}({contest.first}) − {contest.name}({contest.second}).",
        f"Labels that reverse the order alone: {reversing_count:,}." if reversing_count else "",
        "Labels chosen in this order cannot correct a machine: nothing was drawn at random.",
        coverage_note(study, settings, [ask(contest.text, settings)]),
    )
    title = "Single labels by effect × uncertainty"
    charts.headed(title, table, alt, "inspect_all_effects", figure=False, notes=notes)
    event = st.dataframe(
        rows[["document", "label", "to", "effect", "uncertainty", "priority", "reverses"]], hide_index=True, key=key,
        height=220 if len(rows) > FEW else "content", on_select="rerun", selection_mode="single-row", alt=alt,
        column_config={
            "effect": number("effect", "%+.5f", term("effect of a label")),
            "uncertainty": number("uncertainty", "%.2f", term("uncertainty")),
            "priority": number("priority", "%.5f", term("priority")),
        },
    )  # fmt: skip
    selected = event["selection"]["rows"]
    name = str(rows["document"].iloc[selected[0]]) if selected and selected[0] < len(rows) else ""
    if name and st.session_state.get(f"{key}_opened") != name:
        st.session_state[f"{key}_opened"] = name
        open_document(name)
        st.rerun(scope="app")
    st.button("Read the documents in this order", on_click=guarded(_read_by_effect))


def _number_column(name: str, form: str, about: str | None = None) -> Any:
    return st.column_config.NumberColumn(name, format=form, help=about)


def _read_by_effect() -> None:
    st.session_state[PREFIX + "order"] = "effect"
    st.session_state[TO_APP] = True


def _draw_noise(study: Study, settings: Settings, contest: Contest) -> None:
    """Draw the distribution of the measure under drawn labels beside its interval over queries."""
    source_column = st.columns([4, 6], vertical_alignment="center")[0]
    texts = {name: f"drawn from {text}" for name, text in SOURCES.items()}
    source = pick.select(
        "inspect_source", "Labels are drawn from", tuple(texts), place=source_column, texts=texts, hide_label=True
    )
    draws = inspect_cache.noise(study, settings, contest.text, source=source)
    voters = told_voters(study, voters_of(study, settings.voters))
    note = f"1,000 draws from the labels of {voters}. Undisputed labels stay."
    noise = call(label_noise, study, settings, contest.text, source=source)
    _draw_ranges(study, settings, contest, note, {"noise": noise}, noise=draws)


def _draw_bounds(study: Study, settings: Settings, contest: Contest) -> None:
    """Draw the range of the measure over all labels of the unlabelled documents beside its interval over queries."""
    table = inspect_cache.bounds(study, settings, contest.text)
    inexact = ", ".join(table.loc[~table["exact"], "system"])
    exactness = f"Outer bounds, not exact, for {inexact}." if inexact else "Exact: every labelling was tried."
    note = f"Range over all possible labels of the unlabelled documents. {exactness}"
    bounds = call(label_bounds, study, settings, contest.text)
    _draw_ranges(study, settings, contest, note, {"bounds": bounds}, bounds=table)


def _draw_ranges(study: Study, settings: Settings, contest: Contest, note: str, calls: dict, **tables: Any) -> None:
    question = ask(contest.text, settings)
    coverage = coverage_note(study, settings, [question])
    summary_call = summarised(study, settings, [contest.text])
    code = recipe(
        label_ranges.info, summary_call, question.text, question.direction, **calls, table="found.table"
    )  # fmt: skip
    summary = cache.summary(study, (contest.text,), settings)
    ranges = label_ranges.info(
        summary,
        question.text,
        question.direction,
        **tables,
        selected=settings.system,
        limits=possible(question, targets(study)),
    )
    systems = ranges.table["system"].nunique()
    figure = label_ranges.draw(ranges, charts.styles(study), charts.theme(), max(HEIGHT, 110 + 44 * systems))
    charts.table(ranges.table, ranges.alt, f"inspect_ranges_{'_'.join(tables)}", code, notes=(note, coverage))
    charts.chart(figure, ranges.alt, f"inspect_{'_'.join(tables)}")


def _draw_without(study: Study, settings: Settings, contest: Contest) -> None:
    """Draw the change of the measure without each annotator, the largest first."""
    table = inspect_cache.without_one(study, settings, contest.text)
    changes = table.pivot(index="annotator", columns="system", values="change")
    changes = changes.reindex(columns=table["system"].unique())
    annotators = changes.abs().max(axis=1).sort_values(ascending=False, kind="stable").index
    code = recipe(leave_one_annotator_out, study, settings, contest.text)
    alt, notes = "The measure without each annotator.", (without_note(study, settings, contest.text),)
    charts.table(table, alt, "inspect_without_all", code, figure=False, notes=notes)
    st.dataframe(
        changes.reindex(annotators).reset_index(), hide_index=True, key="inspect_without",
        height="content" if len(changes) < 9 else 300,
        column_config={name: _number_column(name, "%+.4f") for name in changes.columns},
        alt="Change of the measure without each annotator, the largest first.",
    )  # fmt: skip
