"""The cache of the maps of choices, complete or being computed."""

import uuid
from dataclasses import replace
from operator import attrgetter

from fairviz.analyses.sensitivity.grid import Grid
from fairviz.analyses.sensitivity.mapping import result_of
from fairviz.analyses.sensitivity.result import Robustness
from fairviz.analyses.sensitivity.work import Work
from fairviz.evaluation.settings import Settings
from fairviz.ui.kept import entries, tables

LATEST = "robustness_made"  # the map that a session has looked at last, for its report


class Kept:
    """A map's work, with the result of what is computed so far. Holds state: the result is made anew when there is
    more, and estimate is measured once. name: of this work alone, for the key of its job."""

    def __init__(self, grid: Grid) -> None:
        self.name, self.work = uuid.uuid4().hex, Work(grid)
        self._found: Robustness | None = None
        self._estimate: float | None = None

    def result(self, grid: Grid) -> Robustness:
        """Return the combinations computed so far, under these settings, which equal the work's in all that it
        reads."""
        if self._found is None or int(self._found.done.sum()) < self.work.finished:
            self._found = result_of(self.work)
        if self._found.grid.settings == grid.settings:
            return self._found
        self._found = replace(self._found, grid=grid)
        return self._found

    def estimate(self) -> float:
        """Seconds that all of it takes."""
        if self._estimate is None:
            self._estimate = self.work.estimate()
        return self._estimate


def _key_of(grid: Grid) -> tuple:
    settings = tables.plain(grid.settings)
    unread = {name: getattr(Settings, name) for name in (*grid.choices, "systems", "effectiveness")}
    read = tuple(
        (branch.text, branch.question.text if not branch.axes else "", branch.axes) for branch in grid.branches
    )
    resting = repr(settings.changed(**unread))
    return grid.study.fingerprint, grid.pair, grid.systems, grid.how, read, resting, entries.vectors_stamp(settings)


@entries.kept(entries.Entries("combinations", session=6, number=12), by={"grid": _key_of}, owner=attrgetter("study"))
def work_of(grid: Grid) -> Kept:
    """The work of the grid: one for all settings within it."""
    return Kept(grid)
