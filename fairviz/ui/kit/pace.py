"""The time that running work still takes: its estimate, corrected by the speed that is measured while it runs."""

from collections import deque
from dataclasses import dataclass, field

from fairviz.models.reading_time import free_share

SURE = 3.0  # seconds of work before its speed counts
LEAST = 0.01  # share of a core
RECENT = 30.0  # seconds over which the speed is measured


@dataclass
class Pace:
    """The progress of work over time.

    estimate: seconds by the clock, made before the work began; None if unknown. share: the part of a core that a thread
    was expected to get then. Their product is the time that the work needs of a core; the clock takes longer by as much
    as the work's thread gets less. Progress and times are those of the last report.
    """

    estimate: float | None = None
    share: float = 1.0
    began: float | None = None  # processor time of the first report
    recent: deque[tuple[float, float]] = field(default_factory=deque)  # clock and processor time of the last reports
    step: str = ""
    step_began: tuple[float, int] = (0.0, 0)  # clock and count at which the step began
    done: int = 0
    total: int = 0

    def note(self, step: str, done: int, total: int, clock: float, processor: float) -> None:
        """Record a report of the work. clock, processor: seconds, of any origin; processor: of the work's thread."""
        self.began = processor if self.began is None else self.began
        if step != self.step or done < self.done:
            self.step, self.step_began = step, (clock, done)
        self.done, self.total = done, total
        self.recent.append((clock, processor))
        while self.recent[0][0] < clock - RECENT and len(self.recent) > 2:
            self.recent.popleft()

    def left(self, clock: float) -> float | None:
        """Return the seconds left at this time; None if nothing is known of them.

        They are those of the estimate at the measured speed, or those of the present step at its own speed if that is
        longer, as a step can show that the estimate was too short.
        """
        parts = [part for part in (self._of_estimate(), self._of_step()) if part is not None]
        since = clock - self.recent[-1][0] if self.recent else 0.0
        return max(max(parts) - since, 0.0) if parts else None

    def _of_estimate(self) -> float | None:
        if self.estimate is None or self.began is None:
            return self.estimate
        (first, before), (last, now) = self.recent[0], self.recent[-1]
        share = max((now - before) / (last - first), LEAST) if last - first >= SURE else self.share
        return max(self.estimate * self.share - (now - self.began), 0.0) / share

    def _of_step(self) -> float | None:
        if not self.recent:
            return None
        clock, count = self.recent[-1][0] - self.step_began[0], self.done - self.step_began[1]
        return clock * (self.total - self.done) / count if clock >= SURE and count > 0 else None


def begun(estimate: float | None) -> Pace:
    """Return the pace of work that begins now, with an estimate that took the machine's present load into account."""
    return Pace(estimate, free_share())
