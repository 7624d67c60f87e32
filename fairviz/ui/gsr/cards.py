"""The cards of the page GSR: controls, the scatters, one query, the slopes, their debiased variants, and what follows a
slider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.gsr_validity.direct import MEASURES, RANKERS, DebiasedComparison, compare_debiased
from fairviz.evaluation.gsr import PERFECT, gsr, gsr_points, leave_out, why_undefined
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.evaluation.slider_settings import stops
from fairviz.figures import gsr_scatter, leave_out_curve, reordering
from fairviz.figures.style import SystemStyle, Theme, system_styles, under_one_legend
from fairviz.measures.gsr import DEPTHS as GSR_DEPTHS
from fairviz.output.recipes import Recipe, call, recipe
from fairviz.study.loaders.word_files import read_stop_words
from fairviz.study.record import Study, is_reference
from fairviz.ui.gsr import wording
from fairviz.ui.gsr.wording import number
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kept.entries import kept
from fairviz.ui.kit import charts, coloured_words, highlight, html, wide
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.editors import as_file, setting_from_file
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.tables import with_texts
from fairviz.ui.shell import legend
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.component import Slider
from fairviz.ui.shell.live.frames import Frame, Moving, Scale, edge_notes, edge_texts, line_looks, mark_looks
from fairviz.ui.shell.live.sliders import depends, sidebar
from fairviz.ui.shell.vector_controls import Active, debiasing_control, pairs_control, vectors_control
from fairviz.ui.state import choices, going
from fairviz.words.counting import GSR_LEXICON, document_text
from fairviz.words.genderedness import GenderDirection
from fairviz.words.gsr_words import format_stop_words, of_query, parse_stop_words, text_words
from fairviz.words.sentences import Sentence, Span, counted, decimal, p_cell, percent, plain

WIDE, CARDS = "stereotypes_wide", ("query", "slopes", "carried")
SCATTER, SLOPES, VARIANT, SYSTEM = (
    "stereotypes_scatter", "stereotypes_slopes", "stereotypes_variant", "stereotypes_system"
)  # fmt: skip
LEFT_OUT, CARRIED = "left_out", "stereotypes_carried"
CARRIED_HEIGHT = 260
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
STOP_FILE, STOP_PROBLEM = "stop_words_file", "stop_words_problem"
COUNTING = {"query_terms": "Dropped from documents", "list_weights": "Weights of the list"}
STOP_WORDS = "Stop words: a word a line. Words that mark a gender, such as she and mr, count with any list."
UNDEBIASED = "GSR by the vectors as they are. The rest of it came through other directions than the one taken out."
COUNTING_HELP = (
    "The paper's text drops from a document the query's words that “explicitly appear” in it, and weighs ranks by "
    "equation 2. Its authors' code drops all forms of one noun, takes Indri's stop words, and has other weights."
)
TO_QUERY = "Each system's list of this query, with its contribution to the slope by word."
G_HELP = f"{term('genderedness')} + female, − male. Shaded words count; point at one for its own g."
MOST_CHARACTERS = 420  # characters of a document that are shown
DOCUMENTS_HEIGHT = 430
SPINNER = "Ranking by w2v_add and w2v_si, with these vectors and with debiased ones …"
_RANKING = (*cache.VECTORS, "filter_column", "filter_values", "ties")
UNCHANGED = "none"
RAW = (
    "r is over |g − the vocabulary's mean|: a query at the mean is not gendered. Below it: the paper's r, of |g| "
    "itself. They differ where vectors have an offset, as GloVe has."
)
QUERY = ("stereotypes_card_query", "stereotypes_card_query_wide")  # the card in its normal and its wide form


@dataclass(frozen=True)
class GsrDeck:
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
        fallback = wording.most_influential(self.influences, self.system)
        return self.settings.query or fallback or str(self.points["query_id"].iloc[0])

    @cached_property
    def kept_queries(self) -> frozenset[str]:
        """The queries that are not left out, of which the slopes are."""
        return cache.kept_queries(self.points, self.settings.left_out)

    @property
    def used_points(self) -> pd.DataFrame:
        """The points of these queries."""
        return self.points[self.points["query_id"].isin(self.kept_queries)]

    @property
    def hidden_count(self) -> int | None:
        """The number of hidden systems; None with debiased variants, whose figures have legends of their own."""
        return legend.hidden_count(self.study, self.settings) if self.settings.debias == UNCHANGED else None

    @property
    def hidden_span(self) -> Sentence:
        """A sentence on the hidden systems; empty without any."""
        return (Span(f" {legend.hidden_text(self.study, self.settings)}."),) if self.hidden_count else ()

    def alt(self, text: str) -> str:
        """Return an alt text with the number of hidden systems."""
        return text + plain(self.hidden_span)

    def recipe(self, part: str = "points") -> Recipe:
        """Return how points, lines or curves are made again; empty for debiased variants, which only this page
        computes."""
        if self.settings.debias != UNCHANGED:
            return Recipe()
        settings = cache.with_perfect(self.study, self.settings)
        if part == "lines":
            return recipe(gsr, call(leave_out, call(gsr_points, self.study, settings), settings.left_out))
        if part == "curves":
            numbers = cache.most_left_out(self.points) + 1
            tables = f"[gsr(leave_out(found, number)).assign(left_out=number) for number in range({numbers})]"
            table = f"pd.concat(\n    {tables},\n    ignore_index=True,\n)"
            if settings != self.settings:  # the others are measured by it, and it is hidden
                table += f".query(\"system != '{PERFECT}'\")"
            uses = (gsr, leave_out, "import pandas as pd")
            return recipe(gsr_points, self.study, settings, table=table, uses=uses)
        return recipe(gsr_points, self.study, settings)


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
        _counting_control()
    return slider_column


def _counting_control() -> None:
    """Draw a popover with the choices on which the paper's text and its authors' code differ; its label and first line
    report differences from the paper."""
    state = st.session_state
    changes = differences(state)
    in_force = f"In force: {', '.join(changes)}." if changes else "In force: the paper’s text."
    about = html.tooltip(COUNTING_HELP, in_force, STOP_WORDS)
    with st.popover(f"Counting: {'other' if changes else 'paper'}", width="stretch", help=about):
        for name, label in COUNTING.items():
            texts = CHOICES[name].texts
            st.selectbox(label, tuple(texts), key=name, format_func=texts.__getitem__)
        setting_from_file(
            "Stop words from a file", STOP_FILE, STOP_PROBLEM, "stop_words", stop_words_text, ("txt", "csv")
        )
        st.button("The built-in stop words", on_click=guarded(_built_in), disabled=not state["stop_words"])
        html.problem(state.get(STOP_PROBLEM))


def differences(state: Mapping) -> list[str]:
    """Return the differences from the paper's text: `lemmas`, `the code's weights`, `418 stop words from a file`."""
    parts = ["lemmas"] if state["query_terms"] != Settings.query_terms else []
    parts += ["the code's weights"] if state["list_weights"] != Settings.list_weights else []
    if state["stop_words"]:
        count = len(parse_stop_words(state["stop_words"]))
        parts.append(f"{counted(count, 'stop word')} from a file")
    return parts


def stop_words_text(name: str, content: bytes) -> str:
    """Return the words of a file as the text of `Settings.stop_words`. Raises: DataError that names every invalid
    line."""
    with as_file(name, content) as path:
        return format_stop_words(read_stop_words(path, str(path.parent)))


def _built_in() -> None:
    st.session_state["stop_words"] = ""
    st.session_state[STOP_PROBLEM] = None


def make_deck(study: Study, settings: Settings, using: Active, slider_column) -> GsrDeck:
    """Return the points and slopes of the study's systems or, with debiasing, of the w2v rankers' variants, and draw
    the slider of queries left out in its column."""
    page_study, kind = study, settings.debias
    if kind != UNCHANGED:
        study = variants(study, settings, kind)
        variant = choices.among(VARIANT, ("", *study.systems))
        settings = settings.changed(systems=(), system=variant)
    points = cache.points(study, settings)
    with slider_column:
        settings = settings.changed(left_out=_draw_left_out(settings.left_out, cache.most_left_out(points)))
    lines = cache.lines(study, settings)
    systems = settings.systems or tuple(name for name in study.systems if name in set(lines["system"]))
    theme = charts.theme()
    styles = system_styles(tuple(dict.fromkeys((*page_study.systems, *study.systems))), theme)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    curves, influences = cache.curves(study, settings), cache.influences(study, settings)
    return GsrDeck(study, settings, using, points, lines, curves, influences, systems, styles, theme, texts)


def _draw_left_out(left_out: int, most: int) -> int:
    """Draw the slider of queries left out, which leaves three queries at least; return its value, at most `most`."""
    if most < 1:
        about = "Too few queries to leave any out."
        st.slider("Most gendered queries left out", 0, 1, key="gsr_none_left_out", disabled=True, help=about)
        return 0
    left_out = max(0, min(left_out, most))
    st.session_state[LEFT_OUT] = left_out
    st.slider("Most gendered queries left out", 0, most, key=LEFT_OUT, help=LEFT_OUT_HELP)
    return left_out


def draw_legend(deck: GsrDeck) -> None:
    """Draw the legend of the page: the study's systems, not their debiased variants."""
    if deck.hidden_count is not None:
        with wide.bar(WIDE):
            legend.legend(deck.study, deck.settings, deck.styles)


def scatter_card(deck: GsrDeck) -> None:
    """Draw the small multiples; a click on a point selects its query and its system."""
    scatter = gsr_scatter.info(
        deck.points, deck.lines, deck.using.centre, queries=deck.kept_queries, panel_systems=deck.systems,
        texts=deck.texts, selected=deck.query, system=deck.system,
    )  # fmt: skip
    alt = deck.alt(scatter.alt)
    with st.container(border=True, gap="xsmall"):
        with st.columns([9, 2], vertical_alignment="center")[1]:
            more = f"{scatter.hidden} more systems: choose under “Systems & queries”." if scatter.hidden else ""
            about = (SCATTER_HELP, "Steeper line: more stereotypical. Click a point for its query and documents.", more)
            charts.table(deck.points, alt, SCATTER, deck.recipe(), notes=about)
        figure = gsr_scatter.draw(scatter, deck.styles, deck.theme)
        under_one_legend(figure, deck.theme, deck.hidden_count or 0)
        figure.update_layout(clickmode="event+select")
        st.plotly_chart(
            figure, theme=None, key=SCATTER, config=charts.CONFIG, alt=alt, on_select=guarded(_select_point),
            selection_mode="points",
        )  # fmt: skip


def _select_point() -> None:
    points = st.session_state[SCATTER]["selection"]["points"]
    customdata = points[0].get("customdata") if points else None
    if isinstance(customdata, (list, tuple)) and len(customdata) == 2:
        st.session_state["query"], system = map(str, customdata)
        _select_system(system)


def _select_system(system: str) -> None:
    """Select a system, for other pages too, or a debiased variant, which only this page has. For callbacks."""
    st.session_state["system" if st.session_state["debias"] == UNCHANGED else VARIANT] = system


def query_card(deck: GsrDeck) -> None:
    """Draw one query: its words coloured by genderedness, its influence on the slope, and its ranked documents."""
    with wide.place(WIDE, "stereotypes", "query"):
        query_column, system_column = wide.head(WIDE, CARDS, "query", [7, 4], "bottom")
        with query_column:
            _query_picker(deck)
        with system_column:
            st.session_state[SYSTEM] = deck.system
            st.selectbox("System", deck.systems, key=SYSTEM, on_change=guarded(_choose_system))
        text_column, button_column = st.columns([8, 2.4], gap="small", vertical_alignment="top")
        systems = (deck.system,) if deck.settings.debias == UNCHANGED else ()  # Query has no debiased variants
        button_column.button(
            "On Query", key="stereotypes_to_query", width="stretch", help=TO_QUERY,
            on_click=guarded(partial(going.to_query, deck.query, systems, "GSR")),
        )  # fmt: skip
        text_column.html(
            coloured_words.coloured_words(
                deck.texts.get(deck.query, ""), deck.using.direction, deck.using.centre, deck.theme,
                deck.settings.stop_words,
            )
        )  # fmt: skip
        html.quiet(_query_text(deck))
        _draw_documents(deck)


def _query_text(deck: GsrDeck) -> str:
    """Return g of the query and of its list, and the query's influence on the slope."""
    row = deck.points[(deck.points["query_id"] == deck.query) & (deck.points["system"] == deck.system)]
    runs = deck.study.runs
    no_list = runs[(runs["system"] == deck.system) & (runs["query_id"] == deck.query)].empty
    if row.empty:
        left_out = "The filter in the sidebar leaves this query out."
        return f"{left_out} {deck.system} has no list for this query." if no_list else left_out
    query_g, list_g = float(row["query"].iloc[0]), float(row["list"].iloc[0])
    list_text = "undefined" if np.isnan(list_g) else coloured_words.signed(list_g)
    parts = [f"{deck.system} has no list for this query." if no_list else ""]
    parts += [f"g of the query {coloured_words.signed(query_g)}; of its list by {deck.system} {list_text}."]
    if deck.query not in deck.kept_queries:
        parts.append("It is left out of the slopes.")
    parts.append(wording.query_influence(deck.influences, deck.system, deck.query))
    return " ".join(filter(None, parts))


def _query_picker(deck: GsrDeck) -> None:
    """Draw the selection of a query, from female to male; empty for the most influential one."""
    genderedness = deck.points.drop_duplicates("query_id").set_index("query_id")["query"]
    names = {
        str(name): f"{coloured_words.signed(g)}  {deck.texts.get(str(name), name)}"
        for name, g in genderedness.sort_values(ascending=False, na_position="last").items()
    }
    current_text = deck.texts.get(deck.query, deck.query)
    names = {"": "the one that moves the slope most" + ("" if deck.settings.query else f": {current_text}")} | names
    if deck.settings.query not in names:  # left out by the filter in the sidebar
        names[deck.settings.query] = deck.texts.get(deck.settings.query, deck.settings.query)
    label = "Query, from female to male"
    st.selectbox(label, names, key="query", format_func=lambda name: names.get(name, name), help=G_HELP)


def _choose_system() -> None:
    _select_system(st.session_state[SYSTEM])


def _draw_documents(deck: GsrDeck) -> None:
    """Draw the documents of the list, each with its g without the query's words, and its words shaded."""
    runs, stop_words = deck.study.runs, deck.settings.stop_words
    if runs[(runs["system"] == deck.system) & (runs["query_id"] == deck.query)].empty:
        return
    table = cache.documents(deck.study, deck.settings, deck.system, deck.query)
    texts = document_text(deck.study.documents.set_index("doc_id").reindex(table["doc_id"])).fillna("")
    is_query_word = of_query(text_words(deck.texts.get(deck.query, ""), stop_words), deck.settings.query_terms)

    genderedness = partial(
        counted_genderedness, deck.using.direction, is_query_word=is_query_word, stop_words=stop_words
    )
    rows = []
    for rank, doc_id, g, text in zip(table["rank"], table["doc_id"], table["g"], texts, strict=True):
        chip = coloured_words.chip(g, deck.using.centre, deck.theme)
        rows.append((str(rank), chip, _document_html(deck, doc_id, text, genderedness)))
    with st.container(height=DOCUMENTS_HEIGHT, border=False):
        st.html(highlight.style_sheet(deck.study.groups, deck.theme))
        st.html(coloured_words.table_html(("rank", "g", "document"), rows))


def _document_html(deck: GsrDeck, doc_id: str, text: str, genderedness: Callable[[list[str]], np.ndarray]) -> str:
    """Return the name of a document and the beginning of its text, with the counted words shaded."""
    excerpt = highlight.cut(text, MOST_CHARACTERS)
    shaded = highlight.shaded_html(excerpt, GSR_LEXICON, "word", deck.study.groups, genderedness, deck.using.centre)
    rest = " …" if len(excerpt) < len(text) else ""
    return f"<b>{html.escape(doc_id)}</b> {shaded or '<i>no text</i>'}{rest}"


def counted_genderedness(
    direction: GenderDirection, words: list[str], is_query_word: Callable[[str], bool], stop_words: str = ""
) -> np.ndarray:
    """Return g of each word (N,) that counts in a document's g; NaN for stop words, query words and unknown words."""
    is_counted = [text_words(word, stop_words) == [word] and not is_query_word(word) for word in words]
    return np.where(np.array(is_counted, dtype=bool), direction.of(words), np.nan)


def slopes_card(deck: GsrDeck) -> None:
    """Draw the table of slopes, absolute and relative; a row selects its system."""
    table = _slopes(deck)
    texts = {}
    for name, (_, digits, _) in COLUMNS.items():
        cells = (p_cell(value, "") if digits is None else decimal(value, digits) for value in table[name])
        texts[name] = ["" if pd.isna(value) else text for value, text in zip(table[name], cells, strict=True)]
    systems = tuple(table["system"])
    with wide.place(WIDE, "stereotypes", "slopes"):
        title, more = wide.head(WIDE, CARDS, "slopes", [7, wide.TABLE])
        with title:
            html.strong("Slopes")
        with more:
            charts.table(deck.lines, SLOPES_ALT, "stereotypes_lines", deck.recipe("lines"), figure=False)
        charts.tick_row(SLOPES, systems, deck.settings.system)
        heads = {name: st.column_config.NumberColumn(head, help=text) for name, (head, _, text) in COLUMNS.items()}
        st.dataframe(
            with_texts(table, texts), hide_index=True, column_config=heads, height=min(len(table), 9) * 35 + 40,
            key=SLOPES, on_select=guarded(partial(_select_row, systems)), selection_mode="single-row", alt=SLOPES_ALT,
        )  # fmt: skip
        reasons = why_undefined(deck.used_points)
        html.note("\n".join(reason for name, reason in reasons.items() if name in deck.systems))


def _slopes(deck: GsrDeck) -> pd.DataFrame:
    """Return system and COLUMNS, NaN where undefined, references last. Without one: the slope nearest to 0."""
    table = deck.lines[deck.lines["system"].isin(deck.systems)]
    table = table.sort_values("system", key=lambda names: names.map(is_reference), kind="stable").reset_index(drop=True)
    ordered = deck.influences.assign(size=deck.influences["without"].abs()).sort_values("size")
    table["without"] = table["system"].map(ordered.groupby("system", sort=False)["without"].first()).astype(float)
    return table[["system", *COLUMNS]]


def _select_row(systems: tuple[str, ...]) -> None:
    rows = st.session_state[SLOPES]["selection"]["rows"]
    _select_system(systems[rows[0]] if rows and rows[0] < len(systems) else "")


def carried_card(deck: GsrDeck) -> None:
    """Draw the slopes over the number of most gendered queries left out."""
    curves = deck.curves[deck.curves["system"].isin(deck.systems)]
    curve = leave_out_curve.info(curves, deck.settings.left_out, deck.system)
    with wide.place(WIDE, "stereotypes", "carried"):
        text_column, table_column = wide.head(WIDE, CARDS, "carried", [7, wide.TABLE])
        with text_column:
            html.strong("Without the most gendered queries")
        with table_column:
            notes = ("A line that falls at once rests on few queries.",)
            charts.table(curves, deck.alt(curve.alt), "stereotypes_curve", deck.recipe("curves"), notes=notes)
        height = wide.HEIGHT if st.session_state[WIDE] == "carried" else CARRIED_HEIGHT
        figure = leave_out_curve.draw(curve, deck.styles, deck.theme, height)
        charts.chart(figure, deck.alt(curve.alt), CARRIED, hidden=deck.hidden_count)


@kept(cache.ENTRIES, _RANKING)
def variants(study: Study, settings: Settings, kind: str) -> Study:
    """Return the study with three kinds of runs only: by these vectors, by the debiased ones, and the perfect ones.

    A debiased variant is called `w2v_add · regular`. Raises: FairvizError if the study cannot be ranked.
    """
    debiased = comparison(study, settings)
    names = system_names(debiased.systems, kind)
    runs = debiased.study.runs
    runs = runs[runs["system"].isin(list(names))]
    systems = runs["system"].cat.remove_unused_categories().cat.rename_categories(names)
    systems = systems.cat.set_categories([name for name in names.values() if name in systems.cat.categories])
    fingerprint = f"{debiased.study.fingerprint} debiased {settings.embedding} {settings.pairs} {kind}"
    return replace(debiased.study, runs=runs.assign(system=systems), fingerprint=fingerprint)


def comparison(study: Study, settings: Settings) -> DebiasedComparison:
    """Return both rankers with all three kinds of vectors; its GSR has the default cutoff and is not shown."""
    with st.spinner(SPINNER):
        return _comparison(study, settings)


@kept(cache.ENTRIES, _RANKING)
def _comparison(study: Study, settings: Settings) -> DebiasedComparison:
    unused_fields = ("cutoff", "systems", *cache.GSR_CHOICES)
    plain_settings = settings.changed(**{name: getattr(Settings, name) for name in unused_fields})
    return compare_debiased(study, plain_settings, embedding=settings.embedding, direction=cache.direction(settings))


def system_names(systems: pd.DataFrame, kind: str) -> dict[str, str]:
    """Return the displayed name of each system: perfect, w2v_add, w2v_add · regular, …"""
    names = {}
    for system, ranker, debias in zip(systems["system"], systems["ranker"], systems["debias"], strict=True):
        if system == PERFECT or debias == UNCHANGED:
            names[system] = ranker
        elif debias == kind:
            names[system] = f"{ranker} · {kind}"
    return names


def debiasing_card(study: Study, settings: Settings, deck: GsrDeck) -> None:
    """Draw GSR and effectiveness before and after, and the reordering of each query's list."""
    debiased = comparison(study, settings)
    table_column, figure_column = st.columns(2, gap="small")
    with table_column, st.container(border=True, gap="xsmall"):
        _draw_before_and_after(study, before_and_after(deck.lines, debiased.systems, settings.debias), settings.debias)
    with figure_column, st.container(border=True, gap="xsmall"):
        _draw_reordering(study, settings, debiased, deck.styles, deck.theme)


def _draw_before_and_after(study: Study, table: pd.DataFrame, kind: str) -> None:
    """Draw the table of `before_and_after`."""
    alt = "GSR and effectiveness."
    notes = (UNDEBIASED, "" if study.has("qrels") else "Effectiveness needs relevance judgements: add qrels.txt.")
    charts.headed(f"Before and after {kind} debiasing", table, alt, "debiased_numbers", figure=False, notes=notes)
    texts = {name: [decimal(value) for value in table[name]] for name in ("GSR", *MEASURES)}
    texts["change"] = [change_text(value) for value in table["change"]]
    st.dataframe(with_texts(table, texts), hide_index=True, key="debiased_table", alt=alt)


def _draw_reordering(
    study: Study, settings: Settings, debiased: DebiasedComparison, styles: Mapping[str, SystemStyle], theme: Theme
) -> None:
    """Draw the reordering of each query's list, over the query's genderedness."""
    distances = debiased.distances[debiased.distances["debias"] == settings.debias]
    correlations = debiased.correlations[debiased.correlations["debias"] == settings.debias]
    reorderings = reordering.info(distances, correlations, cache.centre(settings))
    text_column, table_column = st.columns([7, 3], vertical_alignment="center")
    with text_column:
        html.strong("Reordering of each query's list")
    with table_column:
        notes = ("0: the same list; 1: reversed. Top 100 of each list.", RAW)
        charts.table(distances, reorderings.alt, "reordering", notes=notes)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    figure = reordering.draw(reorderings, styles, texts, theme, selected=settings.system, query=settings.query)
    charts.chart(figure, reorderings.alt, "stereotypes_reordering")


def before_and_after(lines: pd.DataFrame, systems: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return a table: system, GSR, its relative change, and each measure of effectiveness; NaN where undefined."""
    names = system_names(systems, kind)
    table = systems[systems["system"].isin(list(names))][["system", "ranker", "debias", *MEASURES]]
    table = table.assign(system=table["system"].map(names))
    slopes = lines.set_index("system")["slope"]
    table["GSR"] = table["system"].map(slopes).astype(float)
    slopes_before = table["ranker"].map(slopes).astype(float)
    share = ((table["GSR"] - slopes_before) / slopes_before.abs()).where(table["debias"] == kind)
    table["change"] = share.astype(float)
    return table[["system", "GSR", "change", *MEASURES]].reset_index(drop=True)


def change_text(share: float) -> str:
    """Return the share as text: `−19 %`; empty for NaN."""
    return "" if share != share else percent(share, sign="+")


def debiasing_finding(lines: pd.DataFrame, kind: str) -> Sentence:
    """Return the change of each ranker's slope: `Regular debiasing takes w2v_add from 0.28 to 0.22 (−19 %).`"""
    slopes = lines.set_index("system")["slope"]
    spans: list[Span] = []
    for ranker in RANKERS:
        before, after = slopes.get(ranker, np.nan), slopes.get(f"{ranker} · {kind}", np.nan)
        if np.isnan(before) or np.isnan(after):
            continue
        change = f" from {number(before)} to {number(after)} ({change_text((after - before) / abs(before))})"
        spans += [Span(" and " if spans else f"{kind.capitalize()} debiasing takes "), Span(ranker, True), Span(change)]
    return (*spans, Span(".")) if spans else ()


def follow(deck: GsrDeck, study: Study, settings: Settings) -> None:
    """Follow the page's own slider, and those of the sidebar for the curve of the position bias alone: no slope depends
    on the bias, nor on the cutoff if lists are read to the number of relevant documents.

    study, settings: those of the page; the deck's are of its debiased variants, if any.
    """

    def moving_parts(slider: str) -> list[Moving]:
        return [bias.moving_bias(stops(study, settings, slider), charts.theme())]

    charts_of_page = (SCATTER, SLOPES, CARRIED, *QUERY, "debiased_table", "stereotypes_trust", "finding")
    still = {"bias_parameter": charts_of_page, "cutoff": () if settings.gsr_depth == "cutoff" else charts_of_page}
    sliders = sidebar(study, settings, "gsr", moving_parts, still, only=("cutoff", "bias_parameter"))
    component.follow(component.Page("gsr", charts_of_page[:-1], (*sliders, *_left_out_slider(deck))))


def _left_out_slider(deck: GsrDeck) -> tuple[Slider, ...]:
    """Return the slider of queries left out, if there is one."""
    most = cache.most_left_out(deck.points)
    if most < 1:
        return ()
    texts = tuple(map(str, range(most + 1)))
    inputs = depends(deck.study, deck.settings.changed(left_out=0), deck.system, deck.systems, texts)
    scale = Scale(LEFT_OUT, "queries left out", texts)
    return (Slider(scale, str(deck.settings.left_out), inputs, lambda: [moving_carried(deck)]),)


def moving_carried(deck: GsrDeck) -> Moving:
    """Return the slopes over the queries left out, which do not move, and the moving vertical line."""
    curves = deck.curves[deck.curves["system"].isin(deck.systems)]
    curve = leave_out_curve.info(curves, deck.settings.left_out, deck.system)
    systems, muted = list(curve.slopes), deck.theme.muted
    marks = mark_looks(systems, deck.styles, deck.theme, deck.system, 6)
    lines = line_looks(systems, deck.styles, deck.system, bands=True)
    looks = [mark_look | line_look for mark_look, line_look in zip(marks, lines, strict=True)]
    cursor = {"draw": "cursor", "name": "here", "colour": muted}
    layers = [{"draw": "lines", "name": "slopes", "looks": looks}, cursor, *edge_notes("", muted)]
    has_slope = bool(curve.numbers) and np.isfinite([value for row in curve.slopes.values() for value in row]).any()

    def frame(stop: int) -> Frame:
        numbers = {
            "slopes x": curve.numbers,
            "slopes y": [curve.slopes[name] for name in systems],
            "slopes low": [curve.bounds[name][0] for name in systems],
            "slopes high": [curve.bounds[name][1] for name in systems],
            "here x": [stop],
            "range yaxis": curve.up,
        }
        notes = edge_texts("", {name: curve.slopes[name][stop] for name in systems}, curve.up, len(systems))
        empty = ["" if has_slope else leave_out_curve.NO_SLOPE]
        return Frame(numbers, {"here label": [f"{stop} left out"], **notes, "empty": empty})

    return Moving(CARRIED, "plot", {"notes": True, "layers": layers}, frame)
