"""What tests of verbs share."""

import csv
import io

FOOTBALL_NOTE = (
    "note: The documents, labels and relevance of this study were made by this project after Figure 1 of the TExFAIR "
    "paper; they are an illustration, not evidence about any search engine.\n"
)


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a result in CSV."""
    return list(csv.DictReader(io.StringIO(text)))
