"""The cards of the page Query: navigation through the queries, the lists side by side, the calculation of a value, the
query among all, and the clicks on them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.analyses.reading.side_by_side import side_by_side
from fairviz.comparison.compare import query_values
from fairviz.errors import FairvizError
from fairviz.evaluation.contributions import Anatomy, contributions
from fairviz.figures import strip
from fairviz.figures.cutoff_curve import CHANCE
from fairviz.measures import unfairness
from fairviz.orders.chance import beside, chance_of_query
from fairviz.output.recipes import Recipe, call, recipe, scored
from fairviz.statistics.contrasts import is_equal
from fairviz.ui.kept import orders as chances
from fairviz.ui.kept import reading as kept
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.kit.highlight import marked
from fairviz.ui.kit.side_by_side import Look, lists_html
from fairviz.ui.kit.side_by_side import style_sheet as lists_style_sheet
from fairviz.ui.query import state, values
from fairviz.ui.query.state import OVER, OVERS, Desk
from fairviz.ui.state import choices, going
from fairviz.words.sentences import counted, decimal, out_of
from fairviz.words.sentences import significant as number

QUERY, PART = "query_query", "query_part"
SMALL = 0.001  # values below it are 0 with three decimals
PARTS = ("first", "second", "difference")
MOST_CELLS, FEWEST_RANKS = 600, 10  # documents that are shown at once; the table contains all
ROOMY = 3  # lists with room for longer texts
LEGEND = (
    "★ relevant, ☆ not. ω: neutrality (1 = neutral).",
    "Lines lead to a document's rank in the next list: ▲ up, ▼ down, + new, × gone.",
)
STYLE = Path(__file__).with_name("query.css")  # of the bars, the steps and the strip
PICKING, BODY = "query_picking", "query_body"
# Lists and sums are HTML in one container, whose clicks the script handles; it reads only positions from them. The
# pointer outlines a document in every list.
JAVASCRIPT = """
export default function ({ parentElement, setTriggerValue }) {
  const body = (parentElement.host || parentElement).closest(".st-key-BODY")
  if (!body) return
  const of = (event, kind) => event.target.closest?.(`[data-${kind}]`)?.dataset[kind]
  const outline = (name) => {
    for (const one of body.querySelectorAll("[data-document]")) {
      one.classList.toggle("fv-same", name !== undefined && one.dataset.document === name)
    }
  }
  body.onclick = (event) => {
    for (const kind of ["document", "query"]) {
      const name = of(event, kind)
      if (name !== undefined) setTriggerValue(kind, name)
    }
  }
  body.onmouseover = body.onfocusin = (event) => outline(of(event, "document"))
  body.onmouseleave = () => outline(undefined)
  body.dataset.listens = ""
}
""".replace("BODY", BODY)


def draw_navigation(desk: Desk) -> DeltaGenerator:
    """Draw Back and Next with their keys, the selection of a query, and its position in the order, with the value that
    it is ordered by. Return the column at the right, for a link."""
    names = desk.order["query_id"].tolist()
    texts = dict(zip(desk.study.queries["query_id"], desk.study.queries["text"], strict=True))
    back_column, next_column, query_column, text_column, link_column = st.columns(
        [1.4, 1.4, 6, 4, 2.2], vertical_alignment="center", gap="small"
    )
    for column, step, label, key in ((back_column, -1, "Back", "P"), (next_column, 1, "Next", "N")):
        target = names[(desk.at + step) % len(names)]
        column.button(
            label, key=f"query_go_{key}", shortcut=key, on_click=guarded(state.go), args=(target,), width="stretch"
        )
    st.session_state[QUERY] = desk.query
    query_column.selectbox(
        "Query",
        names,
        key=QUERY,
        format_func=lambda name: " · ".join(filter(None, (name, texts.get(name, "")))),
        on_change=guarded(_open_picked),
        label_visibility="collapsed",
    )
    with text_column:
        html.quiet(f"{out_of(desk.at + 1, len(names), 'query')}{_order_text(desk)}")
    return link_column


def _open_picked() -> None:
    state.go(st.session_state[QUERY])


def _order_text(desk: Desk) -> str:
    """Return the value that this query is ordered by, as text; empty in the order of the study."""
    if desk.order_name == "study":
        return ""
    value, measure = float(desk.order["by"].iloc[desk.at]), desk.question.name
    value_text = "undefined" if np.isnan(value) else decimal(value) if abs(value) >= SMALL else number(value)
    if desk.order_name == "disagreement":
        return f" · rank gap {value_text}, {measure} against {desk.other.name}"
    if desk.order_name == "difference":
        return f" · difference in {measure} {value_text}"
    return f" · {measure} {value_text}"


@cache
def style_sheet() -> str:
    """Return the style sheet of the bars, the steps and the strip."""
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>"


def deepest(cutoff: int, lists: int) -> int:
    """Return the number of ranks to show: the cutoff, or fewer for many long lists."""
    return min(cutoff, max(FEWEST_RANKS, MOST_CELLS // max(lists, 1)))


def lists_card(desk: Desk) -> tuple[str, ...]:
    """Draw a column a system, a row a rank, the moves between them, the parts of the measure beside them, and the lost
    documents below. Return the documents; the lists refer to them by their positions in it."""
    study, settings, systems = desk.study, desk.settings, desk.lists
    rank_count = deepest(settings.cutoff, len(systems))
    shown = side_by_side(study, settings.changed(cutoff=rank_count), desk.query, systems, desk.rankings)
    names = tuple(dict.fromkeys(shown["doc_id"]))
    with st.container(border=True, gap="xsmall", key="query_card_lists"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            state.choose_lists(desk)
            excerpts = pick.toggle("query_excerpts", "Excerpts", help="Four lines a document, with its gender words.")
            table = shown  # with all ranks up to the cutoff
            if rank_count < settings.cutoff:
                table = side_by_side(study, settings, desk.query, systems, desk.rankings)
            alt = f"The lists of {counted(len(systems), 'system')} for {desk.query}, rank by rank."
            code = recipe(side_by_side, study, settings, desk.query, systems)
            charts.table(table, alt, "query_lists", code, figure=False, notes=LEGEND)
        labels = (desk.rankings.neutral, *desk.rankings.groups)
        look = Look(labels, desk.styles, charts.theme(), len(systems) <= ROOMY, excerpts)
        texts = marked(study, settings, names, roomy=look.roomy)
        styles = lists_style_sheet() + style_sheet() + highlight.style_sheet(study.groups, look.theme)
        try:  # no bars for a measure without parts, and where a system has no list
            anatomy = kept.anatomy(study, settings, desk.question, desk.systems[0], desk.query, desk.baseline)
            margin = values.margin(anatomy, desk.question.name, rank_count, look.theme)
        except FairvizError:
            margin = None
        st.html(styles + lists_html(shown, systems, texts, look, _value_notes(desk), margin))
    return names


def _value_notes(desk: Desk) -> Mapping[str, str]:
    """Return the query's value of the chosen measure of each system, and the mark of the fairer one, as HTML."""
    rows = desk.scores[(desk.scores["query_id"] == desk.query) & (desk.scores["measure"] == desk.question.text)]
    found = rows.set_index("system")["value"].reindex(list(desk.systems))
    distances = unfairness(desk.question, found.to_numpy())
    best = is_equal(distances, distances.min())
    word = "more effective" if desk.question.measure is None else "fairer"
    is_known = desk.question.per_query and len(best) > 1 and not best.all()
    notes = {}
    for (name, value), is_best in zip(found.items(), best.tolist(), strict=True):
        fairer = f' <span class="fv-fairer">{word}</span>' if is_known and is_best else ""
        notes[str(name)] = f' <span class="fv-value">{html.escape(desk.question.name)} {decimal(value)}</span>{fairer}'
    return notes


