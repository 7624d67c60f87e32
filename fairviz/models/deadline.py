"""One deadline for a whole answer, and an event that ends the wait for it; a socket's timeout covers single reads."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from fairviz.models.protocol import PassingError

LOOK = 0.1  # seconds between two looks at the event
GRACE = 0.8  # seconds that an answer under way may still take once the event is set
Result = TypeVar("Result")


def within(patience: float, stop: threading.Event, work: Callable[[threading.Event], Result]) -> Result:
    """Return what work(ended) returns, within `patience` seconds, or within GRACE once `stop` is set.

    The work runs in a thread of its own, so that no state of a connection blocks the caller: not the look-up of a name,
    not a byte now and then. Its exceptions are raised here. `ended` is set once the caller no longer waits: the work
    checks it between two reads, and its late result is dropped.

    Raises: PassingError where the time is over.
    """
    results: list[Result] = []
    errors: list[BaseException] = []
    done, ended = threading.Event(), threading.Event()

    def run() -> None:
        try:
            results.append(work(ended))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="fairviz request", daemon=True).start()
    try:
        _wait(done, patience, stop)
    finally:
        ended.set()
    if errors:
        raise errors[0]
    return results[0]


def _wait(done: threading.Event, patience: float, stop: threading.Event) -> None:
    """Return once `done` is set. Raises PassingError after `patience` seconds, or GRACE seconds after `stop`."""
    deadline = time.monotonic() + patience
    while not done.wait(min(LOOK, max(deadline - time.monotonic(), 0.0))):
        if stop.is_set():
            if done.wait(GRACE):
                return
            raise PassingError("it was stopped")
        if time.monotonic() >= deadline:
            raise PassingError(f"no whole answer within {patience:g} seconds")
