"""Labels by rules and models that come with a built-in study and lie beside it: shown, and counted nowhere."""

from collections.abc import Mapping
from dataclasses import replace
from weakref import WeakKeyDictionary

import pandas as pd

from fairviz.annotation.electorate import annotator_names
from fairviz.home import BUILTIN, DATA
from fairviz.study.study import Annotator, Study, add_labels, open_study_folder

FOLDER = DATA / "alongside"
_READ: WeakKeyDictionary[Study, Study | None] = WeakKeyDictionary()
_JOINED: WeakKeyDictionary[Study, Study] = WeakKeyDictionary()


def labels_alongside(study: Study) -> pd.DataFrame:
    """doc_id, annotator, label of those who lie beside the study; no row for any other study.

    Whoever gave labels in the study itself, as a person has them made anew, is left out.
    """
    found = _found(study)
    if found is None:
        return study.labels.iloc[:0]
    return found.labels[~found.labels["annotator"].isin(annotator_names(study))].reset_index(drop=True)


def annotators_alongside(study: Study) -> Mapping[str, Annotator]:
    """What those are whose labels `labels_alongside` gives, by name."""
    found = _found(study)
    return {} if found is None else {name: found.annotators[name] for name in annotator_names(found)
                                     if name not in annotator_names(study)}  # fmt: skip


def with_labels_alongside(study: Study) -> Study:
    """The study with those labels as if they were its own, for who compares annotators, the same object each time; the
    study itself without."""
    annotators = annotators_alongside(study)
    if annotators and study not in _JOINED:
        grown = add_labels(study, labels_alongside(study))
        _JOINED[study] = replace(grown, annotators={**grown.annotators, **annotators})
    return _JOINED[study] if annotators else study


def _found(study: Study) -> Study | None:
    """What lies beside the study, read once; None where nothing does."""
    if study not in _READ:
        folder = FOLDER / study.name
        known = study.read_only and study.name in BUILTIN and folder.is_dir()
        _READ[study] = open_study_folder(folder) if known else None
    return _READ[study]
