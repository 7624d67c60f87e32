"""The types and ranges of settings: an invalid value is refused with the name of its field."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from math import inf
from numbers import Integral, Real
from typing import Any

from fairviz.errors import FairvizError, UsageError, did_you_mean, value_text
from fairviz.measures import parse
from fairviz.measures.position_bias import MAX_CUTOFF
from fairviz.normal_form import normal_form
from fairviz.words.stereotype_lists import WORD_LISTS
from fairviz.words.vectors import NAMES

PATHS = ("study", "embedding")  # which are names of files too, as they are on the disk
MAX_WEIGHTS = 1000  # as many ranks as a table of weights may have
MOST_COLUMNS = 50
_LONGEST = 80


def typed(name: str, value: Any, default: Any) -> Any:
    """Return a setting's value in the type of its default: a whole number, a number, text, or a tuple of these.

    Numbers of numpy and lists are taken; texts come in Unicode's composed form. Raises FairvizError, with the field's
    name, for anything else.
    """
    if isinstance(default, tuple):
        return _tuple(name, value)
    kind, plain, remedy = _KINDS[type(default)]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FairvizError(f"{name} is {value_text(value)}", remedy)
    return plain(normal_form(value) if isinstance(value, str) and name not in PATHS else value)


_KINDS: dict[type, tuple[type, type, str]] = {
    int: (Integral, int, "Use a whole number."),
    float: (Real, float, "Use a number."),
    str: (str, str, "Use text."),
}


def _tuple(name: str, value: Any) -> tuple:
    numbers = name == "custom_bias"
    kind, plain, _ = _KINDS[float if numbers else str]
    listed = None if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable) else tuple(value)
    if listed is None or not all(isinstance(item, kind) and not isinstance(item, bool) for item in listed):
        raise FairvizError(
            f"{name} is {value_text(value)}",
            f"Use a list of {'numbers, as [1, 0.5]' if numbers else 'texts, as [name]'}.",
        )
    return tuple(plain(item if numbers else normal_form(item)) for item in listed)


def refuse_unknown(names: Iterable[str], settings: type) -> None:
    """Raise UsageError for a name that is not a setting."""
    setting_names = [field.name for field in fields(settings)]
    for name in names:
        if name not in setting_names:
            remedy = f"{did_you_mean(name, setting_names)}The settings are {', '.join(setting_names)}."
            raise UsageError(f"there is no setting {name!r}", remedy)


def check_cutoff(value: int) -> None:
    """Raise FairvizError for a cutoff outside 1 to MAX_CUTOFF."""
    if not 1 <= value <= MAX_CUTOFF:
        raise FairvizError(f"cutoff is {value}", f"Use a whole number from 1 to {MAX_CUTOFF:,}.")


def check_alpha(value: float) -> None:
    """Raise FairvizError for a weight outside 0 to 1."""
    if not 0 <= value <= 1:
        raise FairvizError(f"alpha is {value:g}", "Use a number from 0 to 1.")


def check_embedding(value: str) -> None:
    """Raise FairvizError for word vectors without a name that can be one."""
    if not value or "\0" in value:
        name = repr(value) if value else "empty"
        raise FairvizError(f"embedding is {name}", f"Use {', '.join(NAMES)} or the path of a vector file.")


def check_custom_bias(value: tuple[float, ...]) -> None:
    """Raise FairvizError for weights that are negative, infinite, all 0 or too many."""
    if len(value) > MAX_WEIGHTS:
        raise FairvizError(f"custom_bias holds {len(value):,} weights", f"Use {MAX_WEIGHTS:,} or fewer.")
    if value and (not all(0 <= weight < inf for weight in value) or not any(value)):
        raise FairvizError(
            "custom_bias is not a list of weights of 0 or more", "Give such weights, at least one above 0."
        )


def check_voters(value: tuple[str, ...]) -> None:
    """Raise FairvizError for an empty name, and for a name given twice."""
    if "" in value or len(set(value)) < len(value):
        wrong = "an empty name" if "" in value else f"{next(name for name in value if value.count(name) > 1)!r} twice"
        raise FairvizError(f"voters holds {wrong}", "Name each voter once.")


def check_systems(value: tuple[str, ...]) -> None:
    """Raise FairvizError for a system that is named twice."""
    twice = next((name for place, name in enumerate(value) if name in value[:place]), None)
    if twice is not None:
        raise FairvizError(f"systems names {twice[:_LONGEST]!r} twice", "Name each system once.")


def check_columns(value: tuple[str, ...]) -> None:
    """Raise FairvizError for too many columns, a text that is no measure, one without values per query, or a measure
    that is named twice."""
    if len(value) > MOST_COLUMNS:
        raise FairvizError(f"columns holds {len(value):,} measures", f"Use {MOST_COLUMNS} or fewer.")
    names: set[str] = set()
    for text in value:
        question = parse(text, cutoff=10)
        if question.measure is not None and not question.measure.per_query:
            raise FairvizError(f"{question.name} has no value for one query", "Leave it out of the columns.")
        if question.name in names:
            raise FairvizError(f"columns names {question.name} twice", "Name each measure once.")
        names.add(question.name)


def check_word_lists(value: tuple[str, ...]) -> None:
    """Raise FairvizError for an unknown word list."""
    unknown = next((name for name in value if name not in WORD_LISTS), None)
    if unknown is not None:
        raise FairvizError(f"there is no word list {unknown!r}", f"Use {', '.join(WORD_LISTS)}.")


def check_background(value: str) -> None:
    """Raise FairvizError for a text that names no background."""
    if value not in ("candidates", "collection") and not (value.startswith("run:") and len(value) > 4):
        raise FairvizError(f"background is {value!r}", "Use candidates, collection or run:NAME.")
