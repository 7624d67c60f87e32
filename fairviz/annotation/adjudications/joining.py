"""A study with the decisions of its readers, as the annotator `adjudicated`."""

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from fairviz.annotation.adjudications.store import Row, current, rows_of, store_path
from fairviz.errors import FairvizError

if TYPE_CHECKING:
    from fairviz.study.study import Study

ADJUDICATED = "adjudicated"
JOINED, OWN = "+", "++"  # in a fingerprint: decisions joined it; beside labels by `adjudicated` of its own
DESCRIPTION = "Decisions made in the label room; the latest on a document counts."


def origin(study: "Study") -> str:
    """The fingerprint of the study as it was before decisions joined it, whatever they are."""
    return study.fingerprint.partition(JOINED)[0]


def with_adjudications(study: "Study") -> "Study":
    """The study with the annotator `adjudicated`: one label for each document that a decision stands on.

    The fingerprint changes with the decisions; without any, and where they are in already, it is the study itself.
    Labels by `adjudicated` in the study's own files stay for documents that the database does not name. Decisions
    outside the study's groups, and a database that cannot be read, become warnings.
    """
    try:
        rows = rows_of(study)
    except FairvizError as error:
        return replace(study, warnings=(*study.warnings, f"{error.message}; none is shown."))
    if not rows:
        return study
    decided, foreign = _allowed(study, current(rows))
    there = study.labels["annotator"] == ADJUDICATED
    ours = there & study.labels["doc_id"].isin({row.doc_id for row in rows})
    held = study.labels[ours]
    if dict(zip(held["doc_id"], held["label"], strict=True)) != {row.doc_id: row.label for row in decided}:
        study = _joined(study, study.labels[~ours], decided, own=bool(there.any()))
    if foreign:
        said = "decision is" if foreign == 1 else "decisions are"
        warning = f"{store_path(study).name}: {foreign:,} {said} outside the groups of the study; not shown."
        study = study if warning in study.warnings else replace(study, warnings=(*study.warnings, warning))
    return study


def _allowed(study: "Study", decided: dict[str, Row]) -> tuple[list[Row], int]:
    """The decisions that the study's groups allow, and how many they do not."""
    groups = (study.neutral, *study.groups)
    kept = [row for row in decided.values() if study.label_kind == "other" or row.label in groups]
    return kept, len(decided) - len(kept)


def _joined(study: "Study", labels: pd.DataFrame, decided: list[Row], own: bool) -> "Study":
    from fairviz.study.study import Annotator, add_labels

    columns = {"doc_id": [row.doc_id for row in decided], "label": [row.label for row in decided]}
    if "rationale" in labels:
        columns["rationale"] = [row.reason for row in decided]
    added = pd.DataFrame(columns).astype("str").assign(annotator=pd.Series([ADJUDICATED] * len(decided), dtype="str"))
    base = replace(study, labels=labels.reset_index(drop=True))
    known = study.annotators.get(ADJUDICATED, Annotator(ADJUDICATED, "person", DESCRIPTION))
    mark = hashlib.sha256(repr([(row.doc_id, row.label, row.reason) for row in decided]).encode()).hexdigest()
    if JOINED in study.fingerprint:
        own = OWN in study.fingerprint
    fingerprint = study.fingerprint.partition(JOINED)[0] + (OWN if own else JOINED) + mark
    annotators = {**study.annotators, ADJUDICATED: known}
    return replace(add_labels(base, added), annotators=annotators, fingerprint=fingerprint)
