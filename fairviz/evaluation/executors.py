"""Work done by this process, by a pool of processes, or by a Dask cluster (extra `[cluster]`): what a worker that ends
leaves is done again. Paths travel to the workers of a cluster, and files stay on the shared disk.
"""

import hashlib
import logging
import os
import pickle
import time
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

from fairviz import interrupts
from fairviz.declared import PROCESSES
from fairviz.errors import FairvizError
from fairviz.files import parse_json, read_file
from fairviz.installed import require
from fairviz.words.sentences import counted as counted_text

LOST_REMEDY = "The same command does what is missing. Fewer --workers need less memory."
MOST_RESTARTS = 3  # of the pool, after a worker that ended
AHEAD = 2  # items submitted for each worker
TICK = 0.5  # seconds between two looks at Ctrl-C
Work = Callable[[Any], Any]  # from an item to its result; both travel between processes
Done = Iterator[tuple[Any, Any]]  # items with their results, as these are complete
Executor = Callable[[Work, Sequence[Hashable]], Done]
RETRIES = 3  # of an item whose work fails
PATIENCE = PROCESSES["patience"].default  # seconds, for a scheduler, for its first worker, and without any worker
MOST_BYTES = 1 << 20  # of a scheduler file
LOGGERS = ("distributed", "tornado", "asyncio")  # they print tracebacks of a lost connection
PACKAGES = ("fairviz", "numpy", "pyarrow", "dask", "distributed", "python")
GONE = "Start it and its workers again; the same command does what is missing."
START = "Start `dask scheduler` and `dask worker`, and give the address."
Say = Callable[[str], None]


def local(workers: int) -> Executor:
    """Return what does work on this machine: this process for one worker, else a pool of so many."""
    return partial(_by_processes, workers=workers)


def _by_processes(work: Work, items: Sequence[Hashable], workers: int) -> Done:
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


def on_cluster(scheduler: str, say: Say, patience: float = PATIENCE) -> Executor:
    """Return what does work on a Dask cluster.

    scheduler: its address, or the path of its scheduler file. say: is given one line about the cluster, and one when
    its workers are gone. patience: seconds to wait for the scheduler or for a worker. Raises FairvizError without the
    package distributed.
    """
    require("cluster", "Dask workers need")
    return partial(_by_cluster, scheduler=scheduler, say=say, patience=patience)


def _by_cluster(work: Work, items: Sequence[Hashable], scheduler: str, say: Say, patience: float) -> Done:
    """Yield each item with its result. Raises FairvizError for a cluster that cannot be reached, has no workers or
    another version of fairviz, or ends on the way."""
    if not items:
        return
    with _connected(scheduler, patience) as client:
        say(_described(client))
        cluster = _Cluster(client, scheduler, say, patience)
        submit = partial(cluster.submit, work)
        yield from windowed(items, submit, cluster.collect, AHEAD * sum(client.nthreads().values()))


@dataclass
class _Cluster:
    """A connected cluster at work. without_workers: since when it has none, None while it has some."""

    client: Any
    scheduler: str
    say: Say
    patience: float
    without_workers: float | None = None

    def submit(self, work: Work, item: Hashable) -> Any:
        key = f"fairviz-{hashlib.sha256(pickle.dumps((work, item))).hexdigest()[:20]}"
        return self.client.submit(work, item, key=key, retries=RETRIES, pure=False)

    def collect(self, running: set) -> list[tuple[Any, Any]]:
        """Return the futures that are done, with their results. Raises FairvizError without workers for too long."""
        from distributed import wait

        try:
            ready = wait(running, timeout=TICK, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            ready = set()
        done = []
        for future in ready:
            try:
                done.append((future, future.result(timeout=TICK)))
            except TimeoutError:
                if future.status == "error":
                    raise  # by the work; else its worker is gone with the result, which is computed again
        if done or self.client.nthreads():
            self.without_workers = None
        elif self.without_workers is None:
            self.without_workers = time.monotonic()
            self.say(f"no worker is left; waiting {self.patience:g} seconds for one")
        elif time.monotonic() - self.without_workers > self.patience:
            message = f"the scheduler {self.scheduler} has no worker for {self.patience:g} seconds"
            raise FairvizError(message, "Start workers again; the same command does what is missing.")
        return done


@contextmanager
def _connected(scheduler: str, patience: float) -> Iterator[Any]:
    """Yield the client of a cluster that has a worker, and convert the cluster's errors; those of the work pass."""
    from dask import config
    from distributed import Client, KilledWorker
    from distributed.comm import CommClosedError

    client = None
    address = _address_in(scheduler) if os.path.isfile(scheduler) else scheduler
    with warnings.catch_warnings(), _quiet(), config.set({"distributed.comm.timeouts.connect": patience}):
        warnings.simplefilter("ignore")  # of versions: they are said in one line
        try:
            client = Client(address, timeout=patience)
            client.wait_for_workers(1, timeout=patience)
        except (TimeoutError, OSError, ValueError) as error:
            if client is not None:
                client.close(timeout=1)
            message = f"no scheduler with workers answers at {scheduler}"
            raise FairvizError(message, START) from error
        try:
            yield client
        except KilledWorker as error:
            message = "workers of the cluster end before their work is complete"
            raise FairvizError(message, "Give them more memory, and run the same command again.") from error
        except (CancelledError, CommClosedError) as error:
            raise FairvizError(f"the scheduler {scheduler} is gone", GONE) from error
        finally:
            client.close(timeout=1)


def _address_in(file: str) -> str:
    """Return the address in a scheduler file. Raises FairvizError for a file without one."""
    try:
        entry = parse_json(read_file(file, MOST_BYTES))
        if isinstance(entry, dict) and isinstance(entry.get("address"), str) and entry["address"]:
            return entry["address"]
        trouble = "it has no address"
    except (OSError, ValueError) as error:
        trouble = " ".join(str(error).split())[:100]
    remedy = "Name the file that `dask scheduler --scheduler-file FILE` wrote."
    raise FairvizError(f"{file} is not a scheduler file ({trouble})", remedy)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries' log off the terminal during the block."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in LOGGERS]
    loggers = [logging.getLogger(name) for name in names]  # each of distributed's has a level of its own
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _described(client: Any) -> str:
    """Return the cluster in one line: workers, dashboard, and other versions than here. Raises FairvizError for workers
    with another version of fairviz."""
    versions = client.get_versions(packages=list(PACKAGES))
    here = versions["client"]["packages"]
    other: dict[str, str | None] = {}
    for worker in versions["workers"].values():
        other |= {name: worker["packages"].get(name) for name in PACKAGES if worker["packages"].get(name) != here[name]}
    if "fairviz" in other:
        message = f"workers have fairviz {other['fairviz'] or 'not installed'}, here it is {here['fairviz']}"
        raise FairvizError(message, "Install the same version everywhere: counts depend on it.")
    differing = ", ".join(f"{name} {version}, here {here[name]}" for name, version in other.items())
    versions_text = f"other versions: {differing}" if other else "same versions as here"
    dashboard = f"; dashboard: {client.dashboard_link}" if client.dashboard_link else ""
    return f"{counted_text(len(versions['workers']), 'worker')}, {versions_text}{dashboard}"
