"""The choices at the top: the model, the weight of its gender senses, the weight for comparison, and other seeds; the
lists under them, which are computed beside the page; and the training of a first model and of other seeds."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.extensions.backpack.lists import WEIGHTS, Lists, lists_of, reading_seconds
from fairviz.extensions.backpack.seeds import WANTED, Another, known_models, siblings
from fairviz.extensions.backpack.training import train
from fairviz.extensions.backpack.ui import kept
from fairviz.study.record import Study
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import jobs, pick
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import choices
from fairviz.words.sentences import counted, seconds_text, shortest

MODEL, WEIGHT, BESIDE, SEEDS = "backpack_model", "backpack_weight", "backpack_beside", "backpack_seeds"
STOPS = {shortest(weight): weight for weight in WEIGHTS}
PACKAGED = "packaged"  # the name of the packaged model
RESULTS = "backpack"  # the name of packaged results
FEW = 100  # documents whose lists need no button
WIDGET, SEED_WIDGET = "backpack_job", "backpack_seed_job"
TRAINING = ("backpack training",)
FIRST = "newswire"  # the study that a first model is trained on
NO_MODEL = ("No Backpack is here yet.", "One is trained in about five minutes, on newswire and free text.")
WILL_SHOW = "This shows each measure over the weight of the gender senses, beside a placebo."
STOPPED = ("The work was stopped.", "Texts read so far are kept; none is read again.")


@dataclass(frozen=True)
class Chosen:
    """The model's name (empty for the packaged one), those of other seeds that are shown beside, and two weights."""

    model: str
    seeds: tuple[str, ...]
    weight: float
    beside: float


def controls() -> Chosen:
    """Draw the row of controls and return the choices. Raises: see `loaded`."""
    model, weight, beside, seeds = st.columns([3, 6, 2, 3], gap="small", vertical_alignment="bottom")
    names = [name or PACKAGED for name in known_models()]
    chosen = pick.select(MODEL, "Model", names, place=model)
    stops = tuple(STOPS)
    here = pick.slider(WEIGHT, "Sense weight", stops, place=weight, help=term("sense weight"))
    other = pick.select(BESIDE, "Against weight", stops, place=beside)
    name = "" if chosen == PACKAGED else chosen
    others = siblings(name)[: WANTED - 1]
    shows_seeds = choices.value_of(SEEDS)
    if others:
        seeds.toggle(f"{counted(len(others), 'other seed')} too", key=SEEDS)
    return Chosen(name, others if shows_seeds else (), STOPS[here], STOPS[other])


def ready() -> bool:
    """Return whether there is a model; without one, draw a button that trains one, and its progress."""
    jobs.forget(TRAINING)

    def work(progress: jobs.Progress) -> None:
        train([open_study(FIRST)], progress=progress)

    task = Task(None, TRAINING, work, WIDGET, STOPPED, at_once=False, before=lambda _: NO_MODEL,
                kept=lambda: known_models() or None)  # fmt: skip
    return bool(task.result() or task.outcome("Train one"))


def next_seed(another: Another) -> None:
    """Draw a button that trains a model of another seed, and its progress."""
    key = (*TRAINING, another)

    def work(progress: jobs.Progress) -> bool:
        train([open_study(name) for name in another.studies], another.recipe, progress=progress)
        return True

    if Task(None, key, work, SEED_WIDGET, STOPPED, at_once=False).outcome(f"Train seed {another.recipe.seed}"):
        jobs.forget(key)
        st.rerun()  # the controls above may not offer the new model yet


def lists(study: Study, models: Sequence[str], settings: Settings) -> tuple[tuple, Lists | None]:
    """Return the lists of these models with their key, the packaged ones until others are computed; None while they
    are computed or wait for the button."""
    key, put = kept.key_of(study, models, settings), kept.putting(study)
    jobs.forget(key)  # first: if its lists are not here (another session's, or displaced), the work begins anew

    def work(progress: jobs.Progress) -> Lists:
        made = lists_of(study, models, progress, senses=kept.SENSES, depth=key[-1])
        put(key, made)
        return made

    def seconds() -> float | None:
        return reading_seconds(kept.read(study), models, kept.SENSES) if len(study.documents) > FEW else None

    def before(seconds: float | None) -> jobs.Texts:
        readers, count = f"{counted(len(models), 'model')} and MiniLM", len(kept.read(study).texts)
        return WILL_SHOW, f"{readers} read {count:,} texts: {seconds_text(seconds or 0)}. Stopping keeps what was read."

    def told(found: Lists, seconds: float | None) -> tuple[str, str]:
        return f"{counted(len(models), 'model')}; lists of {key[-1]:,}", seconds_text(seconds) if seconds else ""

    task = Task(
        study, key, work, WIDGET, STOPPED, seconds=seconds, at_once=True if len(study.documents) <= FEW else None,
        before=before, kept=lambda: kept.cached_lists(study, key), packaged=(RESULTS, key, {}), told=told,
    )  # fmt: skip
    return key, task.outcome("Read the texts" if task.shipped is None else "Run")
