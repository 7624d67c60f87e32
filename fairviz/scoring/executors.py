"""Parts counted by this process or by a pool of processes: what a worker that ends leaves is counted again."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fairviz import interrupts
from fairviz.errors import FairvizError
from fairviz.scoring.counts import Counted, Plan, score_part
from fairviz.scoring.parts import Part

LOST_REMEDY = "The same command makes the missing parts. Fewer --workers need less memory."
MOST_RESTARTS = 3  # of the pool, after a worker that ended
AHEAD = 2  # parts submitted for each worker
TICK = 0.5  # seconds between two looks at Ctrl-C
Counting = Callable[[Sequence[Part], Plan, Path], Iterator[Counted]]


def local(workers: int) -> Counting:
    """Return how this machine counts parts: in this process for one worker, else in a pool."""
    return partial(_count, workers=workers)


def _count(parts: Sequence[Part], plan: Plan, folder: Path, workers: int) -> Iterator[Counted]:
    """Yield the result of each part as it is complete."""
    if workers == 1 or len(parts) < 2:
        for part in parts:
            interrupts.check()
            yield score_part(part, plan, folder)
        return
    waiting = list(parts)
    for _ in range(MOST_RESTARTS + 1):
        for result in _pooled(waiting, plan, folder, workers):
            waiting = [part for part in waiting if part.number != result.number]
            yield result
        if not waiting:
            return
    raise FairvizError(f"workers end before their part is complete; {len(waiting):,} parts are missing", LOST_REMEDY)


def _pooled(parts: Sequence[Part], plan: Plan, folder: Path, workers: int) -> Iterator[Counted]:
    """Yield results from a pool of processes; stop early if a worker ends."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield from windowed(
                parts,
                lambda part: pool.submit(score_part, part, plan, folder),
                lambda running: wait(running, timeout=TICK, return_when=FIRST_COMPLETED),
                AHEAD * workers,
            )
        except BrokenProcessPool:
            return
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def windowed(
    parts: Sequence[Part], submit: Callable[[Part], Any], wait_some: Callable[[set], tuple[set, set]], size: int
) -> Iterator[Counted]:
    """Yield the result of each part as it is complete, with no more than `size` parts submitted at a time.

    wait_some: from futures to those that are done and the others, after half a second at the latest.
    """
    left = list(parts)
    running: set = set()
    with interrupts.checked() as check:
        while left or running:
            while left and len(running) < size:
                running.add(submit(left.pop(0)))
            done, running = wait_some(running)
            check()
            for future in done:
                yield future.result()
