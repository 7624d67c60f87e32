"""The list on the bench: rows that are dragged, moved by keys, relabelled and rewritten; and the same by plain widgets.

The script sends what was done as a line of actions with numbers that count up, and sends them again until the page says
that it has them: where a hand is quicker than a run, nothing is lost and nothing is done twice.
"""

from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from fairviz.errors import UsageError
from fairviz.laboratory.experiment import NO_LABEL, Experiment
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.laboratory import rows
from fairviz.ui.laboratory.state import Bench, take
from fairviz.ui.state import choices

KEY = "laboratory_list"
DONE = "laboratory_done"  # the number of the last action of the script that was taken
ROWS = ("20", "50", "100", "all")
HTML = (
    '<div class="bar"><span class="hint"></span><button type="button" class="swap" disabled>Swap the two</button></div>'
    '<ol aria-label="Documents, best first"></ol><div class="said" role="status" aria-live="polite"></div>'
)
HINT = "Drag a row, or Alt ↑ ↓ moves it (Alt Home: to the top). Space ticks it; two ticked rows can be swapped."


@cache
def _component():
    """Registered once in a server's life."""
    folder = Path(__file__).parent
    script, style = ((folder / f"list.{ending}").read_text(encoding="utf-8") for ending in ("js", "css"))
    return st.components.v2.component("fairviz_laboratory", html=HTML, css=style, js=script)


def list_card(bench: Bench) -> None:
    """The rows, and below them the same by widgets."""
    held = bench.experiment
    with st.container(border=True, gap="xsmall"):
        told, many = st.columns([7, 3], vertical_alignment="center")
        with told:
            html.quiet(
                f"{rows.whose_labels(bench.study, bench.settings)}ω: how neutral the words are. ★ relevant, ☆ judged "
                f"not relevant. The line: cutoff {bench.settings.cutoff:,}."
            )
        offered = tuple(text for text in ROWS[:-1] if int(text) < len(held.order)) + ROWS[-1:]
        usual = next((text for text in offered if text == "all" or int(text) > bench.settings.cutoff), "all")
        choices.among("laboratory_rows", offered, usual)
        first = many.selectbox(
            "Rows", offered, key="laboratory_rows", label_visibility="collapsed",
            format_func=lambda text: f"all {len(held.order):,} ranks" if text == "all" else f"{text} ranks",
        )  # fmt: skip
        _draw(bench, len(held.order) if first == "all" else int(first))
        _by_number(bench)


def _draw(bench: Bench, first: int) -> None:
    held, theme = bench.experiment, charts.theme()
    _component()(
        key=KEY,
        data={
            "list": held.mark,
            "done": st.session_state.setdefault(DONE, 0),
            "rows": rows.rows(bench, first),
            "length": len(held.order),
            "cutoff": bench.settings.cutoff,
            "hint": HINT,
            "nolabel": NO_LABEL,
            "relabels": bool(held.labels),
            "dark": theme.dark,
            **rows.looks(bench.study, held.labels, theme),
        },
        on_asked_change=guarded(_asked),
    )


def _asked() -> None:
    """Takes the actions that were not taken yet, in their order. One that cannot be is told, and the rest go on."""
    asked: dict[str, Any] = st.session_state[KEY].asked or {}
    problem: UsageError | None = None
    for action in asked.get("actions", []):
        number = int(action["number"])
        if asked.get("list") != st.session_state["laboratory_bench"].mark or number <= st.session_state.get(DONE, 0):
            continue
        st.session_state[DONE] = number
        try:
            take(partial(_after, action=action))
        except UsageError as error:
            problem = error
    if problem is not None:
        raise problem


def _after(held: Experiment, action: dict[str, Any]) -> Experiment:
    kind, name = str(action.get("kind")), str(action.get("id"))
    if kind == "move":
        return held.moved(name, int(action["to"]))
    if kind == "swap":
        return held.swapped(name, str(action["other"]))
    if kind == "label":
        return held.labelled(name, str(action["label"]))
    return held.words_replaced(name)


def _by_number(bench: Bench) -> None:
    """The same without the script: by document and rank."""
    held = bench.experiment
    with st.popover("By rank, without the mouse", width="stretch"):
        ranks = {name: rank for rank, name in enumerate(held.order, start=1)}
        name = st.selectbox(
            "Document", held.order, key="laboratory_document", format_func=lambda one: f"{ranks.get(one, 0)} · {one}"
        )
        up, down, number, go = st.columns([2, 2, 3, 2], vertical_alignment="bottom", gap="small")
        at = ranks[name]
        up.button("Up", key="laboratory_up", on_click=guarded(_move), args=(name, at - 1), width="stretch")
        down.button("Down", key="laboratory_down", on_click=guarded(_move), args=(name, at + 1), width="stretch")
        to = number.number_input("To rank", 1, len(held.order), value=1, key="laboratory_to")
        go.button("Move", key="laboratory_move", on_click=guarded(_move), args=(name, int(to)), width="stretch")
        pick, swap = st.columns([7, 2], vertical_alignment="bottom", gap="small")
        other = pick.selectbox("Swap it with", held.order, key="laboratory_other")
        swap.button("Swap", key="laboratory_swap", on_click=guarded(_swap), args=(name, other), width="stretch")
        _texts(bench, name)


def _texts(bench: Bench, name: str) -> None:
    """Its label and its words, and the words of all."""
    held = bench.experiment
    if held.labels:
        pick, flip = st.columns([7, 2], vertical_alignment="bottom", gap="small")
        options = (*held.labels, "")
        label = pick.selectbox(
            "Its label", options, index=options.index(held.label(name)), key=f"laboratory_label_{name}",
            format_func=lambda one: one or NO_LABEL,
        )  # fmt: skip
        flip.button("Flip", key="laboratory_flip", on_click=guarded(_label), args=(name, label), width="stretch")
    if bench.study.has("documents"):
        said = "Put its gender words back" if name in held.reworded else "Replace its gender words"
        st.button(said, key="laboratory_words", on_click=guarded(_words), args=(name,), width="stretch")


def words_of_all(bench: Bench) -> None:
    """The button that replaces the gender words of every document of the list."""
    held = bench.experiment
    all_of_them = held.reworded.issuperset(held.start)
    st.button(
        "Put the words of all back" if all_of_them else "Replace gender words of all",
        key="laboratory_words_all", disabled=not bench.study.has("documents"), width="stretch",
        help="She becomes he, his becomes her: by the gender pairs given on Stereotypes and Words, or else "
        "built-in ones. A word without a counterpart stays.",
        on_click=guarded(_words), args=(None,),
    )  # fmt: skip


def _move(name: str, to: int) -> None:
    take(lambda held: held.moved(name, to))


def _swap(first: str, second: str) -> None:
    take(lambda held: held.swapped(first, second))


def _label(name: str, label: str) -> None:
    take(lambda held: held.labelled(name, label))


def _words(name: str | None) -> None:
    take(lambda held: held.words_replaced(name))
