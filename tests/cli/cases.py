"""What tests of verbs share."""

import csv
import io


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a result in CSV."""
    return list(csv.DictReader(io.StringIO(text)))
