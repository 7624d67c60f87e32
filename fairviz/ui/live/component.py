"""The component that brings payloads to the browser, after the page stands and without holding anything up.

A run of the page says what it shows (`follow`); the script asks for payloads once the page has been painted, or a hand
comes near a slider. Only then, in a part of the page that runs by itself, are they made, slider by slider. A choice
made meanwhile goes before: the work stops at the next stop of the slider, and goes on from there when asked again.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.ui.kit import scripts
from fairviz.ui.kit.boundary import background
from fairviz.ui.live.frames import Moving, Scale, pack

LOG = logging.getLogger("fairviz")

SCRIPT = Path(__file__).with_name("live.js")
SHEET = Path(__file__).with_name("live.css")
HELD = "live_payloads"  # of this session: payloads by token, the latest last
PARTS = "live_parts"  # what moves, and the frames made so far, of the payload that is being made
RUN = "live_run"  # counts the runs of pages
CONTROL = "live"  # the key of the part that says what the page shows
MOST_PARTS = 3
MOST_HELD = 8
WAIT = 1500  # milliseconds that a page stands before payloads are asked for
PLAY = (
    '<div class="fv-live-bar"><button type="button" class="fv-live-play" aria-pressed="false" '
    'title="Moves the slider that was last used, to and fro. Space does the same on a slider.">▶ Play</button>'
    '<span class="fv-live-said" role="status" aria-live="polite"></span></div>'
)


@dataclass(frozen=True)
class Slider:
    """One slider of the sidebar on this page: its scale, the text of where it stands, and what its payload depends on
    (`depends`, of which all but the slider itself)."""

    scale: Scale
    present: str
    depends: str
    movings: Callable[[], Sequence[Moving]]
    still: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page that follows: its name, the keys of its charts, and its sliders in the order in which they are made."""

    name: str
    charts: tuple[str, ...]
    sliders: tuple[Slider, ...]


def token_of(page: str, slider: Slider) -> str:
    """A short name of all that a payload depends on."""
    return hashlib.sha256("\n".join((page, slider.scale.slider, slider.depends)).encode()).hexdigest()[:20]


@cache
def script() -> str:
    """The script as it is sent."""
    return scripts.compact(SCRIPT.read_text(encoding="utf-8"))


@cache
def _component():
    """Registered once in a server's life."""
    return st.components.v2.component(
        "fairviz_live",
        js=script(),
        css=SHEET.read_text(encoding="utf-8"),
        isolate_styles=False,
    )


@cache
def _button():
    return st.components.v2.component("fairviz_live_play", html=PLAY, js=script(), isolate_styles=False)


def play() -> None:
    """The button that moves a slider by itself; out of sight where no page follows."""
    _button()(key="live_play", data={"play": True})


def follow(page: Page) -> None:
    """Tells the browser what this run shows. Called once, at the end of a page; makes nothing yet."""
    st.session_state[RUN] = st.session_state.get(RUN, 0) + 1
    with st.container(key="live_parts", gap=None):
        _deliver(page)


@background
def _deliver(page: Page) -> None:
    """What the script needs now; the payload too that it has asked for.

    It is asked for as `RUN SLIDER`; what was asked in an earlier run, of other settings, is let be.
    """
    state = st.session_state
    held: dict[str, bytes] = state.setdefault(HELD, {})
    wanted = state.get(CONTROL, {}).get("wanted")
    tokens = {slider.scale.slider: token_of(page.name, slider) for slider in page.sliders}
    for slider in page.sliders:
        name = slider.scale.slider
        if tokens[name] not in held and wanted == f"{state[RUN]} {name}":
            keep(held, tokens[name], _made(slider, tokens[name]))
    told = {
        "run": state[RUN],
        "name": page.name,
        "tokens": tokens,
        "present": {slider.scale.slider: slider.present for slider in page.sliders},
        "made": [name for name, token in tokens.items() if token in held],
        "figures": page.charts,
        "wait": WAIT,
    }
    _component()(key=CONTROL, data=told, on_wanted_change=_nothing)
    for name, token in tokens.items():
        _component()(key=f"live_{name}", data=held.get(token, b""))


def _nothing() -> None:
    """Asking for a payload runs this part of the page again, and that is all."""


def keep(held: dict[str, bytes], token: str, payload: bytes) -> None:
    """Adds a payload, and lets the oldest ones go."""
    held[token] = payload
    while len(held) > MOST_HELD:
        del held[next(iter(held))]


def _made(slider: Slider, token: str) -> bytes:
    """The payload of a slider; nothing where the study cannot be answered there, and then that slider is not followed.

    Looking at the session is where Streamlit ends this run for a choice that was made meanwhile.
    """
    parts: dict[str, list] = st.session_state.setdefault(PARTS, {})
    try:
        if token not in parts:
            parts[token] = [slider.movings(), []]
            for old in list(parts)[:-MOST_PARTS]:
                del parts[old]
        movings, frames = parts[token]
        for stop in range(len(frames), len(slider.scale.stops)):
            st.session_state.get(RUN)
            frames.append([moving.frame(stop) for moving in movings])
        by_figure = [[frames[stop][place] for stop in range(len(frames))] for place in range(len(movings))]
        made = pack(slider.scale, token, movings, by_figure, slider.still)
    except FairvizError as error:
        LOG.info("%s is not followed: %s", slider.scale.label, error.message)
        made = b""
    parts.pop(token, None)
    return made
