"""The cache of the Agreement page."""

from dataclasses import replace
from typing import Any

import pandas as pd

from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_accuracy.raters import word_list_agreement
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept

_ENTRIES = Entries("agreement", session=50, spinner="Comparing annotators …")


def _words(study: Study, settings: Settings) -> tuple[Any, ...]:
    return settings.annotator, settings.voters, chosen_lexicon(study, settings), settings.tokenizer, settings.tau


@kept(_ENTRIES, reads=_words)
def table(study: Study, settings: Settings, comparison: Comparison, what: str) -> pd.DataFrame:
    """One of comparisons.TABLES."""
    labels = _labels(study, settings, replace(comparison, by=""))
    return comparisons.table(study, settings, comparison, what, labels)


@kept(_ENTRIES, reads=_words)
def word_list(study: Study, settings: Settings, reference: str) -> pd.DataFrame:
    """The word list against the reference, under the settings and as published."""
    return word_list_agreement(study, settings, reference)


@kept(_ENTRIES, reads=_words)
def _labels(study: Study, settings: Settings, comparison: Comparison) -> pd.DataFrame:
    return comparisons.compared_labels(study, settings, comparison)
