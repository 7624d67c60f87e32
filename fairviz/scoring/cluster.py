"""Work done by the workers of a Dask cluster (extra `[cluster]`): paths travel, files stay on the shared disk."""

import hashlib
import os
import pickle
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from typing import Any

from fairviz.errors import FairvizError
from fairviz.installed import require
from fairviz.scoring.executors import AHEAD, TICK, Done, Executor, Work, windowed
from fairviz.words.sentences import counted as counted_text

RETRIES = 3  # of an item whose work fails
PATIENCE = 30  # seconds, for a scheduler, and for its first worker
PACKAGES = ("fairviz", "numpy", "pyarrow", "dask", "distributed", "python")
GONE = "Start it and its workers again; the same command does what is missing."
Say = Callable[[str], None]


def on_cluster(scheduler: str, say: Say) -> Executor:
    """Return what does work on a Dask cluster.

    scheduler: its address, or the path of its scheduler file. say: is given one line about the cluster. Raises
    FairvizError without the package distributed.
    """
    require("cluster", "Dask workers need")
    return partial(_run, scheduler=scheduler, say=say)


def _run(work: Work, items: Sequence[Hashable], scheduler: str, say: Say) -> Done:
    """Yield each item with its result. Raises FairvizError for a cluster that cannot be reached, has no workers or
    another version of fairviz, or ends on the way."""
    from distributed import wait

    if not items:
        return

    def wait_some(running: set) -> tuple[set, set]:
        try:
            return wait(running, timeout=TICK, return_when="FIRST_COMPLETED")
        except TimeoutError:
            return set(), running

    with _connected(scheduler) as client:
        say(_described(client))

        def submit(item: Hashable) -> Any:
            key = f"fairviz-{hashlib.sha256(pickle.dumps((work, item))).hexdigest()[:20]}"
            return client.submit(work, item, key=key, retries=RETRIES, pure=False)

        yield from windowed(items, submit, wait_some, AHEAD * sum(client.nthreads().values()))


@contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
    """Yield the client of a cluster that has a worker, and convert the cluster's errors; those of the work pass."""
    from dask import config
    from distributed import Client, KilledWorker
    from distributed.comm import CommClosedError

    client = None
    address = {"scheduler_file": scheduler} if os.path.isfile(scheduler) else {"address": scheduler}
    with warnings.catch_warnings(), config.set({"distributed.comm.timeouts.connect": PATIENCE}):
        warnings.simplefilter("ignore")  # of versions: they are said in one line
        try:
            client = Client(**address, timeout=PATIENCE)
            client.wait_for_workers(1, timeout=PATIENCE)
        except (TimeoutError, OSError, ValueError) as error:
            if client is not None:
                client.close(timeout=1)
            message = f"no scheduler with workers answers at {scheduler}"
            raise FairvizError(message, "Start `dask scheduler` and `dask worker`, and give the address.") from error
        try:
            yield client
        except KilledWorker as error:
            message = "workers of the cluster end before their work is complete"
            raise FairvizError(message, "Give them more memory, and run the same command again.") from error
        except (CancelledError, CommClosedError) as error:
            raise FairvizError(f"the scheduler {scheduler} is gone", GONE) from error
        finally:
            client.close(timeout=1)


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
