"""The component that delivers payloads to the browser, after the page is drawn and without delaying it.

A run of the page describes its sliders (`follow`); the script requests payloads when a hand comes near a slider and,
except on a server, once the page has been painted. Only then are they computed, in a fragment, slider by slider, and
kept for all visitors. A choice made meanwhile has priority: the computation stops at the next stop of the slider, and
resumes there on the next request.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.home.permissions import permissions
from fairviz.ui.kept.entries import MEMORY
from fairviz.ui.kit.boundary import background
from fairviz.ui.kit.components import component
from fairviz.ui.shell.live.frames import Moving, Scale, pack

LOG = logging.getLogger("fairviz")

PAYLOADS = "payloads"  # the beginning of their keys
SCRIPT = Path(__file__).with_name("live.js")
REQUESTED = "live_requested"  # the tokens of the payloads that this session has been sent, the latest last
PARTS = "live_parts"  # moving parts and finished frames of unfinished payloads, by token
RUN = "live_run"  # counts the runs of pages
CONTROL = "live"  # the key of the component that describes the page
MOST_PARTS = 3
MOST_HELD = 8
WAIT = 1500  # milliseconds between drawing a page and requesting payloads; 0: only for a hand
PLAY = (
    '<button type="button" class="fv-live-play" aria-pressed="false" aria-label="Play">▶</button>'
    '<span class="fv-live-said" role="status" aria-live="polite"></span>'
)


@dataclass(frozen=True)
class Slider:
    """One slider of the sidebar on this page.

    scale: its stops. present: the text of its current value. depends: the text of everything else that its payload
    depends on. movings: computes the moving parts. still: keys of the charts that it does not change.
    """

    scale: Scale
    present: str
    depends: str
    movings: Callable[[], Sequence[Moving]]
    still: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page with live sliders: its name, the keys of its charts, and its sliders in the order of their computation."""

    name: str
    charts: tuple[str, ...]
    sliders: tuple[Slider, ...]


def token_of(page: str, slider: Slider) -> str:
    """Return a hash of everything that a payload depends on."""
    return hashlib.sha256("\n".join((page, slider.scale.slider, slider.depends)).encode()).hexdigest()[:20]


def play(slider: str) -> None:
    """Draw the button that animates the slider of this key; it is hidden on pages that do not follow the slider."""
    component("live_play", SCRIPT, PLAY, isolate_styles=False)(key=f"live_play_{slider}", data={"play": slider})


def follow(page: Page) -> None:
    """Send the description of this run to the browser. Called once, at the end of a page; computes no payload yet."""
    st.session_state[RUN] = st.session_state.get(RUN, 0) + 1
    with st.container(key="live_parts", gap=None):
        _deliver(page)


@background
def _deliver(page: Page) -> None:
    """Send the description of the page, and the payload that the script has requested.

    A request is the text `RUN SLIDER`; requests of earlier runs, with other settings, are ignored.
    """
    state = st.session_state
    requested: list[str] = state.setdefault(REQUESTED, [])
    wanted = state.get(CONTROL, {}).get("wanted")
    tokens = {slider.scale.slider: token_of(page.name, slider) for slider in page.sliders}
    for slider in page.sliders:
        name = slider.scale.slider
        if wanted == f"{state[RUN]} {name}":
            MEMORY.value((PAYLOADS, tokens[name]), partial(_payload_of, slider, tokens[name]))
            requested[:] = [*(token for token in requested if token != tokens[name]), tokens[name]][-MOST_HELD:]
    payloads: dict[str, bytes | None] = {token: MEMORY.get((PAYLOADS, token)) for token in requested}
    description = {
        "run": state[RUN],
        "name": page.name,
        "tokens": tokens,
        "present": {slider.scale.slider: slider.present for slider in page.sliders},
        "made": [name for name, token in tokens.items() if payloads.get(token) is not None],
        "unable": [name for name, token in tokens.items() if payloads.get(token) == b""],
        "figures": page.charts,
        "held": MOST_HELD,
        "wait": WAIT if not permissions().is_server else 0,
    }
    live = component("live", SCRIPT, "", SCRIPT.with_suffix(".css"), isolate_styles=False)
    live(key=CONTROL, data=description, on_wanted_change=lambda: None)  # a request only reruns the fragment
    for name, token in tokens.items():
        live(key=f"live_{name}", data=payloads.get(token) or b"")


def _payload_of(slider: Slider, token: str) -> bytes:
    """Return the payload of a slider; empty bytes, and no live updates, if the study cannot be evaluated at a stop.

    Each read of the session state allows Streamlit to end this run for a choice that was made meanwhile.
    """
    parts: dict[str, list] = st.session_state.setdefault(PARTS, {})
    try:
        if token not in parts:
            parts[token] = [slider.movings(), []]
            for old_token in list(parts)[:-MOST_PARTS]:
                del parts[old_token]
        movings, frames = parts[token]
        for stop in range(len(frames), len(slider.scale.stops)):
            st.session_state.get(RUN)
            frames.append([moving.frame(stop) for moving in movings])
        by_figure = [[frames[stop][place] for stop in range(len(frames))] for place in range(len(movings))]
        payload = pack(slider.scale, token, movings, by_figure, slider.still)
    except FairvizError as error:
        LOG.info("%s is not followed: %s", slider.scale.label, error.message)
        payload = b""
    parts.pop(token, None)
    return payload
