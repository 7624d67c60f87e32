"""Accuracy of the annotators against the reference (tables 3 to 6 of the CWEx paper), and their lost answers."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import (
    ALL_CLASSES,
    BINARY,
    CLASS,
    annotator_table,
    lost_answers,
    shared_documents,
    with_accounts,
)
from fairviz.analyses.annotator_accuracy.raters import columns, labels_by
from fairviz.annotation.agreement import drawn, left_out_text
from fairviz.annotation.annotators.accounts import tried_documents
from fairviz.figures import intervals
from fairviz.figures.style import shortened
from fairviz.output.recipes import Recipe, call, recipe, with_alongside
from fairviz.ui.annotate import form, wording
from fairviz.ui.annotate.deck import Deck
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import going

VIEW, BY, ONE = "annotators_view", "annotators_by", "annotators_one"
WHOLE, TWO, APART = "all classes", "neutral or gendered", "told apart"
SHARED = "annotators_shared"
CLASSES = {WHOLE: ALL_CLASSES, TWO: BINARY, APART: ""}
HEIGHT, LINE = 110, 44
MOST_SERIES = 4
PAIR = (
    ("accuracy", "accuracy", "accuracy_low", "accuracy_high"),
    ("Cohen's kappa", "kappa", "kappa_low", "kappa_high"),
)
NOTES = {
    WHOLE: "Over the documents that both labelled. Intervals: 1,000 bootstraps over {}.",
    TWO: "NFaiRR's neutrality is an annotator too: neutral where ω = 1. Twice: as its public code has it, and with "
         "word tokens and τ = 0.",
    APART: "Accuracy within each value. Kappa of one class alone is undefined.",
}  # fmt: skip


def card(deck: Deck) -> None:
    """Draw accuracy and kappa: all classes, neutral against gendered, or by class or column."""
    with st.container(border=True, gap="xsmall", key="annotators_accuracy_card"):
        view, same, more = st.columns([6, 4, 1.6], gap="small", vertical_alignment="center")
        view_name = pick.segmented(VIEW, "Accuracy", (WHOLE, TWO, APART), place=view, texts={APART: "by class"})
        shared = pick.toggle(SHARED, "shared documents", place=same, help=term("shared documents"))
        column = _column(deck) if view_name == APART else ""
        table = kept.accuracy_table(deck.study, deck.settings, deck.names, deck.reference, column, shared)
        if table.empty:
            html.quiet("No document of the reference has a value there.")
            return
        if view_name != APART:
            table = table.loc[table["classes"] == CLASSES[view_name]].reset_index(drop=True)
        figure = (_intervals_by_value if view_name == APART else _intervals_by_annotator)(deck, table)
        with more:
            code = _recipe(deck, column, CLASSES[view_name], shared=shared)
            charts.table(table, figure.alt, "annotators_accuracy", code)
        height = HEIGHT + LINE * max(len(figure.lines), 3)
        charts.chart(intervals.draw(figure, charts.theme(), height), figure.alt, "annotators_accuracy_chart")
        with st.expander("In words", key="annotators_words", type="compact"):
            whole = kept.accuracy_table(deck.study, deck.settings, deck.names, deck.reference, shared=shared)
            html.findings(wording.finding(whole, deck.reference))
            html.quiet(NOTES[view_name].format(drawn(deck.study, deck.study.labels["doc_id"])))
            html.quiet(left_out_text(labels_by(deck.study.labels, (*deck.names, deck.reference))))


def _recipe(deck: Deck, column: str, classes: str, *, shared: bool) -> Recipe:
    """Return the Python of the accuracy; documents without a label after a request count."""
    study, names = with_alongside(deck.study), tuple(deck.names)
    tried = call(tried_documents, study, names)
    documents = call(shared_documents, study, names, tried, deck.settings.voters) if shared else None
    arguments = (study, names, deck.reference, column, deck.settings, tried)
    return recipe(annotator_table, *arguments, documents=documents, rows={"classes": classes or None})


def _column(deck: Deck) -> str:
    """Return the column whose values are shown separately: the reference's class, or a column."""
    offered = (CLASS, *(name for name in columns(deck.study) if name != CLASS))
    return pick.select(BY, "By", offered, hide_label=True, texts="by {}".format)


def _intervals_by_annotator(deck: Deck, table: pd.DataFrame) -> intervals.Intervals:
    title = f"Against {shortened(deck.reference)}"
    return intervals.info(title, table.head(intervals.MOST_LINES), "annotator", PAIR)


