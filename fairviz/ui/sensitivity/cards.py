"""The cards of the page Sensitivity: the curve of all combinations, the map over two choices, and the shares."""

from functools import partial

import streamlit as st

from fairviz.analyses.sensitivity.levels import MEASURE, choice_text, level_text
from fairviz.analyses.sensitivity.mapping import MOST, robustness
from fairviz.analyses.sensitivity.result import Robustness, lines, sentence
from fairviz.evaluation.columns import Column, bar, cells
from fairviz.evaluation.settings import Level
from fairviz.figures import choice_map, specification_curve
from fairviz.output.recipes import Recipe, recipe
from fairviz.output.sensitivity_report import UNITS, axes_of, present_text
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kept.flow import Task
from fairviz.ui.kept.runs import LATEST, Kept
from fairviz.ui.kit import charts, grids, html, jobs, pick
from fairviz.ui.sensitivity.deck import MESSAGE, level_key
from fairviz.ui.state import pair, session
from fairviz.words.sentences import Span, seconds_text

UP, ACROSS = "robustness_up", "robustness_across"
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
INCOMPLETE = "Some combinations have no value, so choices overlap. Shares are averaged over all orders of entry."
SAME_QUERIES = "All combinations share the queries: trust the tests, not the count."


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


def cards(analysis: Robustness) -> None:
    """Draw all cards of a result."""
    st.session_state[LATEST] = analysis
    left, right = st.columns([7, 5], gap="small")
    with left:
        _curve_card(analysis)
    with right:
        if len(analysis.varied) > 1:  # a map takes two choices that the measure reads
            _map_card(analysis)
        _shares_card(analysis)


def _recipe(analysis: Robustness, table: str) -> Recipe:
    grid = analysis.grid
    measures = [branch.text for branch in grid.branches]
    return recipe(robustness, grid.study, analysis.pair, measures, grid.choices, grid.settings, table=table)


def _curve_card(analysis: Robustness) -> None:
    """Every combination, sorted; a click sets the app to one."""
    unit = UNITS[analysis.standardised]
    present = analysis.grid.present()
    curve = specification_curve.info(analysis.drawn, analysis.pair, analysis.varied, unit, present)
    with st.container(border=True, gap="xsmall", key="robustness_curve_card"):
        notes = ("Click a mark to set the app to it; ringed: set now.", SAME_QUERIES, *lines(analysis))
        code = _recipe(analysis, "found.table")
        charts.headed("Every combination", analysis.table, curve.alt, "robustness_table", code, notes=notes)
        theme, styles = charts.theme(), charts.styles(analysis.grid.study)
        of_pair = {name: styles[name] for name in analysis.pair}
        figure = draw_cached(specification_curve.draw, curve, of_pair, theme, theme=theme, clicks=True)
        charts.chart(figure, curve.alt, "robustness_curve", partial(set_combination, analysis))
        _in_words(analysis)


def _in_words(analysis: Robustness) -> None:
    """Draw the sentence, folded."""
    with st.expander("In words", key="robustness_words", type="compact"):
        html.findings([Span(*span) for span in sentence(analysis)])


def _map_card(analysis: Robustness) -> None:
    """Two choices, a cell a pair of their levels."""
    names = tuple(analysis.varied)
    with st.container(border=True, gap="xsmall", key="robustness_map_card"):
        axes_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="bottom")
        with axes_column:
            axes = _axes(analysis, names)
        first, second = axes
        table = analysis.drawn
        present = (present_text(analysis, first), present_text(analysis, second))
        info = choice_map.info(table, analysis.pair, axes, analysis.varied, present)
        with table_column:
            some = "not read" in set(table[first]) | set(table[second])
            notes = ("Combinations of measures that do not read both choices are in no cell." if some else "",)
            code = _recipe(analysis, "found.table")
            charts.table(analysis.table, info.alt, "robustness_cells", code, notes=notes)
        theme, styles = charts.theme(), charts.styles(analysis.grid.study)
        of_pair = {name: styles[name] for name in analysis.pair}
        high = 110 + 52 * max(len(analysis.varied[first]), 3)
        figure = draw_cached(choice_map.draw, info, of_pair, theme, high, theme=theme, clicks=True)
        charts.chart(figure, info.alt, "robustness_map", partial(set_cell, analysis, axes))


def _axes(analysis: Robustness, names: tuple[str, ...]) -> tuple[str, str]:
    """Return the two choices, by default those with the largest shares of who is fairer, or else of the difference."""
    ranked = axes_of(analysis)
    left, right = st.columns(2, gap="small")
    first = pick.select(UP, "Up", names, ranked[0], place=left, texts=choice_text, help=MAP_HELP)
    others = tuple(name for name in names if name != first)
    usual = next(name for name in ranked if name != first)
    second = pick.select(ACROSS, "Across", others, usual, place=right, texts=choice_text)
    return first, second


def _shares_card(analysis: Robustness) -> None:
    """Each choice's share of the variance."""
    table = analysis.share_table
    pairs = zip(table["choice"].tolist(), table["share"].tolist(), strict=True)
    shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in pairs if share == share)
    alt = f"Shares of the variance: {shares or 'none'}."
    with st.container(border=True, gap="xsmall", key="robustness_shares_card"):
        code = _recipe(analysis, "found.share_table")
        notes = (SHARES_HELP, "" if analysis.shares.full else INCOMPLETE)
        title = (
            "No choice decides: every combination gives the same difference" if table.empty else "Which choices decide"
        )
        charts.headed(title, table, alt, "robustness_shares", code, figure=False, notes=notes)
        if table.empty:
            return
        shown = cells(table, SHARES)
        grids.grid(shown, alt, "robustness_shares_shown", row_height=30, columns=SHARES, height="content")


# Callbacks, which run before the widgets are drawn.


def set_combination(analysis: Robustness, number: str) -> None:
    """Sets the whole app to a combination."""
    branch, row = analysis.grid.place(int(number))
    _set(analysis, branch.chosen(row), f"by {branch.text}")
    pair.put(*analysis.pair, branch.question.name)


def set_cell(analysis: Robustness, names: tuple[str, str], place: str) -> None:
    """Sets the two levels of a cell."""
    codes, levels = [int(part) for part in place.split(",")], analysis.grid.choices
    chosen = {name: levels[name][code] for name, code in zip(names, codes, strict=True) if name != MEASURE}
    _set(analysis, chosen, "all else as it was")


def _set(analysis: Robustness, levels: dict, by: str) -> None:
    """Sets the whole app to levels. Those of the map are written down, so that it stays the same when another one of
    them becomes the present one."""
    grid = analysis.grid

    def text(name: str, level: Level) -> str:
        return level_text(grid.study, grid.settings, name, level)

    for name, each in grid.choices.items():
        st.session_state[level_key(name)] = [text(name, level) for level in each]
    session.choose_all(levels)
    texts = ", ".join(f"{name} {text(name, level)}" for name, level in levels.items()) or "nothing is varied"
    st.session_state[MESSAGE] = f"The whole app is set to this combination, {by}: {texts}."
