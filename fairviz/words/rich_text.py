"""A sentence as pieces of text, of which some are strong: what pages, reports and the command line show alike."""

from collections.abc import Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """A piece of a sentence; names of systems and measures are strong."""

    text: str
    strong: bool = False


Sentence = Sequence[Span]


def plain(sentence: Sentence) -> str:
    """The spans as plain text."""
    return "".join(span.text for span in sentence)
