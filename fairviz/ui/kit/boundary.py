"""The one place that shows errors: those of a page, of a fragment, and of a widget's callback."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.home.permissions import permissions, visitor
from fairviz.ui.kit import html
from fairviz.ui.state import address, session

LOG = logging.getLogger("fairviz")
APOLOGY = "This page ran into a mistake of the program, not of your data. The details are on the server's console."
APOLOGY_REMEDY = "Reset the settings in the sidebar or choose another page; your study is unharmed."
STUDY = "study"  # the choice that every page but the labelling page has
PROBLEM = "callback_problem"
Parameters = ParamSpec("Parameters")


@contextmanager
def boundary() -> Iterator[None]:
    """Show a FairvizError with its remedy, and a short apology for any other error, which is logged."""
    try:
        yield
    except FairvizError as error:
        html.problem(error)
    except Exception:
        LOG.exception("a page failed")
        html.message("error", APOLOGY, APOLOGY_REMEDY)


@contextmanager
def explained() -> Iterator[None]:
    """Show the reason why what is drawn within is undefined here, with the remedy, in its place."""
    try:
        yield
    except FairvizError as error:
        html.problem(error, "info")


def guarded(callback: Callable[Parameters, object]) -> Callable[Parameters, None]:
    """Return the callback within a boundary. It runs before anything is drawn: `show_problem` shows its error later.

    Every on_click, on_change and on_select is wrapped in it; without it, an error would replace the page.
    """

    @wraps(callback)
    def run_guarded(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        try:
            callback(*arguments, **options)
        except FairvizError as error:
            st.session_state[PROBLEM] = ("error", error.message, error.remedy)
        except Exception:
            LOG.exception("a callback failed")
            st.session_state[PROBLEM] = ("error", APOLOGY, APOLOGY_REMEDY)

    return run_guarded


def fragment(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Return a fragment of a page, which is redrawn by itself, within a boundary of its own."""

    @st.fragment
    @wraps(draw)
    def draw_within(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        with boundary():
            _leave_after_login()
            session.keep_alone()
            show_problem()
            draw(*arguments, **options)
            address.publish_alone()

    return draw_within


def repeated(seconds: float | None) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """Return a decorator for a fragment without choices, redrawn every `seconds` to follow work in another thread.

    It does not write the address, which may be ahead of it. A choice made elsewhere at the moment of its request reruns
    the whole page first.
    """

    def decorate(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
        @st.fragment(run_every=seconds)
        @wraps(draw)
        def draw_within(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
            with boundary():
                _leave_after_login()
                session.keep_alone()
                if address.overlooked():
                    st.rerun()
                draw(*arguments, **options)

        return draw_within

    return decorate


def background(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Return a fragment as `repeated`, which is redrawn only by request of its own script."""
    return repeated(None)(draw)


def dialog(
    title: str, on_dismiss: Callable[[], object]
) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """Return a decorator for a box over the page, within a boundary of its own. `on_dismiss`, which is guarded, is
    called when the box is closed without an answer."""

    def decorate(draw: Callable[Parameters, None]) -> Callable[Parameters, None]:
        @st.dialog(title, on_dismiss=on_dismiss)  # type: ignore[arg-type]
        @wraps(draw)
        def draw_within(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
            with boundary():
                _leave_after_login()
                draw(*arguments, **options)

        return draw_within

    return decorate


def _leave_after_login() -> None:
    """Redraw the whole page, which app.py then refuses, where the login of a server's page is over."""
    needs_login = permissions().is_server and not permissions().is_demo()
    if needs_login and visitor() is None and STUDY in st.session_state:
        st.rerun()


def show_problem() -> None:
    """Show the error of the last callback, once."""
    with st.container():  # keeps its place when empty, so that Streamlit does not redraw what is below
        if problem := st.session_state.pop(PROBLEM, None):
            html.message(*problem)
