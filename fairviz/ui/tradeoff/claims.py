"""The card *Checks* of Overview: what would change the conclusion on screen, and what was checked without result."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from fairviz.checks import CHECKS
from fairviz.checks.context import Context
from fairviz.checks.running import STATES, Outcome, outcome
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import checked
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import html, jobs, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.marks import SIGNS
from fairviz.ui.shell import declaration
from fairviz.ui.shell.gate import manual_file
from fairviz.ui.state import going, session
from fairviz.words.sentences import counted, significant

NAMES = {state: state.capitalize() for state in STATES}
UNKNOWN = ("could not run", "not run")
STOPPED = ("Stopped. No check of these has a result.",)
MOST_NUMBERS = 8  # of a finding, that are shown


def card(study: Study, settings: Settings) -> None:
    """Draw the findings, each of which opens, and below them the other checks by their state."""
    try:
        found = checked.checked(study, settings)
    except FairvizError as error:
        html.problem(error)
        return
    with st.container(key="claims", border=True, gap="xsmall"):
        task = _slow(study, settings, found)
        if task is not None and (late := task.result()) is not None:
            found = tuple(sorted((late.get(one.check.code, one) for one in found), key=_place))
        findings = [one for one in found if one.state in SIGNS]
        counts = {state: sum(one.state == state for one in found) for state in STATES}
        found_text = ", ".join(counted(counts[state], state) for state in SIGNS if counts[state])
        html.strong(f"Checks: {found_text or 'no finding'}")
        for one in findings:
            _finding(study, settings, one)
        rest = [state for state in STATES if counts[state] and state not in SIGNS]
        if rest:
            named = [state for state in rest if state in UNKNOWN]  # whose silence would read as a pass
            others = sum(counts[state] for state in rest if state not in UNKNOWN)
            label = [*(f"{counts[state]} {state}" for state in named), *([counted(others, "other")] if others else [])]
            with st.expander(html.literal(", ".join(label)), key="claims_rest", type="compact"):
                state = pick.segmented("overview_checks", "Checks", rest, texts=NAMES)
                for one in (one for one in found if one.state == state):
                    _other(study, settings, one)
                if state == "not run" and task is not None:
                    task.outcome("Run them")
        declaration.form(study)


def _place(one: Outcome) -> int:
    return STATES.index(one.state)


def _finding(study: Study, settings: Settings, one: Outcome) -> None:
    """Draw a finding, closed: its title, and inside its sentence, numbers, remedy, *Show* and *Why*."""
    if (finding := one.finding) is None:
        return
    code = one.check.code
    sign = SIGNS.get(one.check.severity, "")
    title = f"{one.check.title[:1].upper()}{one.check.title[1:]}"
    with st.expander(f"{sign} {html.literal(title)}", key=f"claims_{code}", type="compact"):
        muted = f"Muted in study.toml: {one.reason}" if one.reason else ""
        numbers = [f"{name} {significant(number)}" for name, number in finding.numbers.items()]
        told = (finding.remedy, muted, " · ".join([code, *numbers[:MOST_NUMBERS]]))
        html.message("info", finding.sentence, "\n".join(filter(None, told)))
        with st.container(horizontal=True, gap="small"):
            show = partial(going.to_place, *finding.link)
            st.button("Show", key=f"claims_{code}_show", on_click=guarded(show), help=f"Opens {finding.link.page}.")
            with st.popover("Why"):
                check = one.check
                texts = {"Question": check.question, "It means": check.means, "Harmless where": check.harmless}
                html.definitions((texts | {"What to do": check.advice}).items())
                if address := manual_file(check.manual) if check.manual else "":
                    st.html(f'<a href="{html.escape(address)}" target="_blank">{code} in the manual</a>')


def _other(study: Study, settings: Settings, one: Outcome) -> None:
    """Draw a check without a finding as a line; a muted finding as the others are."""
    if one.finding is not None:
        _finding(study, settings, one)
    else:
        html.quiet(f"{one.check.code} {one.check.question} {one.text}".rstrip())


def _slow(study: Study, settings: Settings, found: Sequence[Outcome]) -> Task | None:
    """Return the work of the checks that run on request, whose result is outcomes by code; None without any."""
    codes = [one.check.code for one in found if one.state == "not run"]
    if not codes:
        return None
    context = Context(study, settings, session.looked(), cache.aligned(study, settings))

    def work(progress: jobs.Progress) -> dict[str, Outcome]:
        done = {}
        for place, code in enumerate(codes):
            progress(CHECKS[code].question, place, len(codes))
            done[code] = outcome(CHECKS[code], context, slow=True)
        return done

    read = repr([*(getattr(settings, name) for name in checked.READ), len(context.looked), study.claim])
    return Task(study, ("checks", study.name, study.fingerprint, read), work, "claims", STOPPED)
