"""The cards and tabs of the Trade-off page: a row of choices with the table, and the figure below it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairviz.comparison.curves import over_cutoffs, with_chance
from fairviz.evaluation import questions
from fairviz.evaluation.scores import exposures, over_alpha
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import alpha_curve, bump, cutoff_curve, scatter, ternary
from fairviz.figures import best_achievable as achieved
from fairviz.figures.style import Styles, Theme
from fairviz.measures import Question
from fairviz.output.recipes import Recipe, call, recipe, summarised
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import charts, html, pick, wide
from fairviz.ui.shell import corrections
from fairviz.ui.state import choices, going
from fairviz.ui.tradeoff import chance, pinned
from fairviz.ui.tradeoff.best import best_achievable
from fairviz.ui.tradeoff.card_parts import card_chart, card_columns, card_head, card_table
from fairviz.ui.tradeoff.comparing import comparison_card
from fairviz.ui.tradeoff.deck import WIDE, Deck
from fairviz.ui.tradeoff.scale_card import scale_card

HEIGHT = 300
TAB = "tradeoff_tab"
DIFFERENCES, CURVES, RANKS, SCALE = "Differences", "Over α or k", "Ranks", "Chance and range"
CLICK = "Click: its lists on Query"
OF_QUERIES = "Click a point: the lists of its query."
OVER_ALPHA, OVER_K = "over α", "over k"
MEASURES = "tradeoff_measures"
CURVES_HELP = "A panel a measure over the same cutoffs. Shaded: no system is the best by all of them."
UPPER_HEIGHT = 300
TRIANGLE = 3  # groups, neutral among them; of any other number the figure is of bars, with a legend of groups
BASELINE_HELP = "Lines are differences from this system, so that they overlap less."


def cards(deck: Deck) -> None:
    """Draw the two cards side by side; the style sheet gives an open one the width of the page."""
    with st.container(key="tradeoff_cards"):
        scatter_card(deck)
        ternary_card(deck)
        wide.follow(WIDE, "tradeoff")


def tabs(deck: Deck) -> None:
    """Draw a tab for each of the other figures; only the open one is computed. A link to a curve opens its tab."""
    bodies = {DIFFERENCES: comparison_card, CURVES: curve_card, RANKS: bump_card, SCALE: scale_card}
    if corrections.has_sample(deck.study):
        bodies[corrections.TAB] = _corrected_card
    if TAB not in st.session_state and st.session_state.get("tradeoff_curve"):
        st.session_state[TAB] = CURVES
    choices.among(TAB, tuple(bodies))
    for tab, draw in zip(st.tabs(list(bodies), key=TAB, on_change="rerun"), bodies.values(), strict=True):
        if tab.open:
            with tab, st.container(border=True, gap="xsmall"):
                draw(deck)


def _corrected_card(deck: Deck) -> None:
    """Draw the means that people's labels of a sample correct."""
    corrections.card(deck.study, deck.settings, deck.asked, "tradeoff")


def scatter_card(deck: Deck) -> None:
    """Draw any measure against any other, by default against effectiveness."""
    by_name = dict(sorted(deck.axes.items(), key=lambda item: item[1].family != "effectiveness"))
    fair = [name for name, question in by_name.items() if question.family != "effectiveness"]
    with wide.place(WIDE, "tradeoff", "scatter"):
        up_column, across_column, table_column = card_head("scatter", [4, 4])
        y = pick.select("tradeoff_y", "Up", fair, place=up_column, texts="{} up".format, hide_label=True)
        others = [name for name in by_name if name != y] or [y]
        x = pick.select("tradeoff_x", "Across", others, place=across_column, texts="against {}".format, hide_label=True)
        best = best_achievable(deck, x, y)
        info = achieved.with_front(_points(deck, x, y), best)
        rows, past = deck.means(x, y), deck.then
        before = pinned.as_now(past.means(x, y), [*past.axes.values()], [*by_name.values()]) if past else None
        alt, table = achieved.alt(info, best), achieved.with_distances(rows, best)
        code = recipe(summarised(deck.study, deck.settings, rows["measure"].unique().tolist()))
        code = code if best is None else replace(code, command="")  # no verb prints the distances
        table = pinned.beside(table, before, ("system", "measure"), ("value",))
        card_table(deck, table_column, "scatter", table, alt, code)
        looks = (deck.styles, deck.theme, deck.height("scatter", UPPER_HEIGHT))
        figure = draw_cached(_scatter, info, *looks, best, theme=deck.theme, hidden=deck.hidden, clicks=True)
        charts.chart(figure, deck.alt_text(alt), "tradeoff_scatter", partial(_open_lists, measure=y))


