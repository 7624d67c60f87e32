"""Labelling beside the page: the job, what came of it, and its labels as a part of the study."""

import uuid
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from fairviz.annotation.annotators import Choice
from fairviz.annotation.annotators.annotating import Annotations, Hearing, annotate, with_annotations
from fairviz.annotation.annotators.record import OUTCOMES
from fairviz.datasets import save_labels
from fairviz.models.asking import Budget
from fairviz.study.study import Study
from fairviz.ui.kit import html, jobs
from fairviz.ui.state import library

SESSION = "annotate_session"


@dataclass(frozen=True)
class Order:
    """What is to be labelled by whom, and how language models are asked."""

    choices: tuple[Choice, ...]
    queries: int
    concurrency: int
    patience: float
    budget: Budget
    replacing: bool


@dataclass
class Made:
    """What a job made. notes: sentences that were said on the way. place: the file of labels, empty where they are for
    this session's study, whose fingerprint was that. joined: whether they are in it."""

    annotations: Annotations
    notes: list[str]
    place: str
    fingerprint: str
    replacing: bool
    joined: bool = field(default=False)


def key_of(study: Study) -> Hashable:
    """Under which a study's job is known: to every session, or for its own uploads to this one alone."""
    session = st.session_state.setdefault(SESSION, uuid.uuid4().hex) if library.is_own(study) else ""
    return ("annotators", study.name, str(study.folder), session)


def begin(study: Study, order: Order) -> None:
    """Starts the job. For a button's on_click."""
    own = library.own_studies()[study.name] if library.is_own(study) else None
    jobs.begin(key_of(study), partial(_work, study, order, own.fingerprint if own else None))


def _work(study: Study, order: Order, own: str | None, progress: Callable[[str, int, int], None]) -> Made:
    """Labels, and writes the labels where they stay. own: the fingerprint of a session's study, which is joined later.
    Runs in a thread, and uses no widget."""
    notes: list[str] = []
    progress("Labelling", 0, 0)
    told = partial(progress, "Questions answered"), partial(progress, "Texts read by an encoder")
    found = annotate(
        study, order.choices, queries=order.queries, concurrency=order.concurrency, budget=order.budget,
        patience=order.patience, hearing=Hearing(notes.append, *told),
    )  # fmt: skip
    given = set(found.labels["annotator"])
    place = ""
    if own is None and given:
        who = {name: one for name, one in found.annotators.items() if name in given}
        place = str(save_labels(study, found.labels, who, replace=order.replacing))
    return Made(found, notes, place, own or "", order.replacing)


def settle(study: Study) -> None:
    """Joins what a job made to a study of this session, once; the page is then drawn anew. Before anything else."""
    found = jobs.job(key_of(study))
    made = found.outcome if found is not None and not found.running else None
    if made is None or made.joined or not library.is_own(study):
        return
    own = library.own_studies()[study.name]
    made.joined = True
    if own.fingerprint != made.fingerprint:
        made.notes.append(f"{study.name} was changed while it was labelled; the labels are not in it. Label it again.")
        return
    library.keep(with_annotations(own, made.annotations, replacing=made.replacing))
    st.rerun()


def running(study: Study) -> bool:
    """Draws the job's bar with its button to stop while it runs, else what came of the last one; gives which."""
    key = key_of(study)
    if jobs.show(key, "annotate"):
        return True
    found = jobs.job(key)
    if found is None:
        return False
    if found.problem is not None:
        html.message("error", found.problem.message, found.problem.remedy)
    elif found.outcome is None:
        html.message("info", "Stopped: no label was written. What was answered is kept.",
                     "Label goes on from there. A question under way is asked again.")  # fmt: skip
    else:
        _made(found.outcome)
    return False


def _made(made: Made) -> None:
    """What came out of each annotator, and where the labels are."""
    lines = []
    for row in made.annotations.record.to_dict("records"):
        counts = [f"{row[name.replace(' ', '_')]:,} {name}" for name in OUTCOMES if row[name.replace(" ", "_")]]
        asked = f"; {row['asked']:,} questions asked now" if row["asked"] or row["tokens_in"] else ""
        lines.append(f"{row['annotator']}: {', '.join(counts)} of {row['documents']:,} documents{asked}")
    where = f"The labels are in {made.place}." if made.place else "The labels are in this session's study: save it."
    where = where if len(made.annotations.labels) else "No label was given, and nothing is written."
    html.message("good", "\n".join(lines), "\n".join([where, *made.notes]))