def waterfall_card(desk: Desk) -> None:
    """Draw the parts of the chosen measure: the ranks of this query's list, or the queries of the whole system; of one
    system, of the other, or of their difference. A tick beside a query's row of the table opens the query."""
    is_open = st.session_state.setdefault("query_steps_open", bool(choices.changed((PART, OVER))))  # by a link
    with st.expander("The calculation, step by step", is_open, key="query_card_steps", type="compact"):
        names = dict(zip(PARTS, desk.systems, strict=False))
        parts = PARTS if len(names) > 1 else PARTS[:1]
        controls_column, table_column = st.columns([10, 2.2], vertical_alignment="top", gap="small")
        with controls_column, st.container(horizontal=True, gap="small"):  # long names take a line of their own
            part = pick.segmented(
                PART, "Of", parts, width="content", texts=lambda part: html.literal(names.get(str(part), str(part)))
            )
            reach = pick.segmented(OVER, "Over", OVERS, width="content")
        system, baseline = desk.systems if part == PARTS[2] else (names[part], None)
        query = desk.query if reach == OVERS[0] else None
        try:
            anatomy = kept.anatomy(desk.study, desk.settings, desk.question, system, query, baseline)
        except FairvizError as error:
            html.problem(error, "info")
            return
        arguments = (desk.study, desk.question.text, system, query, desk.settings)
        with table_column:
            _draw_parts(anatomy, recipe(contributions, *arguments, against=baseline))
        st.html(values.steps_html(anatomy, charts.theme(), desk.order["query_id"].tolist()))