def _scatter(
    info: scatter.Scatter,
    styles: Styles,
    theme: Theme,
    height: int,
    best: achieved.BestAchievable | None,
) -> go.Figure:
    """Return the figure; its tooltips say what a click opens."""
    figure = scatter.draw(info, styles, theme, height)
    for trace in figure.data:
        if trace.hovertemplate:
            trace.hovertemplate = trace.hovertemplate.replace("<extra>", f"<br><i>{CLICK}</i><extra>")
    if best is not None:
        achieved.add(figure, best, info.x_title, info.y_title, theme)
    return figure


def _points(deck: Deck, x: str, y: str) -> scatter.Scatter:
    shares = grouping_of(deck.study, deck.settings.crossed_with).targets.tolist()
    return scatter.info(deck.means(x, y), deck.axes[x], deck.axes[y], deck.settings.system, shares, deck.untested)


def ternary_card(deck: Deck) -> None:
    """Draw the exposure of neutral and of each gender, a point for each system or query."""
    with wide.place(WIDE, "tradeoff", "ternary"):
        switch_column, text_column, table_column = card_head("ternary", [3, 5])
        per_query = pick.toggle("tradeoff_per_query", "each query", place=switch_column, disabled=not deck.labelled)
        if not deck.labelled:
            no_points = ternary.Exposures((), ())
            figure = ternary.draw(no_points, deck.styles, deck.theme, deck.height("ternary", HEIGHT))
            card_chart(deck, figure, "Nothing is labelled.", "tradeoff_ternary")
            return
        shares, then = _shares(deck, per_query=per_query), deck.then if deck.then and deck.then.labelled else None
        info = ternary.info(shares, deck.settings.system, deck.settings.query)
        with text_column:
            notes = (info.note, OF_QUERIES if per_query else "")
            html.quiet(" ".join(filter(None, notes)))
        before = _shares(then, per_query=per_query) if then else None
        on = tuple(name for name in ("system", "query_id") if name in shares)
        table = pinned.beside(shares, before, on, tuple(shares.columns.drop(list(on))))
        code = recipe(exposures, deck.study, deck.settings, per_query=per_query)
        card_table(deck, table_column, "ternary", table, info.alt, code)
        hidden = deck.hidden if len(info.groups) == TRIANGLE else None  # bars keep their legend, which is of groups
        looks = (deck.styles, deck.theme, deck.height("ternary", UPPER_HEIGHT))
        figure = draw_cached(ternary.draw, info, *looks, theme=deck.theme, hidden=hidden, clicks=True)
        charts.chart(figure, deck.alt_text(info.alt), "tradeoff_ternary", _open_point, carried=2)


def _open_lists(system: str, measure: str) -> None:
    """Open the lists of the system of a point."""
    going.to_query(systems=(system,), measure=measure)


def _open_point(system: str, query: str = "") -> None:
    """Open the lists of a point's query, the first of equal ones; select the system of a point without a query."""
    if query:
        going.to_query(query, (system,), "CWEx")
    else:
        charts.select_system(system)


def _shares(deck: Deck, *, per_query: bool) -> pd.DataFrame:
    return cache.exposure_shares(deck.study, deck.settings, per_query=per_query)


def curve_card(deck: Deck) -> None:
    """Draw CWEx over alpha, or measures over the cutoff."""
    curve_column, choice_column, table_column = card_columns([2, 8])
    pick.segmented("tradeoff_curve", "Curve", _curves(deck), place=curve_column)
    kind, key = shown_curve(deck)
    with choice_column:
        figure, table, info = {OVER_ALPHA: _over_alpha, OVER_K: _over_cutoff}[kind](deck)
    card_table(deck, table_column, "curve", table, info.alt, _curve_recipe(deck, kind))
    html.quiet(getattr(info, "note", ""))
    card_chart(deck, figure, info.alt, key)


def _curve_recipe(deck: Deck, kind: str) -> Recipe:
    if kind == OVER_ALPHA:
        return recipe(over_alpha, deck.study, deck.settings)
    measures = chosen_measures(deck)
    curves = call(over_cutoffs, deck.study, [question.text for question in measures], deck.settings)
    return recipe(chance.with_band(deck, measures, curves))


def _curves(deck: Deck) -> tuple[str, ...]:
    return (OVER_ALPHA, OVER_K) if deck.labelled else (OVER_K,)


def shown_curve(deck: Deck) -> tuple[str, str]:
    """Return the selected curve and the key of its chart."""
    curves = _curves(deck)
    kind = st.session_state.get("tradeoff_curve")
    kind = str(kind) if kind in curves else curves[0]
    return kind, f"tradeoff_curve_{curves.index(kind)}_{len(curves)}"


