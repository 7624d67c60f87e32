"""The choices of the pages Two systems and Measures: two systems, a measure, margin and power."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from fairviz.comparison.compare import read_margins
from fairviz.comparison.family import how_on_pages, preferred
from fairviz.errors import FairvizError
from fairviz.evaluation import study_values
from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import SystemStyle, Theme
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import choices, pair

SLICE, MARGIN, POWER = "compare_slice", "compare_margin", "compare_power"
POWERS = ("0.8", "0.9", "0.95")
MARGIN_HELP = (
    f"{term('margin of equivalence')} One number, or one measure's own too: `0.02 RaB=0.3`. Empty: no test of "
    "equivalence."
)
POWER_HELP = f"{term('power')} Here of the minimum detectable difference."


@dataclass(frozen=True)
class Deck:
    """The data of the cards. pair: system and baseline."""

    study: Study
    settings: Settings
    asked: Asked
    pair: tuple[str, str]
    systems: tuple[str, ...]
    measure: Question
    texts: Mapping[str, str]
    styles: Mapping[str, SystemStyle]
    theme: Theme


@dataclass(frozen=True)
class Testing:
    """Margins by measure, an empty name for all others, and the power of the minimum detectable difference."""

    margins: tuple[tuple[str, float], ...]
    power: float


def deck(study: Study, settings: Settings, request: Asked) -> Deck:
    """Draw the choices of systems and measure, and return the data of the cards. The study has two systems or more."""
    systems = chosen_systems(study, settings)
    left, swap, middle, right = st.columns([4, 1, 4, 4], gap="small", vertical_alignment="bottom")
    chosen = pair.chosen(systems, preferred(systems, how_on_pages(study, settings)))
    pick.pair(systems, chosen, ("System", "Against the baseline"), (left, middle))
    swap.button(
        "⇄",
        key="compare_swap",
        on_click=guarded(partial(pair.put, *reversed(chosen))),
        help="Each in the other's place",
        width="stretch",
    )
    names = {question.name: question for question in request.questions}
    measure = pick.select(pair.MEASURE, "Measure", tuple(names), place=right)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    looks = (charts.styles(study), charts.theme())
    return Deck(study, settings, request, chosen, systems, names[measure], texts, *looks)


def slice_columns(study: Study) -> tuple[str, ...]:
    """Return the columns of the queries with few values, after an empty name for no slices."""
    return tuple(name for name in study_values.filter_columns(study) if name != "query_id")


def testing() -> Testing:
    """Return the chosen margins and power. A margin that cannot be read is left out."""
    return Testing(margins_of(str(choices.value_of(MARGIN))), float(choices.among(POWER, POWERS)))


def testing_fields() -> None:
    """Draw the fields of margin and power side by side."""
    margin_column, power_column = st.columns([3, 2], gap="small")
    pick.text(MARGIN, "Margin of equivalence", place=margin_column, help=MARGIN_HELP)
    pick.select(POWER, "Power", POWERS, place=power_column, help=POWER_HELP)


def margins_of(text: str) -> tuple[tuple[str, float], ...]:
    """Return the margins in a text of numbers and `MEASURE=NUMBER` with spaces between them; draw a warning and return
    none if it is invalid."""
    try:
        margins = read_margins(text.split())
        for name, value in margins.items():
            if not 0 < value < float("inf"):
                raise FairvizError(f"the margin {f'of {name} ' if name else ''}is {value:g}", "Use a number above 0.")
    except FairvizError as error:
        html.message("warning", error.message.replace("--margin", "the margin"), error.remedy)
        return ()
    return tuple(margins.items())