def _draw_parts(anatomy: Anatomy, code: Recipe) -> None:
    """Draw the table of the parts; of a whole system, a tick beside a query's row opens the query."""
    alt = f"{anatomy.heading}, the sum of the column {anatomy.column}."
    if anatomy.query is None:
        open_query = partial(_open_row, anatomy.table["query_id"].tolist())
        charts.table(anatomy.table, alt, "query_parts_of_all", code, open_query, figure=False)
    else:
        charts.table(anatomy.table, alt, "query_parts", code, figure=False)


def _open_row(queries: Sequence[str], row: int) -> None:
    state.go(str(queries[row]))


def strip_card(desk: Desk) -> None:
    """Draw the query's value of every measure against those of all queries, with the bands of random orders of the
    first system's list, if the reader wants any."""
    study, settings, systems = desk.study, desk.settings, desk.systems
    with st.expander("This query among all, in every measure", key="query_card_strip", type="compact"):
        all_queries = kept.strip(study, settings, desk.questions, systems)
        candidates = chances.candidates_of(study)
        with_bands = tuple(question for question in desk.questions if question.per_query)
        texts = [question.text for question in desk.questions]
        table = query_values(desk.scores, desk.query, systems, texts)
        made, band = call(query_values, scored(study, settings, texts), desk.query, systems, texts), None
        code = recipe(made)
        if candidates != chances.NONE and with_bands and systems:
            band = chances.of_query(study, settings, with_bands, systems[0], desk.query, candidates)
            table = beside(table, band)
            bands = call(chance_of_query, study, with_bands, settings, systems[0], desk.query, candidates=candidates)
            code = recipe(beside, made, bands)
        query_strip = strip.of_query(all_queries, desk.scores, desk.query, band)
        slopes = [question.name for question in desk.questions if not question.per_query]
        notes = (
            "Faint marks: all queries in these systems. Each row has its own ends.",
            f"Grey: {CHANCE}." if band is not None else "",
            f"{slopes[0]}: what the query adds to the slope." if slopes else "",
        )
        with st.columns([8, 2], vertical_alignment="center")[1]:
            charts.table(table, query_strip.alt, "query_strip", code, figure=False, notes=notes)
        st.html(values.strip_html(query_strip, desk.styles, charts.theme()))


def handle_clicks(desk: Desk, documents: tuple[str, ...]) -> None:
    """Open the clicked document on Read, or the clicked query; called within the container of lists and sums.

    documents: from `lists_card`.
    """
    queries = tuple(desk.order["query_id"])
    component("lists", JAVASCRIPT)(
        key=PICKING,
        on_document_change=guarded(partial(_open_clicked, "document", documents, going.to_document)),
        on_query_change=guarded(partial(_open_clicked, "query", queries, _open_query)),
        width="content",
    )


def _open_clicked(kind: str, names: tuple[str, ...], opens: Callable[[str], None]) -> None:
    """Open the document or query whose position among `names` the script has sent; nothing for any other text."""
    position = st.session_state[PICKING][kind]
    if isinstance(position, str) and position.isdecimal() and int(position) < len(names):
        opens(names[int(position)])


def _open_query(name: str) -> None:
    st.session_state[OVER] = OVERS[0]
    state.go(name)
