"""The cards of the page GSR: controls, the scatters, the table of slopes, and slopes without some queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd
import streamlit as st

from fairviz.evaluation.gsr import PERFECT, gsr, gsr_points, leave_out, why_undefined
from fairviz.evaluation.settings import Settings
from fairviz.figures import gsr_scatter, leave_out_curve
from fairviz.figures.style import SystemStyle, Theme, system_styles, under_one_legend
from fairviz.measures.gsr import DEPTHS as GSR_DEPTHS
from fairviz.output.recipes import Recipe, call, recipe
from fairviz.study.record import Study, is_reference
from fairviz.ui.gsr import debiasing
from fairviz.ui.gsr import wording as stereotypes_text
from fairviz.ui.gsr.counting import counting_control
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kit import charts, html, wide
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.tables import with_texts
from fairviz.ui.shell import legend
from fairviz.ui.shell.vector_controls import Active, debiasing_control, pairs_control, vectors_control
from fairviz.ui.state import choices
from fairviz.words.sentences import Sentence, Span, decimal, p_cell, plain

WIDE, CARDS = "stereotypes_wide", ("query", "slopes", "carried")
CARRIED_HEIGHT = 260
SCATTER, SLOPES, VARIANT = "stereotypes_scatter", "stereotypes_slopes", "stereotypes_variant"
SLOPES_ALT = "Systems: slope, interval, relative slope, Theil-Sen slope, r, p, number of queries."
SCATTER_HELP = (
    "Slope 0: lists ignore the query's gender; they may still be skewed. Dashed: the system perfect. Dotted: the "
    "vocabulary's mean. Open markers: queries left out."
)
DEPTH_TEXTS = {"cutoff": "the top k", "relevant": "as many as are relevant"}
DEBIAS_HELP = (
    "Ranks the study again by w2v_add and w2v_si, with these vectors as they are and without their gender direction. "
    "Regular: words such as woman keep theirs. Strong: none does. GSR is measured with the vectors as they are."
)
LEFT_OUT_HELP = "Those whose genderedness is farthest from the mean: see how few points carry the slope."
COLUMNS = {
    "slope": ("GSR", 3, term("slope")),
    "ci_low": ("95 % from", 3, f"{term('interval')} Here Student's t over queries."),
    "ci_high": ("to", 3, term("interval")),
    "relative": ("× perfect", 2, term("relative slope")),
    "theil_sen": ("Theil-Sen", 3, term("Theil-Sen slope")),
    "without": ("without one", 3, "the slope nearest to 0 when any one query is left out"),
    "r": ("r", 2, "Pearson's correlation of query and list"),
    "p": ("p", None, "two-sided, of a slope of 0"),
    "queries": ("queries", 0, "queries that have a genderedness and a list that has one"),
    "undefined": ("undefined", 0, "queries without: out of vocabulary, no list, or no document with a genderedness"),
}


@dataclass(frozen=True)
class Deck:
    """The data of every card. points: of all queries; lines, influences: without the queries that are left out."""

    study: Study
    settings: Settings
    using: Active
    points: pd.DataFrame
    lines: pd.DataFrame
    curves: pd.DataFrame
    influences: pd.DataFrame
    systems: tuple[str, ...]
    styles: Mapping[str, SystemStyle]
    theme: Theme
    texts: Mapping[str, str]

    @cached_property
    def system(self) -> str:
        """The selected system, else the one with the highest slope other than the perfect one."""
        if self.settings.system in self.systems:
            return self.settings.system
        table = self.lines[self.lines["system"].isin(self.systems)].set_index("system")["slope"]
        ranked = table.drop(index=PERFECT, errors="ignore").dropna()
        return str(ranked.idxmax()) if len(ranked) else self.systems[0]

    @cached_property
    def query(self) -> str:
        """The selected query, else the one with the largest influence on the system's slope, else the first."""
        fallback = stereotypes_text.most_influential(self.influences, self.system)
        return self.settings.query or fallback or str(self.points["query_id"].iloc[0])


def controls():
    """Draw vectors, pairs, debiasing and the reading of lists; return the column for the slider of queries left out."""
    columns = st.columns([5, 4, 4, 5, 5, 6], gap="small", vertical_alignment="bottom")
    vectors_column, pairs_column, debias_column, depth_column, counting_column, slider_column = columns
    with vectors_column:
        vectors_control()
    with pairs_column:
        pairs_control()
    with debias_column:
        debiasing_control(DEBIAS_HELP)
    with depth_column:
        st.selectbox("Documents", GSR_DEPTHS, key="gsr_depth", format_func=lambda name: DEPTH_TEXTS[name])
    with counting_column:
        counting_control()
    return slider_column


