"""The inputs of a sensitivity analysis, chosen at the top: two systems, measures, the varied choices and their
levels."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.analyses.sensitivity.grid import Grid, grid_of
from fairviz.analyses.sensitivity.levels import CHOICES, choice_text, level_text, levels_of, offered_levels
from fairviz.analyses.sensitivity.mapping import USUAL
from fairviz.comparison.family import how_of, preferred
from fairviz.evaluation.choices import chosen_systems, missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Level, Settings
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.ui.kit import html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices, pair

MEASURES_KEY, CHOICES_KEY = "robustness_measures", "robustness_choices"
ASKED = "robustness_asked"  # of each key of a list: the question, and its default when it was first asked
MESSAGE = "robustness_told"  # of a click that has set the whole app
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
    _say_once()
    _remember_own(study, settings)
    first, swap, second, third = st.columns([4, 1, 4, 8], gap="small", vertical_alignment="bottom")
    shown = preferred(chosen_systems(study, settings), how_of(study, settings))
    chosen = pair.chosen(study.systems, shown)
    pick.pair(study.systems, chosen, ("Is", "fairer than"), (first, second))
    swap.button("⇄", key="robustness_swap", on_click=guarded(partial(pair.put, *reversed(chosen))), width="stretch",
                help="Each in the other's place")  # fmt: skip
    measures = _measures(offered, third)
    return _grid(grid_of(study, chosen, measures, dict.fromkeys(USUAL), settings))


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
    return pick.several(
        MEASURES_KEY, "by", offered, [measure], place=place, help=MEASURES_HELP, on_change=guarded(_take_measures)
    )


def _take_measures() -> None:
    """Let the measure of the pair in view be among the chosen ones. For callbacks."""
    state = st.session_state
    names = state[MEASURES_KEY]
    if names and state[pair.MEASURE] not in names:
        state[pair.MEASURE] = names[0]


def _say_once() -> None:
    """Draw what a click has set in the whole app."""
    if text := st.session_state.pop(MESSAGE, ""):
        html.message("good", text)


def _remember_own(study: Study, settings: Settings) -> None:
    """Keep the reader's word list at hand when the app goes to another one."""
    if settings.lexicon not in ("", "gsr"):
        own = st.session_state.setdefault(OWN_LISTS, {}).setdefault(study.name, {})
        own[level_text(study, settings, "lexicon", settings.lexicon)] = settings.lexicon


def _grid(usual: Grid) -> Grid:
    """Draw the varied choices and their levels, and return their grid. usual: the grid without a selection.

    Data can change the usual choices and levels. The question on screen stays as it is then, and the page states what
    is usual now, with a button that takes it.
    """
    study, settings = usual.study, usual.settings
    asked, changed = st.session_state.setdefault(ASKED, {}), dict[str, list[str]]()

    def several(key: str, label: str, options: Sequence[str], default: list[str], of: tuple, **how: Any) -> list[str]:
        question, first = asked.get(key, (None, []))
        chosen = pick.several(key, label, options, default, follow=question != of, **how)
        if question != of or chosen == default:
            asked[key] = (of, default)
        elif first != default and chosen == [one for one in first if one in options]:
            changed[key] = default
        return chosen

    row, place = st.columns([13, 4], gap="small", vertical_alignment="bottom")
    touched = {name for branch in usual.branches for name in branch.names}
    of = (study.name, frozenset(usual.pair), tuple(branch.text for branch in usual.branches))
    default = [name for name in CHOICES if name in touched]
    names = several(CHOICES_KEY, "under every combination of", tuple(CHOICES), default, of, place=row, texts=_short)
    levels: dict[str, tuple[Level, ...]] = {}
    about = "The current settings of the sidebar are always among them."
    with place.popover("Levels", width="stretch", key="robustness_levels", help=about):
        for name in (name for name in CHOICES if name in names):
            offered = {level_text(study, settings, name, one): one for one in offered_levels(study, settings, name)}
            if name == "lexicon":  # also the word lists that this session has used
                offered |= st.session_state.get(OWN_LISTS, {}).get(study.name, {})
            texts = (level_text(study, settings, name, level) for level in CHOICES[name].usual_in(study, settings))
            default = [text for text in dict.fromkeys(texts) if text in offered]
            label = f"{_short(name)}: {CHOICES[name].question}"
            chosen = several(level_key(name), label, tuple(offered), default, (study.name,))
            levels[name] = levels_of(study, settings, name, [offered[text] for text in chosen])
    grid = grid_of(study, usual.pair, [branch.text for branch in usual.branches], levels, settings)
    if changed:
        _say_changed(changed, grid.count, usual.count)
    return grid


def _say_changed(changed: Mapping[str, Sequence[str]], count: int, usual_count: int) -> None:
    """Draw the defaults that data have changed, and the button that takes them."""
    lists = {level_key(name): choice_text(name) for name in CHOICES}
    texts = [
        f"{lists[key]} {', '.join(default)}" if key in lists else f"varied {', '.join(map(choice_text, default))}"
        for key, default in changed.items()
    ]
    line, button = st.columns([13, 4], gap="small", vertical_alignment="center")
    with line:
        counts = f"That is {usual_count:,} combinations; {count:,} here."
        html.quiet(f"The data changed the default: {'; '.join(texts)}. {counts}")
    button.button("Use the new default", key="robustness_follow", width="stretch",
                  on_click=guarded(partial(_take_back, tuple(changed))))  # fmt: skip


def _take_back(keys: Sequence[str]) -> None:
    for key in keys:
        choices.take_back(key)


def _short(name: str) -> str:
    return name.replace("_", " ")
