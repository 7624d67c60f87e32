"""A setting's name and the type of its value: what cannot be is named, with the field, before it is checked further."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from fairviz.errors import FairvizError, UsageError, told


def typed(name: str, value: Any, default: Any) -> Any:
    """A setting's value in the type of its default: whole numbers, numbers, text, and tuples of texts or numbers.

    Numbers of numpy and lists are taken. Raises FairvizError, with the field's name, for anything else.
    """
    if isinstance(default, tuple):
        return _tuple(name, value)
    kind, plain, remedy = _KINDS[type(default)]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FairvizError(f"{name} is {told(value)}", remedy)
    return plain(value)


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
            f"{name} is {told(value)}", f"Use a list of {'numbers, as [1, 0.5]' if numbers else 'texts, as [name]'}."
        )
    return tuple(plain(item) for item in listed)


def refuse_unknown(names: Iterable[str], settings: type) -> None:
    """Raises UsageError for a name that is no setting."""
    known = [field.name for field in fields(settings)]
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {close[0]}? " if close else ""
            raise UsageError(f"there is no setting {name!r}", f"{hint}The settings are {', '.join(known)}.")
