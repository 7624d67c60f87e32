"""The time that is left of running work, simulated: what a machine was expected to give, and what it gives."""

import pytest

from fairviz.models import reading_time
from fairviz.ui.kit.jobs import Pace


def run(pace: Pace, seconds: float, share: float, until: float, every: float = 1.0) -> list[tuple[float, float]]:
    """Reports of work that needs these seconds of a core and gets the share of one: the clock, and what is left."""
    told, clock = [], 0.0
    while clock < until and share * clock < seconds:
        pace.note("reading", int(100 * share * clock / seconds), 100, clock, share * clock)
        told.append((clock, pace.left(clock)))
        clock += every
    return told


@pytest.mark.parametrize(
    ("estimate", "expected", "share", "needs"),
    [
        (69, 1.0, 0.37, 69),  # estimated on an idle machine, which is then busy: 69 s become 186
        (186, 0.37, 1.0, 69),  # estimated on a busy machine, which is then idle
        (120, 0.5, 0.5, 60),  # as expected
        (30, 1.0, 0.4, 60),  # a machine at half of the assumed speed, and busy
    ],
)
def test_what_is_left_holds_within_a_factor_of_two_after_a_few_seconds(
    estimate: float, expected: float, share: float, needs: float
) -> None:
    whole = needs / share
    told = run(Pace(estimate, expected), needs, share, whole)
    later = [(clock, left) for clock, left in told if 5 <= clock <= 0.9 * whole]
    assert len(later) > 40
    for clock, left in later:
        assert 0.5 <= (clock + left) / whole <= 2
        assert 0.5 <= (left + 2) / (whole - clock + 2) <= 2


def test_before_the_speed_is_known_the_estimate_counts_and_time_passes() -> None:
    pace = Pace(60.0, 1.0)
    assert pace.left(0.0) == 60
    pace.note("reading", 0, 100, 10.0, 0.0)
    pace.note("reading", 1, 100, 11.0, 1.0)
    assert pace.left(11.0) == pytest.approx(59)
    assert pace.left(14.0) == pytest.approx(56)


def test_without_an_estimate_the_step_has_its_own_time() -> None:
    pace = Pace()
    assert pace.left(0.0) is None
    pace.note("ranking", 0, 10, 0.0, 0.0)
    pace.note("encoding", 0, 100, 10.0, 10.0)
    assert pace.left(10.0) is None
    pace.note("encoding", 20, 100, 20.0, 20.0)
    assert pace.left(20.0) == pytest.approx(40)
    pace.note("encoding", 0, 100, 21.0, 21.0)  # again from 0: another step of the same name
    assert pace.left(21.0) is None


def test_work_that_takes_longer_than_its_estimate_has_no_time_below_zero() -> None:
    pace = Pace(5.0, 1.0)
    pace.note("reading", 0, 0, 0.0, 0.0)
    pace.note("reading", 0, 0, 20.0, 20.0)
    assert pace.left(20.0) == 0
    assert pace.left(30.0) == 0


def test_the_load_of_the_moment_decides_what_a_thread_is_expected_to_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_time.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(reading_time, "_load", lambda: 5.0)
    assert reading_time.free_share() == pytest.approx(2 / 7)
    monkeypatch.setattr(reading_time, "_load", lambda: 0.0)
    assert reading_time.free_share() == 1
