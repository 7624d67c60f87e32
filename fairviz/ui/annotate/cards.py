"""The cards of the page Annotate below its forms: accuracy, costs, lost answers, confidence, differences, effects."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import (
    ALL_CLASSES,
    BINARY,
    CLASS,
    EACH_OTHER,
    REFERENCE,
    annotator_table,
    calibration,
    demonstrations,
    disagreements,
    labellers,
    left_to_people,
    lost_answers,
    references,
    shared_documents,
    usual_reference,
    with_accounts,
    with_confidence,
)
from fairviz.analyses.annotator_accuracy.order_validity import TOP, of_one_family, order_validity
from fairviz.analyses.annotator_accuracy.raters import columns, labels_by
from fairviz.analyses.label_effects.correction import order_of, width_curves
from fairviz.analyses.label_effects.replacing import contenders, people, replaced, reversals
from fairviz.analyses.replace_people.analysis import REPLACE_PEOPLE
from fairviz.analyses.replace_people.answer import FEWEST_PEOPLE
from fairviz.annotation.agreement import drawn, left_out_text
from fairviz.annotation.annotators.accounts import Account, tried_documents
from fairviz.annotation.annotators.annotating import DEMONSTRATION
from fairviz.annotation.voters import annotators_alongside, with_labels_alongside
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import names_text, speakers, told_voters
from fairviz.figures import annotator_values, intervals, width_curve
from fairviz.figures import calibration as calibration_figure
from fairviz.figures.axes import possible
from fairviz.figures.frame import value_text
from fairviz.figures.style import shortened
from fairviz.measures import MEASURES, Question
from fairviz.measures.rankings import targets
from fairviz.output.recipes import call, recipe, with_alongside
from fairviz.study.record import Study
from fairviz.ui.annotate import form
from fairviz.ui.kept import flow
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import explained, guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.views import draw_views
from fairviz.ui.shell import voters
from fairviz.ui.state import going, session
from fairviz.words.sentences import Sentence, Span, agreeing, counted, decimal, first_listed, listed, number, percent

WHOLE, TWO, APART = "all classes", "neutral or gendered", "told apart"
CLASSES = {WHOLE: ALL_CLASSES, TWO: BINARY, APART: ""}
MOST_SERIES, MOST_NAMED = 4, 3
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
SHARED = "annotators_shared"
DIFFERING_HELP = {
    REFERENCE: "Annotators with another label than the reference.",
    EACH_OTHER: "Annotators with another label than most.",
}
SHOWN_TEXT, MOST_DOCUMENTS = 160, 1000
MOST_ANNOTATORS = 5  # in the figure of replaced labels
COUNT_HELP = (
    "Makes its labels count on every page. Labels stored next to the study cannot count: label the documents above "
    "first."
)
FILL_HELP = "A document without a label by the new annotator keeps the label of the one that it replaces."
NO_PEOPLE = (
    "No document of these lists has two human labels. Label noise is simulated from this annotator's errors instead."
)
CORRECTED = ("CWEx", "ExposureGap", "AWRF")
NO_SAMPLE = (
    "No random sample was drawn, so nobody's labels can correct a machine's. Draw one above: Label with people, Drawn "
    "at random."
)
TICK = "A tick opens the document on Read."
HINT = "“Requests to models” takes the prices of a million tokens, for the cost."
ANOTHER = "Label the documents with another annotator, or add labels.csv by people."
JOIN = "Label the documents below; the labels join the study under the annotator's name."
ORDER_ALT = "Agreement of the order of systems, by measure."
TAU_NOTE = (
    "1: the same order of systems. Kendall's τ counts all pairs, τ_AP the first places most, first 3 only those. "
    "95 % intervals over queries."
)


@dataclass(frozen=True)
class AnnotateDeck:
    """The annotators of the page.

    names: the rules and models without the reference; the study includes the labels stored next to it, by the
    annotators `beside`. accounts: the content of stored answers by annotator.
    """

    study: Study
    settings: Settings
    names: tuple[str, ...]
    reference: str
    accounts: dict[str, Account]
    beside: tuple[str, ...] = ()


def make_deck(study: Study, settings: Settings) -> AnnotateDeck | None:
    """Return the deck after drawing the choice of the reference; None, with a message, without annotators to
    compare.
    """
    names_alongside = tuple(annotators_alongside(study))
    study = with_labels_alongside(study)
    annotators = labellers(study)
    reason, reference = f"No label in {study.title or study.name} comes from a rule or a model yet.", ""
    names: tuple[str, ...] = ()
    if annotators:
        offered, usual = references(study, settings.voters), usual_reference(study, settings)
        reference = pick.select("annotators_reference", "Compare with", offered, usual, width=260)
        names = tuple(name for name in annotators if name != reference)
        reason = f"{reference} alone gave labels here, so there is nobody to compare with it."
    if not names:
        html.message("info", reason, ANOTHER if annotators else JOIN)
        return None
    return AnnotateDeck(study, settings, names, reference, kept.accounts(study, names), names_alongside)


def accuracy_card(deck: AnnotateDeck) -> None:
    """Draw accuracy and kappa against the reference (tables 3 to 6 of the CWEx paper): all classes, neutral against
    gendered, or by class or column."""
    study, settings = deck.study, deck.settings
    with st.container(border=True, gap="xsmall", key="annotators_accuracy_card"):
        place, same, more = st.columns([6, 4, 1.6], gap="small", vertical_alignment="center")
        view = pick.segmented(
            "annotators_view", "Accuracy", (WHOLE, TWO, APART), place=place, texts={APART: "by class"}
        )
        shared = pick.toggle(SHARED, "shared documents", place=same, help=term("shared documents"))
        column = ""
        if view == APART:
            offered = (CLASS, *(name for name in columns(study) if name != CLASS))
            column = pick.select("annotators_by", "By", offered, hide_label=True, texts="by {}".format)
        table = kept.accuracy_table(study, settings, deck.names, deck.reference, column, shared)
        if table.empty:
            html.quiet("No document of the reference has a value there.")
            return
        if view == APART:
            figure = _intervals_by_value(deck, table)
        else:
            table = table.loc[table["classes"] == CLASSES[view]].reset_index(drop=True)
            title = f"Against {shortened(deck.reference)}"
            figure = intervals.info(title, table.head(intervals.MOST_LINES), "annotator", PAIR)
        with more:
            # documents without a label after a request count
            asked = with_alongside(study)
            tried = call(tried_documents, asked, deck.names)
            code = recipe(
                annotator_table, asked, deck.names, deck.reference, column, settings, tried,
                documents=call(shared_documents, asked, deck.names, tried, settings.voters) if shared else None,
                rows={"classes": CLASSES[view] or None},
            )  # fmt: skip
            kinds = speakers(study, deck.reference, settings.voters)
            notes = (
                f"The reference is {kinds}. None of the annotators compared is a person.",
                NOTES[view].format(drawn(study, study.labels["doc_id"])),
                left_out_text(labels_by(study.labels, (*deck.names, deck.reference))),
                f"Compared here, used by no measure: {', '.join(deck.beside)}." if deck.beside else "",
                "High agreement with a reference does not prove that labels are right.",
            )
            charts.table(table, figure.alt, "annotators_accuracy", code, notes=notes)
        height = 110 + 44 * max(len(figure.lines), 3)
        charts.chart(intervals.draw(figure, charts.theme(), height), figure.alt, "annotators_accuracy_chart")
        with st.expander("In words", key="annotators_words", type="compact"):
            whole = kept.accuracy_table(study, settings, deck.names, deck.reference, shared=shared)
            html.findings(finding(whole, deck.reference))


def _intervals_by_value(deck: AnnotateDeck, table: pd.DataFrame) -> intervals.Intervals:
    """Return a line per annotator with a series per value; for many values, a line per value of one annotator."""
    column = str(table.columns[1])
    values = list(dict.fromkeys(table[column]))
    title = f"Accuracy against {shortened(deck.reference)} by {shortened(column)}"
    if len(values) > MOST_SERIES:
        annotator = pick.select("annotators_one", "Annotator", deck.names, hide_label=True)
        rows = table[table["annotator"] == annotator]
        return intervals.info(f"{title}: {shortened(annotator)}", rows, column, PAIR[:1])
    wide = pd.DataFrame({"annotator": deck.names})
    series = []
    for place, value in enumerate(values):
        rows = table[table[column] == value].set_index("annotator").reindex(deck.names)
        value_at, low_at, high_at = (f"{part} {place}" for part in PAIR[0][1:])
        for name, part in zip((value_at, low_at, high_at), PAIR[0][1:], strict=True):
            wide[name] = rows[part].to_numpy(dtype=float)
        wide["documents"] = rows["documents"].fillna(0).astype(int).to_numpy()
        series.append((str(value), value_at, low_at, high_at))
    return intervals.info(title, wide, "annotator", series)


def costs_card(deck: AnnotateDeck) -> None:
    """Draw the kind of each annotator, and the cost of its stored answers."""
    table = kept.accuracy_table(deck.study, deck.settings, deck.names, deck.reference, shared=st.session_state[SHARED])
    all_classes = table[table["classes"] == ALL_CLASSES].reset_index(drop=True)
    prices = form.prices()
    costs = with_accounts(all_classes, deck.study, deck.accounts, *prices)
    shown = [name for name in map(str, costs) if not name.endswith(("_low", "_high")) and name != "classes"]
    costs = costs[[name for name in shown if not (costs[name].isna() | (costs[name] == "")).all()]]
    with st.container(border=True, gap="xsmall", key="annotators_costs_card"):
        alt = "Kind, model, prompt, labels, and what the answers took, of each annotator."
        has_prices = any(price is not None for price in prices)
        notes = [
            "Tokens are those that the server counted, seconds those of all answers added up."
            if deck.accounts
            else "Rules cost nothing.",
            "" if has_prices or not deck.accounts else HINT,
            "Unlabelled: tried, but no label resulted. “Accuracy of all” counts them as wrong.",
        ]
        charts.headed("Kind, coverage and cost", costs, alt, "annotators_costs", figure=False, notes=notes)
        st.dataframe(
            costs, hide_index=True, key="annotators_costs_shown", height="content" if len(costs) < 7 else 260, alt=alt,
            column_config={
                "annotator": st.column_config.TextColumn("annotator", width=150, pinned=True),
                "accuracy": st.column_config.NumberColumn("accuracy", format="percent", help=term("accuracy")),
                "kappa": st.column_config.NumberColumn("kappa", format="%.3f", help=term("kappa")),
                "accuracy_of_all": st.column_config.NumberColumn("accuracy of all", format="percent"),
                "too_long": "too long", "tokens_in": "tokens of prompts", "tokens_out": "tokens of answers",
                "cost": st.column_config.NumberColumn("cost", format="%.4f"),
                "seconds": st.column_config.NumberColumn("seconds", format="%.1f"),
            },
        )  # fmt: skip


def lost_card(deck: AnnotateDeck) -> None:
    """Draw the answers without a label, with their text; ticking one opens the document."""
    table = lost_answers(deck.accounts)
    if table.empty:
        return
    with st.container(border=True, gap="xsmall", key="annotators_lost_card"):
        counts = ", ".join(f"{count:,} {name}" for name, count in table["outcome"].value_counts().items())
        alt, key = "Each answer that gave no label, with its text.", "annotators_lost_shown"
        notes = ["An answer that does not name exactly one class gives no label.", TICK]
        charts.headed(f"Answers without a label: {counts}", table, alt, "annotators_lost", figure=False, notes=notes)
        st.dataframe(
            table, hide_index=True, key=key, height="content" if len(table) < 7 else 260, alt=alt,
            on_select=guarded(partial(_open_ticked, table["doc_id"].astype(str).tolist(), key)),
            selection_mode="single-row",
        )  # fmt: skip


def _open_ticked(names: list[str], key: str) -> None:
    """Open the document of the ticked row of the table `key` on Read."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(names):
        going.to_compared(names[rows[0]])


