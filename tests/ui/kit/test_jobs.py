"""Work beside the page: told, stopped, failed and shared."""

import threading

import pytest

from fairviz.errors import FairvizError
from fairviz.ui.kit import jobs
from fairviz.ui.kit.boundary import APOLOGY


@pytest.fixture(autouse=True)
def no_jobs():
    jobs._jobs.clear()
    yield
    jobs._jobs.clear()


def test_a_job_tells_how_far_it_is_and_keeps_what_it_made():
    seen = threading.Event()
    held = threading.Event()

    def work(progress):
        progress("labels", 3, 10)
        seen.set()
        held.wait()
        return "made"

    job = jobs.begin("a", work)
    seen.wait()
    assert (job.what, job.done, job.total, job.running, job.outcome) == ("labels", 3, 10, True, None)
    held.set()
    job.wait()
    assert (job.running, job.outcome, job.problem) == (False, "made", None)
    assert jobs.job("a") is job


def test_the_same_work_is_not_begun_twice_while_it_runs():
    held = threading.Event()
    first = jobs.begin("a", lambda progress: held.wait())
    assert jobs.begin("a", lambda progress: "another") is first
    held.set()
    first.wait()
    second = jobs.begin("a", lambda progress: "another")
    second.wait()
    assert second is not first
    assert second.outcome == "another"


def test_stopped_work_ends_where_it_next_tells_and_leaves_neither_outcome_nor_problem():
    told = []
    asked = threading.Event()

    def work(progress):
        for done in range(1000):
            progress("labels", done, 1000)
            told.append(done)
            if done == 2:
                asked.wait()
        return "whole"

    job = jobs.begin("a", work)
    job.stop()
    asked.set()
    job.wait()
    assert (job.outcome, job.problem, job.stopping) == (None, None, True)
    assert len(told) <= 3


def test_what_a_person_can_mend_is_kept_and_a_mistake_of_the_program_gets_an_apology(caplog):
    def wrong(progress):
        raise FairvizError("no key", "Set it.")

    def broken(progress):
        raise ZeroDivisionError

    mended = jobs.begin("a", wrong)
    mended.wait()
    assert (mended.problem.message, mended.problem.remedy) == ("no key", "Set it.")
    apologised = jobs.begin("b", broken)
    apologised.wait()
    assert apologised.problem.message == APOLOGY
    assert "a job failed" in caplog.text


def test_a_running_job_is_not_forgotten():
    held = threading.Event()
    job = jobs.begin("a", lambda progress: held.wait())
    jobs.forget("a")
    assert jobs.job("a") is job
    held.set()
    job.wait()
    jobs.forget("a")
    assert jobs.job("a") is None


def test_the_end_of_the_server_ends_its_jobs():
    begun, ended = threading.Event(), threading.Event()

    def work(progress):
        try:
            while True:
                progress("labels", 0, 1)
                begun.set()
        finally:
            ended.set()

    job = jobs.begin("a", work)
    begun.wait()
    jobs.end_all()
    assert (ended.is_set(), job.running, job.outcome) == (True, False, None)
