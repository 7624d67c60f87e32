"""The cache of corrected means."""

import pandas as pd

from fairviz.analyses.annotator_accuracy import order_validity
from fairviz.analyses.label_effects import correction
from fairviz.annotation.forms.database import store_path
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept, stamp_of
from fairviz.ui.kept.tables import SCORES

_ENTRIES = Entries("corrections", session=30)
_READS = (*SCORES, "corrected_by")


def forms_stamp() -> tuple[int, ...]:
    """The state of the forms' database, which changes with every sample drawn; empty where there is none."""
    return stamp_of(store_path)


@kept(_ENTRIES, reads=_READS, stamp=forms_stamp)
def corrections(
    study: Study, settings: Settings, measures: tuple[Question, ...], against: str = ""
) -> correction.Corrections:
    """The corrected means of these measures, or their differences from a system."""
    return correction.corrections(study, settings, list(measures), against)


@kept(_ENTRIES, reads=_READS, stamp=forms_stamp)
def width_curves(study: Study, settings: Settings, measure: Question, system: str) -> pd.DataFrame:
    """The width of a corrected interval over the number of labels, by design."""
    return correction.width_curves(study, settings, measure, system)


@kept(_ENTRIES, reads=SCORES)
def validity(
    study: Study, settings: Settings, machine: str, people: str, measures: tuple[Question, ...]
) -> pd.DataFrame:
    """Kendall's tau between the orders of systems under a machine's and people's labels."""
    return order_validity.order_validity(study, machine, people, measures, settings)
