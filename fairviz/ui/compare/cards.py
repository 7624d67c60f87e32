"""The page Two systems: its choices, the finding, a bar for each query, the lists of one query, all systems against the
baseline, and the slices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.comparison.compare import EQUIVALENT, NO_MARGIN, NOT_SHOWN, Comparison, read_margins, slices_of
from fairviz.comparison.conditions import ranks_of
from fairviz.comparison.family import how_on_pages, preferred
from fairviz.comparison.pairs import (
    AHEAD,
    BEHIND,
    MIXED,
    NEEDED,
    OUTSIDE,
    REFERENCE,
    SAME,
    UNTESTED,
    WITHOUT,
    no_verdict,
)
from fairviz.comparison.ranking_sentences import family_text, interval_note, needed_text
from fairviz.comparison.tails import tails, worst_queries
from fairviz.errors import FairvizError
from fairviz.evaluation import questions, study_values
from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.exports import origin
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.figures import query_differences, value_distribution
from fairviz.figures.style import SystemStyle, Theme
from fairviz.measures import Question
from fairviz.output.comparison_tables import cells, legend, notes, to_wide
from fairviz.output.recipes import Recipe, call, comparison_recipe, query_recipe, recipe, scored
from fairviz.study.record import Study
from fairviz.study.tables import expanded
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, grids, highlight, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.highlight import beginnings
from fairviz.ui.kit.side_by_side import Side, compact_html
from fairviz.ui.state import choices, going, pair
from fairviz.ui.state.registry import REGISTRY
from fairviz.words.sentences import Sentence, Span, counted, decimal, p_value, shortest, signed

WORST_OF, WORST_GRID = "compare_worst", "compare_worst_grid"
QUANTILES = "The value that this share of the queries does not exceed, by Harrell and Davis."
TAILS_ALT = "The 10, 50 and 90 % quantiles over queries, with paired intervals of each."
WORST_ALT = "The least fair tenth of the queries, the least fair first."
OTHER_CORRECTIONS = ("without a correction", "by Bonferroni's")
SLICE, MARGIN, POWER = "compare_slice", "compare_margin", "compare_power"
POWERS = ("0.8", "0.9", "0.95")
MARGIN_HELP = (
    f"{term('margin of equivalence')} One number, or one measure's own too: `0.02 RaB=0.3`. Empty: no test of "
    "equivalence."
)
POWER_HELP = f"{term('power')} Here of the minimum detectable difference."
HEIGHT = 300
MEASURES_PAGE = "pages/measures.py"
SLICES_ALT = "Every system against the baseline, slice by slice."
SYSTEMS_ALT = "Every system against the baseline, with intervals, p, equivalence and minimum detectable difference."
COMMON = "Mean over the queries that both systems have a value for."
ALL = "Mean over all queries that this system has a value for."
LONGEST = 110  # characters of a document
MOST_ROWS = 50  # of a list
VERDICTS = {AHEAD: " is ahead of ", BEHIND: " is behind ", MIXED: " is in no order that a test supports with "}


@dataclass(frozen=True)
class CompareDeck:
    """The data of the cards. pair: system and baseline."""

    study: Study
    settings: Settings
    asked: Asked
    pair: tuple[str, str]
    systems: tuple[str, ...]
    measure: Question
    texts: Mapping[str, str]
    styles: Mapping[str, SystemStyle]
    theme: Theme


@dataclass(frozen=True)
class Testing:
    """Margins by measure, an empty name for all others, and the power of the minimum detectable difference."""

    margins: tuple[tuple[str, float], ...]
    power: float


def deck(study: Study, settings: Settings, request: Asked) -> CompareDeck:
    """Draw the choices of systems and measure, and return the data of the cards. The study has two systems or more."""
    systems = chosen_systems(study, settings)
    left, swap, middle, right = st.columns([4, 1, 4, 4], gap="small", vertical_alignment="bottom")
    chosen = pair.chosen(systems, preferred(systems, how_on_pages(study, settings)))
    pick.pair(systems, chosen, ("System", "Against the baseline"), (left, middle))
    swapped = guarded(partial(pair.put, *reversed(chosen)))
    swap.button("⇄", key="compare_swap", on_click=swapped, help="Each in the other's place", width="stretch")
    names = {question.name: question for question in request.questions}
    measure = pick.select(pair.MEASURE, "Measure", tuple(names), place=right)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    looks = (charts.styles(study), charts.theme())
    return CompareDeck(study, settings, request, chosen, systems, names[measure], texts, *looks)


def testing() -> Testing:
    """Return the chosen margins and power. A margin that cannot be read is left out."""
    return Testing(margins_of(str(choices.value_of(MARGIN))), float(choices.among(POWER, POWERS)))


def margins_of(text: str) -> tuple[tuple[str, float], ...]:
    """Return the margins in a text of numbers and `MEASURE=NUMBER` with spaces between them; draw a warning and return
    none if it is invalid."""
    try:
        margins = read_margins(text.split())
        for name, value in margins.items():
            if not 0 < value < float("inf"):
                raise FairvizError(f"the margin {f'of {name} ' if name else ''}is {value:g}", "Use a number above 0.")
    except FairvizError as error:
        html.problem(FairvizError(error.message.replace("--margin", "the margin"), error.remedy), "warning")
        return ()
    return tuple(margins.items())


def moved_link() -> None:
    """Draw a link to the page Measures if the address has choices of its cards that it has not read."""
    unread = st.session_state.get(choices.UNREAD_KEYS, ())
    if any(choice.key in unread for choice in REGISTRY["measures"]):
        to_measures = guarded(partial(going.to_page, MEASURES_PAGE))
        st.button("Open the choices of this link on Measures", key="compare_moved", on_click=to_measures)


def compared_with_baseline(deck: CompareDeck, how: Testing, column: str = "") -> Comparison:
    """Return every system against the baseline by every measure of the page, apart by a column of the queries."""
    texts = deck.asked.texts
    try:
        return tables.sliced_comparison(deck.study, texts, deck.settings, deck.pair[1], column, how.margins, how.power)
    except FairvizError as error:  # a margin for a measure that this page does not have
        html.problem(error, "warning")
        return tables.sliced_comparison(deck.study, texts, deck.settings, deck.pair[1], column, (), how.power)


def _recipe(deck: CompareDeck, how: Testing, comparison: Comparison, column: str = "") -> Recipe:
    """Return how the table of `compared_with_baseline` is made again."""
    limits = {"margin": dict(how.margins) or None, "power": how.power or None, "needed": comparison.how.needed}
    slices = call(slices_of, deck.study, column) if column else None
    return comparison_recipe(
        deck.study, deck.settings, deck.asked.texts, deck.pair[1], comparison.how, slices=slices, **limits
    )


def queries_card(deck: CompareDeck, comparison: Comparison) -> pd.DataFrame:
    """Draw the finding and the difference of every query, sorted; a click selects the query. Return the table."""
    table = tables.by_query(deck.study, deck.asked.texts, deck.settings, *deck.pair)
    table = table[table["measure"] == deck.measure.text]
    info = query_differences.info(table, deck.measure, deck.pair, deck.texts, deck.settings.query)
    with st.container(border=True, gap="xsmall", key="compare_queries_card"):
        text_column, details_column, table_column = st.columns([10, 1.5, 1.3], gap="small", vertical_alignment="center")
        with text_column:
            html.findings(finding(comparison, deck.measure, deck.pair))
        with details_column, st.popover("Details", key="compare_details_popover"):
            html.lines("fv-details", *details(comparison, deck.measure, deck.pair))
            _draw_testing_fields()
        with table_column:
            query_texts = table["query_id"].map(lambda name: deck.texts.get(name, ""))
            code = query_recipe(deck.study, deck.settings, [deck.measure.text], deck.pair)
            open_lists = partial(charts.open_queries, table, {deck.measure.text: deck.measure.name})
            notes = (tables.coverage_note(deck.study, deck.settings, deck.asked.questions),)
            charts.table(table.assign(query=query_texts), info.alt, "compare_queries", code, open_lists, notes=notes)
        figure = query_differences.draw(info, deck.styles, deck.theme, HEIGHT)
        charts.chart(figure, info.alt, "compare_by_query", select_query)
    return table


def _draw_testing_fields() -> None:
    """Draw the fields for the margin of equivalence and the power of the tests."""
    margin_column, power_column = st.columns([3, 2], gap="small")
    pick.text(MARGIN, "Margin of equivalence", place=margin_column, help=MARGIN_HELP)
    pick.select(POWER, "Power", POWERS, place=power_column, help=POWER_HELP)


def select_query(name: str) -> None:
    """Select the query, on other pages too. For callbacks, which run before the widgets."""
    st.session_state["query"] = name


def finding(comparison: Comparison, measure: Question, pair: tuple[str, str]) -> Sentence:
    """Return the verdict with its evidence: `w2v_add is ahead of bm25 in CWEx (+0.115 [+0.015, +0.215], p = .017, 40
    queries).`
    """
    row = _row(comparison, measure, pair)
    system, baseline = Span(pair[0], True), Span(pair[1], True)
    if row is None:
        return Span(f"{measure.text} has no value for "), baseline, Span(".")
    if row["verdict"] == UNTESTED:
        reason = row["warning"] or no_verdict(row["queries"])
        return system, Span(" and "), baseline, Span(f" in {measure.name}: {reason}. No verdict.")
    is_outside = row["verdict"] in (REFERENCE, OUTSIDE)
    verdict = " is not tested against " if is_outside else VERDICTS.get(row["verdict"], f" is {SAME} from ")
    ends = f"{signed(row['difference'])} [{signed(row['ci_low'])}, {signed(row['ci_high'])}]"
    p_text = "" if is_outside else f", {p_value(row['p_corrected'])}"
    parts = [f"{ends}{p_text}, {counted(row['queries'], 'query')}", *_warnings(row, decisive=True)]
    return system, Span(verdict), baseline, Span(f" in {measure.name} ({'; '.join(parts)}).")


def details(comparison: Comparison, measure: Question, pair: tuple[str, str]) -> list[Sentence]:
    """Return lines about the finding: a warning, equivalence, power, and the family of tests or why there is none."""
    row, how = _row(comparison, measure, pair), comparison.how
    if row is None or row["verdict"] == UNTESTED:
        return []
    lines = [f"{text}." for text in _warnings(row, decisive=False)]
    verdict = {EQUIVALENT: "shown", NOT_SHOWN: "not shown"}.get(row.get("equivalence", NO_MARGIN))
    if verdict:
        lines.append(f"Equivalence (±{row['margin']:g}): {verdict}.")
    smallest = row.get("minimum_detectable")
    if pd.notna(smallest):
        lines.append(f"Minimum detectable difference: {smallest:.3f}.")
    number, low, high, *other_counts = row.reindex(NEEDED)  # not a number where the comparison does not give them
    if needed := needed_text(number, low, high):
        others = [
            f"{count:,.0f} {name}"
            for name, count in zip(OTHER_CORRECTIONS, other_counts, strict=True)
            if np.isfinite(count)
        ]
        lines.append(f"{needed}{': ' if others else ''}{', '.join(others)}.")
    family = f"Tests: {family_text(comparison)}"
    if row["verdict"] in (REFERENCE, OUTSIDE):  # a system that is not tested, or tests of one baseline alone
        left_out = next((name for name in pair if not how.is_tested(name)), "")
        if left_out:
            reason = f"{how.labelled(left_out)}: tick it under Tests to test it."
        elif not comparison.sizes_by_family:
            reason = f"{family}."
        else:
            reason = f"Only differences to {how.tests.baseline} are tested."
        lines.append(f"{reason} The interval is of one difference, uncorrected.")
    else:
        lines.append(f"{family}; intervals {interval_note(comparison)}.")
    return [(Span(line),) for line in lines]


def only_one(systems: Sequence[str]) -> Sentence:
    """Return the sentence for a page with one system."""
    return Span("Only "), Span(systems[0], True), Span(" is shown: a second system is needed to compare it with.")


def _row(comparison: Comparison, measure: Question, pair: tuple[str, str]) -> pd.Series | None:
    rows = comparison.table[(comparison.table["measure"] == measure.text) & (comparison.table["system"] == pair[0])]
    return None if rows.empty else rows.iloc[0]


def _warnings(row: pd.Series, *, decisive: bool) -> list[str]:
    """Return the warnings of a row: that one query decides its verdict, or the others."""
    return [text for text in filter(None, row["warning"].split("; ")) if text.startswith(WITHOUT) is decisive]


def lists_card(deck: CompareDeck, by_query: pd.DataFrame) -> None:
    """Draw the two lists of the chosen query, or of the one with the largest difference."""

    def named(query: str) -> str:
        return deck.texts.get(query, "") or query

    with st.container(gap="xsmall", key="compare_lists_card"):
        picker_column, text_column, button_column = st.columns([5, 6, 2], gap="small", vertical_alignment="bottom")
        ordered = by_query.reindex(by_query["difference"].abs().sort_values(ascending=False, kind="stable").index)
        differences = dict(zip(ordered["query_id"].astype("str"), ordered["difference"], strict=True))
        widest = next(iter(differences), "")
        with picker_column:
            names = {name: f"{decimal(value, sign='+')}  {named(name)}" for name, value in differences.items()}
            first_text = f"the widest difference: {named(widest)}" if widest else "none"
            pick.query("Query", names, first_text, f"no value  {named(deck.settings.query)}")
        query = deck.settings.query or widest
        rows = by_query[by_query["query_id"] == query]
        told = f"no value for both systems{' here' if query else ', on any query'}"
        if len(rows):
            pairs = zip(deck.pair, rows.iloc[0][["value", "baseline_value"]], strict=True)
            told = ", ".join(f"{name} {decimal(value)}" for name, value in pairs)
        with text_column:
            html.quiet(f"{deck.measure.text}: {told}.")
        if not query:
            return
        open_query = guarded(partial(going.to_query, query, deck.pair, deck.measure.name))
        signs = "In the lists: ↑ ↓ moved, ✳ only here."
        button_column.button("Open on Query", key="compare_to_query", on_click=open_query, width="stretch", help=signs)
        st.html(_side_by_side(deck, query))


def _side_by_side(deck: CompareDeck, query: str) -> str:
    """Return both lists, each with the moves against the other and the documents' labels."""
    rankings = tables.aligned(deck.study, deck.settings)
    ids, cutoff = rankings.lists.doc_ids, min(deck.measure.cutoff or deck.settings.cutoff, MOST_ROWS)
    pair = [expanded([name], deck.study.run_names)[0] for name in deck.pair]  # of a stochastic system the first draw
    ranks_by_code = [ranks_of(rankings.lists, name, query) for name in pair]
    ranks = [{str(ids[code]): rank for code, rank in side.items()} for side in ranks_by_code]
    groups, labels = (rankings.neutral, *rankings.groups), {}
    for code in {code for side in ranks_by_code for code in side}:
        label = int(rankings.labels.largest[code])  # −1 means no label
        name = groups[label] if label >= 0 else ""
        labels[str(ids[code])] = (highlight.shape(name, groups), name) if name else ("", "no label")
    documents = [{rank: name for name, rank in side.items() if rank <= cutoff} for side in ranks]
    texts = beginnings(deck.study, {name for side in documents for name in side.values()}, LONGEST)
    return compact_html([Side(pair[place], documents[place], texts, ranks[1 - place], labels) for place in (0, 1)])


