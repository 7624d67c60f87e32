"""Encoders fine-tuned on this study: effects of training, separately for training and held-out queries, and a way to
train."""

import streamlit as st

from fairviz.evaluation.settings import Settings
from fairviz.extensions.finetuning.analysis import FINETUNING
from fairviz.extensions.finetuning.mended import Mended, mend, no_texts
from fairviz.extensions.finetuning.pairs import FinetuningPlan
from fairviz.extensions.finetuning.training import adapters_of
from fairviz.installed import lacking
from fairviz.models.sentence_encoder import Adapter
from fairviz.study.record import Study
from fairviz.ui.kept import flow
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import html, jobs, pick
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.views import draw_views

ADAPTER = "mended_adapter"
ABOUT = term("adapter")
STOPPED = ("The training was stopped.", "Its steps are kept: start it again to resume.")
WILL_SHOW = "Train shows every measure before and after, for the queries trained on and for those held out."
WILL_TAKE = "It takes a minute for a small study; a stopped training resumes."
TRAINED = "This was trained; it is below. Another strength or seed can be trained."


def card(study: Study, settings: Settings) -> None:
    """Draw one encoder that was trained on this study before and after, and the controls to train another."""
    if error := no_texts(study) or lacking("train", "Training needs"):
        html.problem(error, "info")
        return
    adapters = adapters_of(study)
    if not adapters:
        html.message("info", f"No encoder is fine-tuned on {study.name} yet. {WILL_SHOW}", WILL_TAKE)
        _training(study, settings, adapters)
        return
    names = [one.name for one in adapters]
    name = pick.select(ADAPTER, "Adapter", names, help=ABOUT)
    _outcome(study, settings, adapters[names.index(name)])
    is_training = jobs.job(_key(study)) is not None
    with st.expander("Train another", is_training, key="mended_fold", type="compact"):
        _training(study, settings, adapters)


def _key(study: Study) -> tuple:
    return "mended", study.fingerprint


def _training(study: Study, settings: Settings, adapters: tuple[Adapter, ...]) -> None:
    """The controls; while a training runs, its bar; once it has ended, how it ended. The result lies on the disk."""
    if jobs.follow(_key(study), "mended", STOPPED):
        return
    values, go = flow.choose(FINETUNING, study, settings, go=2.4)
    plan = FinetuningPlan(**values).named(study.name)

    def work(progress: jobs.Progress) -> Mended:
        return mend(study, **values, settings=settings, progress=progress)

    def trained() -> Adapter | None:
        return next((one for one in adapters if one.name == plan.name), None)

    Task(study, _key(study), work, "mended", STOPPED, kept=trained, done=TRAINED).button(go, "Train", "mended_go")


def _outcome(study: Study, settings: Settings, adapter: Adapter) -> None:
    """Draw one adapter's figure with its findings, and folded its table."""
    plan = adapter.card["plan"]
    given = {name: plan[name] for name in ("rank", "strength", "steps", "seed", "minutes") if plan[name] is not None}
    code = flow.code_of(FINETUNING, study, settings, given | {"name": adapter.name})
    draw_views(FINETUNING.shown(adapter, {"study": study}), code)
