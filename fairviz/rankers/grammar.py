"""`bm25(k1=0.9,b=0.4),tfidf`: rankers with their parameters."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fairviz.errors import UsageError
from fairviz.rankers.record import Ranker, RankerParameter

_ITEM = re.compile(r"\s*([A-Za-z0-9_-]+)\s*(?:\(([^()]*)\))?\s*(?:,|$)")


@dataclass(frozen=True)
class Choice:
    """A ranker with all its parameters, and the name that its run gets."""

    ranker: Ranker
    parameters: Mapping[str, float]

    @property
    def system(self) -> str:
        """The ranker's name, and behind it the parameters that are not at their default: `bm25-k1=1.2`."""
        changed = [
            f"-{p.name}={value:g}" for p in self.ranker.parameters if (value := self.parameters[p.name]) != p.default
        ]
        return self.ranker.name + "".join(changed)


def parse_choices(text: str, rankers: Mapping[str, Ranker]) -> tuple[Choice, ...]:
    """The rankers that `text` names, in its order. Raises UsageError for what is unknown, wrong or named twice."""
    choices: list[Choice] = []
    place = 0
    while place < len(text):
        match = _ITEM.match(text, place)
        if match is None:
            raise UsageError(f"cannot read {text[place:]!r} as a ranker", "Write it as bm25(k1=0.9,b=0.4),tfidf.")
        choice = _choice(match[1], match[2] or "", rankers)
        if choice.system in [other.system for other in choices]:
            raise UsageError(f"{choice.system} is named twice", "Name it once.")
        choices.append(choice)
        place = match.end()
    if not choices:
        raise UsageError("no ranker is named", f"Use one or more of {', '.join(rankers)}.")
    return tuple(choices)


def _choice(name: str, inner: str, rankers: Mapping[str, Ranker]) -> Choice:
    if name not in rankers:
        raise UsageError(f"there is no ranker {name!r}", f"Use one or more of {', '.join(rankers)}.")
    known = {parameter.name: parameter for parameter in rankers[name].parameters}
    values = {parameter.name: parameter.default for parameter in known.values()}
    for part in filter(None, (piece.strip() for piece in inner.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in known or not equals:
            takes = ", ".join(f"{p.name}={p.default:g}" for p in known.values()) or "no parameter"
            raise UsageError(f"{name} has no parameter {part!r}", f"{name} takes {takes}.")
        values[key] = _number(name, known[key], value)
    return Choice(rankers[name], values)


def _number(ranker: str, parameter: RankerParameter, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not parameter.low <= value <= parameter.high:
        raise UsageError(
            f"{ranker} cannot take {parameter.name}={text}",
            f"Use a number from {parameter.low:g} to {parameter.high:g}.",
        )
    return value
