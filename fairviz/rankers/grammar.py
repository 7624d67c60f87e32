"""`bm25(k1=0.9,b=0.4),tfidf`: rankers with their parameters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairviz.errors import FairvizError, UsageError
from fairviz.installed import absent, lacking
from fairviz.models.language_model import SMOLLM2
from fairviz.parameters import name_changes, parse_calls, values_of
from fairviz.rankers.record import Ranker

_SMALL = "{system}: so small a model ranks near chance: a demonstration, never evidence."


@dataclass(frozen=True)
class RankerChoice:
    """A ranker with all its parameters, and the name of its run."""

    ranker: Ranker
    parameters: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The ranker's name and the parameters that are not at their default: `bm25-k1=1.2`."""
        return self.ranker.name + name_changes(self.ranker.parameters, self.parameters)


def parse_choices(text: str, rankers: Mapping[str, Ranker], defaults: Mapping[str, str]) -> tuple[RankerChoice, ...]:
    """Return the rankers of the text, in its order. Raises UsageError for an unknown, wrong or repeated one.

    defaults: values of parameters for every ranker that takes them.
    """
    try:
        calls = parse_calls(text)
    except ValueError as error:
        raise UsageError(f"cannot read {text[:120]!r} as a ranker", "Write it as bm25(k1=0.9,b=0.4),tfidf.") from error
    choices: dict[str, RankerChoice] = {}
    for call in calls:
        if call.name not in rankers:
            if removed := absent("fairviz.rankers", call.name, f"the ranker {call.name} is"):
                raise removed
            raise UsageError(f"there is no ranker {call.name!r}", f"Use one or more of {', '.join(rankers)}.")
        ranker = rankers[call.name]
        choice = RankerChoice(ranker, values_of(call, ranker.parameters, defaults))
        if choice.system in choices:
            raise UsageError(f"{choice.system} is named twice", "Name it once.")
        choices[choice.system] = choice
    if not choices:
        raise UsageError("no ranker is named", f"Use one or more of {', '.join(rankers)}.")
    return tuple(choices.values())


def check_layers(choices: Iterable[RankerChoice]) -> None:
    """Raise FairvizError where the layer of a ranker is not installed."""
    if error := absent_layer(choice.ranker for choice in choices):
        raise error


def absent_layer(rankers: Iterable[Ranker]) -> FairvizError | None:
    """Return the error of the rankers whose layer is not installed, those of one layer; None if all are."""
    absent = [ranker for ranker in rankers if not ranker.is_installed]
    if not absent:
        return None
    layer = absent[0].layer
    names = dict.fromkeys(ranker.name for ranker in absent if ranker.layer == layer)
    return lacking(layer, f"{' and '.join(names)} {'needs' if len(names) == 1 else 'need'}")


def demonstrations(choices: Sequence[RankerChoice]) -> tuple[str, ...]:
    """Return a sentence for each ranker by the packaged model."""
    return tuple(_SMALL.format(system=choice.system) for choice in choices if choice.parameters.get("model") == SMOLLM2)
