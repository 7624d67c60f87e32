"""The fingerprint of a study: equal for equal content, and all that answers are remembered by."""

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from fairviz.study.study import Study

PARTS = ("queries", "documents", "runs", "qrels", "labels")


def with_fingerprint(study: "Study") -> "Study":
    """The study with a fingerprint of its tables and of all that its figures depend on."""
    total = hashlib.sha256()
    told = (study.groups, study.neutral, study.protected, sorted(study.targets.items()), study.lexicon)
    total.update(repr((*told, study.label_kind, study.annotator, sorted(study.annotators.items()))).encode())
    for part in PARTS:
        total.update(f"{part} {table_hash(getattr(study, part))}".encode())
    return replace(study, fingerprint=total.hexdigest())


def table_hash(table: pd.DataFrame) -> str:
    """A hash of a table's columns and rows, in their order."""
    total = hashlib.sha256(repr(list(table.columns)).encode())
    if len(table):
        total.update(pd.util.hash_pandas_object(table, index=False).to_numpy().tobytes())
    return total.hexdigest()
