"""Sliders that the pages Overview and Trade-off follow, with the data that their payloads depend on."""

from collections.abc import Collection
from functools import partial

import streamlit as st

from fairviz.comparison.compare import Comparison
from fairviz.evaluation import questions
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import WEBGL_ABOVE
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts
from fairviz.ui.kit.html import lines_html
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.frames import Frame, Moving
from fairviz.ui.shell.live.sliders import sidebar
from fairviz.ui.tradeoff import cards, comparing, moving, order_card, pinned
from fairviz.ui.tradeoff.deck import Deck
from fairviz.ui.tradeoff.moving_curves import moving_curve
from fairviz.ui.tradeoff.moving_differences import moving_differences
from fairviz.ui.tradeoff.moving_table import moving_table
from fairviz.ui.tradeoff.overview import Pinned

CHARTS = ("tradeoff_order", "tradeoff_scatter", "tradeoff_ternary", "tradeoff_bump", "tradeoff_differences")
TABLE = "overview"
TRIANGLE = 3


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
    along = moving.way(deck.study, deck.texts, deck.settings, slider)
    parts = order_card.moving_parts(
        "tradeoff", along, range(len(deck.texts)), deck.styles, deck.theme, deck.settings.system
    )
    if deck.then:
        then = deck.then
        parts.append(moving_pinned(along, then.settings, then.questions, comparing.compared(then), pinned.DRAWN))
    if len(along.cube.systems) <= WEBGL_ABOVE:
        x, y = (str(st.session_state[name]) for name in ("tradeoff_x", "tradeoff_y"))
        parts.append(moving.moving_scatter(deck, along, x, y))
    groups = 1 + len(deck.study.groups)
    per_query = bool(st.session_state.get("tradeoff_per_query"))
    if slider != "alpha" and deck.labelled and groups == TRIANGLE and not per_query:
        parts.append(moving.moving_ternary(deck, along))
    parts += [moving.moving_bump(deck, along), *moving_curve(deck, along)]
    baseline = str(st.session_state.get(comparing.AGAINST) or "")
    parts += moving_differences(deck, along, baseline)
    return [*parts, *_bias(along, deck)]


def _bias(along: moving.Way, deck: Deck) -> list[Moving]:
    return [] if along.cube.slider == "alpha" else [bias.moving_bias(along.cube.stops, deck.theme)]


def _overview(study: Study, settings: Settings, request: Asked, then: Pinned | None, slider: str) -> list[Moving]:
    """Return the moving parts of the Overview."""
    along = moving.way(study, request.texts, settings, slider)
    places = [request.questions.index(question) for question in questions.headline(request, settings)]
    parts = order_card.moving_parts("overview", along, places, charts.styles(study), charts.theme(), settings.system)
    if then:
        names = {question.name for question in then.asked.questions}
        compared = cache.comparison(study, then.asked.texts, then.settings)
        parts.append(moving_pinned(along, then.settings, names, compared, pinned.IN_A_TABLE))
    intervals = bool(st.session_state.get(f"{TABLE}_intervals"))
    pinned_table = (then.summary, then.asked.questions) if then else None
    parts.append(moving_table(along, TABLE, settings.system, intervals=intervals, then=pinned_table))
    if slider != "alpha":
        parts.append(bias.moving_bias(along.cube.stops, charts.theme()))
    return parts


def moving_pinned(
    along: moving.Way, then: Settings, names: Collection[str], comparison: Comparison, look: str
) -> Moving:
    """Return the sentences about the pinned picture: the changes since, and whether the finding has changed.

    then: the pinned settings. names: names of the pinned measures. comparison: their comparison. look: how the page
    shows what is pinned.
    """

    def frame(stop: int) -> Frame:
        lacking = pinned.lacking((question.name for question in along.questions(stop)), names)
        line = pinned.line(then, along.cube.stops[stop], lacking, look)
        return Frame(texts={"html": [lines_html(line, pinned.answer(comparison, along.comparison(stop)))]})

    return Moving("pinned", "html", {}, frame)
