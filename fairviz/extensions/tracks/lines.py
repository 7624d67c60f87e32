"""The shell command that prints the numbers of a recipe; see `fairviz.output.recipes`."""

from collections.abc import Mapping
from typing import Any

from fairviz.evaluation.settings import Settings
from fairviz.extensions.tracks.track import track_scores as public
from fairviz.output.recipes import Line, changed


def track_scores(given: Mapping[str, Any], table: str) -> Line | None:
    """Return the line of `fairviz.track_scores` with these values of its parameters."""
    if table != "found.table" or not isinstance(given["targets"], str):
        return None
    options = changed(public, given, "unknown", "targets", "several", "k", "ideal")
    return Line("trec-fair", given["study"], Settings(), (), options)
