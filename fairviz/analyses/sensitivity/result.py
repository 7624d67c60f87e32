"""A map of choices: a grid that is computed, and the sentence about it."""

from functools import cached_property

from fairviz.analyses.sensitivity.computed_grid import ComputedGrid
from fairviz.analyses.sensitivity.wording import plain


class Robustness(ComputedGrid):
    """Two systems under every combination of a grid that is computed."""

    @cached_property
    def sentence(self) -> str:
        """Return the finding in a sentence or two."""
        return plain(self)
