"""The pair in view: a system, the baseline that it is compared with, and a measure. Two systems, Measures, Query,
Sensitivity, Read and the differences of Trade-off show the same ones.

The system is the selected one of the settings. Baseline and measure are choices of the group `pair` of the registry,
each under its key here. A page that does not offer one of them shows its own default; the next page that offers it has
it again.
"""

from collections.abc import Iterable, Sequence

import streamlit as st

from fairviz.study.tables import system_of_run
from fairviz.ui.state import choices

SYSTEM, BASELINE, MEASURE = "system", "baseline", "measure"


def chosen(systems: Sequence[str], preferred: Iterable[str], others: Sequence[str] = ()) -> tuple[str, str]:
    """Return system and baseline: the chosen ones, else the second and the first of the preferred systems. Choices that
    these systems lack are passed over.

    systems: two or more, or one with `others`. others: further options of the baseline, such as none (empty). A draw
    stands for its system where only systems are offered, and the other way round.
    """
    state, preferred = st.session_state, list(dict.fromkeys([*preferred, *systems]))
    if baseline := _as_offered(state.get(BASELINE) or "", systems):
        state[BASELINE] = baseline
    system = _as_offered(state[SYSTEM], systems) or (systems[0] if len(systems) == 1 else "")
    options = [name for name in systems if name != system]
    usual = next((name for name in preferred if name != system), None)
    baseline = choices.among(BASELINE, (*options, *others), usual)
    if not system:
        system = next((name for name in preferred if name != baseline), systems[0])
    return system, str(baseline)


def _as_offered(name: str, systems: Sequence[str]) -> str:
    """Return the name, else the system of this draw, else the first draw of this system; empty if there is none."""
    if not name or name in systems:
        return name
    alike = (other for other in systems if system_of_run(other) in (name, system_of_run(name)))
    return next(alike, "")


def put(system: str, baseline: str, measure: str = "") -> None:
    """Choose both systems, and the measure of this name if there is one. For callbacks, which run before the
    widgets."""
    state = st.session_state
    state[SYSTEM], state[BASELINE] = system, baseline
    if measure:
        state[MEASURE] = measure
