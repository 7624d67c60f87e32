"""The cache of the Read page."""

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy import raters
from fairviz.analyses.label_effects.label_effects import Flips, fewest_flips, label_bounds, label_effects
from fairviz.analyses.label_effects.replacing import label_noise, leave_one_annotator_out
from fairviz.analyses.reading import filters, occurrences
from fairviz.analyses.reading.filters import Catalogue
from fairviz.analyses.reading.occurrences import Occurrences
from fairviz.evaluation.choices import align_key, chosen_annotator, chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.tables import SCORES, places

Array = np.ndarray
_ENTRIES = Entries("inspect", session=30, spinner="Laying out the documents …")


def annotator_key(study: Study, settings: Settings) -> str:
    """Return the present annotator; empty without labels."""
    return chosen_annotator(study, settings) if study.has("labels") else ""


def _labels_key(study: Study, settings: Settings) -> tuple:
    return chosen_lexicon(study, settings), settings.tokenizer, settings.tau, settings.voters


@kept(_ENTRIES, _labels_key)
def catalogue(study: Study, settings: Settings) -> Catalogue:
    """Every document of the study with its labels and the live word list."""
    return filters.catalogue(study, settings)


@kept(_ENTRIES, align_key)
def all_occurrences(study: Study, settings: Settings) -> Occurrences:
    """Return the ranks of each document in the lists."""
    return occurrences.occurrences(places(study, settings))


@kept(_ENTRIES, SCORES)
def exposure(study: Study, settings: Settings, query: str = "") -> Array:
    """The mean share of attention of each document, (D,)."""
    doc_ids = catalogue(study, settings).doc_ids
    return occurrences.exposure(study, settings, places(study, settings), doc_ids, query)


@kept(_ENTRIES)
def partly_empty(study: Study) -> tuple[str, ...]:
    """The columns of labels that are empty in some rows."""
    return raters.partly_empty(study)


@kept(_ENTRIES)
def columns(study: Study) -> dict[str, tuple[str, ...]]:
    """The columns that filter documents, with their values."""
    return filters.columns(study)


@kept(_ENTRIES, SCORES)
def effects(study: Study, settings: Settings, measure: str, first: str, second: str) -> pd.DataFrame:
    """Return the effect of each label on the difference of two systems, by priority."""
    return label_effects(study, settings, measure, first, second, places=places(study, settings))


@kept(_ENTRIES, SCORES)
def flips(study: Study, settings: Settings, measure: str, first: str, second: str) -> Flips:
    """Few labels that reverse the order of two systems."""
    return fewest_flips(study, settings, measure, first, second, places=places(study, settings))


@kept(_ENTRIES, SCORES)
def noise(study: Study, settings: Settings, measure: str, source: str) -> pd.DataFrame:
    """A mean of each system for each draw of the labels."""
    arrays = places(study, settings)
    return label_noise(study, settings, measure, source=source, places=arrays)  # type: ignore[arg-type]


@kept(_ENTRIES, SCORES)
def without_one(study: Study, settings: Settings, measure: str) -> pd.DataFrame:
    """A mean of each system without each annotator in turn."""
    return leave_one_annotator_out(study, settings, measure)


@kept(_ENTRIES, SCORES)
def bounds(study: Study, settings: Settings, measure: str) -> pd.DataFrame:
    """The range of values that labels of the unlabelled documents could give."""
    return label_bounds(study, settings, measure, places=places(study, settings))
