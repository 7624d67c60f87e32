"""The record of the analysis `finetuning`; see `fairviz.analyses.record`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairviz.analyses.record import Analysis, ArgumentsOf, Control, Origin, Progress, Table
from fairviz.extensions.finetuning.declared import FINETUNING as FINETUNING_PARAMETERS
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    from fairviz.analyses.views import View
    from fairviz.evaluation.settings import Settings
    from fairviz.extensions.finetuning.mended import Mended
    from fairviz.models.sentence_encoder import Adapter
    from fairviz.study.record import Study

DETAILS = (
    "Pairs are documents in the wording of either gender, judged alike for their query (Grep-BiasIR); elsewhere "
    "documents and the same with every gender word and first name replaced by its counterpart. Four fifths of the "
    "queries are trained on; the others, and the texts of their pairs, are never seen in training.",
    "The aim is symmetric: gaps between the two scores are to be small whichever comes first, and each to come first "
    "equally often; a second term keeps all other scores as they were. After a stop or a crash, run the same "
    "command to resume the training.",
    "rank --with \"bi_encoder(adapter='NAME')\" ranks with the adapter. It is stored with its card in the data folder, "
    "under adapters. Training needs the package peft: pip install 'fairviz[train]'.",
)
NO_LIMIT = "no limit"


def _compute(study: "Study", settings: "Settings", progress: Progress | None, **values: Any) -> "Mended":
    from fairviz.extensions.finetuning.mended import mend

    return mend(study, settings=settings, progress=progress, **values)


def _call(study: "Study", settings: "Settings", values: Mapping[str, Any]) -> ArgumentsOf:
    from fairviz.extensions.finetuning.mended import mend

    return mend, (study,), {"settings": settings, **values}


def _said(result: "Mended", study: str) -> Sequence[str]:
    return f"the adapter is in {result.folder}", f'rank with it: fairviz rank {study} --with "{result.ranker}"'


def _origin(result: "Mended", values: Mapping[str, Any]) -> Origin:
    names = ("ranker", "rank", "strength", "minutes", "steps", "seed")
    recorded = [(name, values[name]) for name in names if name in values]
    measures = [text for text in result.table["measure"].unique() if "@" in text]
    return Origin([*recorded, ("name", result.name)], measures)


def _views(trained: "Adapter", chosen: Mapping[str, Any]) -> "Sequence[View]":
    from fairviz.extensions.finetuning.views import views

    return views(trained, chosen["study"])


def _select(name: str, label: str, offered: Sequence[str], about: str, value: Any) -> Control:
    """Return the control of a parameter that has these values on the page."""
    return Control(
        name, "select", f"mended_{name}", label, about, offers=offered, value=value
    )  # fmt: skip


FINETUNING = Analysis(
    name="finetuning",
    aliases=("mend",),
    title="Fine-tuned encoders",
    question="Does training make an encoder put neither gender's wording first?",
    summary="fine-tune an encoder to put neither gender's wording first, and test it",
    compute=_compute,
    tables={
        "outcome": Table(
            lambda result: result.table,
            "every figure before and after, for the queries trained on and the held-out ones, with intervals over "
            "queries and paired tests (the default)",
        ),
        "queries": Table(lambda result: result.per_query, "these figures for each query"),
        "losses": Table(lambda result: result.losses, "the loss of each step and its two terms"),
    },
    sentences=lambda result: result.sentences,
    parameters=(
        Parameter("ranker", "bi_encoder", "bi_encoder, or bi_encoder(model='…')", names="ranker"),
        *FINETUNING_PARAMETERS.values(),
        Parameter("name", "", "of the adapter (default: made of study and options)", names="name"),
    ),
    reads=None,
    notes=lambda result: (*result.messages, *result.sentences),
    details=DETAILS,
    stopped="stopped: finished steps are kept; run the same command to resume",
    example="finetuning grep-biasir --ranker bi_encoder",
    page="finetuning",
    group="Rankers",
    views=_views,
    controls=(
        _select("strength", "Strength", ("0.1", "0.3", "1", "3", "10"),
                "The weight of the aim beside what keeps all other scores.", float),
        _select("seed", "Seed", ("0", "1", "2", "3", "4"),
                "Which queries are held out, the first weights and the order of the pairs.", int),
        _select("minutes", "Minutes at most", (NO_LIMIT, "2", "5", "15", "60"),
                "A limit ends the training with some of its 40 steps left.",
                lambda limit: None if limit == NO_LIMIT else float(limit)),
    ),
    call=_call,
    said=_said,
    origin=_origin,
)  # fmt: skip
