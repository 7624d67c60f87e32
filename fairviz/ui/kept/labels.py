"""The cache of the pages Agreement and Annotate, and of means corrected by people's labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from fairviz.analyses.annotator_accuracy import comparisons, order_validity
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_accuracy.labellers import annotator_table, disagreements, shared_documents
from fairviz.analyses.annotator_accuracy.labellers import calibration as calibrated
from fairviz.analyses.annotator_accuracy.raters import domain, word_list_agreement
from fairviz.analyses.label_effects import correction
from fairviz.analyses.label_effects.replacing import (
    noise_between_people,
    noise_of_errors,
    noise_ranges,
    order_in_draws,
    replaced,
)
from fairviz.annotation import agreement
from fairviz.annotation.agreement import Votes, read_votes
from fairviz.annotation.annotators import parse
from fairviz.annotation.annotators.accounts import Account, account
from fairviz.annotation.annotators.annotating import estimates
from fairviz.annotation.forms.database import store_path
from fairviz.annotation.voters import labels_of, voters_of, voting_labels
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.models.answers import answers_path
from fairviz.models.asking import Estimate
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept, stamp_of
from fairviz.ui.kept.tables import SCORES, aligned

ALPHA = "Krippendorff's alpha"
_AGREEMENT = Entries("agreement", session=50, spinner="Comparing annotators …")
Noise = tuple[pd.DataFrame, tuple[int, float, float]]  # of each system, and what it does to their order
_ANNOTATORS = Entries("annotate", session=30, spinner="Comparing annotators …")
_TESTED_SCORES = (*SCORES, "tests", "tested", "not_tested", "cluster")
_CORRECTIONS = Entries("corrections", session=30)
_CORRECTED_SCORES = (*SCORES, "corrected_by")


def _words(study: Study, settings: Settings) -> tuple[Any, ...]:
    return settings.annotator, settings.voters, chosen_lexicon(study, settings), settings.tokenizer, settings.tau


@kept(_AGREEMENT, reads=_words)
def agreement_table(study: Study, settings: Settings, comparison: Comparison, what: str) -> pd.DataFrame:
    """One of comparisons.TABLES."""
    labels = _labels(study, settings, replace(comparison, by=""))
    return comparisons.table(study, settings, comparison, what, labels)


@kept(_AGREEMENT, reads=_words)
def votes(study: Study, settings: Settings, comparison: Comparison) -> Votes:
    """The votes of the comparison: without labels that are left out, and with merged ones."""
    labels = voting_labels(study, settings.voters, labels=_labels(study, settings, replace(comparison, by="")))
    return read_votes(labels, domain(study, binary=comparison.binary), voters_of(study, settings.voters))


@kept(_AGREEMENT, reads=("voters",))
def consensus(study: Study, settings: Settings, method: str) -> pd.DataFrame:
    """The labels of a consensus of the voters."""
    return labels_of(study, method, settings.voters)


@kept(_AGREEMENT, reads=("voters",))
def alpha(study: Study, settings: Settings) -> tuple[float, float, float] | None:
    """Krippendorff's alpha of the voters with its interval; None where it is undefined."""
    overall = agreement.overall(voting_labels(study, settings.voters), domain(study))
    row = overall[overall["coefficient"] == ALPHA].iloc[0]
    return None if row["reason"] else (row["value"], row["ci_low"], row["ci_high"])


# The word list against the reference, under the settings and as published; and all labels of a comparison.
word_list = kept(_AGREEMENT, reads=_words)(word_list_agreement)
_labels = kept(_AGREEMENT, reads=_words)(comparisons.compared_labels)


def answers_stamp() -> tuple[int, ...]:
    """The state of the files of answers, which changes when there are more; empty where there are none."""
    return stamp_of(answers_path)


@kept(_ANNOTATORS, stamp=answers_stamp)
def accounts(study: Study, names: Sequence[str]) -> dict[str, Account]:
    """The stored answers of those of these annotators that are language models."""
    return {name: stored for name in names if (stored := account(study, name)) is not None}


@kept(_ANNOTATORS, stamp=answers_stamp)
def estimated(study: Study, text: str, queries: int) -> Mapping[str, Estimate]:
    """The requests to language models, by annotator. Raises FairvizError where there can be none."""
    return estimates(study, parse(text), queries=queries)


@kept(
    _ANNOTATORS, reads=lambda study, settings: (chosen_lexicon(study, settings), settings.voters), stamp=answers_stamp
)
def accuracy_table(
    study: Study, settings: Settings, names: Sequence[str], reference: str, by: str = "", shared: bool = False
) -> pd.DataFrame:
    """Accuracy and kappa of these annotators against the reference; shared: over the documents of all of them alone."""
    answered = {name: stored.outcomes["doc_id"].tolist() for name, stored in accounts(study, names).items()}
    documents = shared_documents(study, names, answered, settings.voters) if shared else None
    return annotator_table(study, names, reference, by, settings, answered, documents)


calibration = kept(_ANNOTATORS)(calibrated)
apart = kept(_ANNOTATORS)(disagreements)


@kept(_ANNOTATORS, reads=_TESTED_SCORES)
def replacements(
    study: Study, settings: Settings, measure: str, names: Sequence[str], other: str, fill: bool
) -> pd.DataFrame:
    """Each system's mean when these annotators' labels replace the other's."""
    return replaced(study, settings, measure, names, other, fill=fill, rankings=aligned(study, settings))


@kept(_ANNOTATORS, reads=_TESTED_SCORES)
def people_noise(study: Study, settings: Settings, measure: str, other: str) -> Noise | None:
    """The effect of labels drawn from people's labels on each system and on their order; None if unknown."""
    arrays = aligned(study, settings)
    draws = noise_between_people(study, settings, measure, rankings=arrays)
    if draws is None:
        return None
    return noise_ranges(draws), order_in_draws(study, settings, measure, draws, other, rankings=arrays)


@kept(_ANNOTATORS, reads=_TESTED_SCORES)
def error_noise(study: Study, settings: Settings, measure: str, annotator: str, reference: str) -> Noise:
    """The same for labels drawn by how often the annotator errs."""
    arrays = aligned(study, settings)
    draws = noise_of_errors(study, settings, measure, annotator, reference, rankings=arrays)
    return noise_ranges(draws), order_in_draws(study, settings, measure, draws, annotator, rankings=arrays)


def forms_stamp() -> tuple[int, ...]:
    """The state of the forms' database, which changes with every sample drawn; empty where there is none."""
    return stamp_of(store_path)


# The corrected means of measures, or their differences from a system; and the width of a corrected interval over the
# number of labels, by design.
corrections = kept(_CORRECTIONS, reads=_CORRECTED_SCORES, stamp=forms_stamp)(correction.corrections)
width_curves = kept(_CORRECTIONS, reads=_CORRECTED_SCORES, stamp=forms_stamp)(correction.width_curves)


@kept(_CORRECTIONS, reads=SCORES)
def validity(
    study: Study, settings: Settings, machine: str, people: str, measures: tuple[Question, ...]
) -> pd.DataFrame:
    """Kendall's tau between the orders of systems under a machine's and people's labels."""
    return order_validity.order_validity(study, machine, people, measures, settings)
