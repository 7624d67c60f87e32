"""`bm25(k1=0.9,b=0.4),tfidf`: rankers with their parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from fairviz.errors import UsageError
from fairviz.rankers.record import Ranker, RankerParameter
from fairviz.words.sentences import shortest

_INNER = r"(?:[^()'\"]|'[^']*'|\"[^\"]*\")*"
_ITEM = re.compile(rf"\s*([A-Za-z0-9_-]+)\s*(?:\(({_INNER})\))?\s*(?:,|$)")
_PART = re.compile(r"(?:[^,'\"]|'[^']*'|\"[^\"]*\")+")
_NOT_IN_NAMES = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True)
class Choice:
    """A ranker with all its parameters, and the name of its run."""

    ranker: Ranker
    parameters: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The ranker's name and the parameters that are not at their default: `bm25-k1=1.2`.

        A path is cut to its last part; characters unfit for a file name become underscores.
        """
        changed = [
            f"-{parameter.name}={_name_part(value)}"
            for parameter in self.ranker.parameters
            if parameter.named and (value := self.parameters[parameter.name]) != parameter.default
        ]
        return self.ranker.name + "".join(changed)


def _name_part(value: float | str) -> str:
    if not isinstance(value, str):
        return shortest(value)
    return _NOT_IN_NAMES.sub("_", PurePosixPath(value.replace("\\", "/")).name) or "_"


def parse_choices(text: str, rankers: Mapping[str, Ranker], defaults: Mapping[str, str]) -> tuple[Choice, ...]:
    """Return the rankers of the text, in its order. Raises UsageError for an unknown, wrong or repeated one.

    defaults: values of parameters for every ranker that takes them.
    """
    choices: list[Choice] = []
    place = 0
    while place < len(text):
        match = _ITEM.match(text, place)
        if match is None:
            raise UsageError(f"cannot read {text[place:]!r} as a ranker", "Write it as bm25(k1=0.9,b=0.4),tfidf.")
        choice = _choice(match[1], match[2] or "", rankers, defaults)
        if choice.system in [other.system for other in choices]:
            raise UsageError(f"{choice.system} is named twice", "Name it once.")
        choices.append(choice)
        place = match.end()
    if not choices:
        raise UsageError("no ranker is named", f"Use one or more of {', '.join(rankers)}.")
    return tuple(choices)


def _choice(name: str, inner: str, rankers: Mapping[str, Ranker], defaults: Mapping[str, str]) -> Choice:
    if name not in rankers:
        raise UsageError(f"there is no ranker {name!r}", f"Use one or more of {', '.join(rankers)}.")
    parameters_by_name = {parameter.name: parameter for parameter in rankers[name].parameters}
    values = {
        parameter.name: defaults.get(parameter.name, parameter.default) for parameter in parameters_by_name.values()
    }
    for part in filter(None, (piece.strip() for piece in _PART.findall(inner))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in parameters_by_name or not equals:
            options = ", ".join(parameter.shown for parameter in parameters_by_name.values()) or "no parameter"
            raise UsageError(f"{name} has no parameter {part!r}", f"{name} takes {options}.")
        values[key] = _text(value) if parameters_by_name[key].is_text else _number(name, parameters_by_name[key], value)
    for parameter in parameters_by_name.values():
        if parameter.required and not values[parameter.name]:
            raise UsageError(
                f"{name} needs {parameter.name}", f"Write it as {name}({parameter.name}='…'): {parameter.help}."
            )
    return Choice(rankers[name], values)


def _text(value: str) -> str:
    """Return the text without surrounding quotes."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _number(ranker: str, parameter: RankerParameter, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not parameter.low <= value <= parameter.high or (parameter.whole and value != int(value)):
        raise UsageError(
            f"{ranker} cannot take {parameter.name}={text}",
            f"Use a {'whole ' if parameter.whole else ''}number from {parameter.low:.12g} to {parameter.high:.12g}.",
        )
    return value
