"""The checks of a study: run, with the reason of each that does not apply or could not run.

May import analyses and the rooms below it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from fairviz.checks import CHECKS
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding
from fairviz.errors import FairvizError, expect, use_one_of
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.study.loaders.metadata import FILE
from fairviz.study.record import Study
from fairviz.words.sentences import significant

State = Literal["issue", "tip", "could not run", "not run", "muted", "passed", "not applicable"]
STATES: tuple[State, ...] = ("issue", "tip", "could not run", "not run", "muted", "passed", "not applicable")
NOT_RUN = "It takes longer, and runs on request."


@dataclass(frozen=True)
class Outcome:
    """What became of a check. text: the finding's sentence, or the reason of the state. reason: why study.toml mutes a
    finding."""

    check: Check
    state: State
    text: str = ""
    finding: Finding | None = None
    reason: str = ""


def outcomes(context: Context, *, slow: bool = False) -> tuple[Outcome, ...]:
    """Return the outcome of every check, by state and code. slow: whether slow ones run too.

    Raises FairvizError for a muted code that no check has.
    """
    for code in context.study.muted:
        if code not in CHECKS:
            raise FairvizError(f"{FILE} mutes {code!r}, which no check has as its code", use_one_of(CHECKS, code))
    found = [outcome(check, context, slow=slow) for check in CHECKS.values()]
    return tuple(sorted(found, key=lambda one: STATES.index(one.state)))


def outcome(check: Check, context: Context, *, slow: bool = False) -> Outcome:
    """Return the outcome of one check. slow: whether it runs if it is slow."""
    try:
        if reason := check.missing(context):
            return Outcome(check, "not applicable", f"{reason[:1].upper()}{reason[1:]}.")
        if check.slow and not slow:
            return Outcome(check, "not run", NOT_RUN)
        finding = check.run(context)
    except FairvizError as error:
        return Outcome(check, "could not run", " ".join(filter(None, (f"{error.message}.", error.remedy))))
    if finding is None:
        return Outcome(check, "passed")
    reason = context.study.muted.get(check.code, "")
    return Outcome(check, "muted" if reason else check.severity, finding.sentence, finding, reason)


def graver(found: Sequence[Outcome], severity: str) -> Collection[str]:
    """Return the codes of findings of this severity or a graver one."""
    states = STATES[: STATES.index(severity) + 1]
    return [one.check.code for one in found if one.state in states]


def check_claims(
    study: Study, settings: Settings | None = None, *, slow: bool = False, **choices: object
) -> pd.DataFrame:
    """Return what would change a conclusion from this study under these settings, and what was checked without result.

    Parameters
    ----------
    study : Study
        What it lacks makes a check not applicable, with the reason.
    settings : Settings, optional
        The choices behind the conclusion; the defaults if None.
    slow : bool
        Whether checks that take longer run too.
    **choices
        Fields of Settings to change, as annotator="majority".

    Returns
    -------
    DataFrame
        A row a check: state (issue, tip, could not run, not run, muted, passed, not applicable), code, title, finding
        (its sentence, or the reason of the state), numbers (as text), remedy, muted (the reason in study.toml) and link
        (the address in the app). Findings come first.

    Raises
    ------
    FairvizError
        For a muted code that no check has, and a setting that cannot be.

    Examples
    --------
    >>> import fairviz
    >>> claims = fairviz.check_claims(fairviz.open_study("football"))
    >>> claims.set_index("code").loc["FV103", ["state", "numbers"]].tolist()
    ['issue', 'queries 1']
    """
    settings = chosen_settings(study, settings, choices).changed(study=study.name)
    expect("slow", slow, bool, "Use True or False.")
    return table(outcomes(Context(study, settings), slow=slow), settings)


def table(found: Sequence[Outcome], settings: Settings) -> pd.DataFrame:
    """Return outcomes as `check_claims` does."""
    rows = []
    for one in found:
        finding = one.finding
        numbers = {} if finding is None else finding.numbers
        rows.append({
            "state": one.state,
            "code": one.check.code,
            "title": one.check.title,
            "finding": one.text,
            "numbers": "; ".join(f"{name} {significant(number)}" for name, number in numbers.items()),
            "remedy": finding.remedy if finding else "",
            "muted": one.reason,
            "link": finding.link.address(settings) if finding else "",
        })  # fmt: skip
    return pd.DataFrame(rows)