def confidence_card(deck: AnnotateDeck) -> None:
    """Draw the reliability diagram of a machine, and the work that a threshold leaves to people; nothing without
    confidences."""
    names = tuple(name for name in with_confidence(deck.study) if name != deck.reference)
    if not names:
        return
    voters = deck.settings.voters
    with st.container(border=True, gap="xsmall", key="annotators_confidence_card"):
        who, threshold, price, more = st.columns([3, 4, 2, 1.6], gap="small", vertical_alignment="bottom")
        annotator = pick.select("annotators_sure", "Confidence of", names, place=who)
        bounds = {"min_value": 0, "max_value": 100}
        least = pick.number("annotators_threshold", "People label below (%)", place=threshold, **bounds) / 100
        cost = price.number_input(
            "Price of a label",
            0.0,
            1000.0,
            0.0,
            key="annotators_label_price",
            help="The cost of one label by a person.",
        )
        try:
            reliability = kept.calibration(deck.study, annotator, deck.reference, voters)
            left = left_to_people(deck.study, annotator, deck.reference, least, cost, voters=voters)
        except FairvizError as error:
            html.problem(error, "info")
            return
        data = calibration_figure.info(reliability.bins, reliability.error, annotator)
        with more:
            code = recipe(calibration, deck.study, annotator, deck.reference, voters, table="found.bins")
            notes = [
                f"Expected calibration error: {reliability.error:.3f}.",
                "On the dotted line it is as right as it is sure; below, less.",
            ]
            charts.table(reliability.bins, data.alt, "annotators_calibration", code, notes=notes)
        charts.chart(calibration_figure.draw(data, charts.theme()), data.alt, "annotators_calibration_chart")
        money = f", {left['cost']:,.2f} in all" if cost else ""
        right = "an unknown share"
        if left["checked"]:
            right = f"{left['accuracy']:.0%} ({left['accuracy_low']:.0%} to {left['accuracy_high']:.0%})"
        html.strong(
            f"People label {counted(int(left['labels']), 'document')}{money}. "
            f"The machine keeps {int(left['kept']):,}, right in {right}."
        )


