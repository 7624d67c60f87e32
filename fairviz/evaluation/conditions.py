"""Conditions under which a gate is not passed: `CWEx < -0.02`, `TED worse by 0.01`."""

import math
import re
from dataclasses import dataclass

import numpy as np

from fairviz.errors import UsageError, expect
from fairviz.evaluation.asking import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question

WORDS = ("falls by", "rises by", "worse by", "better by")
FORM = "Write a measure, a sign or words, and a number: 'CWEx < -0.02', 'nDCG@10 falls by 0.01', 'TED worse by 0.01'."
_PARTS = re.compile(rf"(?P<measure>.*?)\s*(?P<sign><=|>=|<|>|\b(?:{'|'.join(WORDS)})\b)(?P<limit>.*)", re.DOTALL)
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "−": "-"})


@dataclass(frozen=True)
class Condition:
    """What the difference of a measure, candidate less baseline, must not be: `sign` is <, <=, > or >=.

    text: as it was written. The difference is that of a comparison: for a measure that is fairest at 0 or 1 it is one
    of distances from there.
    """

    text: str
    question: Question
    sign: str
    limit: float

    @property
    def below(self) -> bool:
        """Whether differences below the limit are the bad ones."""
        return self.sign.startswith("<")

    def beyond(self, difference: float) -> bool:
        """Whether a difference lies beyond the limit; NaN does not."""
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[self.sign]
        return bool(compare(difference, self.limit))


def read_condition(text: str, settings: Settings) -> Condition:
    """A condition as it is written; `falls by x` is `< -x`, `rises by x` is `> x`, and `worse by` and `better by` go by
    the direction of the measure.

    Raises UsageError for what cannot be read, words for a measure that only describes, and a condition that a
    candidate meets which changes nothing.
    """
    expect("a condition", text, str, FORM)
    match = _PARTS.fullmatch(text.translate(_SIGNS).strip())
    if match is None or not match["measure"]:
        raise UsageError(f"cannot read the condition {text!r}", FORM)
    question = ask(match["measure"], settings)
    limit = _limit(match["limit"], text)
    sign = match["sign"]
    if sign in WORDS:
        if limit < 0:
            raise UsageError(
                f"the condition {text!r} has a negative number after {sign!r}", "Write it without the minus."
            )
        sign = _sign_of(sign, question, text)
        limit = -limit if sign == "<" else limit
    condition = Condition(text, question, sign, limit + 0.0)
    if condition.beyond(0.0):
        other = sign[0] if limit == 0 else {"<": ">", ">": "<"}[sign[0]]
        raise UsageError(
            f"the condition {text!r} is met by a candidate that changes nothing",
            f"Did you mean {match['measure']} {other} {limit:g}? A limit of < is 0 or less, one of > is 0 or more.",
        )
    return condition


def _limit(text: str, whole: str) -> float:
    try:
        limit = float(text)
    except ValueError as error:
        raise UsageError(f"cannot read the number {text.strip()!r} of the condition {whole!r}", FORM) from error
    if not math.isfinite(limit):
        raise UsageError(f"the number of the condition {whole!r} is {limit}", FORM)
    return limit


def _sign_of(words: str, question: Question, text: str) -> str:
    if words in ("falls by", "rises by"):
        return "<" if words == "falls by" else ">"
    if question.direction == "none":
        raise UsageError(
            f"{question.text} only describes: no value of it is worse than another (in {text!r})",
            "Write 'falls by' or 'rises by', or < or >.",
        )
    low = question.direction != "higher"  # a smaller value, or a smaller distance, is fairer
    return ">" if low == (words == "worse by") else "<"
