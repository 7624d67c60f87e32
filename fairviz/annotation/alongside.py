"""Labels by rules and models that come with the program, for built-in and fetched studies: shown, and used by no
measure."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from weakref import WeakKeyDictionary

import pandas as pd

from fairviz.annotation.voters import annotator_names
from fairviz.home import BUILTIN, DATA
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, open_study_folder

FOLDER = DATA / "alongside"
TEXTS = {  # hashes of the labelled documents of fetched studies
    "grep-biasir": "6b00da867d5160bdd997514dba4d228fedf9535328cf65a5905475b4631d8c21",
}
_READ: WeakKeyDictionary[Study, Study | None] = WeakKeyDictionary()
_JOINED: WeakKeyDictionary[Study, Study] = WeakKeyDictionary()


def labels_alongside(study: Study) -> pd.DataFrame:
    """Return doc_id, annotator, label of the annotators next to the study; no row for any other study.

    Annotators with labels in the study itself are left out.
    """
    alongside = _study_alongside(study)
    if alongside is None:
        return study.labels.iloc[:0]
    return alongside.labels[~alongside.labels["annotator"].isin(annotator_names(study))].reset_index(drop=True)


def annotators_alongside(study: Study) -> Mapping[str, Annotator]:
    """Return the annotators of `labels_alongside` by name."""
    alongside = _study_alongside(study)
    return {} if alongside is None else {name: alongside.annotators[name] for name in annotator_names(alongside)
                                     if name not in annotator_names(study)}  # fmt: skip


def with_labels_alongside(study: Study) -> Study:
    """Return the study with `labels_alongside` added, to compare annotators; one object for each study, and the study
    itself without such labels."""
    annotators = annotators_alongside(study)
    if annotators and study not in _JOINED:
        joined = add_labels(study, labels_alongside(study))
        beside = {name: replace(who, votes=False) for name, who in annotators.items()}
        _JOINED[study] = replace(joined, annotators={**joined.annotators, **beside})
    return _JOINED[study] if annotators else study


def _study_alongside(study: Study) -> Study | None:
    """Return the labels' study for this study, read once; None where there is none."""
    if study not in _READ:
        folder = FOLDER / study.name
        _READ[study] = open_study_folder(folder) if _is_labelled_study(study) and folder.is_dir() else None
    return _READ[study]


def _is_labelled_study(study: Study) -> bool:
    """Return whether the study is built in, or has the texts that were labelled, since a folder may have any name."""
    if study.read_only:
        return study.name in BUILTIN
    return study.name in TEXTS and texts_hash(study) == TEXTS[study.name]


def texts_hash(study: Study) -> str:
    """Return one hash of the documents' ids, titles and texts, in the study's order."""
    table = study.documents[["doc_id", "title", "text"]].fillna("").astype("str")
    return hashlib.sha256(table.to_csv(index=False, lineterminator="\n").encode("utf-8", "replace")).hexdigest()
