"""Effects of labels on measures: decisive labels, doubtful labels, and missing labels."""

from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.label_effects.label_effects import label_bounds
from fairviz.analyses.label_effects.replacing import label_noise, leave_one_annotator_out, without_note
from fairviz.annotation.voters import voters_of
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import told_voters
from fairviz.figures import label_ranges
from fairviz.figures.axes import possible
from fairviz.measures.rankings import targets
from fairviz.output.recipes import call, recipe, summarised
from fairviz.study.record import Study
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import fragment, guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.read.contest import Contest
from fairviz.ui.read.state import PREFIX, open_document

DECIDE, NOISE, WITHOUT, BOUNDS = "which labels decide", "doubtful labels", "without one annotator", "missing labels"
SOURCES = {"annotators": "the annotators' own shares", "dawid-skene": "Dawid and Skene's posterior"}
HEIGHT = 300
FEW = 5  # rows of a table without a scrollbar
TO_APP = "inspect_to_app"


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
    html.quiet(coverage_note(study, settings, [ask(contest.text, settings)]))
    with st.container(border=True, gap="xsmall"):
        question = pick.segmented("inspect_question", "From labels to measures", questions)
        draw = {DECIDE: _draw_decisive, NOISE: _draw_noise, WITHOUT: _draw_without, BOUNDS: _draw_bounds}[question]
        try:
            draw(study, settings, contest)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)


def _draw_decisive(study: Study, settings: Settings, contest: Contest) -> None:
    """Draw the labels of the largest effect; a selected row opens its document."""
    table = inspect_cache.effects(study, settings, contest.text, contest.first, contest.second)
    html.strong("Single labels by effect × uncertainty")
    rows = table.head(100).rename(columns={"doc_id": "document"})
    columns = ["document", "label", "to", "effect", "uncertainty", "priority", "reverses"]
    alt = "Documents by effect times uncertainty of their label."
    charts.table(table, alt, "inspect_all_effects", figure=False)
    _draw_openable(rows[columns], "inspect_effects", alt)
    html.quiet(f"Effect: change of {contest.name}({contest.first}) − {contest.name}({contest.second}).")
    reversing_count = int(table["reverses"].sum())
    if reversing_count:
        html.quiet(f"Labels that reverse the order alone: {reversing_count:,}.")
    html.quiet("Labels chosen in this order cannot correct a machine: nothing was drawn at random.")
    st.button("Read the documents in this order", on_click=guarded(_read_by_effect))


def _draw_openable(rows: pd.DataFrame, key: str, alt: str) -> None:
    """Draw a table whose selected row opens the document."""
    names = tuple(rows["document"])
    event = st.dataframe(
        rows,
        hide_index=True,
        key=key,
        height=220 if len(rows) > FEW else "content",
        on_select="rerun",
        selection_mode="single-row",
        alt=alt,
        column_config={
            "effect": st.column_config.NumberColumn("effect", format="%+.5f", help=term("effect of a label")),
            "uncertainty": st.column_config.NumberColumn("uncertainty", format="%.2f", help=term("uncertainty")),
            "priority": st.column_config.NumberColumn("priority", format="%.5f", help=term("priority")),
        },
    )
    selected_rows = event["selection"]["rows"]
    if (
        selected_rows
        and selected_rows[0] < len(names)
        and st.session_state.get(f"{key}_opened") != names[selected_rows[0]]
    ):
        st.session_state[f"{key}_opened"] = names[selected_rows[0]]
        open_document(names[selected_rows[0]])
        st.rerun(scope="app")


def _read_by_effect() -> None:
    st.session_state[PREFIX + "order"] = "effect"
    st.session_state[TO_APP] = True


def _draw_noise(study: Study, settings: Settings, contest: Contest) -> None:
    """Draw the distribution of the measure under drawn labels beside its interval over queries."""
    text_column, source_column = st.columns([6, 4], vertical_alignment="center")
    texts = {name: f"drawn from {text}" for name, text in SOURCES.items()}
    source = pick.select(
        "inspect_source", "Labels are drawn from", tuple(texts), place=source_column, texts=texts, hide_label=True
    )
    draws = inspect_cache.noise(study, settings, contest.text, source)
    with text_column:
        voters = told_voters(study, voters_of(study, settings.voters))
        html.quiet(f"1,000 draws from the labels of {voters}. Undisputed labels stay.")
    noise = call(label_noise, study, settings, contest.text, source=source)
    _draw_ranges(study, settings, contest, {"noise": noise}, noise=draws)


def _draw_bounds(study: Study, settings: Settings, contest: Contest) -> None:
    table = inspect_cache.bounds(study, settings, contest.text)
    inexact_systems = table.loc[~table["exact"], "system"].tolist()
    exactness = (
        "Exact: every labelling was tried."
        if not inexact_systems
        else f"Outer bounds, not exact, for {', '.join(inexact_systems)}."
    )
    html.quiet(f"Range over all possible labels of the unlabelled documents. {exactness}")
    bounds = call(label_bounds, study, settings, contest.text)
    _draw_ranges(study, settings, contest, {"bounds": bounds}, bounds=table)


def _draw_ranges(study: Study, settings: Settings, contest: Contest, calls: dict, **tables: Any) -> None:
    question = ask(contest.text, settings)
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
    charts.table(ranges.table, ranges.alt, f"inspect_ranges_{'_'.join(tables)}", code)
    charts.chart(figure, ranges.alt, f"inspect_{'_'.join(tables)}")


def _draw_without(study: Study, settings: Settings, contest: Contest) -> None:
    table = inspect_cache.without_one(study, settings, contest.text)
    html.quiet(without_note(study, settings, contest.text))
    changes = table.pivot(index="annotator", columns="system", values="change").reindex(
        columns=table["system"].unique()
    )
    annotators = changes.abs().max(axis=1).sort_values(ascending=False, kind="stable").index
    code = recipe(leave_one_annotator_out, study, settings, contest.text)
    charts.table(table, "The measure without each annotator.", "inspect_without_all", code, figure=False)
    st.dataframe(
        changes.reindex(annotators).reset_index(),
        hide_index=True,
        key="inspect_without",
        height="content" if len(changes) < 9 else 300,
        column_config={name: st.column_config.NumberColumn(name, format="%+.4f") for name in changes.columns},
        alt="Change of the measure without each annotator, the largest first.",
    )
