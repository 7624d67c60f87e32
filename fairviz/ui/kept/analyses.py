"""The cache of the outcomes of analyses, which a reader starts and a job computes."""

from collections.abc import Mapping
from typing import Any

from fairviz.analyses import Analysis
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, Shelf, kept, vectors_stamp
from fairviz.ui.kit import jobs
from fairviz.ui.state import library

MOST_OUTCOMES = 12


def key_of(analysis: Analysis, study: Study, settings: Settings, values: Mapping[str, Any]) -> tuple:
    """Return all that an outcome depends on: the study, the values, the settings that the analysis reads, and the state
    of a file of word vectors."""
    read = repr([getattr(settings, name) for name in analysis.reads])
    stamp = vectors_stamp(settings) if "embedding" in analysis.reads else ()
    return analysis.name, study.fingerprint, tuple(sorted(values.items())), read, stamp


def job_key(study: Study, key: tuple) -> tuple:
    """Return the key of the job that computes the outcome of this key."""
    return ("analysis", *key, library.owner(study))


def outcome(study: Study, key: tuple) -> Any | None:
    """Return the outcome of this key if it was computed, also by a job that has just ended."""
    if job := jobs.completed(job_key(study, key)):
        _shelf(study).put(key, job.outcome)
        jobs.forget(job.key)
    return _shelf(study).value_of(key)


@kept(Entries("outcomes", server=1), by={"study": lambda _: ""})
def _shelf(study: Study) -> Shelf[Any]:
    return Shelf(MOST_OUTCOMES)
