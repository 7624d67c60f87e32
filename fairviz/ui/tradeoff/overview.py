"""What Overview and Trade-off share and Overview's first screen: the answer as a figure and in words, doors to the next
questions, the kept settings with the changes since, and the lines on ties and ranges below the table of values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from operator import attrgetter
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairviz.annotation.voters import annotator_names, votes_of
from fairviz.comparison.compare import Comparison, starred
from fairviz.comparison.curves import without_cutoff
from fairviz.comparison.finding import Order, caption, inseparable_line, lines, lone_system, orders
from fairviz.comparison.pairs import BEHIND
from fairviz.comparison.ranking_sentences import rank_note
from fairviz.evaluation import questions as of_pages
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import overview_facts
from fairviz.figures import measure_order
from fairviz.figures.style import Styles, Theme
from fairviz.measures import Question, parse
from fairviz.orders.ranges import NARROW
from fairviz.orders.ties import SEARCHED, ties
from fairviz.output.recipes import comparison_recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kept.orders import ranges
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell import chips, legend, voters
from fairviz.ui.state import going, pins
from fairviz.words.sentences import Sentence, Span, agreeing, counted, joined, listed, number

DEFINITION = "methods?methods_measure={}"  # the address of a measure's definition
SMALL_TOP, SMALLER = 4, 0.86  # pixels above the first strip of a small figure; its height, as a share
TITLE_HEIGHT = 24  # pixels that the figure's own title would take
SHORT = 40  # characters of a query in a door

PIN_HELP = "Keeps these settings and values. Later changes of the finding are named."
AGAIN_HELP = "Keeps the present picture instead of the kept one."
IN_A_TABLE = "Δ = now − kept"  # what the Overview's table has of the kept picture
EMPTY = {
    **{"filter_column": "all", "annotator": "the study's default", "lexicon": "the study's default"},
    **{"columns": "the default ones", "tested": "none", "not_tested": "none", "cluster": "none"},
}
LEAD = "Against the kept picture: "
ALWAYS = ("cutoff", "alpha", "position_bias")  # what the line tells whether it is at its default or not

MOST_TIED_PLACES = 1_000_000  # of a study, up to which the ranges of ties are made at once
ASK = "What could ties move?"
ASK_HELP = "Goes through the orders of documents with equal scores. In a study of this size it takes a while."
VISIBLE = 0.0005  # a range that shows with three digits
TIES_ALT = (
    "The smallest and the largest mean over all orders of documents with equal scores. Searched: the range is at "
    "least this wide. No order goes beyond the outer ends."
)
MOST_RANGED_PLACES = 100_000  # of a study, up to which ranges take a second or two
DIRECTIONS = ("higher", "lower")  # of the others, ranges are of distances and not of values


def order_card(
    page: str,
    study: Study,
    settings: Settings,
    summary: pd.DataFrame,
    questions: Sequence[Question],
    comparison: Comparison,
    *,
    small: bool = False,
) -> list[Order]:
    """Draw the orders of these measures and return them; a click on a marker opens the system's lists, sorted by the
    measure. small: lower, and without a legend, for a page with one legend for all figures."""
    system_orders = orders(summary, questions, comparison)
    hidden = legend.hidden_text(study, settings)
    if lone := lone_system(summary, comparison):
        html.findings((*lone, Span(f" {hidden}.")) if hidden else lone)
        return system_orders
    with st.container(key=f"{page}_answer", border=True):
        with st.container(key=f"{page}_order_head", horizontal=True, vertical_alignment="center", gap="small"):
            html.strong(measure_order.TITLE, width="content")
            grouped = pick.toggle(
                f"{page}_groups", "Groups", help="Bars join systems that do not differ from one another significantly."
            )
            ranked = pick.toggle(
                f"{page}_ranks", "Ranks", help="Whiskers span the ranks that the tests leave to each system."
            )
            ranks = f"Whiskers: ranks, {rank_note(comparison)}." if ranked and comparison.family else ""
            info = measure_order.info(system_orders, ranks=ranked)
            texts = [question.text for question in questions]
            code = comparison_recipe(study, settings, texts, comparison.baseline, comparison.how)
            notes = (
                caption(comparison),
                ranks,
                f"{hidden}." if hidden else "",
                cache.coverage_note(study, settings, questions) if page != "overview" else "",
            )
            charts.table(comparison.showing(texts).table, info.alt, f"{page}_answer", code, notes=notes)
        links = {one.name: DEFINITION.format(one.name) for one in questions if one.measure}
        theme = charts.theme()
        looks = (charts.styles(study), theme, grouped, links, small)
        figure = draw_cached(_figure_in_card, info, *looks, theme=theme, clicks=True)
        charts.chart(figure, info.alt, f"{page}_order", open_lists, carried=2)
        with st.expander("In words", key=f"{page}_words", type="compact"):
            inseparable = inseparable_line(system_orders)
            html.findings(*lines(system_orders), (Span(inseparable),) if inseparable else ())
    return system_orders


def _figure_in_card(
    info: measure_order.MeasureOrder, styles: Styles, theme: Theme, grouped: bool, links: dict[str, str], small: bool
) -> go.Figure:
    """Return the figure in the card, which has the title."""
    figure = measure_order.draw(info, styles, theme, groups=grouped, links=links)
    figure.update_layout(title_text="")
    top = measure_order.TOP
    if small:
        height = SMALL_TOP + (figure.layout.height - top) * SMALLER
        return figure.update_layout(showlegend=False, margin_t=SMALL_TOP, height=height)
    return figure.update_layout(margin_t=top - TITLE_HEIGHT, height=figure.layout.height - TITLE_HEIGHT)


def open_lists(system: str, measure: str = "") -> None:
    """Open the lists of the system of a mark, sorted by the measure."""
    going.to_query(systems=(system,), measure=measure)


def badges(study: Study, settings: Settings, questions: Sequence[Question]) -> None:
    """Draw the counts of the study, the share of ranks that have a label, and the kind of the annotator."""
    labels = [question.text for question in questions if question.family == "labels"]
    label_scores = cache.scores(study, tuple(labels[:1]), settings) if labels else None
    html.badges(overview_facts(study, settings, label_scores))


def doors(study: Study, settings: Settings, orders: Sequence[Order]) -> None:
    """Draw links to the pages that answer the next questions, with lines about this study."""
    with st.container(horizontal=True, gap="small", key="doors"):
        if pair := _widest(orders):
            order, system, baseline = pair
            about = f"{system} against {baseline} in {order.question.name}"
            query, table = "", cache.by_query(study, (order.question.text,), settings, system, baseline)
            if len(table):  # the first query is the one with the largest gap
                query = str(table["query_id"].iloc[0])
                text = study.queries.set_index("query_id")["text"].get(query, query) if len(study.queries) else query
                text = text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
                about = f"{system} against {baseline}; largest gap: “{text}”" if text else about
            to_query = partial(going.to_query, query, (system, baseline), order.question.name)
            _door("Why is one system fairer?", about, to_query)
            to_sensitivity = partial(going.to_sensitivity, system, baseline)
            _door("Would other choices change it?", "", to_sensitivity)
        if annotator_names(study):
            votes = votes_of(study, settings.voters)
            about = voters.disagreement(study, settings) if len(votes.annotators) > 1 else ""
            to_disputed, to_read = partial(going.to_disputed, ""), partial(going.to_page, going.INSPECT)
            _door("Are the labels right?", about, to_disputed if votes.is_disputed.any() else to_read)
        _door("Use your own runs", "", going.to_saving)


def _door(title: str, text: str, open_page: Callable[..., object]) -> None:
    """Draw a link, with a line about this study as its tooltip, if there is one."""
    key = f"door_{title.split()[0].lower()}"
    with st.container(border=True, gap="xsmall", width="stretch"):
        about = html.tooltip(text) or None
        st.button(f"{title} →", key=key, type="tertiary", on_click=guarded(open_page), help=about)


def _widest(orders: Sequence[Order]) -> tuple[Order, str, str] | None:
    """Return the first measure with a system that is significantly behind, the best system and that system; else the
    first and the last system of the first measure."""
    for order in orders:
        behind = order.of_verdict(BEHIND)
        if order.standing and behind:
            return order, order.standing.baseline, behind[-1]
    for order in orders:
        if len(order.contenders) > 1:
            return order, order.contenders[0].system, order.contenders[-1].system
    return None


@dataclass(frozen=True)
class Kept:
    """The kept settings with their measures, values and comparison."""

    settings: Settings
    questions: Sequence[Question]
    summary: pd.DataFrame
    comparison: Comparison

    def sentences(
        self, now: Settings, questions: Iterable[Question], comparison: Comparison, look: str = ""
    ) -> tuple[Sentence, Sentence]:
        """Return the kept settings with the changes since, and the changes of the finding. look: what the page has of
        the kept picture."""
        names = {question.name for question in self.questions}
        lacking = [question.name for question in questions if question.name not in names]
        return pin_line(self.settings, now, lacking, look), pin_answer(self.comparison, comparison)


def kept_overview(study: Study, settings: Settings) -> Kept | None:
    """Return what is kept of the Overview of this study, if anything is."""
    then = pins.pinned(study, settings)
    if then is None:
        return None
    asked = of_pages.overview(study, then)
    return Kept(
        then, asked.questions, cache.summary(study, asked.texts, then), cache.comparison(study, asked.texts, then)
    )


def bar(study: Study, settings: Settings, request: Asked, then: Kept | None, comparison: Comparison) -> None:
    """Draw the buttons for pinning, the pinned settings, and whether the finding has changed since."""
    with st.container(key="page_bar", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        pin_buttons(settings)
        if then:
            html.lines("fv-pinned", *then.sentences(settings, request.questions, comparison, IN_A_TABLE))
        else:
            pin_elsewhere(study)


def pin_buttons(settings: Settings) -> None:
    """Draw the button that keeps the picture, and the one that removes it if a picture is kept."""
    is_pinned = bool(st.session_state.get(pins.KEY))
    help_text = AGAIN_HELP if is_pinned else PIN_HELP
    st.button("Keep to compare", key="pin_now", help=help_text, on_click=guarded(partial(pins.pin, settings)))
    if is_pinned:
        st.button("Remove kept", key="pin_let_go", help="Removes the kept picture.", on_click=guarded(pins.unpin))


def pin_elsewhere(study: Study) -> None:
    """Draw a note if the pinned picture is of another study."""
    if name := pins.resting(study):
        html.quiet(f"The kept picture is of the study {name[:80]}: nothing here is compared with it.")


def pin_line(then: Settings, now: Settings, unpinned: Sequence[str], look: str = "") -> Sentence:
    """Return `Kept: k = 10, α = 0.5, position bias log2. Changed: position bias → reciprocal.`

    unpinned: names of measures that have no kept value. look: what the page has of the kept picture, if anything.
    """

    def text(settings: Settings, names: tuple[str, ...], arrow: str = "") -> str:
        value = chips.value_text(settings, names) if getattr(settings, names[0]) not in ("", ()) else EMPTY[names[0]]
        if sign := {"cutoff": "k", "alpha": "α"}.get(names[0]):
            return f"{sign}{arrow or ' = '}{value}"
        return f"{chips.NAMED[names]}{arrow or ' '}{value}"

    kept, changes = [], []
    for names in (names for names in chips.NAMED if set(names) <= set(pins.FIELDS)):
        differs = any(getattr(then, name) != getattr(now, name) for name in names)
        if differs or names[0] in ALWAYS or chips.is_changed(then, names):
            kept.append(text(then, names))
        if differs:
            changes.append(Span(text(now, names, " → "), True))
    spans = [Span("Kept", True), Span(f"{f' ({look})' if look else ''}: {', '.join(kept)}. ")]
    spans += [Span("Changed: "), *joined(changes), Span(".")] if changes else [Span("Nothing has changed.")]
    if unpinned:
        spans.append(Span(f" {listed(unpinned)} {agreeing(len(unpinned), 'has', 'have')} no kept value."))
    return tuple(spans)


def pin_answer(then: Comparison, now: Comparison) -> Sentence:
    """Return the changes of the finding since it was pinned: of the best system by each measure, and of the stars.

    Both: with the best of each measure. Only measures of both count; empty without any.
    """

    def found(comparison: Comparison) -> dict[str, tuple[str, frozenset[str]]]:
        """Return the best and the starred systems of each measure by name."""
        stars = starred(comparison)
        return {parse(text).name: (rows[0].baseline, stars[text]) for text, rows in comparison.rows.items()}

    def told(lead: str, systems: dict[str, frozenset[str]]) -> list[Span]:
        """Return `Starred now: bm25 and qlm by nDCG; rrf by CWEx. `"""
        spans: list[Span] = []
        for name, names in systems.items():
            if names:
                spans.append(Span("; " if spans else f"{lead}: "))
                spans += [*joined([Span(system, True) for system in sorted(names)]), Span(f" by {name}")]
        return [*spans, Span(". ")] if spans else []

    before, after = found(then), found(now)
    names = [name for name in after if name in before]
    if not names:
        return ()
    same = [name for name in names if before[name][0] == after[name][0]]
    spans: list[Span] = []
    for name in names:
        if name not in same:
            spans += [Span("; " if spans else LEAD), Span(f"by {name} the best was ")]
            spans += [Span(before[name][0], True), Span(", now "), Span(after[name][0], True)]
    if same:
        spans.append(Span(f"{'; ' if spans else LEAD}by {listed(same)} the best is unchanged"))
    spans.append(Span(". "))
    stars = [
        *told("Starred now", {name: after[name][1] - before[name][1] for name in names}),
        *told("No longer starred", {name: before[name][1] - after[name][1] for name in names}),
    ]
    return (*spans, *(stars or [Span("The stars are unchanged.")]))


def as_now(
    then: pd.DataFrame, questions: Sequence[Question], now: Sequence[Question], *, without_cutoffs: bool = False
) -> pd.DataFrame:
    """Return a pinned table with the current names of its measures, without other measures. without_cutoffs: the
    table is of curves over the cutoff, whose measures are named without it."""
    text = without_cutoff if without_cutoffs else attrgetter("text")
    texts = {question.name: text(question) for question in now}
    current_texts = {text(question): texts[question.name] for question in questions if question.name in texts}
    return then[then["measure"].isin(current_texts)].assign(measure=lambda rows: rows["measure"].map(current_texts))


def beside(now: pd.DataFrame, then: pd.DataFrame | None, on: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """Return the table with `NAME kept` and, for numbers, `NAME change` (now minus kept) of these columns."""
    if then is None:
        return now
    pinned_columns = then[[*on, *columns]].rename(columns={name: f"{name} kept" for name in columns})
    table = now.merge(pinned_columns, on=list(on), how="left", validate="one_to_one")
    for name in columns:
        if pd.api.types.is_numeric_dtype(table[name]):
            table[f"{name} change"] = table[name] - table[f"{name} kept"]
    return table


def ties_line(study: Study, settings: Settings, request: Asked) -> None:
    """Draw the sentence on tied documents and the table of ranges; nothing if no tie reaches the cutoff."""
    if study.size("runs") > MOST_TIED_PLACES and not st.button(ASK, key="overview_ties_ask", help=ASK_HELP):
        return
    texts = [question.text for question in request.questions if question.per_query]
    table = cache.ties(study, texts, settings) if texts else pd.DataFrame()
    spans = ties_sentence(table, settings.cutoff) if len(table) else ()
    if not spans:
        return
    text_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="center")
    with text_column:
        st.html(f'<div class="fv-quiet">{html.sentence_html(spans)}</div>')
    with table_column:
        charts.table(table, TIES_ALT, "overview_ties", recipe(ties, study, texts, settings), figure=False)


def ties_sentence(table: pd.DataFrame, cutoff: int) -> Sentence:
    """Return `Ties at rank 10: 35 lists of perfect. Their order moves CWEx from −0.249 to −0.177, and 5 more measures.`

    It is of the system with the most ties and of its first measure that moves; empty if no tie reaches the cutoff.
    table: of `fairviz.ties`.
    """
    tied = table.drop_duplicates("system").set_index("system")["tied"].sort_values(ascending=False, kind="stable")
    if not tied.max() > 0:
        return ()
    system, others = str(tied.index[0]), int((tied > 0).sum()) - 1
    more = f" and of {counted(others, 'more system')}" if others else ""
    spans = [Span(f"Ties at rank {cutoff}: {counted(tied.iloc[0], 'list')} of "), Span(system, True), Span(f"{more}.")]
    affected = table[(table["system"] == system) & (table["largest"] - table["smallest"] >= VISIBLE)]
    if affected.empty:
        return (*spans, Span(" No order of them moves a value by 0.001."))
    rest = len(affected) - 1
    rest_text = f", and {counted(rest, 'more measure')} (Table)" if rest else ""
    return (*spans, Span(f" Their order moves {_range_text(affected.iloc[0].to_dict())}{rest_text}."))


def _range_text(row: Mapping[Any, Any]) -> str:
    """Return `CWEx from −0.249 to −0.177` for a row of `fairviz.ties`."""
    low = _end_text(row["smallest"], row["smallest_is"], row["outer_smallest"], "at most ")
    high = _end_text(row["largest"], row["largest_is"], row["outer_largest"], "at least ")
    return f"{parse(row['measure']).name} from {low} to {high}"


def _end_text(value: float, how: str, outer: float, searched: str) -> str:
    """Return `0.250` for an exact value, else `at least 0.250 (bound 0.300)`, the bound where one is known."""
    if how != SEARCHED:
        return number(float(value))
    bound = "" if isnan(outer) else f" (bound {number(float(outer))})"
    return f"{searched}{number(float(value))}{bound}"


def range_line(study: Study, settings: Settings, request: Asked) -> str:
    """Return the sentence on how little any order of the candidates could change a measure; empty for a large study
    and where most ranges are wide."""
    texts = [question.text for question in request.questions if question.measure and question.direction in DIRECTIONS]
    if not texts or study.size("runs") > MOST_RANGED_PLACES:
        return ""
    return range_sentence(ranges(study, texts, settings))


def range_sentence(table: pd.DataFrame) -> str:
    """Return `On 31 of 40 queries, no order of candidates moves AWRF by more than 0.02.`

    It is of the measure with the most such queries, if they are more than half; empty if none has. A query counts if
    the ranges of all systems are narrow. table: of `fairviz.ranges`, a row a query.
    """
    defined = table.dropna(subset=["worst", "best"])
    by_query = defined.groupby(["measure", "query_id"], observed=True, sort=False)["narrow"].all()
    counts = by_query.groupby("measure", observed=True, sort=False).agg(["sum", "size"])
    most = counts[2 * counts["sum"] > counts["size"]].sort_values("sum", ascending=False, kind="stable")
    if most.empty:
        return ""
    text, narrow, queries = str(most.index[0]), int(most["sum"].iloc[0]), counted(int(most["size"].iloc[0]), "query")
    return f"On {narrow:,} of {queries}, no order of candidates moves {parse(text).name} by more than {NARROW:g}."
