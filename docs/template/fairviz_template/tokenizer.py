"""Words that keep their hyphens: ex-wife is one token."""

import re

from fairviz.words.tokenizers import Tokenizer

_HYPHENATED = re.compile(r"\w+(?:-\w+)*")


def _spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each token."""
    return [match.span() for match in _HYPHENATED.finditer(text)]


HYPHENATED = Tokenizer(name="hyphenated", summary="words with their hyphens", spans=_spans)
