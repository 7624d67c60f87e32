"""Threads that run tasks for one loop, safe against interrupts.

Tasks and outcomes pass through SimpleQueue, whose put and get are atomic to signals. The threads are daemons: neither
`close` nor the end of the program waits for a task under way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """The value or the error of a task."""

    value: T | None
    error: BaseException | None = None


class Workers(Generic[T]):
    """At most `count` threads. under_way: the number of submitted tasks whose outcome was not yet returned."""

    def __init__(self, count: int) -> None:
        self.count, self.under_way = count, 0
        self._threads: list[Thread] = []
        self._tasks: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
        self._outcomes: SimpleQueue[Outcome[T]] = SimpleQueue()

    def submit(self, task: Callable[[], T]) -> None:
        """Run the task in a thread, once one is free."""
        self._tasks.put(task)
        self.under_way += 1
        if len(self._threads) < min(self.count, self.under_way):
            thread = Thread(target=self._run, name="fairviz worker", daemon=True)
            self._threads.append(thread)
            thread.start()

    def outcomes(self, seconds: float) -> list[Outcome[T]]:
        """Return the available outcomes, after waiting at most this many seconds for the first."""
        outcomes: list[Outcome[T]] = []
        try:
            outcomes.append(self._outcomes.get(timeout=seconds))
            while True:
                outcomes.append(self._outcomes.get_nowait())
        except Empty:
            self.under_way -= len(outcomes)
            return outcomes

    def close(self) -> None:
        """End each thread after its present task; tasks that have not begun are dropped."""
        try:
            while True:
                self._tasks.get_nowait()
        except Empty:
            for _ in self._threads:
                self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                self._outcomes.put(Outcome(task()))
            except BaseException as error:  # noqa: BLE001 - the loop that reads the outcome raises it
                self._outcomes.put(Outcome(None, error))
