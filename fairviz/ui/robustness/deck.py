"""The inputs of a sensitivity analysis, chosen at the top: two systems, measures, the varied choices and their
levels."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.analyses.sensitivity.grid import Grid, grid_of
from fairviz.analyses.sensitivity.levels import CHOICES, level_text, levels_of, offered_levels
from fairviz.analyses.sensitivity.mapping import USUAL
from fairviz.comparison.family import how_of, preferred
from fairviz.evaluation.choice_records import Level
from fairviz.evaluation.choices import chosen_systems, missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.ui.kit import html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices, pair

MEASURES_KEY, CHOICES_KEY = "robustness_measures", "robustness_choices"
OWN_LISTS = "robustness_own_lists"  # word lists that this session has used, by what they are called
FIRST = ("CWEx", "NFaiRR")
MEASURES_HELP = (
    "Several measures are a choice too: the map is then in standard deviations of each measure's differences by query."
)


def level_key(name: str) -> str:
    """The key of the levels of a choice."""
    return f"robustness_{name}"


def measures_of(study: Study, settings: Settings) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the measures with a direction whose inputs the study has, and for each other the missing input."""
    questions_by_name = {name: ask(name, settings) for name, record in MEASURES.items() if record.direction != "none"}
    lacking = {name: missing_part(study, question, settings) for name, question in questions_by_name.items()}
    return tuple(name for name in questions_by_name if not lacking[name]), tuple(
        (name, why) for name, why in lacking.items() if why
    )


def deck(study: Study, settings: Settings, offered: Sequence[str]) -> Grid:
    """The grid, with the card in which it is chosen. There are two systems and a measure at least."""
    _remember_own(study, settings)
    first, swap, second, third = st.columns([4, 1, 4, 8], gap="small", vertical_alignment="bottom")
    shown = preferred(chosen_systems(study, settings), how_of(study, settings))
    chosen = pair.chosen(study.systems, shown)
    pick.pair(study.systems, chosen, ("Is", "fairer than"), (first, second))
    swap.button("⇄", key="robustness_swap", on_click=guarded(partial(pair.put, *reversed(chosen))), width="stretch",
                help="Each in the other's place")  # fmt: skip
    measures = _measures(offered, third)
    wanted = _levels(study, settings, _varied(study, settings, chosen, measures))
    return grid_of(study, chosen, measures, wanted, settings)


def _measures(offered: Sequence[str], place: DeltaGenerator) -> list[str]:
    """Draw the list of measures and return the chosen ones; the measure of the pair in view is always among them."""
    state = st.session_state
    unread = state.get(choices.UNREAD_KEYS, ())
    listed = [name for name in state.get(MEASURES_KEY, ()) if name in offered]
    if listed and MEASURES_KEY in unread and pair.MEASURE not in unread:
        state[pair.MEASURE] = listed[0]
    measure = choices.among(pair.MEASURE, offered, next((name for name in FIRST if name in offered), offered[0]))
    if listed and measure not in listed:
        state[MEASURES_KEY] = [measure]  # another was chosen on another page
    return pick.several(MEASURES_KEY, "by", offered, [measure], place=place, help=MEASURES_HELP,
                        on_change=guarded(_take_measures))  # fmt: skip


def _take_measures() -> None:
    listed = st.session_state[MEASURES_KEY]
    if listed and st.session_state[pair.MEASURE] not in listed:
        st.session_state[pair.MEASURE] = listed[0]


def _varied(study: Study, settings: Settings, pair: tuple[str, str], measures: Sequence[str]) -> list[str]:
    """The choices that are varied: those chosen, else the usual ones that these measures read."""
    read = grid_of(study, pair, measures, dict.fromkeys(USUAL), settings)
    touched = {name for branch in read.branches for name in branch.names}
    usual = [name for name in CHOICES if name in touched]
    names = tuple(CHOICES)
    row, levels = st.columns([13, 4], gap="small", vertical_alignment="bottom")
    chosen = pick.several(CHOICES_KEY, "under every combination of", names, usual, place=row, texts=_short)
    st.session_state["robustness_levels_place"] = levels
    return [name for name in names if name in chosen]


def _short(name: str) -> str:
    return name.replace("_", " ")


def _named(name: str) -> str:
    return f"{_short(name)}: {CHOICES[name].question}"


def _levels(study: Study, settings: Settings, names: Sequence[str]) -> Mapping[str, tuple[Level, ...]]:
    """The levels of each of these choices, with the popover in which they are chosen."""
    place = st.session_state.pop("robustness_levels_place")
    levels_by_choice: dict[str, tuple[Level, ...]] = {}
    with place.popover("Levels", width="stretch", key="robustness_levels"):
        html.quiet("The current settings of the sidebar are always among them.")
        for name in names:
            offered = texts_of(study, settings, name)
            usual = list(
                dict.fromkeys(level_text(study, settings, name, level) for level in _usual(study, settings, name))
            )
            key = level_key(name)
            chosen = pick.several(key, _named(name), tuple(offered), [text for text in usual if text in offered])
            levels_by_choice[name] = levels_of(study, settings, name, [offered[text] for text in chosen])
    return levels_by_choice


def _usual(study: Study, settings: Settings, name: str) -> Sequence[Level]:
    return CHOICES[name].usual_in(study, settings)


def texts_of(study: Study, settings: Settings, name: str) -> dict[str, Level]:
    """The levels that are offered, by what they are called: also the word lists that this session has used."""
    levels = {level_text(study, settings, name, level): level for level in offered_levels(study, settings, name)}
    if name == "lexicon":
        levels |= st.session_state.get(OWN_LISTS, {}).get(study.name, {})
    return levels


def _remember_own(study: Study, settings: Settings) -> None:
    """Keeps the reader's word list at hand when the app goes to another one."""
    if settings.lexicon not in ("", "gsr"):
        lists_by_text = st.session_state.setdefault(OWN_LISTS, {}).setdefault(study.name, {})
        lists_by_text[level_text(study, settings, "lexicon", settings.lexicon)] = settings.lexicon


def keep_levels(grid: Grid) -> None:
    """Writes down the levels of the map, so that it stays the same when another one of them becomes the present one.
    For callbacks, which run before the widgets are drawn."""
    for name, levels in grid.choices.items():
        texts = [level_text(grid.study, grid.settings, name, level) for level in levels]
        st.session_state[level_key(name)] = texts
