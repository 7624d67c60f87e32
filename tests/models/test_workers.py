"""Workers: outcomes and errors come back, at most so many threads, and nothing waits for a task under way."""

import threading

import pytest

from fairviz.models.asking import Outcome, Workers


def test_outcomes_and_errors_come_back() -> None:
    workers = Workers[int](2)
    error = SystemExit()

    def fail() -> int:
        raise error

    for task in (lambda: 1, fail, lambda: 3):
        workers.submit(task)
    found: list[Outcome[int]] = []
    while workers.under_way:
        found += workers.outcomes(60)
    assert {(outcome.value, outcome.error) for outcome in found} == {(1, None), (None, error), (3, None)}
    workers.close()
    for thread in workers._threads:
        thread.join()


def test_no_more_threads_than_tasks_or_the_limit() -> None:
    workers, release = Workers[bool](2), threading.Event()
    workers.submit(release.wait)
    assert len(workers._threads) == 1
    for _ in range(4):
        workers.submit(release.wait)
    assert (len(workers._threads), workers.under_way) == (2, 5)
    release.set()
    workers.close()


def test_close_drops_what_has_not_begun_and_waits_for_nothing() -> None:
    workers, begun, release = Workers[bool](1), threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return release.wait()

    workers.submit(work)
    begun.wait()
    workers.submit(lambda: pytest.fail("a dropped task began"))
    workers.close()
    assert workers._threads[0].is_alive()
    release.set()
    workers._threads[0].join()
    assert [outcome.value for outcome in workers.outcomes(0)] == [True]
