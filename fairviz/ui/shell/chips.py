"""The choices that differ from their defaults: counted in the sidebar's groups, and named above the figures, where a
click resets each."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from fairviz.evaluation.settings import CHOICES, GROUPS, Settings
from fairviz.statistics.families import METHODS, STATISTICS, Tests, parse_tests
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.highlight import cut
from fairviz.ui.shell import voters
from fairviz.ui.state import choices, session
from fairviz.words.sentences import shortest

LONGEST = 36  # characters of a chip
LISTED = 2  # names of a list that a chip shows
IN_TITLE = ("systems", "annotator", "lexicon", "tau", "tests")  # choices that the title of their group shows
ORDER = sorted(  # the choices as in the sidebar
    CHOICES.values(), key=lambda one: (GROUPS.index(one.group), one.last)
)
# Fields of Settings that are one choice, with its name as on the command line. Study and document have no default.
NAMED: dict[tuple[str, ...], str] = {
    (one.name, *(part.name for part in ORDER if part.part_of == one.name)): one.label for one in ORDER if one.label
}


class Chip(NamedTuple):
    """One choice that differs from its default: its first key, its text, and the function that resets it."""

    key: str
    text: str
    take_back: Callable[[], None]


def of_settings(settings: Settings) -> list[Chip]:
    """Return the choices of the sidebar, and those shared by pages, that differ from their defaults."""
    return [
        Chip(names[0], f"{label} {value_text(settings, names)}", partial(session.take_back, *names))
        for names, label in NAMED.items()
        if is_changed(settings, names)
    ]


def of_page() -> list[Chip]:
    """Return the labelled choices of this run's page that differ from their defaults."""
    page_keys = dict.fromkeys(st.session_state.get(choices.PAGE_KEYS, ()))
    return [
        Chip(key, f"{choices.CHOICES[key].label} {_page_value(key)}".strip(), partial(choices.take_back, key))
        for key in choices.changed(page_keys)
        if choices.CHOICES[key].label
    ]  # fmt: skip


def group_label(name: str, settings: Settings, value: str = "") -> str:
    """Return the title of a group of the sidebar: its name, its present value, and the number of further choices in it
    that differ from their defaults: `Systems & queries · 8 of 9 · +1`.

    value: the text of the group's choices among IN_TITLE.
    """
    count = sum(
        CHOICES[names[0]].group == name
        and bool(CHOICES[names[0]].control)
        and names[0] not in IN_TITLE
        and is_changed(settings, names)
        for names in NAMED
    )
    return " · ".join(filter(None, (name, value, f"+{count}" if count else "")))


def is_changed(settings: Settings, names: Sequence[str]) -> bool:
    """Return whether one of these fields differs from its default."""
    return any(getattr(settings, name) != CHOICES[name].default for name in names)


def chips(study: Study, settings: Settings) -> None:
    """Draw a button for each choice that differs from its default; a click resets it. Before them, that people's labels
    do not count where there are some."""
    voters.chip(study, settings)
    for chip in (*of_settings(settings), *of_page()):
        st.button(
            f"{html.literal(cut(chip.text, LONGEST))} ✕",
            key=f"take_back_{chip.key}",
            on_click=guarded(chip.take_back),
            help=f"Takes it back to the default: {html.literal(chip.text)}",
        )


def value_text(settings: Settings, names: Sequence[str]) -> str:
    """Return the value of a choice of Settings as the text on its chip."""
    if names[0] == "filter_column":
        return f"{settings.filter_column}: {_listed(settings.filter_values) or 'all'}"
    if names[0] == "lexicon":
        return "gsr" if settings.lexicon == "gsr" else "of one's own"
    if names[0] == "pairs":
        return "of one's own"
    if names[0] == "tests":
        return tests_text(parse_tests(settings.tests))
    value = getattr(settings, names[0])
    return _listed(value) if isinstance(value, tuple) else shortest(value) if isinstance(value, float) else str(value)


def tests_text(tests: Tests) -> str:
    """Return the families and the method as a chip shows them: `Holm, Wilcoxon, against bm25`."""
    parts = [METHODS[tests.method]]
    parts += [STATISTICS[tests.statistic].split()[0]] if tests.statistic != Tests.statistic else []
    parts += [f"against {tests.baseline}"] if tests.baseline else []
    parts += ["across measures"] if tests.family == "measures" else []
    return ", ".join(parts)


def _page_value(key: str) -> str:
    value = st.session_state[key]
    if isinstance(value, bool):
        return "" if value else "off"
    return _listed(value) if isinstance(value, list) else str(value)


def _listed(values: Sequence[str]) -> str:
    rest = f" +{len(values) - LISTED}" if len(values) > LISTED else ""
    return ", ".join(values[:LISTED]) + rest
