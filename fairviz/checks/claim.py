"""The claim that a study declares beforehand, tested exactly as it is declared.

May import analyses and the rooms below it.
"""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from fairviz.comparison.compare import comparison
from fairviz.comparison.conditions import Condition
from fairviz.comparison.gate import Gate, gate, is_shown, together
from fairviz.comparison.pairs import AHEAD, BEHIND, MIXED, UNTESTED, Row
from fairviz.declared import GATE
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import systems_tested
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.statistics.families import Tests
from fairviz.study.loaders import system_of
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.metadata import FILE, Claim
from fairviz.study.record import Study
from fairviz.words.sentences import counted, first_listed, listed, p_value, significant

State = Literal["holds", "does not hold", "could not be tested"]
EXPLORATORY = "All else is exploratory."
NAMED = 3  # systems of a list at most


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the test of a declared claim shows.

    said: the claim in words. why: the numbers or the reason behind the state. when: the declaration, with its date.
    history: what else is known of it, and what it replaces; empty for nothing. rows: the better system against each
    worse one, by `fairviz.compare`; empty where nothing could be tested.
    """

    claim: Claim
    state: State
    said: str
    why: str
    when: str
    history: str = ""
    rows: Sequence[Row] = ()

    @property
    def sentence(self) -> str:
        """The claim, the state, and the numbers that decide it."""
        return f"{self.when}: {self.said}. {self.state.capitalize()}: {self.why}."

    @property
    def text(self) -> str:
        """The sentence, the history, and that all else is exploratory."""
        return " ".join(filter(None, [self.sentence, self.history, EXPLORATORY]))


def declared_settings(study: Study, claim: Claim) -> Settings:
    """Return the settings of the claim: the defaults, with its annotator."""
    return Settings(study=study.name, annotator=claim.annotator)


def worse_systems(study: Study, claim: Claim) -> tuple[str, ...]:
    """Return the systems that the better one is compared with.

    Raises FairvizError for a system that the study lacks, and where there is no other.
    """
    for name in (claim.better, *claim.worse):
        if name not in study.systems:
            raise FairvizError(f"the study has no system {name!r}", use_one_of(study.systems, name))
    others = (name for name in systems_tested(study, Settings(study=study.name)) if name != claim.better)
    if not (worse := claim.worse or tuple(others)):
        raise FairvizError(f"no other system is tested than {claim.better}", "Add a run to compare it with.")
    return worse


def verdict(study: Study, scored: Callable[..., pd.DataFrame] = evaluate) -> Verdict | None:
    """Return whether the claim of the study holds; None where it declares none.

    The better system is compared with each worse one by paired differences of queries, corrected over these pairs
    (maxT), under the default settings and the claim's annotator: no choice at hand moves it. It holds where the better
    one is significantly fairer than each, and with a margin where each simultaneous interval lies beyond it. scored:
    `evaluate`, or what returns its table from a cache.

    >>> import fairviz
    >>> from dataclasses import replace
    >>> claim = Claim("CWEx@10", "w2v_add", ("bm25",), "2026-11-01")
    >>> verdict(replace(fairviz.open_study("newswire"), claim=claim)).state
    'holds'
    """
    if (claim := study.claim) is None:
        return None
    when, unknown = when_declared(study, claim)
    history = " ".join(filter(None, [unknown, _replaced_text(claim)]))
    try:
        settings = declared_settings(study, claim)
        question = ask(claim.measure, settings)
        rows = _rows(study, claim, question, settings, scored)
    except FairvizError as error:
        return Verdict(claim, "could not be tested", claim_text(claim), error.message, when, history)
    word = "better" if question.family == "effectiveness" else "fairer"
    found = partial(Verdict, claim, said=claim_text(claim, word), when=when, history=history, rows=rows)

    # The pair that decides: of those that fail the first, of those that hold the one nearest to the margin.
    gains = [_gain(question, row) for row in rows]
    failed = [
        place
        for place, row in enumerate(rows)
        if row.verdict != UNTESTED and not is_shown(claim_condition(claim, question, row.baseline), row)
    ]
    untested = [place for place, row in enumerate(rows) if row.verdict == UNTESTED]
    place = next(iter([*failed, *untested]), int(np.argmin([low for _, low, _ in gains])))
    row, (gain, low, high) = rows[place], gains[place]
    against = f" from {row.baseline}" if len(rows) > 1 else ""
    numbers = (
        f"difference{against} {significant(gain, 2)} [{significant(low, 2)}, {significant(high, 2)}], "
        f"{p_value(row.p_corrected)}"
    )
    if failed:
        reason = {AHEAD: "not surely above the margin", BEHIND: f"{row.baseline} is {word}", MIXED: MIXED}
        of_all = f" (in {len(failed)} of {counted(len(rows), 'pair')})" if len(rows) > 1 else ""
        why = f"{reason.get(row.verdict, row.verdict)}{of_all}, {numbers}"
        return found("does not hold", why=why)
    if untested:
        why = f"{row.verdict}{against}{f', {row.warning}' if row.warning else ''}"
        return found("could not be tested", why=why)
    closest = f"in all {len(rows)} pairs, the closest with " if against else ""
    return found("holds", why=f"{closest}{numbers}")


def claim_text(claim: Claim, word: str = "fairer") -> str:
    """Return `rrf is fairer than bm25 by more than 0.02 in CWEx(alpha=0.5)@10, by the labels of people`."""
    others = listed(claim.worse, "and") if claim.worse else "all others"
    beyond = f" by more than {significant(claim.margin)}" if claim.margin else ""
    by = f", by the labels of {claim.annotator}" if claim.annotator else ""
    return f"{claim.better} is {word} than {others}{beyond} in {claim.measure}{by}"


def when_declared(study: Study, claim: Claim) -> tuple[str, str]:
    """Return when the claim was declared, before or after which runs; and a sentence where that is not known.

    Of a claim that was written by hand, files of runs that were last changed on an earlier day were there before it;
    later days say nothing, as copies of files get new dates.
    """
    after = claim.had_runs
    if after is None:
        tested = claim.worse or tuple(systems_tested(study, Settings(study=study.name)))
        files = find_files(study.folder).runs if study.folder is not None and study.folder.is_dir() else ()
        older = {name for path in files if _day_of(path) < claim.date for name in (system_of(path), path.parent.name)}
        after = tuple(name for name in dict.fromkeys([claim.better, *tested]) if name in older)
        if not after:
            return f"Declared on {claim.date}", "Whether its runs were there before is not known."
    runs = f"after runs of {first_listed(after, NAMED)}" if after else "before its runs"
    return f"Declared on {claim.date}, {runs}", ""


def _day_of(path: Path) -> str:
    return datetime.date.fromtimestamp(path.stat().st_mtime).isoformat()


def _replaced_text(claim: Claim) -> str:
    """Return what the claim replaces, the first declaration of several; empty for nothing."""
    if not claim.earlier:
        return ""
    first = claim.earlier[0]
    times = "" if len(claim.earlier) == 1 else f", and changed {counted(len(claim.earlier), 'time')}"
    return f"First declared on {first.date}{times}: {claim_text(first)}."


def _rows(
    study: Study, claim: Claim, question: Question, settings: Settings, scored: Callable[..., pd.DataFrame]
) -> list[Row]:
    """Return the better system against each worse one, tested as one family."""
    if question.direction == "none":
        raise FairvizError(f"{question.text} describes lists, and has no better end", f"Mend [claim] in {FILE}.")
    worse = worse_systems(study, claim)
    names = (claim.better, *worse)
    scores = scored(study, [question.text], settings.changed(systems=names))
    scores = scores[scores["system"].isin(names)]
    tests = Tests(baseline=claim.better).text
    tested = comparison(scores, claim.better, tests=tests, ticked=names)
    return [row for name in worse for row in tested.against(name).views[0] if row.system == claim.better]


def _gain(question: Question, row: Row) -> tuple[float, float, float]:
    """Return by how much the better system is fairer, with its interval."""
    numbers = row.difference, row.ci_low, row.ci_high
    return numbers if question.direction == "higher" else (-numbers[0], -numbers[2], -numbers[1])


def claim_condition(claim: Claim, question: Question, worse: str) -> Condition:
    """Return the condition of a gate that one pair of the claim makes."""
    text = claim_text(replace(claim, worse=(worse,), annotator=""))
    higher = question.direction == "higher"
    limit = claim.margin if higher else -claim.margin + 0.0
    return Condition(text, question, "difference", ">" if higher else "<", limit, is_claim=True)


def claim_gate(study: Study, baseline: str = "", candidate: str = "", *, most: int = GATE["most"].default) -> Gate:
    """Return the gate whose conditions are those of the claim that the study declares, one for each pair of systems.

    It is tested exactly as by `verdict`, and not passed where the claim does not hold. candidate: a system in the place
    of the better one, as a new run of it; baseline: one in the place of the worse ones. most: see
    `fairviz.comparison.gate.gate`. Raises UsageError where no claim is declared, and for systems that the claim has on
    the other side; FairvizError where the claim cannot be tested at all.

    >>> import fairviz
    >>> study = fairviz.declare(fairviz.open_study("newswire"), "CWEx@10", "w2v_add", ["bm25", "tfidf"])
    >>> claim_gate(study).table["state"].tolist()
    ['shown', 'shown']
    """
    if (claim := study.claim) is None:
        raise UsageError(f"{study.name} declares no claim", f"Declare one: fairviz check {study.name} --declare CLAIM")
    for role, name, side in (("candidate", candidate, claim.worse), ("baseline", baseline, (claim.better,))):
        if name and name in side:
            raise UsageError(
                f"the claim is that {claim_text(claim)}, and {name} is the {role}", f"Name another {role}, or none."
            )
    better = candidate or claim.better
    if candidate and not (claim.worse or baseline):  # all others, but the system that the candidate replaces
        others = worse_systems(study, replace(claim, better=better))
        claim = replace(claim, worse=tuple(name for name in others if name != claim.better))
    claim = replace(claim, better=better, worse=(baseline,) if baseline else claim.worse)
    found = verdict(replace(study, claim=claim))
    if found is None or not found.rows:
        why = found.why if found else "there is none"
        raise FairvizError(f"the claim could not be tested: {why}", "fairviz check STUDY --claims has its verdict.")
    settings = declared_settings(study, claim)
    question = ask(claim.measure, settings)
    gates = []
    for row in found.rows:
        condition = claim_condition(claim, question, row.baseline)
        gates.append(gate(study, row.baseline, better, [condition], settings, most=most, tested=row))
    return together(gates)
