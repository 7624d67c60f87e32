"""The answer of Overview and Trade-off: systems ordered by each measure, as a figure and in words."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairviz.comparison.compare import Comparison
from fairviz.comparison.finding import Order, caption, lines, lone_system, orders
from fairviz.evaluation.settings import Settings
from fairviz.figures import measure_order
from fairviz.figures.gender_colour import faded
from fairviz.figures.measure_order import (
    GROUP_STEP,
    GROUPS,
    HEADING,
    LINE,
    PALE,
    RING,
    SIDE,
    SIZE,
    TOP,
    Mark,
    MeasureOrder,
)
from fairviz.figures.style import Styles, Theme, references_last
from fairviz.measures import Question
from fairviz.output.recipes import comparison_recipe
from fairviz.study.record import Study
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.shell import legend
from fairviz.ui.shell.live.frames import Frame, Moving, filled, mark_looks, plain
from fairviz.ui.state import going
from fairviz.ui.tradeoff.moving import SliderScores
from fairviz.words.sentences import Span

METHODS = "methods?methods_measure={}"  # the address of a measure's definition
SMALL_TOP, SMALLER = 4, 0.86  # pixels above the first strip of a small figure; its height, as a share
TITLE_HEIGHT = 24  # pixels that the figure's own title would take


def card(
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
    lone = lone_system(summary, comparison)
    if lone:
        html.findings((*lone, Span(f" {hidden}.")) if hidden else lone)
        return system_orders
    with st.container(key=f"{page}_answer", border=True):
        info = measure_order.info(system_orders)
        with st.container(key=f"{page}_order_head", horizontal=True, vertical_alignment="center", gap="small"):
            html.strong(measure_order.TITLE)
            html.quiet(" ".join(filter(None, (caption(comparison), f"{hidden}." if hidden else ""))))
            grouped = pick.toggle(
                f"{page}_groups", "Groups", help="Bars join systems that do not differ from one another significantly."
            )
            texts = [question.text for question in questions]
            code = comparison_recipe(study, settings, texts, comparison.baseline, comparison.how)
            charts.table(comparison.showing(texts).table, info.alt, f"{page}_answer", code)
        links = {question.name: METHODS.format(question.name) for question in questions if question.measure}
        theme = charts.theme()
        looks = (charts.styles(study), theme, grouped, links, small)
        figure = draw_cached(_figure_in_card, info, *looks, theme=theme, clicks=True)
        charts.chart(figure, info.alt, f"{page}_order", _open_lists, carried=2)
        with st.expander("In words", key=f"{page}_words", type="compact"):
            html.findings(*lines(system_orders))
    return system_orders


def _figure_in_card(
    info: measure_order.MeasureOrder, styles: Styles, theme: Theme, grouped: bool, links: dict[str, str], small: bool
) -> go.Figure:
    """Return the figure in the card, which has the title."""
    figure = measure_order.draw(info, styles, theme, groups=grouped, links=links)
    figure.update_layout(title_text="")
    if small:
        height = SMALL_TOP + (figure.layout.height - TOP) * SMALLER
        return figure.update_layout(showlegend=False, margin_t=SMALL_TOP, height=height)
    return figure.update_layout(margin_t=TOP - TITLE_HEIGHT, height=figure.layout.height - TITLE_HEIGHT)


def _open_lists(system: str, measure: str = "") -> None:
    """Open the lists of the system of a marker, sorted by the measure of its strip."""
    going.to_query(systems=(system,), measure=measure)


def moving_parts(
    page: str, scores: SliderScores, places: Sequence[int], styles: Styles, theme: Theme, selected: str = ""
) -> list[Moving]:
    """Return the words and the figure at each stop. places: positions of the measures among those of the page."""
    systems = references_last(scores.cube.systems)

    def orders_at(stop: int) -> list[Order]:
        questions = scores.questions(stop)
        return orders(scores.summary(stop), [questions[place] for place in places], scores.comparison(stop))

    def words(stop: int) -> Frame:
        return Frame(texts={"html": [html.findings_html(*lines(orders_at(stop)))]})

    def frame(stop: int) -> Frame:
        return _frame(measure_order.info(orders_at(stop)), systems, len(places))

    is_grouped = bool(st.session_state.get(f"{page}_groups"))
    still = {"layers": _layers(systems, len(places), styles, theme, selected, grouped=is_grouped), "notes": True}
    return [Moving("finding", "html", {}, words), Moving(f"{page}_order", "plot", still, frame)]


def _layers(
    systems: Sequence[str], rows: int, styles: Styles, theme: Theme, selected: str, *, grouped: bool
) -> list[dict]:
    """Return the layers of the script, from the lowest: axes, groups, rings, markers and words."""
    looks = mark_looks(systems, styles, theme, selected, SIZE) * rows
    ring = {"colour": faded(theme.muted, 0.18), "symbol": "circle", "size": RING, "ring": 1.5, "ringColour": theme.text}
    bar = {"colour": theme.muted, "barWidth": 3, "cap": 0}
    axis = {"colour": theme.grid, "width": 2, "dash": "solid", "name": ""}
    near = RING / 2 + 4
    captions = [
        {"draw": "captions", "name": name, "size": size, "across": across, "shift": shift, "align": align,
         "colour": theme.muted}
        for name, size, across, shift, align in (
            ("heads", 13, 0, -SIDE, "left"), ("tails", 12, 1, SIDE, "right"),
            ("lefts", 11, 0, -near, "right"), ("rights", 11, 1, near, "left"),
        )
    ]  # fmt: skip
    return [
        {"draw": "lines", "name": "axes", "looks": [axis] * rows},
        *([{"draw": "marks", "name": "groups", "looks": [bar] * len(looks), "line": True}] if grouped else []),
        {"draw": "marks", "name": "rings", "looks": [look | ring for look in looks]},
        {"draw": "marks", "name": "marks", "looks": looks},
        *captions,
    ]


def _frame(order: MeasureOrder, systems: Sequence[str], rows: int) -> Frame:
    """Return the numbers and texts of the layers. rows: of the figure, of which the last may be empty."""
    marks = [{mark.system: mark for mark in strip.marks} for strip in order.strips]
    cells = [marks[row].get(name) if row < len(marks) else None for row in range(rows) for name in systems]
    spans = [_padded(strip.groups, len(systems)) for strip in order.strips]
    spans += [_padded((), len(systems))] * (rows - len(spans))
    groups = np.array(spans).reshape(-1, 3)
    row_of_group = np.repeat(np.arange(rows), len(systems))
    ringed = [mark if mark is not None and mark.look == "ringed" else None for mark in cells]
    numbers = {
        "axes x": [0, 1],
        "axes y": [[row + LINE] * 2 if row < len(marks) else [np.nan] * 2 for row in range(rows)],
        "groups x": groups[:, 0], "groups x low": groups[:, 0], "groups x high": groups[:, 1],
        "groups y": row_of_group + LINE + GROUPS + GROUP_STEP * groups[:, 2],
        "marks x": _numbers(cells, "x"), "marks y": _numbers(cells, "y"),
        "marks alpha": [PALE if mark is not None and mark.look == "pale" else 1 for mark in cells],
        "rings x": _numbers(ringed, "x"), "rings y": _numbers(ringed, "y"),
    }  # fmt: skip
    texts: dict[str, list[str]] = {}
    for name, height, bold, rest in (
        ("heads", HEADING, "measure", "direction"), ("tails", HEADING, "leader", "lead"),
        ("lefts", LINE, "", "left"), ("rights", LINE, "", "right"),
    ):  # fmt: skip
        numbers[f"{name} y"] = [row + height for row in range(rows)]
        for part, field in (("bold", bold), ("rest", rest)):
            strip_texts = [plain(getattr(strip, field)) if field else "" for strip in order.strips]
            texts[f"{name} {part}"] = filled(strip_texts, rows)
    return Frame(numbers, texts | {"empty": ["" if order.strips else measure_order.NOTHING]})


def _padded(groups: Sequence[tuple[float, float, int]], length: int) -> list[tuple[float, float, float]]:
    """Return the groups, padded with undefined ones to this length."""
    return [*groups, *[(np.nan, np.nan, np.nan)] * (length - len(groups))]


def _numbers(marks: Sequence[Mark | None], field: str) -> list[float]:
    """Return a number of each mark, NaN without one."""
    return [np.nan if mark is None else getattr(mark, field) for mark in marks]
