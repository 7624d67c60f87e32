"""Callbacks and fragments, whose errors are one line on the page; and work beside the page: told, stopped, failed and
shared, with the time that is left of it, simulated."""

import threading
from collections.abc import Callable

import pytest

from fairviz.errors import FairvizError
from fairviz.models import reading_time
from fairviz.ui.kit import boundary, jobs
from fairviz.ui.kit.boundary import APOLOGY
from fairviz.ui.kit.jobs import Job, Pace
from tests.pages.conftest import drawn_by, html_of


def broken(error):
    import streamlit as st

    from fairviz.errors import FairvizError
    from fairviz.ui.kit import boundary

    def fail():
        raise FairvizError("a file is odd", "Mend it.") if error == "mendable" else RuntimeError("secret detail")

    boundary.show_problem()
    st.button("press", on_click=boundary.guarded(fail))
    st.button("nothing")
    st.text("still here")

    @boundary.fragment
    def part():
        if error == "fragment":
            fail()
        st.text("drawn")

    part()
    st.text("the rest")


@pytest.mark.parametrize(
    ("error", "told"),
    [("mendable", 'a file is odd<div class="fv-remedy">Mend it.</div>'), ("bug", APOLOGY.partition(" The")[0])],
)
def test_an_error_of_a_callback_is_told_once_and_the_page_stays(error: str, told: str) -> None:
    test = drawn_by(broken, error)
    assert told not in html_of(test)
    test.button[0].click().run()
    assert told in html_of(test)
    assert "secret detail" not in html_of(test)
    assert [text.value for text in test.text] == ["still here", "drawn", "the rest"]
    test.button[1].click().run()
    assert told not in html_of(test)
    if error == "bug":
        of_fragment = drawn_by(broken, "fragment")
        assert told in html_of(of_fragment)
        assert [text.value for text in of_fragment.text] == ["still here", "the rest"]


@pytest.mark.parametrize("kind", [boundary.background, lambda draw: boundary.repeated(1.0)(draw)])
@pytest.mark.parametrize("overlooked", [True, False])
def test_a_part_that_asks_for_itself_leaves_a_choice_made_beside_it_to_the_whole_page(monkeypatch, kind, overlooked):
    done = []
    # Without a server, Streamlit's own decorator would run nothing.
    monkeypatch.setattr(boundary.st, "fragment", lambda draw=None, run_every=0.0: draw or (lambda given: given))
    monkeypatch.setattr(boundary.address, "overlooked", lambda: overlooked)
    monkeypatch.setattr(boundary.session, "keep_alone", lambda: None)
    monkeypatch.setattr(boundary.st, "rerun", lambda: done.append("whole page"))
    kind(lambda: done.append("part"))()
    assert done == (["whole page", "part"] if overlooked else ["part"])


# --- jobs


def finished(work: Callable, name: str = "a") -> Job:
    job = jobs.begin(name, work)
    job.wait()
    return job


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
    second = finished(lambda progress: "another")
    assert second is not job
    assert second.outcome == "another"
    jobs.forget("a")
    assert jobs.job("a") is None


def test_stopped_work_ends_where_it_next_tells_and_leaves_neither_outcome_nor_problem():
    told, asked = [], threading.Event()

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

    problem = finished(wrong).problem
    assert (problem.message, problem.remedy) == ("no key", "Set it.")
    assert finished(lambda progress: 1 / 0, "b").problem.message == APOLOGY
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
    assert [pace.left(clock) for clock in (11.0, 14.0)] == pytest.approx([59, 56])
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
    for load, share in ((5.0, 2 / 7), (0.0, 1)):
        monkeypatch.setattr(reading_time, "_load", lambda load=load: load)
        assert reading_time.free_share() == pytest.approx(share)
