"""The shell command that prints the numbers of a recipe; see `fairviz.output.recipes`."""

from collections.abc import Mapping
from typing import Any

from fairviz.extensions.finetuning.mended import mend as public
from fairviz.output.recipes import OF_NAMES, Line, changed


def mend(given: Mapping[str, Any], table: str) -> Line | None:
    """Return the line of `fairviz.mend` with these values of its parameters."""
    if table != "found.table":
        return None
    options = changed(public, given, "ranker", "rank", "strength", "minutes", "steps", "seed", "name")
    return Line("mend", given["study"], given["settings"], (), options, OF_NAMES)
