"""The time that lists over the weights of senses take, estimated before they are made."""

from collections.abc import Sequence

from fairviz.analyses.sense_weighting.lists import WEIGHTS, Read, sense_sets
from fairviz.models.reading_time import read_seconds
from fairviz.models.sentence_encoder import MINILM, located, unread
from fairviz.rankers.backpack.loading import loaded

RANKING = 3e-5  # seconds of a processor to rank a text at one weight of one set of senses: 7 for newswire


def reading_seconds(read: Read, models: Sequence[str], senses: int = 2) -> float:
    """Return the seconds in which `lists_of` makes the lists of these models.

    Each model reads the texts that it has not read, and so does MiniLM, a reference. Raises: see `loaded`.
    """
    minilm = located(MINILM)
    kinds = [*(f"backpack-{loaded(name).key}" for name in models), "bi"]
    texts = [text for kind in kinds for text in unread(read.texts, minilm, kind)]
    stops = len(WEIGHTS) * sum(len(sense_sets(loaded(name), senses)) for name in models)
    return read_seconds(texts, RANKING * stops * len(read.texts))
