"""The cache of the Agreement page."""

from dataclasses import replace
from typing import Any

import pandas as pd

from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_accuracy.raters import domain, word_list_agreement
from fairviz.annotation import agreement
from fairviz.annotation.agreement import Votes, read_votes
from fairviz.annotation.voters import labels_of, voters_of, voting_labels
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept

ALPHA = "Krippendorff's alpha"
_ENTRIES = Entries("agreement", session=50, spinner="Comparing annotators …")


def _words(study: Study, settings: Settings) -> tuple[Any, ...]:
    return settings.annotator, settings.voters, chosen_lexicon(study, settings), settings.tokenizer, settings.tau


@kept(_ENTRIES, reads=_words)
def table(study: Study, settings: Settings, comparison: Comparison, what: str) -> pd.DataFrame:
    """One of comparisons.TABLES."""
    labels = _labels(study, settings, replace(comparison, by=""))
    return comparisons.table(study, settings, comparison, what, labels)


@kept(_ENTRIES, reads=_words)
def votes(study: Study, settings: Settings, comparison: Comparison) -> Votes:
    """The votes of the comparison: without labels that are left out, and with merged ones."""
    labels = voting_labels(study, settings.voters, labels=_labels(study, settings, replace(comparison, by="")))
    return read_votes(labels, domain(study, binary=comparison.binary), voters_of(study, settings.voters))


@kept(_ENTRIES, reads=("voters",))
def consensus(study: Study, settings: Settings, method: str) -> pd.DataFrame:
    """The labels of a consensus of the voters."""
    return labels_of(study, method, settings.voters)


@kept(_ENTRIES, reads=("voters",))
def alpha(study: Study, settings: Settings) -> tuple[float, float, float] | None:
    """Krippendorff's alpha of the voters with its interval; None where it is undefined."""
    overall = agreement.overall(voting_labels(study, settings.voters), domain(study))
    row = overall[overall["coefficient"] == ALPHA].iloc[0]
    return None if row["reason"] else (row["value"], row["ci_low"], row["ci_high"])


@kept(_ENTRIES, reads=_words)
def word_list(study: Study, settings: Settings, reference: str, draw: str) -> pd.DataFrame:
    """The word list against the reference, under the settings and as published."""
    return word_list_agreement(study, settings, reference, draw)


@kept(_ENTRIES, reads=_words)
def _labels(study: Study, settings: Settings, comparison: Comparison) -> pd.DataFrame:
    return comparisons.compared_labels(study, settings, comparison)
