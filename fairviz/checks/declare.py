"""The declaration of a claim: what is to be shown, written down before the runs are tested.

May import analyses and the rooms below it.
"""

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.choices import chosen_annotator, systems_tested
from fairviz.evaluation.questions import questions_of
from fairviz.evaluation.settings import Settings
from fairviz.normal_form import normal_form
from fairviz.study.loaders.metadata import Claim, claim_entries, find_invalid_values
from fairviz.study.record import A_STUDY, Study

OTHERS = "others"
FORM = "Write it as 'rrf is fairer than bm25 by more than 0.02 in CWEx@10'; the margin may be left out."
_CLAIM = re.compile(
    r"\s*(?P<better>\S.*?)\s+(?:is\s+)?(?:fairer|better)\s+than\s+(?P<worse>\S.*?)"
    r"(?:\s+by\s+(?:more\s+than\s+)?(?P<margin>[\d.eE+-]+))?\s+in\s+(?P<measure>\S.*?)"
    r"(?:\s+by\s+(?:more\s+than\s+)?(?P<last>[\d.eE+-]+))?\s*",
    re.DOTALL,
)


def declare(
    study: Study,
    measure: str,
    better: str,
    worse: str | Sequence[str] = OTHERS,
    *,
    margin: float = 0.0,
    annotator: str = "",
) -> Study:
    """Return the study with the claim that one system is fairer than others, dated today.

    Parameters
    ----------
    study : Study
        With or without runs. A claim that it has is kept as an earlier one, with its date.
    measure : str
        Such as "CWEx(alpha=0.5)@10"; what it leaves out takes the default settings.
    better : str
        The system that is claimed to be fairer; its run may not exist yet.
    worse : str or list of str
        The systems that it is compared with, which may not exist yet; "others" for all that are tested.
    margin : float
        By more than which it is fairer, in units of the measure; 0 or more.
    annotator : str
        Whose labels count; by default, for a measure of labels, whose count now.

    Returns
    -------
    Study
        Its claim also names the systems that have runs already. `save_study` stores it.

    Raises
    ------
    FairvizError
        For a measure without a fairer end, an annotator that the study lacks, and the claim that it has already.
    UsageError
        For a measure that cannot be read, and arguments of another type.

    Examples
    --------
    >>> import fairviz
    >>> study = fairviz.declare(fairviz.open_study("newswire"), "CWEx@10", "rrf", "bm25", margin=0.02)
    >>> study.claim.measure, study.claim.had_runs
    ('CWEx(alpha=0.5)@10', ('rrf', 'bm25'))
    """
    expect("study", study, Study, A_STUDY)
    for name, value in (("measure", measure), ("better", better), ("annotator", annotator)):
        expect(name, value, str, "Give text.")
    expect("worse", worse, (str, Sequence), "Give a system, a list of systems, or 'others'.")
    for name in [worse] if isinstance(worse, str) else worse:
        expect("worse", name, str, "Give a system, a list of systems, or 'others'.")
    expect("margin", margin, (int, float), "Give a number of 0 or more.")
    settings = Settings(study=study.name, annotator=normal_form(annotator))
    (question,) = questions_of(measure, settings)
    if question.direction == "none":
        raise FairvizError(
            f"{question.text} describes lists, and has no better end", "Declare a measure that has one, such as CWEx."
        )
    if study.has("labels") and (annotator or question.family in ("labels", "relevance")):
        annotator = chosen_annotator(study, settings) or annotator

    names = [worse] if isinstance(worse, str) else list(worse)
    names = [] if names == [OTHERS] else [normal_form(name) for name in names]
    better, today = normal_form(better), datetime.date.today().isoformat()
    entries = {"measure": question.text, "better": better, "worse": names or OTHERS, "date": today}
    defects = find_invalid_values({"claim": entries | {"margin": margin}})
    for key, defect, wrong in defects:
        what = defect.removeprefix("claim.") if wrong is None else f"{defect.removeprefix('claim.')}: {wrong!r}"
        raise FairvizError(what, f"Give another {key.removeprefix('claim.')}.")
    claim = Claim(question.text, better, tuple(names), today, float(margin), annotator)
    before = study.claim
    if before is not None and _content(before) == _content(claim):
        raise FairvizError(f"this claim is declared already, on {before.date}", "Declare another one, or none.")
    earlier = () if before is None else (*before.earlier, replace(before, earlier=()))
    return replace(study, claim=replace(claim, had_runs=with_runs(study, claim), earlier=earlier))


def _content(claim: Claim) -> dict[str, object]:
    """Return what is claimed, without its history."""
    return claim_entries(replace(claim, date="", had_runs=None, earlier=()))


def with_runs(study: Study, claim: Claim) -> tuple[str, ...]:
    """Return the systems of the claim that have runs in the study."""
    worse = claim.worse or systems_tested(study, Settings(study=study.name))
    return tuple(name for name in dict.fromkeys([claim.better, *worse]) if name in study.systems)


def read_claim(text: str) -> dict[str, Any]:
    """Return the arguments of `declare` that a sentence names. Raises UsageError for what cannot be read.

    >>> read_claim("rrf is fairer than bm25 and tfidf by more than 0.02 in CWEx@10")
    {'measure': 'CWEx@10', 'better': 'rrf', 'worse': ['bm25', 'tfidf'], 'margin': 0.02}
    """
    match = _CLAIM.fullmatch(text)
    if match is None:
        raise UsageError(f"cannot read the claim {text[:120]!r}", FORM)
    number = match["margin"] or match["last"] or "0"
    try:
        margin = float(number)
    except ValueError as error:
        raise UsageError(f"cannot read the number {number!r} of the claim {text[:120]!r}", FORM) from error
    worse = [name for name in re.split(r"\s*,\s*(?![^()]*\))|\s+and\s+", match["worse"]) if name]
    is_all = worse in (["others"], ["all others"])
    return {
        "measure": match["measure"], "better": match["better"], "worse": OTHERS if is_all else worse,
        "margin": margin,
    }  # fmt: skip
