"""A map of choices as a part of a report."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from fairviz.analyses.sensitivity.levels import MEASURE, choice_text, level_text
from fairviz.analyses.sensitivity.result import Robustness, lines, sentence
from fairviz.evaluation.settings import SHOWN_ONLY, Settings
from fairviz.figures import choice_map, specification_curve
from fairviz.figures.style import DARK, LIGHT, system_styles
from fairviz.output.html import Drawing, Section, definitions, paragraph, table
from fairviz.output.html import sentence as finding
from fairviz.study.record import Study
from fairviz.words.sentences import Span

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

    def drawing(name: str, info: Any, draw: Callable[..., go.Figure]) -> Drawing:
        systems = analysis.grid.study.systems
        themes = {False: LIGHT, True: DARK}
        return Drawing(name, info.alt, lambda dark: draw(info, system_styles(systems, themes[dark]), themes[dark]))

    lead = finding([Span(text, strong) for text, strong in sentence(analysis)])
    lead += paragraph(" ".join(lines(analysis)), "quiet")
    lead += definitions((choice_text(name), ", ".join(levels)) for name, levels in analysis.varied.items())
    unit = UNITS[analysis.standardised]
    curve = specification_curve.info(analysis.drawn, analysis.pair, analysis.varied, unit, analysis.grid.present())
    body: list[str | Drawing] = [lead, drawing("combinations", curve, specification_curve.draw)]
    if len(names := axes_of(analysis)[:2]) == 2:
        present = (present_text(analysis, names[0]), present_text(analysis, names[1]))
        cells = choice_map.info(analysis.drawn, analysis.pair, (names[0], names[1]), analysis.varied, present)
        body += [drawing("choices", cells, choice_map.draw), paragraph(CHANCE, "quiet")]
    if not analysis.share_table.empty:
        rows = [(choice_text(str(row.choice)), *row[2:]) for row in analysis.share_table.itertuples()]
        body.append(table(HEADS, rows) + paragraph(SHARES, "quiet"))
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
    grid = analysis.grid
    return level_text(grid.study, grid.settings, name, getattr(grid.settings, name))


def is_of(analysis: Robustness, study: Study, settings: Settings) -> bool:
    """Return True if the analysis is of this study under these settings, apart from varied and display-only ones."""
    grid = analysis.grid
    free = (*grid.choices, *SHOWN_ONLY, "study", "systems", "columns")
    return (grid.settings.reset(*free) == settings.reset(*free)) and grid.study.fingerprint == study.fingerprint