def tails_card(deck: CompareDeck, by_query: pd.DataFrame) -> None:
    """Draw the values of both systems over queries with their quantiles, and the least fair tenth of the queries of
    each; a tick opens the lists of a query."""
    code = recipe(tails, scored(deck.study, deck.settings, [deck.measure.text]), *deck.pair)
    if by_query.empty:
        html.problem(FairvizError(value_distribution.NOTHING), "info")
        return
    names = {"system": deck.pair[0], "baseline": deck.pair[1]}
    found = tables.tails(deck.study, deck.measure.text, deck.settings, *deck.pair)
    info = value_distribution.info(by_query, found, deck.measure, deck.pair)
    left, right = st.columns([6, 5], gap="small")
    with left:
        charts.headed(f"{deck.measure.name} over queries", found, info.alt, "compare_tails", code)
        picture = value_distribution.draw(info, deck.styles, deck.theme).update_layout(title_text="")
        charts.chart(picture, info.alt, "compare_tails_chart")
    with right:
        number = partial(st.column_config.NumberColumn, format="%.3f")
        heads = {
            "quantile": st.column_config.NumberColumn("queries", format="percent", help=QUANTILES),
            "value": number(names["system"]), "baseline_value": number(names["baseline"]),
            "difference": number("difference"), "ci_low": number("95 % from"), "ci_high": number("95 % to"),
        }  # fmt: skip
        grids.grid(found[list(heads)], TAILS_ALT, "compare_tails_grid", column_config=heads, placeholder="–")
        st.markdown("**The worst tenth of the queries**", help="Tick a query to open its lists on Query.")
        column = pick.segmented(WORST_OF, "The worst tenth of", tuple(names), texts=names)
        column = "value" if column == "system" else "baseline_value"
        worst = worst_queries(by_query, column)
        shown = worst.assign(query=worst["query_id"].map(lambda name: deck.texts.get(name, name)))

        def open_lists() -> None:
            ticked = st.session_state[WORST_GRID]["selection"]["rows"]
            if ticked and ticked[0] < len(worst):
                going.to_query(str(worst["query_id"].iloc[ticked[0]]), deck.pair, deck.measure.name)

        heads = {
            "query": st.column_config.TextColumn("query"),
            **{name: heads[name] for name in ("value", "baseline_value")},
        }
        st.dataframe(
            shown[list(heads)], hide_index=True, key=WORST_GRID, on_select=guarded(open_lists),
            selection_mode="single-row", column_config=heads, alt=WORST_ALT,
        )  # fmt: skip


