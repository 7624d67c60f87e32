"""The sidebar's group of tests: which differences form a family, by which method, and which systems join; and the line
on systems that have joined."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from fairviz.comparison.ranking_sentences import joining_text
from fairviz.errors import FairvizError
from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_systems, systems_tested
from fairviz.evaluation.settings import Settings
from fairviz.home.access import allows, has_overlay, is_demo
from fairviz.home.server_config import OWNER
from fairviz.statistics.families import FAMILIES, METHODS, STATISTICS, STEPWISE, Tests, parse_tests
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import library, session
from fairviz.words.sentences import agreeing, listed

METHOD, STATISTIC, FAMILY, BASELINE = "tests_method", "tests_statistic", "tests_family", "tests_baseline"
KEYS = {"method": METHOD, "statistic": STATISTIC, "family": FAMILY, "baseline": BASELINE}
METHOD_TEXTS = METHODS | {
    "maxT": "maxT: uses that systems answer the same queries",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg: share of false claims",
    "none": "none: each pair alone",
}
BASELINE_HELP = "Only comparisons with this system are tested. Name it before looking at the results."
TICKED_HELP = "References and edited lists are shown without a verdict unless ticked."
NOT_TESTED_HELP = "These are shown without a verdict, and no correction counts them."
KEEP_HELP = "Every session, the command line and Python then test these systems in this study."
SEEN, JOINED = "tested_seen", "tested_joined"  # the systems of each study; the study and its systems that joined since


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
    """Draw the exceptions of the tested systems, and the button that stores them with the study."""
    state = st.session_state
    for key, label, help_text in (
        ("tested", "Also test", TICKED_HELP),
        ("not_tested", "Test without", NOT_TESTED_HELP),
    ):
        is_offered = key == "not_tested"
        usual = [name for name in study.systems if (name in study.contenders) == is_offered]
        if names := [*usual, *(name for name in state[key] if name not in usual)]:
            st.multiselect(label, names, key=key, placeholder="none", help=help_text)
    may_keep = library.is_own(study) or has_overlay(study.name) or allows(study.name, OWNER)
    if (state["tested"] or state["not_tested"]) and may_keep and not is_demo():
        tested = systems_tested(study, session.read(state))
        st.button(
            "Keep this choice with the study", key="tested_keep", on_click=guarded(partial(_keep, study, tested)),
            help=KEEP_HELP, width="stretch",
        )  # fmt: skip


def _keep(study: Study, tested: Sequence[str]) -> None:
    """Store the tested systems with the study, of which no setting then differs. For on_click."""
    library.keep_tested(study, tested)
    session.take_back("tested", "not_tested")
    _close()


def note_joined(study: Study) -> None:
    """Record the tested systems that the study has got in this session, and show them where not all systems are shown.
    Before the widgets."""
    state, seen = st.session_state, st.session_state.setdefault(SEEN, {})
    before = seen.get(study.name, study.systems)
    seen[study.name] = study.systems
    new = [name for name in study.systems if name not in before and name in study.contenders]
    if not new or not set(before) <= set(study.systems):  # a run that was renamed is no further one
        return
    if state["systems"]:
        state["systems"] = [*state["systems"], *new]
    name, joined = state.get(JOINED, ("", ()))
    state[JOINED] = (study.name, (*(joined if name == study.name else ()), *new))


def joined_notice(study: Study, settings: Settings) -> None:
    """Draw what the systems that joined have changed in the tests, with the button that takes them out again; until one
    of its buttons is pressed."""
    name, joined = st.session_state.get(JOINED, ("", ()))
    if name != study.name:
        return
    tested, shown = systems_tested(study, settings), chosen_systems(study, settings)
    joined = [one for one in joined if one in tested and one in shown]
    texts = questions.overview(study, settings).texts if joined else ()
    if not texts:
        return
    without = settings.changed(not_tested=(*settings.not_tested, *joined))
    before, after = (tables.comparison(study, texts, one) for one in (without, settings))
    verb, pronoun = agreeing(len(joined), "is", "are"), agreeing(len(joined), "it", "them")
    with st.container(key="joined", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        html.message("good", f"{listed(joined)} {verb} tested: {joining_text(before, after)}")
        rest = [one for one in study.contenders if one not in joined]
        st.button(f"Test without {pronoun}", key="joined_out", on_click=guarded(partial(_keep, study, rest)))
        st.button("OK", key="joined_ok", on_click=guarded(_close), help="Closes this line.")


def _close() -> None:
    st.session_state.pop(JOINED, None)


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
