"""Sliders that the pages Overview and Trade-off follow, with the data that their payloads depend on."""

from collections.abc import Collection
from functools import partial

import streamlit as st

from fairviz.comparison.compare import Comparison
from fairviz.evaluation import questions
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import fixed_texts
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures.style import WEBGL_ABOVE
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts
from fairviz.ui.kit.html import lines_html
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.frames import Frame, Moving
from fairviz.ui.shell.live.sliders import sidebar
from fairviz.ui.state import pair
from fairviz.ui.tradeoff import cards, comparing, moving, order_card, pinned
from fairviz.ui.tradeoff.deck import Deck
from fairviz.ui.tradeoff.overview import Pinned

CHARTS = ("tradeoff_order", "tradeoff_scatter", "tradeoff_ternary", "tradeoff_bump", "tradeoff_differences")
TABLE = "overview"


def tradeoff(deck: Deck) -> None:
    """Make the Trade-off page follow its sliders."""
    key = cards.shown_curve(deck)[1]
    fixed_charts = {"alpha": ("tradeoff_ternary", bias.KEY)}
    sliders = sidebar(deck.study, deck.settings, "tradeoff", partial(_tradeoff, deck), fixed_charts)
    component.follow(component.Page("tradeoff", (*CHARTS, key), sliders))


def overview(study: Study, settings: Settings, request: Asked, then: Pinned | None) -> None:
    """Make the Overview follow its sliders."""
    make = partial(_overview, study, settings, request, then)
    sliders = sidebar(study, settings, "overview", make, {"alpha": (bias.KEY,)})
    component.follow(component.Page("overview", ("overview_order", TABLE), sliders))


def _tradeoff(deck: Deck, slider: str) -> list[Moving]:
    """Return the moving parts of the Trade-off page, the finding first."""
    scores = moving.scores_along_slider(deck.study, deck.texts, deck.settings, slider)
    parts = order_card.moving_parts(
        "tradeoff", scores, range(len(deck.texts)), deck.styles, deck.theme, deck.settings.system
    )
    if deck.then:
        then = deck.then
        parts.append(moving_pinned(scores, then.settings, then.questions, comparing.compared(then)))
    if len(scores.cube.systems) <= WEBGL_ABOVE:
        x, y = (str(st.session_state[name]) for name in ("tradeoff_x", "tradeoff_y"))
        parts.append(moving.moving_scatter(deck, scores_of_axes(deck, scores, slider, x, y), x, y))
    groups = 1 + len(grouping_of(deck.study, deck.settings.crossed_with).groups)
    per_query = bool(st.session_state.get("tradeoff_per_query"))
    if slider != "alpha" and deck.labelled and groups == cards.TRIANGLE and not per_query:
        parts.append(moving.moving_ternary(deck, scores))
    parts += [moving.moving_bump(deck, scores), *moving.moving_curve(deck, scores)]
    baseline = str(st.session_state.get(pair.BASELINE) or "")
    parts += moving.moving_differences(deck, scores, baseline)
    if slider != "alpha":
        parts.append(bias.moving_bias(scores.cube.stops, deck.theme))
    return parts


def scores_of_axes(deck: Deck, scores: moving.SliderScores, slider: str, x: str, y: str) -> moving.SliderScores:
    """Return the page's scores along the slider, or those of the axes if one of them is no measure of the page."""
    if {x, y} <= deck.questions.keys():
        return scores
    return moving.scores_along_slider(deck.study, [deck.axes[name].text for name in (x, y)], deck.settings, slider)


def _overview(study: Study, settings: Settings, request: Asked, then: Pinned | None, slider: str) -> list[Moving]:
    """Return the moving parts of the Overview."""
    fixed = fixed_texts(study, settings, slider)
    scores = moving.scores_along_slider(study, request.texts, settings, slider, fixed)
    places = [request.questions.index(question) for question in questions.headline(request, settings)]
    parts = order_card.moving_parts("overview", scores, places, charts.styles(study), charts.theme(), settings.system)
    if then:
        names = {question.name for question in then.asked.questions}
        compared = cache.comparison(study, then.asked.texts, then.settings)
        parts.append(moving_pinned(scores, then.settings, names, compared, pinned.IN_A_TABLE))
    intervals = bool(st.session_state.get(f"{TABLE}_intervals"))
    pinned_table = (then.summary, then.asked.questions) if then else None
    parts.append(moving.moving_table(scores, TABLE, settings.system, intervals=intervals, then=pinned_table))
    if slider != "alpha":
        parts.append(bias.moving_bias(scores.cube.stops, charts.theme()))
    return parts


def moving_pinned(
    scores: moving.SliderScores, then: Settings, names: Collection[str], comparison: Comparison, look: str = ""
) -> Moving:
    """Return the sentences about the pinned picture: the changes since, and whether the finding has changed.

    then: the pinned settings. names: names of the pinned measures. comparison: their comparison. look: how the page
    shows what is pinned.
    """

    def frame(stop: int) -> Frame:
        lacking = pinned.lacking((question.name for question in scores.questions(stop)), names)
        line = pinned.line(then, scores.cube.stops[stop], lacking, look)
        return Frame(texts={"html": [lines_html(line, pinned.answer(comparison, scores.comparison(stop)))]})

    return Moving("pinned", "html", {}, frame)