def systems_card(deck: CompareDeck, how: Testing, comparison: Comparison) -> None:
    """Draw the choice of the measures, shared with Overview, the button of the table, whose LaTeX and Markdown are as a
    paper prints it, the table with verdicts, and its marks in a fold."""
    header, rows = cells(comparison)
    measures_column, _, table_column = st.columns([2, 6, 2], gap="small")
    with measures_column, st.popover("Measures", key="compare_columns", width="stretch"):
        usual = questions.overview(deck.study, deck.settings.reset("columns")).questions
        offered = questions.offered_columns(deck.study, deck.settings)
        pick.columns("Measures of this table", offered, [question.name for question in usual])
    with table_column:
        margins = ", ".join(f"{name}={shortest(value)}" if name else shortest(value) for name, value in how.margins)
        more = (("family", family_text(comparison)), ("margins", margins), ("power", how.power))
        about = origin(deck.study, deck.settings, tuple(comparison.table["measure"].unique()), more)
        printed = partial(to_wide, comparison, about=about)
        code = _recipe(deck, how, comparison)
        alt = legend(comparison)
        about_marks = (alt, *notes(comparison))
        charts.table(
            comparison.table, SYSTEMS_ALT, "compare_table", code, figure=False, printed=printed, notes=about_marks
        )
    heads = []  # without the measures' parameters, which are in the legend and the files
    for head in header:
        name, _, arrow = head.partition(" ")
        heads.append(f"{name.split('(')[0].split('@')[0]} {arrow}".strip())
    with st.container(gap="xsmall", key="compare_systems"):
        pinned = {heads[0]: st.column_config.TextColumn(pinned=True)}
        grids.grid(pd.DataFrame(rows, columns=heads), alt, "compare_systems_grid", column_config=pinned)


