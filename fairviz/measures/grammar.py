"""The measure grammar, `CWEx(alpha=0.5)@10`: a small parser of our own, used before ir_measures."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from fairviz.errors import UsageError, did_you_mean, same_but_for_case
from fairviz.installed import absent
from fairviz.measures.effectiveness import effectiveness_measure, effectiveness_name, effectiveness_summary
from fairviz.measures.position_bias import MAX_CUTOFF
from fairviz.measures.record import Direction, Measure
from fairviz.normal_form import normal_form
from fairviz.parameters import format_call, parse_arguments

_NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]*")
MOST_LETTERS = 1000


@dataclass(frozen=True)
class Question:
    """A measure with its parameters and cutoff. Two with the same text are equal.

    text: canonical, independent of the original spelling: the name, the parameters in the measure's own order
    (numbers always, others if they differ from the default or from the settings), and the cutoff. Parsed again under
    equal settings, it is an equal question. parameters: complete, with defaults (None for the study's own). measure:
    None for an effectiveness measure, which ir_measures computes. written: the parameters of the text.
    """

    name: str
    text: str
    parameters: Mapping[str, Any] = field(compare=False)
    cutoff: int | None
    measure: Measure | None = field(compare=False)
    written: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def direction(self) -> Direction:
        return self.measure.direction if self.measure else "higher"

    @property
    def family(self) -> Literal["labels", "words", "relevance", "effectiveness"]:
        return self.measure.family if self.measure else "effectiveness"

    @property
    def needs(self) -> tuple[str, ...]:
        """The parts of a study that the measure needs."""
        return self.measure.needs if self.measure else ("qrels",)

    @property
    def summary(self) -> str:
        """The measure's definition in one line, without a full stop."""
        text = self.measure.summary if self.measure else effectiveness_summary(self.name)
        return text[:1].upper() + text[1:]

    @property
    def background(self) -> str:
        """The set of documents, beside the list's, on which a value depends (`AlignedRankings.background`); empty for
        none."""
        name = self.measure.beyond_list if self.measure else ""
        return (self.parameters[name] or "candidates") if name else ""

    @property
    def reads_collection(self) -> bool:
        """Return whether a value depends on documents that no run retrieved."""
        return self.background in ("collection", "relevant")

    @property
    def per_query(self) -> bool:
        """Return whether the measure has a value for one ranking; GSR has only a slope over queries."""
        return self.measure is None or self.measure.per_query

    def changed(self, **values: Any) -> "Question":
        """Return the same measure with other values of its parameters, or another `cutoff`; no text is parsed."""
        cutoff = values.pop("cutoff", self.cutoff)
        written = {**self.written, **values}
        if self.measure is None:
            return effectiveness_question(self.name, written, cutoff)
        text = _format_question(self.name, written, cutoff)
        return replace(self, text=text, parameters={**self.parameters, **values}, cutoff=cutoff, written=written)


def parse_question(
    text: str, measures: Mapping[str, Measure], cutoff: int | None = None, chosen: Mapping[str, Any] | None = None
) -> Question:
    """Return `text` as a Question; `cutoff` is that of a measure without @k. The case of a measure's letters is free.

    chosen: values of parameters missing in the text. They become part of the canonical text, so that every score shows
    its parameters. Raises UsageError for an unknown measure or parameter, a value out of its range, or a cutoff that is
    not a whole number from 1 to MAX_CUTOFF.
    """
    text = normal_form(text)
    name, arguments, rank = _read_text(text)
    if rank is None and cutoff is not None:
        rank = _checked_cutoff(cutoff)
    name = same_but_for_case(name, measures)
    if name not in measures:
        return effectiveness_question(name, arguments, rank, text, measures)
    measure = measures[name].form(arguments)
    supported = {parameter.name: parameter for parameter in measure.parameters}
    chosen_values = {key: value for key, value in (chosen or {}).items() if key in supported}
    arguments = _read_arguments(measure, {**chosen_values, **arguments}, text)
    if arguments.get("depth") == "relevant":
        rank = None  # replaced by the number of relevant documents
    elif rank is None:
        raise UsageError(
            f"{text!r} has no cutoff", f"Write {_format_question(name, arguments, 10)}, or give one for all."
        )
    parameters = {key: arguments.get(key, parameter.default) for key, parameter in supported.items()}
    written = _canonical_parameters(measure, parameters, chosen_values)
    return Question(name, _format_question(name, written, rank), parameters, rank, measure, written)


@lru_cache(maxsize=4096)
def _read_text(text: str) -> tuple[str, Mapping[str, Any], int | None]:
    """Return the name, the parameters and the cutoff of the text, None if missing. Each text is parsed once."""
    name, parameters_text, cutoff_text = _split_text(text)
    parameters = _parse_parameters(parameters_text, text)
    return name, parameters, _parse_cutoff(cutoff_text, text) if cutoff_text else None


def _split_text(text: str) -> tuple[str, str, str]:
    """Return the name, the text between the brackets and the text after @, empty if missing, in a fixed number of
    passes."""
    if len(text) > MOST_LETTERS:
        raise UsageError(
            f"a measure of {len(text):,} letters, which begins {text[:30]!r}",
            f"Write it in {MOST_LETTERS:,} letters at most, as CWEx(alpha=0.5)@10.",
        )
    stripped = text.strip()
    match = _NAME.match(stripped)
    rest = stripped[match.end() :].strip() if match else "?"
    parameters_text, closing_bracket = "", rest.rfind(")")
    if rest.startswith("(") and closing_bracket > 0:
        parameters_text, rest = rest[1:closing_bracket], rest[closing_bracket + 1 :].strip()
    cutoff = rest.removeprefix("@").strip()
    if match is None or (rest and (not rest.startswith("@") or not cutoff or cutoff.split() != [cutoff])):
        raise UsageError(f"cannot read the measure {text!r}", "Write it as CWEx(alpha=0.5)@10 or nDCG@10.")
    return match[0], parameters_text, cutoff


def _parse_parameters(parameters_text: str, text: str) -> Mapping[str, Any]:
    try:
        return parse_arguments(parameters_text)
    except ValueError as error:
        raise UsageError(
            f"cannot read the parameters of {text!r}",
            "Write name=value, each name once, text in quotes: Exposure(group='female')@10.",
        ) from error


def _parse_cutoff(cutoff: str, text: str) -> int:
    if not (cutoff.isascii() and cutoff.isdigit() and 1 <= int(cutoff) <= MAX_CUTOFF):
        raise UsageError(
            f"the cutoff of {text!r} is {cutoff!r}", f"Use a whole number from 1 to {MAX_CUTOFF:,}, as in nDCG@10."
        )
    return int(cutoff)


def _checked_cutoff(cutoff: Any) -> int:
    is_whole = isinstance(cutoff, (int, np.integer)) and not isinstance(cutoff, bool)
    if not (is_whole and 1 <= cutoff <= MAX_CUTOFF):
        raise UsageError(f"the cutoff is {cutoff!r}", f"Use a whole number from 1 to {MAX_CUTOFF:,}.")
    return int(cutoff)


def _read_arguments(measure: Measure, arguments: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the values as the measure's parameters read them. Raises UsageError for a parameter that it lacks."""
    supported = {parameter.name: parameter for parameter in measure.parameters}
    values = {}
    for key, value in arguments.items():
        if key not in supported:
            takes = f"it takes {', '.join(supported)}" if supported else "it takes none"
            raise UsageError(f"{measure.name} has no parameter {key!r} (in {text!r})", f"Leave it out: {takes}.")
        values[key] = supported[key].read(value, f"{key} in {text!r} is {value!r}")
    return values


def _canonical_parameters(measure: Measure, parameters: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the canonical text: numbers, and values other than the default or the chosen one."""
    return {
        parameter.name: parameters[parameter.name]
        for parameter in measure.parameters
        if parameter.kind in ("number", "integer")
        or not parameters[parameter.name] == parameter.default == chosen.get(parameter.name, parameter.default)
    }


def _format_question(name: str, parameters: Mapping[str, Any], cutoff: int | None) -> str:
    return format_call(name, parameters) + (f"@{cutoff}" if cutoff else "")


def effectiveness_question(
    name: str, parameters: Mapping[str, Any], cutoff: int | None, text: str = "", measures: Iterable[str] = ()
) -> Question:
    """Return the effectiveness measure as a Question. Raises UsageError if ir_measures has none of this name.

    text: as it was written. measures: names of fairness measures that could be meant.
    """
    name = effectiveness_name(name)
    measure = effectiveness_measure(name, parameters, cutoff)
    if measure is None:
        if error := absent("fairviz.measures", name, f"the measure {name} is"):
            raise UsageError(error.message, error.remedy)
        names = list(measures)
        hint = did_you_mean(name, [*names, "nDCG", "RR", "AP", "P", "R", "Success"])
        raise UsageError(
            f"unknown measure {name!r} in {text!r}" if name != text else f"unknown measure {text!r}",
            f"{hint}Use one of {', '.join(names)}, or an effectiveness measure such as nDCG@10, RR@10, AP or P@5.",
        )
    used_cutoff = cutoff if measure.cutoff_used else None
    supported = measure.measure.SUPPORTED_PARAMS
    written = {
        key: parameters[key] for key in supported if key in parameters and parameters[key] != supported[key].default
    }
    question_text = _format_question(name, written, used_cutoff)
    return Question(name, question_text, {**parameters, "measure": measure}, used_cutoff, None, written)


def distance(values: np.ndarray, question: Question) -> np.ndarray:
    """Return the values for sorting, of any shape: |value| if 0 is fairest, |ln value| if 1 is, else unchanged."""
    if question.direction == "zero":
        return np.abs(values)
    if question.direction == "one":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.abs(np.log(values))
    return values


def unfairness(question: Question, values: Any) -> np.ndarray:
    """Return the distance of each value from the fairest in the measure's direction: smaller is fairer, NaN stays.

    All NaN for a measure that only describes. Every page uses its order for `fairest`.
    """
    values = np.asarray(values, dtype=np.float64)
    if question.direction == "none":
        return np.full_like(values, np.nan)
    return -values if question.direction == "higher" else distance(values, question)
