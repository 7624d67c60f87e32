"""Labels by rules and models that come with the program and lie beside a study, built in or fetched: shown, and counted
nowhere."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from weakref import WeakKeyDictionary

import pandas as pd

from fairviz.annotation.electorate import annotator_names
from fairviz.home import BUILTIN, DATA
from fairviz.study.study import Annotator, Study, add_labels, open_study_folder

FOLDER = DATA / "alongside"
TEXTS = {  # of the documents of a fetched study that these labels are about
    "grep-biasir": "6b00da867d5160bdd997514dba4d228fedf9535328cf65a5905475b4631d8c21",
}
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
        _READ[study] = open_study_folder(folder) if _is_the_one(study) and folder.is_dir() else None
    return _READ[study]


def _is_the_one(study: Study) -> bool:
    """Whether the study is built in, or holds the very texts that were labelled: a folder may have any name."""
    if study.read_only:
        return study.name in BUILTIN
    return study.name in TEXTS and texts_hash(study) == TEXTS[study.name]


def texts_hash(study: Study) -> str:
    """The documents' names, titles and texts, in the study's order, as one hash."""
    table = study.documents[["doc_id", "title", "text"]].fillna("").astype("str")
    return hashlib.sha256(table.to_csv(index=False, lineterminator="\n").encode("utf-8", "replace")).hexdigest()