def _slice_columns(study: Study) -> tuple[str, ...]:
    """Return the columns of queries to slice by; the first is empty, for none."""
    return tuple(name for name in study_values.filter_columns(study) if name != "query_id")


def has_slices(study: Study) -> bool:
    """Return whether the queries of the study have a column to slice by, such as category."""
    return len(_slice_columns(study)) > 1


def slices_card(deck: CompareDeck, how: Testing) -> None:
    """Draw the two systems by the chosen measure, a row for each value of a column of the queries."""
    columns = _slice_columns(deck.study)
    choice_column, table_column = st.columns([10, 1.3], vertical_alignment="bottom")
    column = pick.select(SLICE, "Apart by", columns, texts={"": "nothing: all queries together"}, place=choice_column)
    comparison = compared_with_baseline(deck, how, column)
    table = comparison.table
    number = partial(st.column_config.NumberColumn, format="%.3f")
    heads = {  # None: the column's own name
        "slice": None, "queries": None,
        "value": number("system", help=COMMON), "baseline_value": number("baseline", help=COMMON),
        "difference": number("difference"),
        "ci_low": number("95 % from", help=term("interval")), "ci_high": number("95 % to", help=term("interval")),
        "p_corrected": st.column_config.NumberColumn("p corrected", format="%.4f", help=term("corrected p")),
        "verdict": None, "equivalence": None,
        "minimum_detectable": number("min. detectable", help=term("minimum detectable difference")),
        "value_all": number("system (all)", help=ALL), "baseline_value_all": number("baseline (all)", help=ALL),
    }  # fmt: skip
    rows = table[(table["measure"] == deck.measure.text) & (table["system"] == deck.pair[0])]
    slices = rows[[name for name in heads if name in rows.columns]]
    with table_column:
        family_note = "All slices of a measure are one family." if column else ""
        tests = f"Tests: {family_text(comparison)}."
        notes_of = (tests, family_note, f"Intervals: {interval_note(comparison)}.")
        code = _recipe(deck, how, comparison, column)
        charts.table(table, SLICES_ALT, "compare_slices", code, figure=False, notes=notes_of)
    config = {name: head for name, head in heads.items() if head}
    grids.grid(slices, SLICES_ALT, "compare_slices_grid", most=10, column_config=config, placeholder="–")
