"""A map in the making: pieces computed on all cores, which can be stopped and gone on with; what is done stays."""

import logging
import os
import time
from collections.abc import Callable
from threading import Event, Lock, Thread

import numpy as np

from fairviz import interrupts
from fairviz.analyses.sensitivity.blas import one_thread_each
from fairviz.analyses.sensitivity.differences import COLUMNS
from fairviz.analyses.sensitivity.evidence import Evidence
from fairviz.analyses.sensitivity.grid import EVIDENCE, Grid
from fairviz.analyses.sensitivity.values import Piece, batches_of, computed
from fairviz.errors import FairvizError

LOG = logging.getLogger("fairviz")
Array = np.ndarray
SAMPLE = 60  # combinations of the piece that an estimate is made from
LOOK = 0.1  # seconds between two looks at how far it is


def cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Work:
    """The combinations of a grid, as far as they are computed. Mutable; safe to read while it runs.

    columns: COLUMNS (N,) by name, over all combinations of the grid, NaN where not yet computed. done (N,). problem:
    the error that ended it early.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.columns: dict[str, Array] = {name: np.full(grid.count, np.nan) for name in COLUMNS}
        self.done = np.zeros(grid.count, dtype=bool)
        self.problem: Exception | None = None
        self._open = batches_of(grid)[::-1]  # the next one is the last of the list
        self._evidence = Evidence(grid)
        self._lock, self._stopped = Lock(), Event()
        self._threads: list[Thread] = []

    @property
    def finished(self) -> int:
        """The number of computed combinations."""
        return int(self.done.sum())

    @property
    def whole(self) -> bool:
        """True if all combinations are computed."""
        return bool(self.done.all())

    @property
    def running(self) -> bool:
        """True while it is being computed."""
        return any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """Lets the pieces that are begun be finished, and begins no other."""
        self._stopped.set()

    def start(self, workers: int | None = None) -> None:
        """Computes in the background what is not yet computed, where it is not being computed already."""
        if self.running or self.whole:
            return
        self._stopped.clear()
        self.problem = None
        self._threads = [Thread(target=self._work, name=f"combinations {number}", daemon=True)
                         for number in range(workers or cores())]  # fmt: skip
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Returns when nothing is being computed any more."""
        for thread in self._threads:
            thread.join()

    def run(self, told: Callable[[int, int], object] = lambda done, count: None, workers: int | None = None) -> None:
        """Compute the missing combinations; `told(done, total)` is called now and then.

        Ctrl-C, or `stop`, ends it after the pieces that are begun. Raises FairvizError as `evaluate` does.
        """
        with interrupts.checked() as check:
            self.start(workers)
            try:
                for thread in self._threads:
                    while thread.is_alive():
                        thread.join(LOOK)
                        check()
                        told(self.finished, self.grid.count)
            finally:
                self.stop()
                self.wait()
        if self.problem is not None:
            raise self.problem

    def estimate(self) -> float:
        """Seconds that all of it would take, from a piece that is computed now, twice.

        The first time pays for words and lists, which each other way to count and lay out costs as well; the second
        time for combinations alone.
        """
        small = batches_of(self.grid, SAMPLE)[0]
        spent = []
        for _ in range(2):
            began = time.perf_counter()
            self._keep(small, computed(self.grid, self._evidence, small))
            spent.append(time.perf_counter() - began)
        ways = len({(piece.branch, piece.start // _sharing(self.grid, piece)) for piece in self._open})
        rate = spent[1] / (small.stop - small.start)
        return (max(spent[0] - spent[1], 0.0) * ways + rate * self.grid.count) / cores()

    def _work(self) -> None:
        try:
            self._compute()
        except FairvizError as error:
            self._end(error)
        except Exception as error:
            LOG.exception("a sensitivity analysis failed")
            self._end(error)

    def _compute(self) -> None:
        with one_thread_each():
            while not self._stopped.is_set() and (piece := self._next()) is not None:
                self._keep(piece, computed(self.grid, self._evidence, piece))

    def _end(self, error: Exception) -> None:
        self.problem = error
        self.stop()

    def _next(self) -> Piece | None:
        with self._lock:
            return self._open.pop() if self._open else None

    def _keep(self, piece: Piece, columns: dict[str, Array]) -> None:
        branch = self.grid.branches[piece.branch]
        first = int(self.grid.ends[piece.branch]) - branch.count
        rows = slice(first + piece.start, first + piece.stop)
        with self._lock:
            for name, values in columns.items():
                self.columns[name][rows] = values
            self.done[rows] = True


def _sharing(grid: Grid, piece: Piece) -> int:
    """Return the number of combinations of the piece's measure with the same words and lists."""
    sizes = [len(levels) for name, levels in grid.branches[piece.branch].axes if name not in EVIDENCE]
    return int(np.prod(sizes, dtype=np.int64))
