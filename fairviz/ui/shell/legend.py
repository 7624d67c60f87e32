"""The one legend of a page: every system with its colour, symbol and dash, in a row above the cards.

A click hides a system or shows it again, Shift and a click shows it alone; by the keyboard Enter, and Shift and Enter.
It writes the same choice of systems as the sidebar: a hidden system is in no figure, no table and no family of
comparisons.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import SMALL, SVG_DASHES, SystemStyle, path_of, references_last
from fairviz.study.record import Study
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.words.sentences import agreeing, counted, out_of

KEY = "legend"
SCRIPT = Path(__file__).with_suffix(".js")
HTML = (
    '<div class="row"><div role="group" aria-label="Systems shown"></div>'
    '<div class="all" hidden><span role="status"></span><button type="button">Show all</button></div></div>'
)
HIDE = "Click: hide. Shift and click: show it alone."
SHOW = "Hidden. Click: show. Shift and click: show it alone."
LAST = "The only one shown. Click: show all."


def legend(study: Study, settings: Settings, styles: Mapping[str, SystemStyle]) -> None:
    """Draw the row; a hidden system is struck through and keeps its position."""
    hidden = hidden_count(study, settings)
    visible = entries(study.systems, chosen_systems(study, settings), styles, settings.system)
    for entry in visible:
        if draws := study.draws.get(entry["name"], ()):
            entry["hint"] = f"Mean of {counted(len(draws), 'draw')}. {entry['hint']}"
    component("legend", SCRIPT, HTML, SCRIPT.with_suffix(".css"))(
        key=KEY,
        data={"systems": visible, "hidden": f"{hidden:,} of {len(study.systems):,} hidden" if hidden else ""},
        on_asked_change=guarded(partial(_change_systems, study.systems)),
    )


def entries(
    systems: Sequence[str], visible: Sequence[str], styles: Mapping[str, SystemStyle], selected: str
) -> list[dict]:
    """Return the data of the row for each system, the references last."""
    return [
        {
            "name": name,
            "colour": styles[name].colour,
            "path": path_of(styles[name].symbol),
            "scale": SMALL,
            "dash": SVG_DASHES[styles[name].dash],
            "hollow": styles[name].reference,
            "shown": name in visible,
            "chosen": name == selected,
            "hint": SHOW if name not in visible else LAST if len(visible) == 1 else HIDE,
        }
        for name in references_last(systems)
    ]


def hidden_count(study: Study, settings: Settings) -> int:
    """Return the number of hidden systems of the study."""
    return len(study.systems) - len(set(chosen_systems(study, settings)))


def hidden_text(study: Study, settings: Settings) -> str:
    """Return the number of hidden systems as text: `2 of 9 systems are hidden`; empty if none is."""
    count = hidden_count(study, settings)
    return f"{out_of(count, len(study.systems), 'system')} {agreeing(count, 'is', 'are')} hidden" if count else ""


def toggled(systems: Sequence[str], visible: Sequence[str], name: str) -> list[str]:
    """Return the visible systems after a change of this one from hidden to visible or back; an empty list for all.

    Hiding the only visible system shows all again.
    """
    before = list(visible) or list(systems)
    if name in before:
        after = [other for other in before if other != name]
    elif before == [other for other in systems if other in before]:  # in the order of the study, not of a choice
        after = [other for other in systems if other in before or other == name]
    else:
        after = [*before, name]
    return [] if not after or after == list(systems) else after


def alone(systems: Sequence[str], visible: Sequence[str], name: str) -> list[str]:
    """Return this system alone; an empty list, for all, if it was the only visible one."""
    return [] if list(visible) == [name] or list(systems) == [name] else [name]


def _change_systems(systems: Sequence[str]) -> None:
    click = st.session_state[KEY].asked or {}
    name, visible = str(click.get("name", "")), st.session_state["systems"]
    if not name:
        st.session_state["systems"] = []
    elif name in systems:
        change = alone if click.get("alone") else toggled
        st.session_state["systems"] = change(systems, visible, name)
