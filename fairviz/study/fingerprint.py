"""The fingerprint of a study, equal for equal content: the key of all cached answers."""

import hashlib
from dataclasses import replace

import pandas as pd

from fairviz.study.record import Study

PARTS = ("queries", "documents", "runs", "qrels", "labels")


def with_fingerprint(study: Study) -> Study:
    """Return the study with a fingerprint of its tables and of all that affects its figures."""
    digest = hashlib.sha256()
    group_settings = (study.groups, study.neutral, study.protected, sorted(study.targets.items()), study.lexicon)
    digest.update(repr((*group_settings, study.label_kind, study.annotator, sorted(study.annotators.items()))).encode())
    for part in PARTS:
        digest.update(f"{part} {table_hash(getattr(study, part))}".encode())
    return replace(study, fingerprint=digest.hexdigest())


def table_hash(table: pd.DataFrame) -> str:
    """Return a hash of a table's columns and rows, in their order."""
    digest = hashlib.sha256(repr(list(table.columns)).encode())
    if len(table):
        digest.update(pd.util.hash_pandas_object(table, index=False).to_numpy().tobytes())
    return digest.hexdigest()
