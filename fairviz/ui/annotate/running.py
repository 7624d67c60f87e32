"""Labelling in the background: the job, its result, and joining its labels to the study."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from fairviz.annotation.annotators import Choice
from fairviz.annotation.annotators.annotating import Annotations, Hearing, annotate, with_annotations
from fairviz.datasets import save_labels
from fairviz.models.asking import Budget
from fairviz.models.replies import OUTCOMES
from fairviz.study.record import Study
from fairviz.ui.kit import html, jobs
from fairviz.ui.state import library
from fairviz.words.sentences import counted

STOPPED = (
    "Stopped: no label was written. Answers are kept.",
    "Press Label to resume. Unfinished questions are sent again.",
)


@dataclass(frozen=True)
class Order:
    """A labelling job: annotators, documents, and how language models are requested."""

    choices: tuple[Choice, ...]
    queries: int
    concurrency: int
    patience: float
    budget: Budget
    replacing: bool


@dataclass
class Result:
    """The result of a job.

    notes: messages during the job. place: the file of labels, "" for a study of this session, whose fingerprint is
    stored. joined: whether the labels are in that study.
    """

    annotations: Annotations
    notes: list[str]
    place: str
    fingerprint: str
    replacing: bool
    joined: bool = field(default=False)


def key_of(study: Study) -> Hashable:
    """Return the key of a study's job: shared by all sessions, or for uploads private to this one."""
    return ("annotators", study.name, str(study.folder), library.owner(study))


def terms_of(study: Study, choices: tuple[Choice, ...]) -> jobs.Terms:
    """Return the terms of a job of these annotators."""
    return jobs.Terms(study, tuple(one.values for choice in choices for one in choice.walk()))


def begin(study: Study, order: Order) -> None:
    """Start the job. For a button's on_click."""
    fingerprint = library.own_studies()[study.name] if library.is_own(study) else None
    work = partial(_work, study, order, fingerprint.fingerprint if fingerprint else None)
    jobs.start(key_of(study), work, terms_of(study, order.choices))


def _work(study: Study, order: Order, own: str | None, progress: Callable[[str, int, int], None]) -> Result:
    """Label the documents and save the labels. own: the fingerprint of a session's study, which is joined later.

    Runs in a thread without widgets.
    """
    notes: list[str] = []
    progress("Labelling", 0, 0)
    callbacks = partial(progress, "Questions answered"), partial(progress, "Texts read by an encoder")
    annotations = annotate(
        study, order.choices, queries=order.queries, concurrency=order.concurrency, budget=order.budget,
        patience=order.patience, hearing=Hearing(notes.append, *callbacks),
    )  # fmt: skip
    labelling_names = set(annotations.labels["annotator"])
    place = ""
    if own is None and labelling_names:
        annotators = {name: one for name, one in annotations.annotators.items() if name in labelling_names}
        place = str(save_labels(study, annotations.labels, annotators, replace=order.replacing))
    return Result(annotations, notes, place, own or "", order.replacing)


def join_labels(study: Study) -> None:
    """Add a job's labels to a study of this session, once, and rerun the page. Called first."""
    job = jobs.completed(key_of(study))
    if job is None or job.outcome.joined or not library.is_own(study):
        return
    result = job.outcome
    fingerprint = library.own_studies()[study.name]
    result.joined = True
    if fingerprint.fingerprint != result.fingerprint:
        result.notes.append(
            f"{study.name} was changed while it was labelled; the labels are not in it. Label it again."
        )
        return
    library.keep(with_annotations(fingerprint, result.annotations, replacing=result.replacing))
    st.rerun()


def running(study: Study) -> bool:
    """Draw the running job's progress bar with its stop button, else the last result; return whether a job is
    running.
    """
    is_running = jobs.follow(key_of(study), "annotate", STOPPED)
    if job := jobs.completed(key_of(study)):
        _draw_result(job.outcome)
    return is_running


def _draw_result(result: Result) -> None:
    """Draw each annotator's outcomes, and the place of the labels."""
    lines = []
    for row in result.annotations.record.to_dict("records"):
        counts = [f"{row[name.replace(' ', '_')]:,} {name}" for name in OUTCOMES if row[name.replace(" ", "_")]]
        requests = f"; {row['asked']:,} questions sent now" if row["asked"] or row["tokens_in"] else ""
        lines.append(f"{row['annotator']}: {', '.join(counts)} of {counted(row['documents'], 'document')}{requests}")
    place = f"The labels are in {result.place}." if result.place else "The labels are in this session's study: save it."
    place = place if len(result.annotations.labels) else "No label was given, and nothing is written."
    html.message("good", "\n".join(lines), "\n".join([place, *result.notes]))
