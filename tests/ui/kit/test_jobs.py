"""Work beside the page: told, stopped, failed and shared; and the time that is left of it, simulated."""

import threading

import pytest

from fairviz.errors import FairvizError
from fairviz.models import reading_time
from fairviz.ui.kit import jobs
from fairviz.ui.kit.boundary import APOLOGY
from fairviz.ui.kit.jobs import Pace


def test_a_job_tells_how_far_it_is_and_keeps_what_it_made_until_it_is_forgotten():
    seen, held = threading.Event(), threading.Event()

    def work(progress):
        progress("labels", 3, 10)
        seen.set()
        held.wait()
        return "made"

    job = jobs.begin("a", work)
    seen.wait()
    assert (job.what, job.done, job.total, job.running, job.outcome) == ("labels", 3, 10, True, None)
    jobs.forget("a")
    assert jobs.job("a") is job, "a running job is not forgotten"
    assert jobs.begin("a", lambda progress: "another") is job, "nor begun twice"
    held.set()
    job.wait()
    assert (job.running, job.outcome, job.problem) == (False, "made", None)
    assert jobs.job("a") is job
    second = jobs.begin("a", lambda progress: "another")
    second.wait()
    assert second is not job
    assert second.outcome == "another"
    jobs.forget("a")
    assert jobs.job("a") is None


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


@pytest.mark.parametrize(
    ("estimate", "expected", "share", "needs"),
    [
        (69, 1.0, 0.37, 69),  # estimated on an idle machine, which is then busy: 69 s become 186
        (186, 0.37, 1.0, 69),  # estimated on a busy machine, which is then idle
        (120, 0.5, 0.5, 60),  # as expected
        (30, 1.0, 0.4, 60),  # a machine at half of the assumed speed, and busy
    ],
)
def test_what_is_left_holds_within_a_factor_of_two_after_a_few_seconds(estimate, expected, share, needs) -> None:
    """Work that needs these seconds of a core and gets this share of one."""
    whole, pace = needs / share, Pace(estimate, expected)
    for clock in range(int(0.9 * whole)):
        pace.note("reading", int(100 * clock / whole), 100, clock, share * clock)
        left = pace.left(clock)
        if clock >= 5:
            assert 0.5 <= (clock + left) / whole <= 2
            assert 0.5 <= (left + 2) / (whole - clock + 2) <= 2


def test_the_estimate_counts_until_the_speed_is_known_and_without_one_the_step_has_its_own_time() -> None:
    pace = Pace(60.0, 1.0)
    assert pace.left(0.0) == 60
    pace.note("reading", 0, 100, 10.0, 0.0)
    pace.note("reading", 1, 100, 11.0, 1.0)
    assert pace.left(11.0) == pytest.approx(59)
    assert pace.left(14.0) == pytest.approx(56)
    pace.note("reading", 1, 100, 80.0, 80.0)
    assert pace.left(200.0) >= 0
    longer = Pace(5.0, 1.0)
    longer.note("reading", 0, 0, 0.0, 0.0)
    longer.note("reading", 0, 0, 20.0, 20.0)
    assert longer.left(20.0) == longer.left(30.0) == 0, "no time below zero"
    without = Pace()
    assert without.left(0.0) is None
    without.note("ranking", 0, 10, 0.0, 0.0)
    without.note("encoding", 0, 100, 10.0, 10.0)
    assert without.left(10.0) is None
    without.note("encoding", 20, 100, 20.0, 20.0)
    assert without.left(20.0) == pytest.approx(40)
    without.note("encoding", 0, 100, 21.0, 21.0)  # again from 0: another step of the same name
    assert without.left(21.0) is None


def test_the_load_of_the_moment_decides_what_a_thread_is_expected_to_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_time.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(reading_time, "_load", lambda: 5.0)
    assert reading_time.free_share() == pytest.approx(2 / 7)
    monkeypatch.setattr(reading_time, "_load", lambda: 0.0)
    assert reading_time.free_share() == 1