def _intervals_by_value(deck: Deck, table: pd.DataFrame) -> intervals.Intervals:
    """Return a line per annotator with a series per value; for many values, a line per value of one annotator."""
    column = str(table.columns[1])
    values = list(dict.fromkeys(table[column]))
    title = f"Accuracy against {shortened(deck.reference)} by {shortened(column)}"
    if len(values) > MOST_SERIES:
        annotator = pick.select(ONE, "Annotator", deck.names, hide_label=True)
        return intervals.info(
            f"{title}: {shortened(annotator)}", table[table["annotator"] == annotator], column, PAIR[:1]
        )
    wide = pd.DataFrame({"annotator": deck.names})
    series = []
    for place, value in enumerate(values):
        rows = table[table[column] == value].set_index("annotator").reindex(deck.names)
        for part in PAIR[0][1:]:
            wide[f"{part} {place}"] = rows[part].to_numpy(dtype=float)
        wide["documents"] = rows["documents"].fillna(0).astype(int).to_numpy()
        value_at, low_at, high_at = (f"{part} {place}" for part in PAIR[0][1:])
        series.append((str(value), value_at, low_at, high_at))
    return intervals.info(title, wide, "annotator", series)


def costs_card(deck: Deck) -> None:
    """Draw the kind of each annotator, and the cost of its stored answers."""
    table = kept.accuracy_table(deck.study, deck.settings, deck.names, deck.reference, shared=st.session_state[SHARED])
    all_classes = table[table["classes"] == ALL_CLASSES].reset_index(drop=True)
    costs = with_accounts(all_classes, deck.study, deck.accounts, *form.prices())
    kept_columns = [name for name in map(str, costs) if not name.endswith(("_low", "_high")) and name != "classes"]
    costs = costs[[name for name in kept_columns if not (costs[name].isna() | (costs[name] == "")).all()]]
    with st.container(border=True, gap="xsmall", key="annotators_costs_card"):
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        with words:
            html.strong("Kind, coverage and cost")
        alt = "Kind, model, prompt, labels, and what the answers took, of each annotator."
        with more:
            charts.table(costs, alt, "annotators_costs", figure=False)
        percent = st.column_config.NumberColumn("accuracy of all", format="percent")
        st.dataframe(
            costs, hide_index=True, key="annotators_costs_shown", height="content" if len(costs) < 7 else 260, alt=alt,
            column_config={
                "annotator": st.column_config.TextColumn("annotator", width=150, pinned=True),
                "accuracy": st.column_config.NumberColumn("accuracy", format="percent", help=term("accuracy")),
                "kappa": st.column_config.NumberColumn("kappa", format="%.3f", help=term("kappa")),
                "accuracy_of_all": percent, "too_long": "too long", "tokens_in": "tokens of prompts",
                "tokens_out": "tokens of answers", "cost": st.column_config.NumberColumn("cost", format="%.4f"),
                "seconds": st.column_config.NumberColumn("seconds", format="%.1f"),
            },
        )  # fmt: skip
        html.quiet(_costs_note(deck))


def _costs_note(deck: Deck) -> str:
    unlabelled = "Unlabelled: tried, but no label resulted. “Accuracy of all” counts them as wrong."
    if not deck.accounts:
        return f"Rules cost nothing. {unlabelled}"
    has_prices = any(price is not None for price in form.prices())
    hint = "" if has_prices else " “Requests to models” takes the prices of a million tokens, for the cost."
    return f"Tokens are those that the server counted, seconds those of all answers added up.{hint} {unlabelled}"


def lost_card(deck: Deck) -> None:
    """Draw the answers without a label, with their text; ticking one opens the document."""
    lost_table = lost_answers(deck.accounts)
    if lost_table.empty:
        return
    with st.container(border=True, gap="xsmall", key="annotators_lost_card"):
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        counts = ", ".join(f"{count:,} {name}" for name, count in lost_table["outcome"].value_counts().items())
        with words:
            html.strong(f"Answers without a label: {counts}")
        alt = "Each answer that gave no label, with its text."
        with more:
            charts.table(lost_table, alt, "annotators_lost", figure=False)
        names, key = lost_table["doc_id"].astype(str).tolist(), "annotators_lost_shown"
        st.dataframe(lost_table, hide_index=True, key=key, height="content" if len(lost_table) < 7 else 260, alt=alt,
                     on_select=guarded(partial(open_ticked, names, key)), selection_mode="single-row")  # fmt: skip
        html.quiet("An answer that does not name exactly one class gives no label. A tick opens the document on Read.")


def open_ticked(names: Sequence[str], key: str) -> None:
    """Open the document of the ticked row of the table `key` on Read."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(names):
        going.to_compared(names[rows[0]])