def apart_card(deck: AnnotateDeck) -> None:
    """Draw the documents on which annotators differ from the reference, or from each other, linked to Read."""
    with st.container(border=True, gap="xsmall", key="annotators_apart_card"):
        head, who, more = st.columns([5, 6, 1.6], gap="small", vertical_alignment="center")
        comparison = pick.segmented(
            "annotators_apart", "Where they differ from", (REFERENCE, EACH_OTHER), place=head,
            texts="different from {}".format,
        )  # fmt: skip
        selected = pick.several(
            "annotators_who", "Of", deck.names, place=who, placeholder="all of them", hide_label=True
        )
        names, voters = tuple(selected) or deck.names, deck.settings.voters
        table = kept.apart(deck.study, names, deck.reference, comparison, voters)
        alt, key = "Documents on which annotators differ, most first.", "annotators_apart_shown"
        with more:
            code = recipe(disagreements, with_alongside(deck.study), names, deck.reference, comparison, voters)
            limit = f", the first {MOST_DOCUMENTS:,} here" if len(table) > MOST_DOCUMENTS else ""
            other = f" from {deck.reference}" if comparison == REFERENCE else ""
            told = f"{names_text(names)} differ{other} on {counted(len(table), 'document')}{limit}."
            charts.table(table, alt, "annotators_apart", code, figure=False, notes=(told, TICK))
        if table.empty:
            html.quiet("On no document.")
            return
        table = _with_texts(deck, table.head(MOST_DOCUMENTS))
        st.dataframe(
            table, hide_index=True, key=key,
            height=300 if len(table) > 7 else "content", alt=alt,
            on_select=guarded(partial(_open_ticked, table["document"].tolist(), key)), selection_mode="single-row",
            column_config={"differing": st.column_config.NumberColumn("differing", help=DIFFERING_HELP[comparison])},
        )  # fmt: skip


