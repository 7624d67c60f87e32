"""Studies with their adjudications as the annotator `adjudicated`."""

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from fairviz.annotation.adjudications.store import Row, current, rows_of, store_path
from fairviz.errors import FairvizError
from fairviz.study.record import Annotator
from fairviz.study.study import add_labels
from fairviz.words.sentences import agreeing

if TYPE_CHECKING:
    from fairviz.study.record import Study

ADJUDICATED = "adjudicated"
JOINED, OWN = "+", "++"  # in a fingerprint: with decisions; with decisions and own labels by `adjudicated`
DESCRIPTION = "Decisions made in the label room; the latest on a document counts."


def origin(study: "Study") -> str:
    """Return the fingerprint of the study without its decisions."""
    return study.fingerprint.partition(JOINED)[0]


def with_adjudications(study: "Study") -> "Study":
    """Return the study with the annotator `adjudicated`: one label for each decided document.

    The fingerprint changes with the decisions; without any, and where they are joined already, the study itself is
    returned. Labels by `adjudicated` in the study's own files stay for documents that are not in the database.
    Decisions outside the study's groups, and a database that cannot be read, become warnings.
    """
    try:
        rows = rows_of(study)
    except FairvizError as error:
        return replace(study, warnings=(*study.warnings, f"{error.message}; none is shown."))
    if not rows:
        return study
    decided, foreign_count = _allowed(study, current(rows))
    is_adjudicated = study.labels["annotator"] == ADJUDICATED
    is_stored = is_adjudicated & study.labels["doc_id"].isin({row.doc_id for row in rows})
    joined = study.labels[is_stored]
    if dict(zip(joined["doc_id"], joined["label"], strict=True)) != {row.doc_id: row.label for row in decided}:
        study = _join(study, study.labels[~is_stored], decided, has_own=bool(is_adjudicated.any()))
    if foreign_count:
        subject = agreeing(foreign_count, "decision is", "decisions are")
        warning = f"{store_path(study).name}: {foreign_count:,} {subject} outside the groups of the study; not shown."
        study = study if warning in study.warnings else replace(study, warnings=(*study.warnings, warning))
    return study


def _allowed(study: "Study", decided: dict[str, Row]) -> tuple[list[Row], int]:
    """Return the decisions within the study's groups, and the number of others."""
    groups = (study.neutral, *study.groups)
    allowed = [row for row in decided.values() if study.label_kind == "other" or row.label in groups]
    return allowed, len(decided) - len(allowed)


def _join(study: "Study", labels: pd.DataFrame, decided: list[Row], has_own: bool) -> "Study":
    columns = {"doc_id": [row.doc_id for row in decided], "label": [row.label for row in decided]}
    if "rationale" in labels:
        columns["rationale"] = [row.reason for row in decided]
    new_labels = (
        pd.DataFrame(columns).astype("str").assign(annotator=pd.Series([ADJUDICATED] * len(decided), dtype="str"))
    )
    base = replace(study, labels=labels.reset_index(drop=True))
    annotator = study.annotators.get(ADJUDICATED, Annotator(ADJUDICATED, "person", DESCRIPTION))
    mark = hashlib.sha256(repr([(row.doc_id, row.label, row.reason) for row in decided]).encode()).hexdigest()
    if JOINED in study.fingerprint:
        has_own = OWN in study.fingerprint
    fingerprint = study.fingerprint.partition(JOINED)[0] + (OWN if has_own else JOINED) + mark
    annotators = {**study.annotators, ADJUDICATED: annotator}
    return replace(add_labels(base, new_labels), annotators=annotators, fingerprint=fingerprint)
