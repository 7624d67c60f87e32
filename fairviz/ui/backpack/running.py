"""Lists computed beside the page, with progress and a stop button; and a first model if there is none."""

from collections.abc import Sequence

import streamlit as st

from fairviz.analyses.sense_weighting.lists import Lists, lists_of, reading_seconds
from fairviz.analyses.sense_weighting.seeds import Another, known_models
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.rankers.backpack.training import train
from fairviz.study.record import Study
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.runs import packaged, tell
from fairviz.ui.kit import jobs
from fairviz.words.sentences import counted, seconds_text

AT_ONCE, FEW = 5.0, 100  # seconds of lists, or documents, that need no button
PACKAGED = "backpack"  # the name of packaged results
WIDGET, SEED_WIDGET = "backpack_job", "backpack_seed_job"
TRAINING = ("backpack training",)
FIRST = "newswire"  # the study that a first model is trained on
NO_MODEL = ("No Backpack is here yet.", "One is trained in about five minutes, on newswire and free text.")
WILL_SHOW = "This shows each measure over the weight of the gender senses, beside a placebo."
STOPPED = ("The work was stopped.", "Texts read so far are kept; none is read again.")


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
    """Return the lists of these models with their key, the packaged ones until others are computed; None while they
    are computed or wait for the button."""
    key = kept.key_of(study, models, settings)
    jobs.forget(key)  # first: if its lists are not here (another session's, or displaced), the work begins anew
    if (cached_lists := kept.cached_lists(study, key)) is not None:
        return key, cached_lists
    put, found = kept.putting(study), packaged(study, PACKAGED, key)

    def work(progress: jobs.Progress) -> Lists:
        made = lists_of(study, models, progress, senses=kept.SENSES, depth=key[-1])
        put(key, made)
        return made

    seconds = 0.0
    if jobs.job(key) is None and len(study.documents) > FEW:
        seconds = reading_seconds(kept.read(study), models, kept.SENSES)

    def estimate() -> jobs.Texts:
        return WILL_SHOW, (
            f"{counted(len(models), 'model')} and MiniLM read {len(kept.read(study).texts):,} texts: "
            f"{seconds_text(seconds)}. Stopping keeps what was read."
        )

    terms = jobs.Terms(study, seconds=seconds or None)
    if found is None:
        jobs.card(key, work, WIDGET, "Read the texts", STOPPED, estimate if seconds >= AT_ONCE else None, terms)
        return key, kept.cached_lists(study, key)
    tell(found, f"{counted(len(models), 'model')}; lists of {key[-1]:,}", seconds_text(seconds) if seconds else "")
    jobs.card(key, work, WIDGET, "Run", STOPPED, tuple, terms)
    return key, kept.cached_lists(study, key) or found.outcome
