"""The one place where errors meet the screen: a page's, a fragment's, and those of a widget's callback."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.ui.kit import html
from fairviz.ui.state import address, session

LOG = logging.getLogger("fairviz")
APOLOGY = "This page ran into a mistake of the program, not of your data. The details are on the server's console."
APOLOGY_REMEDY = "Reset the settings in the sidebar or choose another page; your study is unharmed."
PROBLEM = "callback_problem"
Parameters = ParamSpec("Parameters")


@contextmanager
def boundary() -> Iterator[None]:
    """Shows what the user can mend with its remedy, and a short apology for a bug, whose details go to the console."""
    try:
        yield
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
    except Exception:
        LOG.exception("a page failed")
        html.message("error", APOLOGY, APOLOGY_REMEDY)


def guarded(callback: Callable[Parameters, object]) -> Callable[Parameters, None]:
    """The callback with the same boundary: it runs before anything is drawn, so that `tell` shows its error after.

    Every on_click, on_change and on_select is given through here; without it, an error would take the page away.
    """

    @wraps(callback)
    def run(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        try:
            callback(*arguments, **options)
        except FairvizError as error:
            st.session_state[PROBLEM] = ("error", error.message, error.remedy)
        except Exception:
            LOG.exception("a callback failed")
            st.session_state[PROBLEM] = ("error", APOLOGY, APOLOGY_REMEDY)

    return run


def fragment(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """A part of a page that is drawn anew by itself, within a boundary of its own."""

    @st.fragment
    @wraps(draw)
    def drawn(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        with boundary():
            session.keep_alone()
            tell()
            draw(*arguments, **options)
            address.publish_alone()

    return drawn


def background(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """The same for a part in which nobody chooses anything: it leaves the address alone, which may be ahead of it.
    What was chosen elsewhere at the moment in which this part asked for itself runs the whole page first."""

    @st.fragment
    @wraps(draw)
    def drawn(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        with boundary():
            session.keep_alone()
            if address.overlooked():
                st.rerun()
            draw(*arguments, **options)

    return drawn


def repeated(seconds: float) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """The same for a part that looks again every so many seconds, at work that goes on beside the page."""

    def wrapped(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
        @st.fragment(run_every=seconds)
        @wraps(draw)
        def drawn(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
            with boundary():
                session.keep_alone()
                if address.overlooked():
                    st.rerun()
                draw(*arguments, **options)

        return drawn

    return wrapped


def dialog(
    title: str, on_dismiss: Callable[[], object]
) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """A box over the page, within a boundary of its own; `on_dismiss`, which is guarded, is called where it is closed
    unanswered."""

    def decorated(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
        @st.dialog(title, on_dismiss=on_dismiss)  # type: ignore[arg-type]
        @wraps(draw)
        def drawn(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
            with boundary():
                draw(*arguments, **options)

        return drawn

    return decorated


def tell() -> None:
    """Shows the error of the last callback, once."""
    with st.container():  # keeps its place when empty, so that nothing below is taken for something new
        if told := st.session_state.pop(PROBLEM, None):
            html.message(*told)
