"""The measure grammar, `CWEx(alpha=0.5)@10`: our own small parser, read before ir_measures sees anything."""

import ast
import difflib
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairviz.errors import UsageError
from fairviz.measures.effectiveness import effectiveness_measure
from fairviz.measures.position_bias import MAX_CUTOFF
from fairviz.measures.record import Direction, Measure, Parameter
from fairviz.number_texts import shortest

_NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]*")
_BACKGROUND = re.compile(r"candidates|collection|run:.+")
MOST_LETTERS = 1000


@dataclass(frozen=True)
class Question:
    """A measure with its parameters and cutoff, as somebody asked for it.

    text: canonical, the same however the question was written: the name, the parameters in the measure's own order
    (numbers always, the others where they differ from the default or from what the settings would put there), and the
    cutoff. Read again under the same settings it is the same question. parameters: complete, defaults filled in (None
    where the study decides). measure: None for an effectiveness measure, which ir_measures computes.
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

    chosen: values for parameters that the text does not give. They become part of the canonical text as if it gave
    them, so that a score always says what it was computed with.

    Raises UsageError for an unknown measure or parameter, a value out of its range, or a cutoff that is no whole
    number from 1 to MAX_CUTOFF.
    """
    name, inside, at = _shape(text)
    given = _given(inside, text)
    at_rank = _cutoff(at, text) if at else checked_cutoff(cutoff)
    if name not in measures:
        return _effectiveness(name, given, at_rank, text, measures)
    measure = measures[name]
    known = {parameter.name: parameter for parameter in measure.parameters}
    wanted = {key: value for key, value in (chosen or {}).items() if key in known}
    given = wanted | given
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
    return Question(name, _canonical(name, _told(measure, parameters, wanted), at_rank), parameters, at_rank, measure)


def _told(measure: Measure, parameters: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What the canonical text tells: numbers, and what differs from the default or from what is chosen."""
    return {
        each.name: parameters[each.name]
        for each in measure.parameters
        if each.kind in ("number", "integer")
        or not parameters[each.name] == each.default == chosen.get(each.name, each.default)
    }


def _shape(text: str) -> tuple[str, str, str]:
    """Name, what stands between the brackets, and what stands behind @, each empty where there is none.

    Goes through the text a fixed number of times, whatever it holds.
    """
    if len(text) > MOST_LETTERS:
        raise UsageError(
            f"a measure of {len(text):,} letters, which begins {text[:30]!r}",
            f"Write it in {MOST_LETTERS:,} letters at most, as CWEx(alpha=0.5)@10.",
        )
    stripped = text.strip()
    match = _NAME.match(stripped)
    rest = stripped[match.end() :].strip() if match else "?"
    inside, closed = "", rest.rfind(")")
    if rest.startswith("(") and closed > 0:
        inside, rest = rest[1:closed], rest[closed + 1 :].strip()
    at = rest.removeprefix("@").strip()
    if match is None or (rest and (not rest.startswith("@") or not at or at.split() != [at])):
        raise UsageError(f"cannot read the measure {text!r}", "Write it as CWEx(alpha=0.5)@10 or nDCG@10.")
    return match[0], inside, at


def _given(inside: str, text: str) -> dict[str, Any]:
    """The parameters between the brackets, as Python reads keyword arguments whose values are literals."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python only warns of, as a stray backslash, is not read
            call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError("only name=value")
        given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords if word.arg}
        if len(given) < len(call.keywords):
            raise ValueError("a name twice, or **")
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise UsageError(
            f"cannot read the parameters of {text!r}",
            "Write name=value, each name once, text in quotes: Exposure(group='female')@10.",
        ) from error
    return given


def _cutoff(at: str, text: str) -> int:
    if not (at.isascii() and at.isdigit() and 1 <= int(at) <= MAX_CUTOFF):
        raise UsageError(
            f"the cutoff of {text!r} is {at!r}", f"Use a whole number from 1 to {MAX_CUTOFF:,}, as in nDCG@10."
        )
    return int(at)


def checked_cutoff(value: Any) -> int | None:
    """The cutoff, or None for none. Raises UsageError unless it is a whole number from 1 to MAX_CUTOFF."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if value is not None and not (whole and 1 <= value <= MAX_CUTOFF):
        raise UsageError(f"the cutoff is {value!r}", f"Use a whole number from 1 to {MAX_CUTOFF:,}.")
    return None if value is None else int(value)


def _checked(parameter: Parameter, value: Any, text: str) -> Any:
    """The value, if the parameter takes it."""
    kind, name = parameter.kind, parameter.name
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "flag" and not isinstance(value, bool):
        raise UsageError(f"{name} in {text!r} is {value!r}", "Use True or False.")
    if kind in ("number", "integer"):
        fits = number and parameter.low <= value <= parameter.high
        if not fits or (kind == "integer" and not float(value).is_integer()):
            sort = "a whole number" if kind == "integer" else "a number"
            raise UsageError(
                f"{name} in {text!r} is {value!r}", f"Use {sort} from {parameter.low:g} to {parameter.high:g}."
            )
        return int(value) if kind == "integer" else value
    if kind == "choice" and value not in parameter.choices:
        raise UsageError(f"{name} in {text!r} is {value!r}", f"Use one of {', '.join(map(repr, parameter.choices))}.")
    if kind == "group" and not isinstance(value, str):
        raise UsageError(f"{name} in {text!r} is {value!r}", "Use the name of a group in quotes, as 'female'.")
    if kind == "background" and not (isinstance(value, str) and _BACKGROUND.fullmatch(value)):
        raise UsageError(f"{name} in {text!r} is {value!r}", "Use 'candidates', 'collection' or 'run:NAME'.")
    return value


def _canonical(name: str, given: Mapping[str, Any], cutoff: int | None) -> str:
    inside = ",".join(f"{key}={_written(value)}" for key, value in given.items())
    return name + (f"({inside})" if inside else "") + (f"@{cutoff}" if cutoff else "")


def _written(value: Any) -> str:
    """Return the value as Python writes it, but 1.0 as 1, so that equal numbers are equal texts."""
    return shortest(value) if isinstance(value, float) else repr(value)


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
    takes = measure.measure.SUPPORTED_PARAMS
    written = {key: given[key] for key in takes if key in given and given[key] != takes[key].default}
    return Question(name, _canonical(name, written, used), {**given, "measure": measure}, used, None)


def distance(values: np.ndarray, question: Question) -> np.ndarray:
    """Values as an order goes by them, of any shape: of a measure fairest at 0 |value|, at 1 |ln value|, else as they
    are."""
    if question.direction == "zero":
        return np.abs(values)
    if question.direction == "one":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.abs(np.log(values))
    return values


def unfairness(question: Question, values: Any) -> np.ndarray:
    """How far from fairest each value is, in the measure's own direction: smaller is fairer, NaN stays NaN.

    For a measure that only describes, all NaN. The order it gives is what `fairest` means on every page.
    """
    values = np.asarray(values, dtype=np.float64)
    if question.direction == "higher":
        return -values
    if question.direction == "lower":
        return values
    if question.direction in ("zero", "one"):
        return distance(values, question)
    return np.full_like(values, np.nan)
