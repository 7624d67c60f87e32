"""The measure grammar, `CWEx(alpha=0.5)@10`: our own small parser, read before ir_measures sees anything."""

import ast
import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairviz.errors import UsageError
from fairviz.measures.effectiveness import effectiveness_measure
from fairviz.measures.record import Direction, Measure, Parameter

_SHAPE = re.compile(r"^\s*([A-Za-z][A-Za-z_0-9]*)\s*(?:\((.*)\))?\s*(?:@\s*(\S+?))?\s*$", re.DOTALL)
_BACKGROUND = re.compile(r"^(candidates|collection|run:.+)$")


@dataclass(frozen=True)
class Question:
    """A measure with its parameters and cutoff, as somebody asked for it.

    text: canonical, with the parameters given and the cutoff. parameters: complete, defaults filled in (None where
    the study or a setting decides). measure: None for an effectiveness measure, which ir_measures computes.
    """

    name: str
    text: str
    parameters: Mapping[str, Any]
    cutoff: int | None
    measure: Measure | None

    @property
    def direction(self) -> Direction:
        return self.measure.direction if self.measure else "higher"

    @property
    def family(self) -> Literal["labels", "words", "effectiveness"]:
        return self.measure.family if self.measure else "effectiveness"


def parse_question(
    text: str, measures: Mapping[str, Measure], cutoff: int | None = None, chosen: Mapping[str, Any] | None = None
) -> Question:
    """`text` as a Question; `cutoff` is taken by a measure without @k wherever it takes one.

    chosen: values for parameters that the text does not give; those that differ from the default become part of the
    canonical text, so that a score always says what it was computed with.

    Raises UsageError for an unknown measure or parameter, a value out of its range, or a cutoff below 1.
    """
    match = _SHAPE.match(text)
    if match is None:
        raise UsageError(f"cannot read the measure {text!r}", "Write it as CWEx(alpha=0.5)@10 or nDCG@10.")
    name, inside, at = match.groups()
    given = _given(inside or "", text)
    at_rank = cutoff if at is None else _cutoff(at, text)
    if name not in measures:
        return _effectiveness(name, given, at_rank, text, measures)
    measure = measures[name]
    known = {parameter.name: parameter for parameter in measure.parameters}
    for key, value in (chosen or {}).items():
        if key in known and key not in given and value != known[key].default:
            given[key] = value
    for key, value in given.items():
        if key not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise UsageError(f"{name} has no parameter {key!r} (in {text!r})", f"Leave it out: {takes}.")
        given[key] = _checked(known[key], value, text)
    if given.get("depth") == "relevant":
        at_rank = None  # the number of relevant documents takes its place
    elif at_rank is None:
        raise UsageError(f"{text!r} has no cutoff", f"Write {_canonical(name, given, 10)}, or give one for all.")
    parameters = {key: given.get(key, parameter.default) for key, parameter in known.items()}
    return Question(name, _canonical(name, given, at_rank), parameters, at_rank, measure)


def _given(inside: str, text: str) -> dict[str, Any]:
    """The parameters between the brackets, as Python reads keyword arguments whose values are literals."""
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError("only name=value")
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise UsageError(
            f"cannot read the parameters of {text!r}", "Write name=value, text in quotes: Exposure(group='female')@10."
        ) from error


def _cutoff(at: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", at) or int(at) < 1:
        raise UsageError(f"the cutoff of {text!r} is {at!r}", "Use a whole number of 1 or more, as in nDCG@10.")
    return int(at)


def _checked(parameter: Parameter, value: Any, text: str) -> Any:
    """The value, if the parameter takes it."""
    kind, name = parameter.kind, parameter.name
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "flag" and not isinstance(value, bool):
        raise UsageError(f"{name} in {text!r} is {value!r}", "Use True or False.")
    if kind in ("number", "integer"):
        whole = not number or kind == "number" or float(value).is_integer()
        if not number or not whole or not parameter.low <= value <= parameter.high:
            sort = "a whole number" if kind == "integer" else "a number"
            raise UsageError(
                f"{name} in {text!r} is {value!r}", f"Use {sort} from {parameter.low:g} to {parameter.high:g}."
            )
        return int(value) if kind == "integer" else value
    if kind == "choice" and value not in parameter.choices:
        raise UsageError(f"{name} in {text!r} is {value!r}", f"Use one of {', '.join(map(repr, parameter.choices))}.")
    if kind == "group" and not isinstance(value, str):
        raise UsageError(f"{name} in {text!r} is {value!r}", "Use the name of a group in quotes, as 'female'.")
    if kind == "background" and not (isinstance(value, str) and _BACKGROUND.match(value)):
        raise UsageError(f"{name} in {text!r} is {value!r}", "Use 'candidates', 'collection' or 'run:NAME'.")
    return value


def _canonical(name: str, given: Mapping[str, Any], cutoff: int | None) -> str:
    inside = ",".join(f"{key}={value!r}" for key, value in given.items())
    return name + (f"({inside})" if inside else "") + (f"@{cutoff}" if cutoff else "")


def _effectiveness(
    name: str, given: dict[str, Any], cutoff: int | None, text: str, measures: Iterable[str]
) -> Question:
    names = list(measures)
    measure = effectiveness_measure(name, given, cutoff)
    if measure is None:
        close = difflib.get_close_matches(name, [*names, "nDCG", "RR", "AP", "P", "R", "Success"], n=1, cutoff=0.6)
        hint = f"Did you mean {close[0]}? " if close else ""
        raise UsageError(
            f"unknown measure {name!r} in {text!r}" if name != text else f"unknown measure {text!r}",
            f"{hint}Use one of {', '.join(names)}, or an effectiveness measure such as nDCG@10, RR@10, AP or P@5.",
        )
    used = cutoff if measure.cutoff_used else None
    return Question(name, _canonical(name, given, used), {**given, "measure": measure}, used, None)


def unfairness(question: Question, values: Any) -> np.ndarray:
    """How far from fairest each value is, in the measure's own direction: smaller is fairer, NaN stays NaN.

    For a measure that only describes, all NaN. The order it gives is what `fairest` means on every page.
    """
    values = np.asarray(values, dtype=np.float64)
    if question.direction == "higher":
        return -values
    if question.direction == "lower":
        return values
    if question.direction == "zero":
        return np.abs(values)
    if question.direction == "one":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.abs(np.log(values))
    return np.full_like(values, np.nan)
