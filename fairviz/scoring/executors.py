"""Work done by this process or by a pool of processes: what a worker that ends leaves is done again."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from typing import Any

from fairviz import interrupts
from fairviz.errors import FairvizError

LOST_REMEDY = "The same command does what is missing. Fewer --workers need less memory."
MOST_RESTARTS = 3  # of the pool, after a worker that ended
AHEAD = 2  # items submitted for each worker
TICK = 0.5  # seconds between two looks at Ctrl-C
Work = Callable[[Any], Any]  # from an item to its result; both travel between processes
Done = Iterator[tuple[Any, Any]]  # items with their results, as these are complete
Executor = Callable[[Work, Sequence[Hashable]], Done]


def local(workers: int) -> Executor:
    """Return what does work on this machine: this process for one worker, else a pool of so many."""
    return partial(_run, workers=workers)


def _run(work: Work, items: Sequence[Hashable], workers: int) -> Done:
    if workers == 1 or len(items) < 2:
        for item in items:
            interrupts.check()
            yield item, work(item)
        return
    waiting = list(items)
    for _ in range(MOST_RESTARTS + 1):
        for item, result in _pooled(work, waiting, workers):
            waiting = [one for one in waiting if one != item]
            yield item, result
        if not waiting:
            return
    raise FairvizError(f"workers end before their work is complete; {len(waiting):,} parts are missing", LOST_REMEDY)


def _pooled(work: Work, items: Sequence[Hashable], workers: int) -> Done:
    """Yield results from a pool of processes; stop early if a worker ends."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield from windowed(
                items,
                lambda item: pool.submit(work, item),
                lambda running: [(one, one.result()) for one in wait(running, TICK, FIRST_COMPLETED).done],
                AHEAD * workers,
            )
        except BrokenProcessPool:
            return
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def windowed(
    items: Sequence[Hashable], submit: Callable[[Any], Any], collect: Callable[[set], list[tuple[Any, Any]]], size: int
) -> Done:
    """Yield each item with its result as it is complete, with no more than `size` items submitted at a time.

    collect: from futures to those that are done, with their results, soon also if none is.
    """
    left = list(items)
    running: dict[Any, Any] = {}
    with interrupts.checked() as check:
        while left or running:
            while left and len(running) < size:
                item = left.pop(0)
                running[submit(item)] = item
            done = collect(set(running))
            check()
            for future, result in done:
                yield running.pop(future), result
