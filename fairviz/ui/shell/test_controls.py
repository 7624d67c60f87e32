"""The sidebar's group of tests: which differences form a family, by which method, and which systems join."""

from functools import partial

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.study_values import outsiders
from fairviz.statistics.families import FAMILIES, METHODS, STATISTICS, STEPWISE, Tests, parse_tests
from fairviz.study.record import Study
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term

METHOD, STATISTIC, FAMILY, BASELINE = "tests_method", "tests_statistic", "tests_family", "tests_baseline"
KEYS = {"method": METHOD, "statistic": STATISTIC, "family": FAMILY, "baseline": BASELINE}
METHOD_TEXTS = METHODS | {
    "maxT": "maxT: uses that systems answer the same queries",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg: share of false claims",
    "none": "none: each pair alone",
}
BASELINE_HELP = "Only comparisons with this system are tested. Name it before looking at the results."
TICKED_HELP = "References, edited lists and uploaded runs are shown without a verdict unless ticked."


def test_controls(study: Study) -> None:
    """Draw the choices of the tests."""
    tests = parse_tests(st.session_state["tests"])
    systems = tuple(st.session_state["systems"]) or study.systems
    for field, key in KEYS.items():
        st.session_state[key] = getattr(tests, field)
    change = partial(_change, tests)
    st.selectbox("Method", tuple(METHODS), key=METHOD, format_func=METHOD_TEXTS.__getitem__, on_change=guarded(change))
    if tests.method in STEPWISE:
        st.selectbox(
            "Statistic", tuple(STATISTICS), key=STATISTIC, format_func=STATISTICS.__getitem__, on_change=guarded(change)
        )
    if tests.method != "tukey":
        st.selectbox(
            "Family", tuple(FAMILIES), key=FAMILY, format_func=FAMILIES.__getitem__, on_change=guarded(change),
            help=term("family"),
        )  # fmt: skip
    baselines = tuple(dict.fromkeys(["", *([tests.baseline] if tests.baseline else []), *systems]))
    st.selectbox(
        "Baseline named beforehand", baselines, key=BASELINE, format_func=lambda name: name or "none: all pairs",
        on_change=guarded(change), help=BASELINE_HELP,
    )  # fmt: skip


def tested_control(study: Study) -> None:
    """Draw the choice of further systems that are tested."""
    others = outsiders(study)
    if others:
        st.multiselect("Also test", others, key="tested", placeholder="none", help=TICKED_HELP)


def _change(tests: Tests) -> None:
    """Write the values of the widgets into the setting. For on_change, which runs before the widgets."""
    values = {field: st.session_state.get(key, getattr(tests, field)) for field, key in KEYS.items()}
    if values["method"] not in STEPWISE:
        values["statistic"] = Tests.statistic
    if values["method"] == "tukey":
        values["family"] = Tests.family
    try:
        st.session_state["tests"] = Tests(**values).text
    except FairvizError:
        st.session_state["tests"] = tests.text