def bump_card(deck: Deck) -> None:
    """Draw the rank of each system by each measure."""
    text_column, table_column = card_columns([10])
    info, then = _order(deck), _order(deck.then) if deck.then else None
    with text_column:
        html.quiet("Crossing lines: measures disagree. Ranks hide how near systems are.")
    before = then.table if then else None
    common_measures = tuple(name for name in info.measures if then and name in then.measures)
    texts = [question.text for question in deck.asked]
    summary = summarised(deck.study, deck.settings, texts)
    card_table(deck, table_column, "bump", pinned.beside(info.table, before, ("system",), common_measures), info.alt,
          recipe(bump.info, summary, deck.asked, table="found.table"))  # fmt: skip
    figure = bump.draw(info, deck.styles, deck.theme, HEIGHT)
    card_chart(deck, figure, info.alt, "tradeoff_bump")


def _order(deck: Deck) -> bump.Bump:
    return bump.info(deck.summary, deck.asked, deck.settings.system, deck.untested)


def _over_alpha(deck: Deck):
    lines = cache.alpha_curves(deck.study, deck.settings)
    systems = ("", *dict.fromkeys(lines["system"]))
    texts = {name: f"− {name or 'mean'}" for name in systems}
    baseline = pick.select("tradeoff_baseline", "Baseline", systems, texts=texts, hide_label=True, help=BASELINE_HELP)
    info, then = _differences(deck, baseline), deck.then if deck.then and deck.then.labelled else None
    before = cache.alpha_curves(then.study, then.settings) if then else None
    figure = alpha_curve.draw(info, deck.styles, deck.theme, HEIGHT)
    return figure, pinned.beside(lines, before, ("system", "alpha"), ("value",)), info


def _differences(deck: Deck, baseline: str) -> alpha_curve.AlphaCurve:
    lines, settings = cache.alpha_curves(deck.study, deck.settings), deck.settings
    return alpha_curve.info(lines, settings.alpha, settings.cutoff, baseline, settings.system, deck.untested)


def _over_cutoff(deck: Deck):
    offered = _along_cutoffs(deck)
    usual = tuple(question.name for question in deck.fairness.questions)
    names, empty = tuple(offered), "all three"
    measures_column, chance_column = st.columns([6, 3], gap="small", vertical_alignment="center")
    pick.several(
        MEASURES, "Measures", names, usual, place=measures_column, placeholder=empty, help=CURVES_HELP, hide_label=True
    )
    chance.pick_candidates(deck, chance_column)
    measures = chosen_measures(deck)
    band = chance.band(deck, measures)
    lines, info = at_cutoffs(deck, measures, band)
    pinned_measures = _pinned_measures(deck, measures)
    before = (
        pinned.as_now(at_cutoffs(deck.then, pinned_measures)[0], pinned_measures, measures, without_cutoffs=True)
        if deck.then and pinned_measures
        else None
    )
    figure = cutoff_curve.draw(info, deck.styles, deck.theme, HEIGHT)
    table = lines if band is None else with_chance(lines, band)
    table = pinned.beside(table, before, ("system", "measure", "cutoff"), ("value",))
    return figure, table, info


def chosen_measures(deck: Deck) -> list[Question]:
    """Return the measures whose curves over the cutoff are drawn."""
    offered = _along_cutoffs(deck)
    names = [name for name in st.session_state.get(MEASURES, ()) if name in offered]
    return [offered[name] for name in names or [question.name for question in deck.fairness.questions]]


def _pinned_measures(deck: Deck, measures: Sequence[Question]) -> list[Question]:
    """Return the measures that have a pinned curve, with their pinned parameters."""
    pinned_by_name = _along_cutoffs(deck.then) if deck.then else {}
    return [pinned_by_name[question.name] for question in measures if question.name in pinned_by_name]


def at_cutoffs(
    deck: Deck, measures: Sequence[Question], band: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, cutoff_curve.CutoffCurve]:
    """Return the table of these measures over the cutoff, and the content of its figure, with the chance band."""
    lines = cache.cutoff_curves(deck.study, [question.text for question in measures], deck.settings)
    shares, settings = grouping_of(deck.study, deck.settings.crossed_with).targets.tolist(), deck.settings
    return lines, cutoff_curve.info(lines, measures, settings.cutoff, settings.system, shares, deck.untested, band)


def _along_cutoffs(deck: Deck) -> dict[str, Question]:
    """Return the measures with a curve over cutoffs by name, those of the page first."""
    others = questions.overview(deck.study, deck.settings).questions
    own = {question.name: question for question in deck.fairness.questions}
    by_name = own | {question.name: question for question in others if question.name not in own}
    return {name: question for name, question in by_name.items() if question.measure and question.measure.per_query}
