"""A map while it is computed: at once where that is short, else in the background, where it can be stopped."""

import time
from functools import partial

import streamlit as st

from fairviz.analyses.sensitivity.mapping import MOST, seconds_text
from fairviz.ui.kept.combinations import Kept
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded, repeated

AT_ONCE = 5_000  # up to so many combinations nobody is asked
EVERY = 0.7  # seconds between two looks
SHORT, LOOK = 1.5, 0.02
STOPPED = "robustness_stopped"


def make(kept: Kept) -> bool:
    """Sees to it that the map is computed, and shows how far it is; gives whether there is something of it to show.
    Raises what ended it early."""
    work = kept.work
    if not work.whole and not work.running and not _is_stopped(kept):
        if work.grid.count > AT_ONCE and not work.wanted:
            _ask(kept)
            return False
        work.start()
    _wait(kept)
    if work.problem is not None:
        raise work.problem
    if work.running:
        _progress(kept)
    elif not work.whole:
        _ended(kept)
    return bool(work.finished)


def _wait(kept: Kept) -> None:
    """Most maps are there before anybody notices."""
    began = time.monotonic()
    while kept.work.running and time.monotonic() - began < SHORT:
        time.sleep(LOOK)


def _is_stopped(kept: Kept) -> bool:
    return st.session_state.get(STOPPED) == id(kept)


def _ask(kept: Kept) -> None:
    """How many combinations and how long, before anything is computed."""
    count = kept.work.grid.count
    much = f" That is more than {MOST:,}: take fewer choices or levels, unless you mean it." if count > MOST else ""
    html.message("info", f"These choices make {count:,} combinations, {seconds_text(kept.estimate())} on this machine."
                 f"{much}")  # fmt: skip
    st.button(
        f"Compute {count:,} combinations", key="robustness_go", type="primary", on_click=guarded(partial(_go, kept))
    )


def _go(kept: Kept) -> None:
    st.session_state.pop(STOPPED, None)
    kept.work.wanted = True
    kept.work.start()


def _stop(kept: Kept) -> None:
    st.session_state[STOPPED] = id(kept)
    kept.work.stop()


def _ended(kept: Kept) -> None:
    work = kept.work
    html.message("info", f"Stopped: {work.finished:,} of {work.grid.count:,} combinations are computed. What stands "
                 "here is of these.")  # fmt: skip
    st.button("Go on", key="robustness_go_on", on_click=guarded(partial(_go, kept)))


@repeated(EVERY)
def _progress(kept: Kept) -> None:
    work = kept.work
    if not work.running:
        st.rerun()
    bar, stop = st.columns([9, 2], gap="small", vertical_alignment="center")
    said = f"{work.finished:,} of {work.grid.count:,} combinations; the app can be used meanwhile"
    bar.progress(work.finished / max(work.grid.count, 1), said)
    stop.button("Stop", key="robustness_stop", on_click=guarded(partial(_stop, kept)), width="stretch")
