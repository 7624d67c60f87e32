"""Which sliders the pages Overview and Trade-off follow, what their payloads depend on, and what moves along them."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.stops import stops
from fairviz.measures.position_bias import parse_position_bias
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts
from fairviz.ui.live import component
from fairviz.ui.live.frames import Moving, Scale
from fairviz.ui.state import choices, session
from fairviz.ui.tradeoff import comparing, moving
from fairviz.ui.tradeoff.deck import Deck

LABELS = {"alpha": "α", "cutoff": "k", session.PARAMETER: "p"}  # by the key of the slider
CHARTS = ("tradeoff_scatter", "tradeoff_ternary", "tradeoff_bump", "tradeoff_differences")
Along = Callable[[str], Sequence[Moving]]  # from a slider's name in the cube to what moves


def tradeoff(deck: Deck) -> None:
    """The Trade-off page follows its sliders."""
    chosen = comparing.chosen(st.session_state)
    detail = repr((chosen, sorted((key, value) for key, value in choices.held().items() if key.startswith("tradeoff"))))
    curve = next((key for key in st.session_state if str(key).startswith("tradeoff_curve_")), "")
    make = partial(_tradeoff, deck)
    followed = _sliders(deck.study, deck.settings, detail, make, {"alpha": ("tradeoff_ternary", "bias_curve")})
    component.follow(component.Page("tradeoff", (*CHARTS, str(curve)), followed))


def _tradeoff(deck: Deck, slider: str) -> list[Moving]:
    chosen = comparing.chosen(st.session_state)
    along = moving.way(deck.study, deck.texts, deck.settings, slider, "", *chosen)
    made = [moving.sentence(along, range(len(deck.texts)))]
    made.append(moving.moving_scatter(deck, along, st.session_state["tradeoff_x"], st.session_state["tradeoff_y"]))
    if slider != "alpha" and deck.labelled:
        made.append(moving.moving_ternary(deck, along))
    made.append(moving.moving_bump(deck, along))
    return made


def _sliders(
    study: Study, settings: Settings, detail: str, make: Along, still: dict[str, tuple[str, ...]]
) -> tuple[component.Slider, ...]:
    """The sliders that stand in the sidebar, each with its scale."""
    followed = []
    for key, name in (("alpha", "alpha"), ("cutoff", "cutoff"), (session.PARAMETER, "p")):
        found = stops(study, settings, name)
        if len(found) < 2:
            continue
        texts = tuple(_reads(stop, name) for stop in found)
        own = (study.fingerprint, repr(cache.plain(found[0])), texts, settings.system, charts.theme().dark, detail)
        followed.append(
            component.Slider(
                Scale(key, LABELS[key], texts), _reads(settings, name), repr(own), partial(make, name), still.get(key, ())
            )
        )
    return tuple(followed)


def _reads(settings: Settings, slider: str) -> str:
    """What Streamlit's slider reads at these settings."""
    if slider == "cutoff":
        return str(settings.cutoff)
    return f"{settings.alpha if slider == 'alpha' else parse_position_bias(settings.position_bias)[1]:.2f}"