def deck(study: Study, settings: Settings, using: Active, slider_column) -> Deck:
    """Return the points and slopes of the study's systems or, with debiasing, of the w2v rankers' variants."""
    page_study, kind = study, settings.debias
    if kind != "none":
        study = debiasing.variants(study, settings, kind)
        variant = choices.among(VARIANT, ("", *study.systems))
        settings = settings.changed(systems=(), system=variant)
    points = cache.points(study, settings)
    with slider_column:
        settings = _read_left_out(points, settings)
    lines = cache.lines(study, settings)
    systems = settings.systems or tuple(name for name in study.systems if name in set(lines["system"]))
    theme = charts.theme()
    styles = system_styles(tuple(dict.fromkeys((*page_study.systems, *study.systems))), theme)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    curves, influences = cache.curves(study, settings), cache.influences(study, settings)
    return Deck(study, settings, using, points, lines, curves, influences, systems, styles, theme, texts)


def _read_left_out(points: pd.DataFrame, settings: Settings) -> Settings:
    """Draw the slider, which leaves three queries at least; return the settings with its value."""
    most = cache.most_left_out(points)
    left_out = min(settings.left_out, most)
    if most < 1:
        html.quiet("Too few queries to leave any out.")
        return settings.changed(left_out=0)
    st.session_state["left_out"] = left_out
    st.slider("Most gendered queries left out", 0, most, key="left_out", help=LEFT_OUT_HELP)
    return settings.changed(left_out=left_out)


def hidden_count(deck: Deck) -> int | None:
    """Return the number of hidden systems; None with debiased variants, whose figures have legends of their own."""
    return legend.hidden_count(deck.study, deck.settings) if deck.settings.debias == "none" else None


def hidden_span(deck: Deck) -> Sentence:
    """Return a sentence on the hidden systems; empty without any."""
    return (Span(f" {legend.hidden_text(deck.study, deck.settings)}."),) if hidden_count(deck) else ()


def with_hidden(deck: Deck, text: str) -> str:
    """Return an alt text with the number of hidden systems."""
    return text + plain(hidden_span(deck))


def draw_legend(deck: Deck) -> None:
    """Draw the legend of the page: the study's systems, not their debiased variants."""
    if hidden_count(deck) is not None:
        with st.container(key="page_bar"):
            legend.legend(deck.study, deck.settings, deck.styles)


def scatter_card(deck: Deck) -> None:
    """Draw the small multiples; a click on a point selects its query and its system."""
    kept_queries = cache.kept_queries(deck.points, deck.settings.left_out)
    scatter = gsr_scatter.info(
        deck.points,
        deck.lines,
        deck.using.centre,
        queries=kept_queries,
        panel_systems=deck.systems,
        texts=deck.texts,
        selected=deck.query,
        system=deck.system,
    )
    with st.container(border=True, gap="xsmall"):
        text_column, table_column = st.columns([9, 2], vertical_alignment="center")
        with text_column:
            st.caption(_legend_text(scatter), help=SCATTER_HELP)
        with table_column:
            charts.table(deck.points, with_hidden(deck, scatter.alt), SCATTER, _recipe(deck))
        figure = gsr_scatter.draw(scatter, deck.styles, deck.theme)
        under_one_legend(figure, deck.theme, hidden_count(deck) or 0)
        figure.update_layout(clickmode="event+select")
        st.plotly_chart(
            figure,
            theme=None,
            key=SCATTER,
            config=charts.CONFIG,
            alt=with_hidden(deck, scatter.alt),
            on_select=guarded(_select_point),
            selection_mode="points",
        )


def _recipe(deck: Deck, part: str = "points") -> Recipe:
    """Return how points, lines or curves are made again; empty for debiased variants, which only this page computes."""
    if deck.settings.debias != "none":
        return Recipe()
    settings = cache.with_perfect(deck.study, deck.settings)
    if part == "lines":
        return recipe(gsr, call(leave_out, call(gsr_points, deck.study, settings), settings.left_out))
    if part == "curves":
        numbers = cache.most_left_out(deck.points) + 1
        tables = f"[gsr(leave_out(found, number)).assign(left_out=number) for number in range({numbers})]"
        table = f"pd.concat(\n    {tables},\n    ignore_index=True,\n)"
        uses = (gsr, leave_out, "import pandas as pd")
        return recipe(gsr_points, deck.study, settings, table=table, uses=uses)
    return recipe(gsr_points, deck.study, settings)


