"""Lists computed beside the page, with progress and a stop button; and a first model if there is none."""

from collections.abc import Sequence

import streamlit as st

from fairviz.analyses.sense_weighting.lists import Lists, lists_of
from fairviz.analyses.sense_weighting.seeds import Another, known_models
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.rankers.backpack.training import train
from fairviz.study.record import Study
from fairviz.ui.kept import rankers as kept
from fairviz.ui.kit import jobs

AT_ONCE = 100  # documents that are read without an estimate
WIDGET, SEED_WIDGET = "backpack_job", "backpack_seed_job"
TRAINING = ("backpack training",)
FIRST = "newswire"  # the study that a first model is trained on
NO_MODEL = ("No Backpack is here yet.", "One is trained in about five minutes, on newswire and free text.")
STOPPED = ("The work was stopped.", "What was read so far is kept, and is not read again.")


def ready() -> bool:
    """Return whether there is a model; without one, draw a button that trains one, and its progress."""
    jobs.forget(TRAINING)
    if not known_models():
        jobs.card(TRAINING, lambda progress: train([open_study(FIRST)], progress=progress), WIDGET, "Train one",
                  STOPPED, lambda: NO_MODEL)  # fmt: skip
    return bool(known_models())


def next_seed(job: Another) -> None:
    """Draw a button that trains a model of another seed, and its progress."""
    key = (*TRAINING, job)

    def work(progress: jobs.Progress) -> None:
        train([open_study(name) for name in job.studies], job.recipe, progress=progress)

    jobs.card(key, work, SEED_WIDGET, f"Train seed {job.recipe.seed}", STOPPED, tuple)
    if jobs.completed(key):
        jobs.forget(key)
        st.rerun()  # the controls above may not offer the new model yet


def lists(study: Study, models: Sequence[str], settings: Settings) -> tuple[tuple, Lists | None]:
    """Return the lists of these models with their key; None while they are computed or wait for the button."""
    key = kept.key_of(study, models, settings)
    jobs.forget(key)  # first: if its lists are not here (another session's, or displaced), the work begins anew
    if (found := kept.cached_lists(study, key)) is not None:
        return key, found
    put = kept.putting(study)

    def work(progress: jobs.Progress) -> None:
        put(key, lists_of(study, models, progress, senses=kept.SENSES, depth=key[-1]))

    def estimate() -> jobs.Texts:
        return (
            f"{study.name} has {len(study.documents):,} documents, which {len(models)} model"
            f"{'s' if len(models) > 1 else ''} and MiniLM read: about a minute for 1,000 texts of a few sentences.",
            "What was read is kept on the disk and is not read again, whenever the work is stopped.",
        )

    has_estimate = len(study.documents) > AT_ONCE
    jobs.card(key, work, WIDGET, "Read the texts", STOPPED, estimate if has_estimate else None)
    return key, kept.cached_lists(study, key)
