"""Notes on rankers by the packaged small model, whose results are a demonstration and not evidence."""

from collections.abc import Sequence

from fairviz.models.language_model import SMOLLM2
from fairviz.rankers.grammar import Choice

_SMALL = "{system}: so small a model ranks near chance: a demonstration, never evidence."


def demonstrations(choices: Sequence[Choice]) -> tuple[str, ...]:
    """Return a sentence for each ranker by the packaged model."""
    return tuple(_SMALL.format(system=choice.system) for choice in choices if choice.parameters.get("model") == SMOLLM2)