def _legend_text(scatter: gsr_scatter.GsrScatter) -> str:
    """Return what to click, and how many systems are not drawn."""
    hidden = f" {scatter.hidden} more systems: choose under “Systems & queries”." if scatter.hidden else ""
    return f"Steeper line: more stereotypical. Click a point for its query and documents.{hidden}"


def _select_point() -> None:
    points = st.session_state[SCATTER]["selection"]["points"]
    customdata = points[0].get("customdata") if points else None
    if isinstance(customdata, (list, tuple)) and len(customdata) == 2:
        query, system = map(str, customdata)
        st.session_state["query"] = query
        select_system(system)


def select_system(system: str) -> None:
    """Select a system, for other pages too, or a debiased variant, which only this page has. For callbacks."""
    st.session_state["system" if st.session_state["debias"] == "none" else VARIANT] = system


def _select_row(systems: tuple[str, ...]) -> None:
    rows = st.session_state[SLOPES]["selection"]["rows"]
    select_system(systems[rows[0]] if rows and rows[0] < len(systems) else "")


def slopes_card(deck: Deck) -> None:
    """Draw the table of slopes, absolute and relative; a row selects its system."""
    table = slopes_table(deck.lines, deck.influences, deck.systems)
    systems = tuple(table["system"])
    heads = {name: st.column_config.NumberColumn(head, help=text) for name, (head, _, text) in COLUMNS.items()}
    with wide.place(WIDE, "gsr", "slopes"):
        title, more = wide.head(WIDE, CARDS, "slopes", [7, wide.TABLE])
        with title:
            html.strong("Slopes, absolute and relative to the relevant documents")
        with more:
            charts.table(deck.lines, SLOPES_ALT, "stereotypes_lines", _recipe(deck, "lines"), figure=False)
        charts.tick_row(SLOPES, systems, deck.settings.system)
        st.dataframe(
            with_texts(table, {name: _cells(table[name], digits) for name, (_, digits, _) in COLUMNS.items()}),
            hide_index=True,
            column_config=heads,
            height=min(len(table), 9) * 35 + 40,
            key=SLOPES,
            on_select=guarded(partial(_select_row, systems)),
            selection_mode="single-row",
            alt=SLOPES_ALT,
        )
        html.note(
            "\n".join(reason for name, reason in why_undefined(used_points(deck)).items() if name in deck.systems)
        )


def _cells(values: pd.Series, digits: int | None) -> list[str]:
    """Return numbers as they are shown: with this many decimals, or as p without."""
    texts = (p_cell(value, "") if digits is None else decimal(value, digits) for value in values)
    return ["" if pd.isna(value) else text for value, text in zip(values, texts, strict=True)]


def used_points(deck: Deck) -> pd.DataFrame:
    """Return the points of the queries that are not left out, of which the slopes are."""
    kept_queries = cache.kept_queries(deck.points, deck.settings.left_out)
    return deck.points[deck.points["query_id"].isin(kept_queries)]


def slopes_table(lines: pd.DataFrame, influences: pd.DataFrame, systems: tuple[str, ...]) -> pd.DataFrame:
    """Return a table: system, and the columns of COLUMNS, NaN where undefined; references last."""
    table = lines[lines["system"].isin(systems)]
    table = table.sort_values("system", key=lambda names: names.map(is_reference), kind="stable").reset_index(drop=True)
    ordered_influences = (
        influences.assign(size=influences["without"].abs()).sort_values("size").groupby("system", sort=False)
    )
    table["without"] = table["system"].map(ordered_influences["without"].first()).astype(float)
    return table[["system", *COLUMNS]]


def carried_card(deck: Deck) -> None:
    """Draw the slopes over the number of most gendered queries left out."""
    curves = deck.curves[deck.curves["system"].isin(deck.systems)]
    curve = leave_out_curve.info(curves, deck.settings.left_out, deck.system)
    with wide.place(WIDE, "gsr", "carried"):
        text_column, table_column = wide.head(WIDE, CARDS, "carried", [7, wide.TABLE])
        with text_column:
            html.quiet("A line that falls at once rests on few queries.")
        with table_column:
            charts.table(curves, with_hidden(deck, curve.alt), "stereotypes_curve", _recipe(deck, "curves"))
        height = wide.HEIGHT if st.session_state[WIDE] == "carried" else CARRIED_HEIGHT
        figure = leave_out_curve.draw(curve, deck.styles, deck.theme, height)
        charts.chart(figure, with_hidden(deck, curve.alt), "stereotypes_carried", hidden=hidden_count(deck))
