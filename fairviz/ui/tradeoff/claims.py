"""The card *Checks* of Overview: what would change the conclusion on screen, and what was checked without result."""

from collections.abc import Sequence
from functools import cached_property, partial

import pandas as pd
import streamlit as st

from fairviz.checks import CHECKS
from fairviz.checks.context import Context
from fairviz.checks.running import STATES, Outcome, State, outcome, outcomes
from fairviz.comparison.compare import Comparison
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import wants_collection
from fairviz.evaluation.settings import CHOICES, SHOWN_ONLY, Settings
from fairviz.installed import Owner
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import html, jobs, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell import declaration
from fairviz.ui.shell.gate import manual_file
from fairviz.ui.state import going, session
from fairviz.words.sentences import counted, significant

SIGNS: dict[State, str] = {"issue": ":material/error:", "tip": ":material/lightbulb:"}
NAMES = {state: state.capitalize() for state in STATES}
UNKNOWN = ("could not run", "not run")
STOPPED = ("Stopped. No check of these has a result.",)
MOST_NUMBERS = 8  # of a finding, that are shown
_READ = tuple(name for name in CHOICES if name not in ("study", *SHOWN_ONLY))


class OnPage(Context):
    """A context whose tables are those that the pages have in their cache."""

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(question.text for question in self.questions)

    @cached_property
    def rankings(self) -> AlignedRankings:
        """The arrays that all tables of the pages rest on."""
        return cache.aligned(self.study, self.settings, wants_collection(self.questions, self.settings))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The values by measure, system and query."""
        return cache.scores(self.study, self._texts, self.settings)

    def scored(self, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
        """The values at other settings, which a page may have shown."""
        return cache.scores(self.study, tuple(measures), settings)

    @cached_property
    def means(self) -> pd.DataFrame:
        """The means of the page's table."""
        return cache.summary(self.study, self._texts, self.settings)

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison of the page's table."""
        return cache.comparison(self.study, self._texts, self.settings)

    @cached_property
    def tied(self) -> pd.DataFrame:
        """The ranges of the page's line on ties."""
        return cache.ties(self.study, self._texts, self.settings)

    def lent(self, owner: Owner) -> Context:
        """Return a context for code of others, with tables of its own."""
        return Context(self.study, self.settings, self.looked).lent(owner)


def card(study: Study, settings: Settings) -> None:
    """Draw the findings, each of which opens, and below them the other checks by their state."""
    try:
        found = outcomes(OnPage(study, settings, session.looked()))
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
        html.message("info", finding.sentence, finding.remedy)
        if one.reason:
            html.quiet(f"Muted in study.toml: {one.reason}")
        numbers = [f"{name} {significant(number)}" for name, number in finding.numbers.items()]
        html.quiet(" · ".join([code, *numbers[:MOST_NUMBERS]]))
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

    read = repr([*(getattr(settings, name) for name in _READ), len(context.looked), study.claim])
    return Task(study, ("checks", study.name, study.fingerprint, read), work, "claims", STOPPED)
