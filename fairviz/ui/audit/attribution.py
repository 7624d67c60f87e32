"""The view of the page for authors' names: the preference between genders beside that between names of one gender."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.audit.attribution import ERRORS_ARE_CLUSTERED, AttributionAudit, family_note, short_sentences
from fairviz.analyses.audit.attribution_plan import SOURCES, AttributionPlan
from fairviz.analyses.audit.auditing import ATTRIBUTION, rankers_of
from fairviz.analyses.audit.figure_tables import BETWEEN, WITHIN, name_lines
from fairviz.analyses.audit.judging import NO_ORDER
from fairviz.evaluation.settings import Settings
from fairviz.figures import crbo
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.audit import controls
from fairviz.ui.audit.name_cells import name_cells, unnamed_cells
from fairviz.ui.audit.names import chosen_names, names_editor
from fairviz.ui.audit.pair_cells import integrity_cells
from fairviz.ui.audit.requests import AuditCalls, AuditRequest
from fairviz.ui.kit import charts, html, pick
from fairviz.words.sentences import Span

CANDIDATES, TEMPLATE = "audit_candidates", "audit_template"
SOURCE_TEXTS = {"auto": "pairs, else relevant", "pairs": "of the pairs", "relevant": "relevant"}
CANDIDATES_HELP = "The documents whose versions are compared; of a run its top five."
TEMPLATE_HELP = "The text of a version. It has {name} and {text}, each once."
TITLE, AXIS = "Whose version comes first", "share of query-document pairs, mean over queries"
ABOUT_TABLE = "Beyond: the difference to the placebo, within each query and document."
ABOUT_UNNAMED = "Each named version against the document as it is."
ROW_HEIGHT, MOST_ROWS = 35, 15


@dataclass(frozen=True)
class _Deck:
    """The input of the cards."""

    found: AttributionAudit
    calls: AuditCalls

    def recipe(self, **options: Any) -> Recipe:
        """Return the Python of a table of the audit. options: of `recipe`."""
        return recipe(self.calls.of(self.found.plan), **options)


def view(study: Study, settings: Settings) -> None:
    """Draw the controls, and the audit's cards once it has run."""
    names, source, queries, version, listed, go = st.columns(
        [5.4, 3, 1.8, 2.8, 3, 1.8], gap="small", vertical_alignment="bottom"
    )
    controls.pick_rankers(study, settings, names)
    offered = (*SOURCES, *study.systems)
    pick.select(CANDIDATES, "Documents", offered, place=source, texts=SOURCE_TEXTS, help=CANDIDATES_HELP)
    pick.number(controls.QUERIES, "Queries", place=queries, min_value=0, step=5, help=controls.QUERIES_HELP)
    pick.text(TEMPLATE, "Version", place=version, help=TEMPLATE_HELP)
    with listed:
        names_editor()
    request = controls.runnable(study, partial(_read_request, study, settings), go)
    audit: AttributionAudit | None = controls.outcome(study, request) if request is not None else None
    if request is None or audit is None:
        return
    deck = _Deck(audit, request.calls)
    _preference_card(deck)
    _details(deck)
    controls.notes(request, audit.messages)


def _read_request(study: Study, settings: Settings) -> AuditRequest:
    """Return the requested audit. Raises FairvizError for an audit that cannot be run."""
    state = st.session_state
    plan = AttributionPlan(state[CANDIDATES], queries=state[controls.QUERIES], names=chosen_names(),
                           template=state[TEMPLATE], annotator=settings.annotator)  # fmt: skip
    rankers = rankers_of(state[controls.NAMES], ATTRIBUTION, embedding=settings.embedding)
    return controls.request_of(study, settings, rankers, plan)


def _preference_card(deck: _Deck) -> None:
    """Draw whose version comes first, and beside it what the tests show."""
    lines = name_lines(deck.found.table)
    columns = ["line", "what", "share", "low", "high"]
    info = crbo.info(lines, TITLE, AXIS, [BETWEEN, WITHIN], columns, even=0.5, nothing="No version has an answer.")
    with st.container(border=True, gap="xsmall", key="audit_names_card"):
        left, right = st.columns([7, 4], gap="medium")
        with right:
            _, more = st.columns([8, 5], vertical_alignment="bottom")
            with more:
                code = deck.recipe(table="name_lines(found.table)", uses=[name_lines])
                charts.table(lines, info.alt, "audit_authors", code)
            for sentence in short_sentences(deck.found.integrity, deck.found.table):
                name, colon, rest = sentence.partition(":")
                html.findings((Span(name + colon, bool(colon)), Span(rest)), small=True)
        with left:
            charts.chart(crbo.draw(info, charts.theme()), info.alt, "audit_authors_chart")


def _details(deck: _Deck) -> None:
    """Draw the table, the cost of a name, the findings and integrity, each folded but the first."""
    audit = deck.found
    with st.expander("Table: between genders, placebo and beyond", expanded=True, key="audit_names_fold",
                     type="compact"):  # fmt: skip
        text = f"{ABOUT_TABLE} {family_note(audit.table)}"
        _grid(deck, text, audit.table, name_cells(audit.table), "audit_quantities", "found.table")
    with st.expander("What any name costs", key="audit_unnamed_fold", type="compact"):
        _grid(deck, ABOUT_UNNAMED, audit.unnamed, unnamed_cells(audit.unnamed), "audit_unnamed", "found.unnamed")
    with st.expander("In words", key="audit_names_words_fold", type="compact"):
        html.note("\n".join((*audit.sentences, ERRORS_ARE_CLUSTERED)))
    is_asked = bool((audit.integrity["verdict"] != NO_ORDER).any())
    with st.expander("Are the answers answers?", is_asked, key="audit_names_integrity_fold", type="compact"):
        cells = integrity_cells(audit.integrity)
        _grid(deck, "Read this first.", audit.integrity, cells, "audit_name_answers", "found.integrity")


def _grid(deck: _Deck, text: str, table: pd.DataFrame, cells: pd.DataFrame, key: str, name: str) -> None:
    """Draw a line of small print with the table's button, and the table as texts."""
    words, more = st.columns([12, 2], vertical_alignment="center")
    with words:
        html.quiet(text)
    with more:
        charts.table(table, text, key, deck.recipe(table=name), figure=False)
    height = (min(len(cells), MOST_ROWS) + 1) * ROW_HEIGHT + 3
    st.dataframe(cells, hide_index=True, key=f"{key}_grid", row_height=ROW_HEIGHT, height=height, alt=text)
