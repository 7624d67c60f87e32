"""The cache of the Annotate page."""

from collections.abc import Mapping, Sequence

import pandas as pd

from fairviz.analyses.annotator_accuracy.labellers import Calibration, annotator_table, disagreements, shared_documents
from fairviz.analyses.annotator_accuracy.labellers import calibration as calibrated
from fairviz.analyses.label_effects.replacing import (
    noise_between_people,
    noise_of_errors,
    noise_ranges,
    order_in_draws,
    replaced,
)
from fairviz.annotation.annotators import parse
from fairviz.annotation.annotators.accounts import Account, account
from fairviz.annotation.annotators.annotating import estimates
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.models.answers import answers_path
from fairviz.models.asking import Estimate
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept, stamp_of
from fairviz.ui.kept.tables import SCORES, places

Noise = tuple[pd.DataFrame, tuple[int, float, float]]  # of each system, and what it does to their order
_ENTRIES = Entries("annotators", session=30, spinner="Comparing annotators …")
_TESTED_SCORES = (*SCORES, "tests", "tested", "not_tested")


def answers_stamp() -> tuple[int, ...]:
    """The state of the files of answers, which changes when there are more; empty where there are none."""
    return stamp_of(answers_path)


@kept(_ENTRIES, stamp=answers_stamp)
def accounts(study: Study, names: Sequence[str]) -> dict[str, Account]:
    """The stored answers of those of these annotators that are language models."""
    return {name: stored for name in names if (stored := account(study, name)) is not None}


@kept(_ENTRIES, stamp=answers_stamp)
def estimated(study: Study, text: str, queries: int) -> Mapping[str, Estimate]:
    """The requests to language models, by annotator. Raises FairvizError where there can be none."""
    return estimates(study, parse(text), queries=queries)


@kept(_ENTRIES, reads=lambda study, settings: (chosen_lexicon(study, settings), settings.voters), stamp=answers_stamp)
def table(
    study: Study, settings: Settings, names: Sequence[str], reference: str, by: str = "", shared: bool = False
) -> pd.DataFrame:
    """Accuracy and kappa of these annotators against the reference; shared: over the documents of all of them alone."""
    answered = {name: stored.outcomes["doc_id"].tolist() for name, stored in accounts(study, names).items()}
    documents = shared_documents(study, names, answered, settings.voters) if shared else None
    return annotator_table(study, names, reference, by, settings, answered, documents)


@kept(_ENTRIES)
def calibration(study: Study, annotator: str, reference: str, voters: tuple[str, ...]) -> Calibration:
    """The accuracy of an annotator by its confidence."""
    return calibrated(study, annotator, reference, voters)


@kept(_ENTRIES)
def apart(study: Study, names: Sequence[str], reference: str, how: str, voters: tuple[str, ...]) -> pd.DataFrame:
    """The documents on which annotators part."""
    return disagreements(study, names, reference, how, voters)


@kept(_ENTRIES, reads=_TESTED_SCORES)
def replacements(
    study: Study, settings: Settings, measure: str, names: Sequence[str], other: str, fill: bool
) -> pd.DataFrame:
    """Each system's mean when these annotators' labels replace the other's."""
    return replaced(study, settings, measure, names, other, fill=fill, places=places(study, settings))


@kept(_ENTRIES, reads=_TESTED_SCORES)
def people_noise(study: Study, settings: Settings, measure: str, other: str) -> Noise | None:
    """The effect of labels drawn from people's labels on each system and on their order; None if unknown."""
    arrays = places(study, settings)
    draws = noise_between_people(study, settings, measure, places=arrays)
    if draws is None:
        return None
    return noise_ranges(draws), order_in_draws(study, settings, measure, draws, other, places=arrays)


@kept(_ENTRIES, reads=_TESTED_SCORES)
def error_noise(study: Study, settings: Settings, measure: str, annotator: str, reference: str) -> Noise:
    """The same for labels drawn by how often the annotator errs."""
    arrays = places(study, settings)
    draws = noise_of_errors(study, settings, measure, annotator, reference, places=arrays)
    return noise_ranges(draws), order_in_draws(study, settings, measure, draws, annotator, places=arrays)
