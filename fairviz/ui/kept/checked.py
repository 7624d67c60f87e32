"""The outcomes of checks and the verdict on a declared claim, each computed once for what it reads."""

from collections.abc import Sequence
from functools import cached_property

import pandas as pd
import streamlit as st

from fairviz.checks import CHECKS
from fairviz.checks.claim import Verdict, verdict
from fairviz.checks.context import Context
from fairviz.checks.running import Outcome, outcomes
from fairviz.comparison.compare import Comparison
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import wants_collection
from fairviz.evaluation.settings import CHOICES, SHOWN_ONLY, Settings
from fairviz.installed import Owner
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kit import marks
from fairviz.ui.state import session

READ = tuple(name for name in CHOICES if name not in ("study", *SHOWN_ONLY))  # the settings that checks read
MOST_RANKS = 1_000_000  # of a study, up to which its checks run when it opens, and not on Overview alone
LAST = "checked_last"  # the study, the settings read and the outcomes that this session had last
_OUTCOMES = Entries("outcomes of checks", session=20)
_VERDICTS = Entries("verdicts on claims", session=4)


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


def _read_of(study: Study) -> tuple:
    """Return what checks read of a study, its fingerprint and what that leaves out, and which checks there are."""
    texts = repr((sorted(study.muted.items()), sorted(study.cards.items())))
    return study.fingerprint, study.name, texts, study.claim, tuple((one.code, one.slow) for one in CHECKS.values())


@kept(_OUTCOMES, reads=READ, by={"study": _read_of, "looked": repr})
def _outcomes(study: Study, settings: Settings, looked: Sequence[Settings]) -> tuple[Outcome, ...]:
    return outcomes(OnPage(study, settings, tuple(looked)))


def checked(study: Study, settings: Settings) -> tuple[Outcome, ...]:
    """Return the outcome of every check that is not slow, by state and code, and mark figures from here on by it.

    Raises FairvizError for a muted code that no check has.
    """
    # Of the own checks that are not slow, only FV118 reads what was looked at, where a claim is declared.
    reads_looked = study.claim is not None or any(check.package for check in CHECKS.values())
    looked = session.looked() if reads_looked else ()
    found = _outcomes(study, settings, looked)
    st.session_state[LAST] = _read_of(study), _fields(settings), found
    marks.know(found)
    return found


def mark_figures(study: Study, settings: Settings, *, at_once: bool = False) -> None:
    """Mark figures by the outcomes that this session has: of these settings, else of the last ones. None are computed
    but for a study that the session has not checked before. at_once: compute those of these settings."""
    read, fields, found = st.session_state.get(LAST, ((), "", ()))
    if read == _read_of(study) and not at_once:
        marks.know(found, "" if fields == _fields(settings) else marks.OTHER_SETTINGS)
        return
    marks.know(())
    if at_once or study.size("runs") <= MOST_RANKS:
        try:
            checked(study, settings)
        except FairvizError:  # the card Checks shows it
            return


def _fields(settings: Settings) -> str:
    return repr([getattr(settings, name) for name in READ])


@kept(_VERDICTS, by={"study": _read_of})
def declared(study: Study) -> Verdict | None:
    """Return whether the claim of the study holds; None where it declares none."""
    return verdict(study, cache.scores)
