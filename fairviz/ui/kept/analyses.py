"""The cache of the outcomes of analyses, which a reader starts and a job computes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairviz.analyses import Analysis
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, Shelf, kept, vectors_stamp
from fairviz.ui.kit import jobs
from fairviz.ui.state import library

MOST_OUTCOMES = 12


@dataclass(frozen=True, eq=False)
class Run:
    """An analysis of a study with these values of its parameters, which a reader may start."""

    analysis: Analysis
    study: Study
    settings: Settings
    values: Mapping[str, Any]

    @property
    def key(self) -> tuple:
        """All that the outcome depends on; of word vectors in a file also the state of the file."""
        read = repr([getattr(self.settings, name) for name in self.analysis.reads])
        stamp = vectors_stamp(self.settings) if "embedding" in self.analysis.reads else ()
        return self.analysis.name, self.study.fingerprint, tuple(sorted(self.values.items())), read, stamp

    @property
    def job_key(self) -> tuple:
        """The key of the job that computes the outcome."""
        return ("analysis", *self.key, library.owner(self.study))

    def outcome(self) -> Any | None:
        """Return the outcome if it was computed, also by a job that has just ended."""
        if job := jobs.completed(self.job_key):
            _shelf(self.study).put(self.key, job.outcome)
            jobs.forget(self.job_key)
        return _shelf(self.study).value_of(self.key)

    def outcome_at_once(self) -> Any:
        """Return the outcome of a quick analysis, computed here if it was not computed before."""
        outcome = self.outcome()
        if outcome is None:
            outcome = self.work(lambda what, done, total: None)
            _shelf(self.study).put(self.key, outcome)
        return outcome

    def work(self, progress: jobs.Progress) -> Any:
        """Compute the outcome, in a thread without widgets."""
        return self.analysis.compute(
            self.study, self.settings, lambda what, *counts: progress(what[:1].upper() + what[1:], *counts),
            **self.values,
        )  # fmt: skip


@kept(Entries("outcomes", number=1), by={"study": lambda _: ""})
def _shelf(study: Study) -> Shelf[Any]:
    return Shelf(MOST_OUTCOMES)