def _with_texts(deck: AnnotateDeck, table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with labels under the names of their annotators alone, and the beginning of each text."""
    texts = deck.study.documents.drop_duplicates("doc_id").set_index("doc_id")["text"]
    begins = texts.reindex(table["doc_id"]).fillna("").astype("str").str.slice(0, SHOWN_TEXT)
    table = table.rename(columns={"doc_id": "document", "reference": f"{deck.reference} (reference)"})
    heads = {name: name.removeprefix("label by ") for name in map(str, table) if name.startswith("label by ")}
    taken = (*table.columns, "text")
    table = table.rename(columns={name: head for name, head in heads.items() if head not in taken})
    return table.assign(text=begins.to_numpy())


def effects_card(deck: AnnotateDeck) -> None:
    """Draw the change of a measure, and of the order of systems, if one annotator's labels replace another's."""
    reason = missing_part(deck.study, ask("CWEx", deck.settings), deck.settings)
    with st.container(border=True, gap="xsmall", key="annotators_effects_card"):
        if reason:
            html.problem(FairvizError(f"The effect of the labels on CWEx cannot be computed: {reason}"), "info")
            return
        new, old, measure, fill, use, more = st.columns(
            [3, 3, 2.4, 1.5, 2, 1.5], gap="small", vertical_alignment="bottom"
        )
        annotator = pick.select("annotators_new", "When", deck.names, place=new)
        others = tuple(name for name in references(deck.study, deck.settings.voters) if name != annotator)
        other = pick.select("annotators_old", "replaces", others, deck.reference, place=old)
        names = [name for name, one in MEASURES.items() if one.of_exposures and not one.of_one_group]
        text = ask(pick.select("annotators_measure", "in", names, place=measure), deck.settings).text
        fills = pick.toggle("annotators_fill", "Fill", place=fill, help=FILL_HELP)
        use.button(
            "Use in measures", key="annotators_use", on_click=guarded(partial(session.choose, annotator=annotator)),
            disabled=deck.settings.annotator == annotator or annotator in deck.beside, width="stretch", help=COUNT_HELP,
        )  # fmt: skip
        with explained():
            _draw_effects(deck, annotator, other, text, fills, more)


def _draw_effects(deck: AnnotateDeck, annotator: str, other: str, text: str, fills: bool, more) -> None:
    """Draw the figure, its sentence, and the noise: between people, if there are several, and from the annotator's own
    errors."""
    study, settings = deck.study, deck.settings
    rows = [annotator, *(name for name in deck.names if name not in (annotator, other))]
    table = kept.replacements(study, settings, text, tuple(rows), other, fills)
    annotator_table = table[table["annotator"] == annotator]
    question = ask(text, settings)
    with st.columns(1)[0]:  # notices are as wide as their text
        turned = reversals(annotator_table).iloc[0]
        html.findings(replacement(annotator_table, turned, question.name, annotator, other))
    between = kept.people_noise(study, settings, text, other)
    info = annotator_values.info(
        table[table["annotator"].isin(rows[:MOST_ANNOTATORS])], other, text, question.direction,
        between[0] if between else None, selected=settings.system, limits=possible(question, targets(study)),
    )  # fmt: skip
    with more:
        code = recipe(replaced, with_alongside(study), settings, text, rows, other, fill=fills)
        shown = f"The chosen one and {MOST_ANNOTATORS - 1} others; all {len(rows)} are in Export."
        notes = (
            shown if len(rows) > MOST_ANNOTATORS else "",
            coverage(annotator_table, annotator, other),
            f"Bars of {other}: the middle 95 % of draws of people's labels.",
            "Other bars: simultaneous 95 % intervals of the change.",
        )
        charts.table(table, info.alt, "annotators_effects", code, notes=notes)
    height = 110 + max(84, 26 + 13 * table["system"].nunique()) * len(info.annotators)
    figure = annotator_values.draw(info, charts.styles(study), charts.theme(), height)
    charts.chart(figure, info.alt, "annotators_effects_chart")
    _draw_noise(deck, text, annotator, other, between)


def _draw_noise(deck: AnnotateDeck, text: str, annotator: str, other: str, between: kept.Noise | None) -> None:
    """Draw the noise of the order: between people, if there are several, and from the annotator's own errors."""
    study, settings = deck.study, deck.settings
    whose = f"Labels drawn from those of {told_voters(study, people(study, settings))}" if between else ""
    told = noise(between[1], whose) if between else NO_PEOPLE
    is_reference, ranges = annotator == deck.reference, pd.DataFrame()
    if not is_reference:
        ranges, of_errors = kept.error_noise(study, settings, text, annotator, deck.reference)
        against = speakers(study, deck.reference, settings.voters)
        told += " " + noise(of_errors, f"Labels drawn by {annotator}'s errors against {against}")
    html.quiet(told)
    if is_reference:
        return
    with st.expander("How far its errors carry, system by system", key="annotators_errors"):
        heads = {"low": "95 % from", "value": "median", "high": "95 % to"}
        alt = "The middle 95 % of draws of each system."
        charts.table(ranges, alt, "annotators_errors_drawn", figure=False)
        st.dataframe(
            ranges.rename(columns=heads).round(4), hide_index=True, key="annotators_errors_shown", height="content",
            alt=alt,
        )  # fmt: skip


def replace_card(deck: AnnotateDeck) -> None:
    """Draw whether a rule or model may replace people, from the record of the analysis."""
    study, settings = deck.study, deck.settings
    with st.container(border=True, gap="xsmall", key="annotators_replace_card"):
        html.strong(REPLACE_PEOPLE.title)
        persons = people(study, settings)
        if len(persons) < FEWEST_PEOPLE:
            who = f"{first_listed(persons, MOST_NAMED)} alone" if persons else "nobody"
            html.quiet(f"Tested with {FEWEST_PEOPLE} people or more on the same documents. Here {who} votes.")
            return
        values, _ = flow.choose(REPLACE_PEOPLE, study, settings, go=9)
        outcome = flow.Run(REPLACE_PEOPLE, study, settings, values).outcome_at_once()
        draw_views(REPLACE_PEOPLE.shown(outcome), flow.code_of(REPLACE_PEOPLE, study, settings, values))


def corrected_cards(deck: AnnotateDeck) -> None:
    """Draw the order of systems under both sets of labels; with a sample, the means that people's labels correct and
    what more labels would bring."""
    study, settings = deck.study, deck.settings
    measures = [ask(name, settings) for name in CORRECTED]
    measures = [one for one in measures if not missing_part(study, one, settings)]
    if not measures or len(study.systems) < 2:
        return
    with st.container(border=True, gap="xsmall", key="annotators_corrected_card"):
        _draw_validity(deck, measures)
    with st.container(border=True, gap="xsmall", key="annotators_correction_card"):
        html.strong("Corrected by people")
        if not voters.has_sample(study):
            html.quiet(NO_SAMPLE)
            return
        voters.corrected_card(study, settings, measures, "annotators")
        if settings.corrected_by:
            try:
                _draw_corrected(deck, measures)
            except FairvizError:
                return  # the card above tells of it


def _draw_validity(deck: AnnotateDeck, measures: list[Question]) -> None:
    """Draw how well a machine's labels order the systems as the reference does."""
    study, settings = deck.study, deck.settings
    machine = pick.select("annotators_order", "Order of systems by", deck.names, width=260)
    table = kept.validity(study, settings, machine, deck.reference, tuple(measures))
    words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
    rows = table.dropna(subset=["tau"]).to_dict("records")
    parts = [f"{row['measure']} τ {value_text(row['tau'], row['tau_low'], row['tau_high'])}" for row in rows]
    with words:
        html.strong(f"{machine} against {deck.reference}: {'; '.join(parts) or 'too few labels in common'}.")
        if kin := of_one_family(study, machine):
            html.message(
                "warning", f"{machine} and {listed(kin)} are models of one family.",
                "A model may favour its own kind: compare with people's labels.",
            )  # fmt: skip
    with more:
        code = recipe(order_validity, study, machine, deck.reference, measures, settings)
        notes = (f"Order. {TAU_NOTE}",)
        charts.table(table, ORDER_ALT, "annotators_validity", code, figure=False, notes=notes)
    heads = {"tau": "τ", "tau_ap": "τ_AP", "tau_top": f"first {TOP}"}
    cells = [
        {"measure": row["measure"]} | {
            head: value_text(row[name], row[f"{name}_low"], row[f"{name}_high"]) for name, head in heads.items()
        } | {"systems": row["systems"]} for row in rows
    ]  # fmt: skip
    if cells:
        st.dataframe(pd.DataFrame(cells), hide_index=True, key="annotators_validity_shown", height="content",
                     alt=ORDER_ALT)  # fmt: skip
    row = table.iloc[0]
    shares = f"{machine} labelled {percent(row['labelled'])}, {deck.reference} {percent(row['labelled_people'])}"
    html.quiet(
        f"Coverage, apart from order. Of the ranks within the cutoff {shares}. {row['queries']:,} of "
        f"{row['queries_all']:,} queries count."
    )


def _draw_corrected(deck: AnnotateDeck, measures: list[Question]) -> None:
    """Draw how far the machine's means are off, and the interval's width by the number of people's labels."""
    corrected_means = kept.corrections(deck.study, deck.settings, tuple(measures))
    questions = {one.name: one for one in measures if one.text in set(corrected_means.table["measure"])}
    left, right, more = st.columns([3, 3, 2], gap="small", vertical_alignment="bottom")
    question = questions[pick.select("annotators_corrected_measure", "Measure", list(questions), place=left)]
    order = order_of(corrected_means.table, question)
    system = pick.select("annotators_corrected_system", "Interval of", order["system"].tolist(), place=right)
    moved, bias = int((order["rank_machine"] != order["rank_corrected"]).sum()), order["bias"]
    html.strong(
        f"{question.text}: the machine is off by {bias.min():+.3f} to {bias.max():+.3f}. "
        f"Corrected, {counted(moved, 'system')} of {len(order)} change place."
    )
    curves = kept.width_curves(deck.study, deck.settings, question, system)
    data = width_curve.info(curves, f"{question.text} of {system}", corrected_means.labels)
    with more:
        code = recipe(width_curves, deck.study, deck.settings, question, system)
        charts.table(curves, data.alt, "annotators_widths", code)
    charts.chart(width_curve.draw(data, charts.theme()), data.alt, "annotators_widths_chart")


def demonstrated(deck: AnnotateDeck) -> None:
    """Draw which annotators are models too small for use."""
    small_models = [name for name in deck.beside if DEMONSTRATION in deck.study.annotators[name].description]
    if names := tuple(dict.fromkeys([*demonstrations(deck.accounts), *small_models])):
        html.message("warning", f"{', '.join(names)}: {DEMONSTRATION}")


def finding(table: pd.DataFrame, reference: str) -> Sentence:
    """Return the annotator with the highest accuracy on all presented documents, and those with overlapping intervals.

    Lost answers count as wrong. table: from `annotator_table` without `by`.
    """
    rows = table[(table["classes"] == ALL_CLASSES) & table["accuracy"].notna()]
    if rows.empty:
        return (Span(f"No document has labels by {reference} and by another annotator: nothing to compare."),)
    rows = rows.sort_values(["accuracy_of_all", "accuracy"], ascending=False, kind="stable")
    best, rest = rows.iloc[0], rows.iloc[1:]
    is_tested = not np.isnan(best["accuracy_low"])
    bounds = f" [{best['accuracy_low']:.1%}, {best['accuracy_high']:.1%}]" if is_tested else ""
    kappa = "" if np.isnan(best["kappa"]) else f", kappa {number(best['kappa'])}"
    lost = "" if not best["unlabelled"] else f"; {best['unlabelled']:,} without a label"
    text = f" of {counted(best['documents'], 'document')}{bounds}{kappa}{lost}."
    tested = rest.dropna(subset=["accuracy_high"])
    if len(tested) and is_tested:
        overlapping = tested[tested["accuracy_high"] >= best["accuracy_low"]]
        names = first_listed(overlapping["annotator"], MOST_NAMED)
        text += f" Overlapping intervals: {names}." if len(overlapping) else " No other interval overlaps."
    counts = rows["documents"].astype(int)
    if counts.min() < counts.max():
        text += f" They labelled different documents, {counts.min():,} to {counts.max():,} of the reference's."
    return (
        Span(f"Closest to {reference}: "),
        Span(str(best["annotator"]), True),
        Span(", "),
        Span(f"{best['accuracy']:.1%}", True),
        Span(text),
    )


def replacement(table: pd.DataFrame, reversal: pd.Series, name: str, annotator: str, other: str) -> Sentence:
    """Return the change if the annotator replaces the other. table: its rows of `replaced`; reversal: of
    `reversals`.
    """
    defined = contenders(table.dropna(subset=["difference"]))
    if defined.empty:
        return (Span(f"No list has a value of {name} under both {annotator} and {other}."),)
    largest = defined.iloc[int(np.argmax(defined["difference"].abs()))]
    bounds = ""
    if not np.isnan(largest["ci_low"]):
        bounds = f", 95 % {_signed(largest['ci_low'])} to {_signed(largest['ci_high'])}"
    clear = int(((defined["ci_low"] > 0) | (defined["ci_high"] < 0)).sum())
    values = f"{number(largest['before'])} to {number(largest['after'])} ({_signed(largest['difference'])}{bounds})"
    return (
        Span("When "),
        Span(annotator, True),
        Span(f" replaces {other}, {name} changes most for "),
        Span(str(largest["system"]), True),
        Span(f": {values}. For {clear} of {len(defined)} systems the interval excludes 0. "),
        *turned_order(reversal),
    )


def _signed(value: float) -> str:
    return decimal(value, sign="+")


def turned_order(reversal: pd.Series) -> Sentence:
    """Return `2 of 28 pairs of systems change their order.`"""
    pairs, turned, tied = (int(reversal[name]) for name in ("pairs", "reversed", "tied"))
    if not pairs:
        return (Span("There is no order of systems to change."),)
    ties = f", and {tied} {agreeing(tied, 'is', 'are')} tied after" if tied else ""
    if not turned:
        return (Span("No pair", True), Span(f" of {pairs} pairs of systems changes its order{ties}."))
    return (Span(f"{turned} of {pairs}", True), Span(f" pairs of systems change their order{ties}."))


def noise(turned: tuple[int, float, float], of: str) -> str:
    """Return the noise of the order: pairs, mean number of changed ones, share of draws with any change."""
    pairs, mean, share = turned
    if not pairs:
        return ""
    return f"{of}: on average {mean:.1f} of {pairs} pairs of systems change order. Some pair does in {share:.0%} of " \
           "1,000 draws."  # fmt: skip


def coverage(table: pd.DataFrame, annotator: str, other: str) -> str:
    """Return the share of places with a label of each, unless both shares are equal or complete."""
    mine, theirs = float(table["labelled"].min()), float(table["labelled_before"].min())
    if np.isnan(mine) or np.isnan(theirs) or (mine > 0.995 and theirs > 0.995):
        return ""
    sentence = f"Of each system's ranks within the cutoff {annotator} labelled {mine:.0%} or more, {other} {theirs:.0%}"
    if abs(mine - theirs) <= 0.01:
        return f"{sentence}."
    return f"{sentence}: part of the change is missing labels. “Fill” keeps the label of {other} where there is none."
