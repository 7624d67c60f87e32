"""A map of choices as a part of a report."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from fairviz.analyses.sensitivity.levels import MEASURE, choice_text, level_text, present_level
from fairviz.analyses.sensitivity.result import Robustness, lines, sentence
from fairviz.evaluation.settings import SHOWN_ONLY, Settings
from fairviz.figures import choice_map, specification_curve
from fairviz.figures.style import DARK, LIGHT, system_styles
from fairviz.output.report.page import Section, definitions, figure_html, paragraph, table
from fairviz.output.report.page import sentence as finding
from fairviz.study.record import Study
from fairviz.words.sentences import Span

LOOKS = {"light": LIGHT, "dark": DARK}
UNITS = {False: "in the measure's unit", True: "in standard deviations of its differences by query"}
HEADS = ("choice", "alone", "with others", "of the order")
SHARES = (
    "Each choice's share of the variance over all combinations: alone, with every interaction that it takes "
    "part in, and of which system is fairer. With the interactions, the first and the last sum to 1."
)
CHANCE = "In each cell the mean chance, over all other choices that are varied, from resamples of queries: no test."


def section(analysis: Robustness) -> Section:
    """The sentence, what was varied, the curve, the map over the two choices that carry most, and the shares.

    For `fairviz.output.report.report(…, sections=[section(found)])`. analysis: of `fairviz.robustness`.
    """
    body = finding([Span(text, strong) for text, strong in sentence(analysis)])
    body += paragraph(" ".join(lines(analysis)), "quiet")
    body += definitions((choice_text(name), ", ".join(levels)) for name, levels in analysis.varied.items())
    unit = UNITS[analysis.standardised]
    curve = specification_curve.info(analysis.drawn, analysis.pair, analysis.varied, unit, analysis.grid.present())
    body += _figure_html(analysis, "combinations", curve, specification_curve.draw) + _map(analysis)
    if not analysis.share_table.empty:
        rows = [(choice_text(str(row.choice)), *row[2:]) for row in analysis.share_table.itertuples()]
        body += table(HEADS, rows) + paragraph(SHARES, "quiet")
    return Section("Sensitivity", body)


def axes_of(analysis: Robustness) -> tuple[str, ...]:
    """Return the varied choices, by falling share of the order, or else of the difference."""
    size, order = analysis.shares, analysis.order_shares
    weight = order.totals or order.alone or size.totals or size.alone
    return tuple(sorted(analysis.varied, key=lambda name: -weight.get(name, 0.0)))


def present_text(analysis: Robustness, name: str) -> str:
    """The present level of a choice, as figures call it; none of the measure."""
    if name == MEASURE:
        return ""
    return level_text(analysis.grid.study, analysis.grid.settings, name, present_level(analysis.grid.settings, name))


def is_of(analysis: Robustness, study: Study, settings: Settings) -> bool:
    """Return True if the analysis is of this study under these settings, apart from varied and display-only ones."""
    grid = analysis.grid
    free = (*grid.choices, *SHOWN_ONLY, "study", "systems", "columns")
    return (grid.settings.reset(*free) == settings.reset(*free)) and grid.study.fingerprint == study.fingerprint


def _map(analysis: Robustness) -> str:
    names = axes_of(analysis)[:2]
    if len(names) < 2:
        return ""
    up, across = names
    present = (present_text(analysis, up), present_text(analysis, across))
    drawing = choice_map.info(analysis.drawn, analysis.pair, (up, across), analysis.varied, present)
    return _figure_html(analysis, "choices", drawing, choice_map.draw) + paragraph(CHANCE, "quiet")


def _figure_html(analysis: Robustness, name: str, drawing: Any, draw: Callable[..., go.Figure]) -> str:
    systems = analysis.grid.study.systems
    looks = {look: draw(drawing, system_styles(systems, theme), theme) for look, theme in LOOKS.items()}
    return figure_html(name, drawing.alt, looks)
