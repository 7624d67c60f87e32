"""Adjudications: a reader's decisions on labels, in a database next to the study and as an annotator of their own.

May import what annotation may.
"""

from fairviz.annotation.adjudications.files import export_decisions, export_labels, import_decisions
from fairviz.annotation.adjudications.joining import ADJUDICATED, origin, with_adjudications
from fairviz.annotation.adjudications.store import (
    decide,
    decisions,
    history,
    last_decision,
    stamp_of,
    store_path,
    undo,
)
from fairviz.annotation.database import store_stamp

__all__ = [
    "ADJUDICATED",
    "decide",
    "decisions",
    "export_decisions",
    "export_labels",
    "history",
    "import_decisions",
    "last_decision",
    "origin",
    "stamp_of",
    "store_path",
    "store_stamp",
    "undo",
    "with_adjudications",
]
