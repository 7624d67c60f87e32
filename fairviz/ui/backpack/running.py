"""Lists while they are made beside the page, with progress and a way to stop; and a first model where there is none."""

import time
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from fairviz.analyses.sense_weighting.lists import Lists, lists_of
from fairviz.analyses.sense_weighting.seeds import Another, known_models
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.rankers.backpack.training import train
from fairviz.study.record import Study
from fairviz.ui.kept import backpack as kept
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded

AT_ONCE = 100  # up to so many documents nobody is asked
SHORT, LOOK = 1.5, 0.02  # seconds
WIDGET, SEED_WIDGET = "backpack_job", "backpack_seed_job"
TRAINING = ("backpack training",)
FIRST = "newswire"  # what a first model is trained on


def ready() -> bool:
    """Whether there is a model; where there is none, offers to train one, and shows how far that is."""
    _drop_ended(TRAINING)
    if known_models():
        return True
    html.message("info", "No Backpack is here yet.", "One is trained in about five minutes, on newswire and free text.")
    _work(TRAINING, lambda told: train([open_study(FIRST)], progress=told), "Train one", asked=True)
    return bool(known_models())


def next_seed(found: Another) -> None:
    """Offers to train a model of another seed, and shows how far that is."""
    key = (*TRAINING, found)

    def work(told: jobs.Progress) -> None:
        train([open_study(name) for name in found.studies], found.recipe, progress=told)

    if not _came(key):
        _work(key, work, f"Train seed {found.recipe.seed}", asked=True, widget=SEED_WIDGET)
    if _came(key):
        jobs.forget(key)
        st.rerun()  # there is one more model now, which the controls above may not know yet


def lists(study: Study, models: Sequence[str], settings: Settings) -> tuple[tuple, Lists | None]:
    """The lists of these models with their key; None while they are made, and where a reader has to say so first."""
    key = kept.key_of(study, models, settings)
    _drop_ended(key)
    found = kept.held(study, key)
    if found is not None:
        return key, found
    put = kept.putting(study)

    def work(told: jobs.Progress) -> None:
        put(key, lists_of(study, models, told, senses=kept.SENSES, depth=key[-1]))

    many = len(study.documents) > AT_ONCE
    if many and jobs.job(key) is None:
        html.message(
            "info",
            f"{study.name} has {len(study.documents):,} documents, which {len(models)} model"
            f"{'s' if len(models) > 1 else ''} and MiniLM read: about a minute for 1,000 texts of a few sentences.",
            "What was read is kept on the disk and is not read again, whenever the work is stopped.",
        )
    _work(key, work, "Read the texts", asked=many)
    return key, kept.held(study, key)


def _drop_ended(key: tuple) -> None:
    """Forgets work that has come to its end, before its outcome is looked for: where that is here no more (another
    session's, or pushed out by later ones), the work can begin anew."""
    if _came(key):
        jobs.forget(key)


def _came(key: tuple) -> bool:
    """Whether the work of this key has come to its end, neither stopped nor failed."""
    found = jobs.job(key)
    return found is not None and not found.running and found.problem is None and not found.stopping


def _work(
    key: tuple, work: Callable[[jobs.Progress], object], label: str, *, asked: bool, widget: str = WIDGET
) -> None:
    """Sees to it that the work is done, and shows how far it is, or how it ended."""
    found = jobs.job(key)
    if found is None:
        if asked:
            _button(key, work, label, widget)
            return
        found = jobs.begin(key, work)
    began = time.monotonic()
    while found.running and time.monotonic() - began < SHORT:
        time.sleep(LOOK)
    if found.running:
        jobs.show(key, widget)
    elif found.problem is not None:
        html.message("error", found.problem.message, found.problem.remedy)
        _button(key, work, "Try again", widget)
    elif found.stopping:
        html.message("info", "The work was stopped.", "What was read so far is kept, and is not read again.")
        _button(key, work, "Go on", widget)


def _button(key: tuple, work: Callable[[jobs.Progress], object], label: str, widget: str) -> None:
    st.button(label, type="primary", key=f"{widget}_go", on_click=guarded(partial(jobs.begin, key, work)))
