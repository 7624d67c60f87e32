"""The cards of the page Sensitivity: the curve of all combinations, the map over two choices, and the shares."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.analyses.sensitivity.levels import MEASURE, choice_text, level_text
from fairviz.analyses.sensitivity.mapping import MOST, robustness
from fairviz.analyses.sensitivity.result import Robustness, lines, sentence
from fairviz.figures import choice_map, specification_curve
from fairviz.output.recipes import Recipe, recipe
from fairviz.output.sensitivity_report import UNITS, axes_of, present_text
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kept.flow import Task
from fairviz.ui.kept.runs import LATEST, Kept
from fairviz.ui.kit import charts, grids, html, jobs, pick
from fairviz.ui.kit.grids import Column, bar
from fairviz.ui.sensitivity.deck import keep_levels
from fairviz.ui.state import pair, session
from fairviz.words.sentences import Span, seconds_text

UP, ACROSS = "robustness_up", "robustness_across"
MESSAGE = "robustness_told"
UNASKED = 5_000  # combinations that are computed without an estimate
SHARES = (  # a row a choice, and its shares of the variance
    Column("choice", lambda row: choice_text(row["choice"]), width=104),
    bar("alone", "share"),
    bar("with others", "with_interactions"),
    bar("of the order", "share_of_order"),
)
MAP_HELP = (
    "Mean chance over all other varied choices, by bootstrap over queries; not a test. A click on a cell sets its two "
    "levels."
)
SHARES_HELP = "Share of variance. Alone: main effect. With others: total effect. Of the order: main effect on the sign."
SAME_QUERIES = "All combinations share the queries: trust the tests, not the count."


def say_chosen() -> None:
    """That a click has set the whole app, once."""
    if text := st.session_state.pop(MESSAGE, ""):
        html.message("good", text)


def compute(entry: Kept) -> bool:
    """Compute the map in a job, draw its progress, and return whether some of it can be shown."""
    work, key, count = entry.work, ("combinations", entry.name), entry.work.grid.count

    def before(_: float | None) -> jobs.Texts:
        if count <= UNASKED:
            return ()
        much = f" That is more than {MOST:,}: take fewer choices or levels, unless you mean it." if count > MOST else ""
        time = seconds_text(entry.estimate())
        return (f"These choices make {count:,} combinations, {time} on this machine.{much}",)

    task = Task(
        work.grid.study, key, lambda progress: work.run(partial(progress, "Combinations")), "robustness",
        (f"Stopped: the results cover {work.finished:,} of {count:,} combinations.",), at_once=count <= UNASKED,
        seconds=lambda: None if jobs.starts_alone() else entry.estimate(), before=before,
        kept=lambda: entry if work.whole else None,
    )  # fmt: skip
    if task.result() is None:
        task.outcome(f"Compute {count:,} combinations")
    return work.whole or (bool(work.finished) and jobs.job(key) is not None)


def finding(analysis: Robustness) -> None:
    """Draw the sentence, and below it how the combinations are counted, folded."""
    st.session_state[LATEST] = analysis
    with st.expander("In words", key="robustness_words", type="compact"):
        html.findings([Span(*span) for span in sentence(analysis)])
        html.quiet(" ".join([SAME_QUERIES, *lines(analysis)]))


def curve_card(analysis: Robustness) -> None:
    """Every combination, sorted; a click sets the app to one."""
    curve = specification_curve.info(
        analysis.drawn, analysis.pair, analysis.varied, UNITS[analysis.standardised], analysis.grid.present()
    )
    with st.container(border=True, gap="xsmall", key="robustness_curve_card"):
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        with words:
            html.quiet("Click a mark to set the app to it; ringed: set now.")
        with more:
            charts.table(analysis.table, curve.alt, "robustness_table", _recipe(analysis, "found.table"))
        theme, styles = charts.theme(), charts.styles(analysis.grid.study)
        pair = {name: styles[name] for name in analysis.pair}
        figure = draw_cached(specification_curve.draw, curve, pair, theme, theme=theme, clicks=True)
        charts.chart(figure, curve.alt, "robustness_curve", partial(set_combination, analysis))
        finding(analysis)


def _recipe(analysis: Robustness, table: str) -> Recipe:
    """Return how a table of the analysis is made again."""
    grid = analysis.grid
    measures = [branch.text for branch in grid.branches]
    return recipe(robustness, grid.study, analysis.pair, measures, grid.choices, grid.settings, table=table)


def set_combination(analysis: Robustness, number: str) -> None:
    """Sets the whole app to a combination. For callbacks, which run before the widgets are drawn."""
    grid = analysis.grid
    branch, row = grid.place(int(number))
    levels = branch.chosen(row)
    _set(analysis, levels, f"by {branch.text}")
    pair.put(*analysis.pair, branch.question.name)


def _set(analysis: Robustness, levels: dict, by: str) -> None:
    grid = analysis.grid
    keep_levels(grid)
    session.choose_all(levels)
    levels_text = ", ".join(
        f"{name} {level_text(grid.study, grid.settings, name, level)}" for name, level in levels.items()
    )
    st.session_state[MESSAGE] = f"The whole app is set to this combination, {by}: {levels_text or 'nothing is varied'}."


def map_card(analysis: Robustness) -> None:
    """Two choices, a cell a pair of their levels."""
    names = tuple(analysis.varied)
    with st.container(border=True, gap="xsmall", key="robustness_map_card"):
        if len(names) < 2:
            html.quiet("A map takes two choices that the measure reads.")
            return
        axes_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="bottom")
        with axes_column:
            first, second = _axes(analysis, names)
        table = analysis.drawn
        info = choice_map.info(
            table,
            analysis.pair,
            (first, second),
            analysis.varied,
            (present_text(analysis, first), present_text(analysis, second)),
        )
        with table_column:
            charts.table(analysis.table, info.alt, "robustness_cells", _recipe(analysis, "found.table"))
        theme, styles = charts.theme(), charts.styles(analysis.grid.study)
        pair = {name: styles[name] for name in analysis.pair}
        high = 110 + 52 * max(len(analysis.varied[first]), 3)
        figure = draw_cached(choice_map.draw, info, pair, theme, high, theme=theme, clicks=True)
        charts.chart(figure, info.alt, "robustness_map", partial(set_cell, analysis, (first, second)))
        if "not read" in set(table[first]) | set(table[second]):
            html.quiet("Combinations of measures that do not read both choices are in no cell.")


def _axes(analysis: Robustness, names: tuple[str, ...]) -> tuple[str, str]:
    """The two choices, by default those with the largest shares of who is fairer, or else of the difference."""
    ranked = axes_of(analysis)
    left, right = st.columns(2, gap="small")
    first = pick.select(UP, "Up", names, ranked[0], place=left, texts=choice_text, help=MAP_HELP)
    others = tuple(name for name in names if name != first)
    usual = next(name for name in ranked if name != first)
    second = pick.select(ACROSS, "Across", others, usual, place=right, texts=choice_text)
    return first, second


def set_cell(analysis: Robustness, names: tuple[str, str], place: str) -> None:
    """Sets the two levels of a cell. For callbacks."""
    codes = [int(part) for part in place.split(",")]
    levels_by_choice = analysis.grid.choices
    levels = {name: levels_by_choice[name][code] for name, code in zip(names, codes, strict=True) if name != MEASURE}
    _set(analysis, levels, "all else as it was")


def shares_card(analysis: Robustness) -> None:
    """Each choice's share of the variance."""
    table = analysis.share_table
    with st.container(border=True, gap="xsmall", key="robustness_shares_card"):
        code = _recipe(analysis, "found.share_table")
        charts.headed("Which choices decide", table, _alt(table), "robustness_shares", code, figure=False)
        if table.empty:
            html.quiet("Every combination gives the same difference, so there is no variance to share out.")
            return
        cells = grids.cells(table, SHARES)
        grids.grid(cells, _alt(table), "robustness_shares_shown", row_height=30, columns=SHARES, height="content")
        with st.expander("Details", key="robustness_shares_details", type="compact"):
            html.quiet(SHARES_HELP if analysis.shares.full else f"{SHARES_HELP} {_INCOMPLETE}")


_INCOMPLETE = "Some combinations have no value, so choices overlap. Shares are averaged over all orders of entry."


def _alt(table: pd.DataFrame) -> str:
    pairs = zip(table["choice"].tolist(), table["share"].tolist(), strict=True)
    shares_text = ", ".join(f"{name} {100 * share:.0f} %" for name, share in pairs if share == share)
    return f"Shares of the variance: {shares_text or 'none'}."
