"""Conditions under which a gate is not passed: `CWEx falls by 0.02`, `TED worse by 0.01`, `CWEx below -0.2`, and those
on other quantities than measures, `never shown female rises by 0.05`."""

import math
import re
from dataclasses import dataclass
from typing import Literal

from fairviz.comparison.quantities import QUANTITIES
from fairviz.comparison.quantity import Quantity
from fairviz.errors import UsageError, expect
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question

CHANGES = ("falls by", "rises by", "worse by", "better by")
VALUES = ("below", "above")
_OTHERS = ", ".join(repr(kind.example) for kind in QUANTITIES.values())
FORM = (
    "Write a measure, words, and a number: 'CWEx falls by 0.02', 'TED worse by 0.01', 'CWEx below -0.2'. Other "
    f"quantities: {_OTHERS}."
)
_WORDS = "|".join((*CHANGES, *VALUES))
_UNQUOTED_OR_QUOTED = r"""(?:[^'"]|'[^']*'|"[^"]*")*?"""  # words within quotes are none of a condition
_PARTS = re.compile(
    rf"(?P<measure>{_UNQUOTED_OR_QUOTED})\s*(?P<sign><=|>=|<|>|\b(?:{_WORDS})\b)(?P<limit>.*)", re.DOTALL
)
_NAMES = re.compile(rf"(?P<name>{'|'.join(map(re.escape, QUANTITIES))})\b\s*(?P<argument>.*)", re.DOTALL)
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "−": "-"})


@dataclass(frozen=True)
class Condition:
    """A condition on which the gate fails.

    text: as it was written. question: the measure or other quantity. of: `difference` (candidate minus baseline, as a
    comparison has it: of distances for a measure that is fairest at 0 or 1) or `value` (the candidate's mean). sign: <
    or >, the side of the limit that fails.
    """

    text: str
    question: Question | Quantity
    of: Literal["difference", "value"]
    sign: Literal["<", ">"]
    limit: float

    @property
    def below(self) -> bool:
        """True if numbers below the limit fail."""
        return self.sign == "<"

    def is_exceeded_by(self, number: float) -> bool:
        """Return whether a number is beyond the limit; NaN is not."""
        return number < self.limit if self.below else number > self.limit


def read_condition(text: str, settings: Settings) -> Condition:
    """Return a condition as it is written.

    `falls by x` and `rises by x` are of the difference, as are `worse by` and `better by`, which go by the direction of
    the measure; `below x` and `above x` are of the candidate's value. Raises UsageError for what cannot be read, signs
    that could mean either, and words for a measure that only describes.
    """
    expect("a condition", text, str, FORM)
    match = _PARTS.fullmatch(text.translate(_SIGNS).strip())
    if match is None or not match["measure"]:
        raise UsageError(f"cannot read the condition {text!r}", FORM)
    question = _quantity(match["measure"], settings, text) or ask(match["measure"], settings)
    limit, words = _limit(match["limit"], text), match["sign"]
    if words in VALUES:
        return Condition(text, question, "value", "<" if words == "below" else ">", limit + 0.0)
    if words not in CHANGES:
        falls, side = ("falls by", "below") if words.startswith("<") else ("rises by", "above")
        raise UsageError(
            f"the condition {text!r} can mean a difference or a value",
            f"Write '{match['measure']} {falls} {abs(limit):g}' for the difference to the baseline, or "
            f"'{match['measure']} {side} {limit:g}' for the candidate's value.",
        )
    if limit < 0:
        raise UsageError(f"the condition {text!r} has a negative number after {words!r}", "Write it without the minus.")
    below = _falls(words, question, text)
    return Condition(text, question, "difference", "<" if below else ">", (-limit if below else limit) + 0.0)


def _quantity(text: str, settings: Settings, whole: str) -> Quantity | None:
    """Return the quantity of a condition, None for a measure. Raises UsageError for an argument that it does not
    take."""
    match = _NAMES.fullmatch(text)
    if match is None:
        return None
    kind = QUANTITIES[match["name"]]
    try:
        argument, canonical = kind.read(match["argument"], settings)
    except ValueError as error:
        reason = f": {error}" if str(error) else ""
        raise UsageError(f"cannot read the condition {whole!r}{reason}", kind.form) from error
    return Quantity(kind, argument, canonical)


def _limit(text: str, whole: str) -> float:
    try:
        limit = float(text)
    except ValueError as error:
        raise UsageError(f"cannot read the number {text.strip()!r} of the condition {whole!r}", FORM) from error
    if not math.isfinite(limit):
        raise UsageError(f"the number of the condition {whole!r} is {limit}", FORM)
    return limit


def _falls(words: str, question: Question | Quantity, text: str) -> bool:
    """Return whether the words mean a difference below 0."""
    if words in ("falls by", "rises by"):
        return words == "falls by"
    if question.direction == "none":
        raise UsageError(
            f"{question.text} only describes: no value of it is worse than another (in {text!r})",
            "Write 'falls by' or 'rises by'.",
        )
    low = question.direction != "higher"  # a smaller value, or a smaller distance, is fairer
    return low != (words == "worse by")
