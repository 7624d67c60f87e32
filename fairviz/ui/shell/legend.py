"""The one legend of a page: every system with its colour, symbol and dash, in a row above the cards.

A click hides a system or shows it again, Shift and a click shows it alone; by the keyboard Enter, and Shift and Enter.
It writes the choice of systems that the sidebar holds too: there is one truth about who is shown, and a system that is
not is in no figure, no table and no family of comparisons.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import streamlit as st

from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import SystemStyle, references_last
from fairviz.figures.symbols import DASHES, path_of
from fairviz.study.study import Study
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.scripts import compact

KEY = "legend"
HTML = (
    '<div class="row"><div role="group" aria-label="Systems shown"></div>'
    '<div class="all" hidden><span role="status"></span><button type="button">Show all</button></div></div>'
)
HIDE = "Click: hide. Shift and click: show it alone."
SHOW = "Hidden. Click: show. Shift and click: show it alone."
LAST = "The only one shown. Click: show all."


@cache
def _component():
    """Registered once in a server's life."""
    folder = Path(__file__).parent
    script, style = ((folder / f"legend.{ending}").read_text(encoding="utf-8") for ending in ("js", "css"))
    return st.components.v2.component("fairviz_legend", html=HTML, css=style, js=compact(script))


def legend(study: Study, settings: Settings, styles: Mapping[str, SystemStyle]) -> None:
    """The row; a system that is hidden is struck through and keeps its place."""
    hidden = hidden_count(study, settings)
    shown = entries(study.systems, chosen_systems(study, settings), styles, settings.system)
    _component()(
        key=KEY,
        data={"systems": shown, "hidden": f"{hidden:,} of {len(study.systems):,} hidden" if hidden else ""},
        on_asked_change=guarded(partial(_asked, study.systems)),
    )


def entries(
    systems: Sequence[str], shown: Sequence[str], styles: Mapping[str, SystemStyle], selected: str
) -> list[dict]:
    """What the row holds of each system, the references last."""
    return [
        {
            "name": name,
            "colour": styles[name].colour,
            "path": path_of(styles[name].symbol),
            "dash": DASHES[styles[name].dash],
            "hollow": styles[name].reference,
            "shown": name in shown,
            "chosen": name == selected,
            "hint": SHOW if name not in shown else LAST if len(shown) == 1 else HIDE,
        }
        for name in references_last(systems)
    ]


def hidden_count(study: Study, settings: Settings) -> int:
    """How many systems of the study are not shown."""
    return len(study.systems) - len(set(chosen_systems(study, settings)))


def hidden_text(study: Study, settings: Settings) -> str:
    """`2 of 9 systems are hidden`; empty where all are shown."""
    count = hidden_count(study, settings)
    return f"{count:,} of {len(study.systems):,} systems {'is' if count == 1 else 'are'} hidden" if count else ""


def toggled(systems: Sequence[str], shown: Sequence[str], name: str) -> list[str]:
    """Who is shown once this system was hidden, or shown again; nobody named stands for all.

    Where the only one shown is hidden, all are shown again: a page without a system says nothing.
    """
    held = list(shown) or list(systems)
    if name in held:
        left = [other for other in held if other != name]
    else:
        ordered = held == [other for other in systems if other in held]  # as the study has them, not as someone chose
        left = [other for other in systems if other in held or other == name] if ordered else [*held, name]
    return [] if not left or left == list(systems) else left


def alone(systems: Sequence[str], shown: Sequence[str], name: str) -> list[str]:
    """Only this system; all of them where it was the only one already."""
    return [] if list(shown) == [name] or list(systems) == [name] else [name]


def _asked(systems: Sequence[str]) -> None:
    asked = st.session_state[KEY].asked or {}
    name, shown = str(asked.get("name", "")), st.session_state["systems"]
    if not name:
        st.session_state["systems"] = []
    elif name in systems:
        change = alone if asked.get("alone") else toggled
        st.session_state["systems"] = change(systems, shown, name)
