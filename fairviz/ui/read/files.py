"""Export and import of readers' decisions as files."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from fairviz.annotation import adjudications
from fairviz.errors import FairvizError
from fairviz.evaluation.exports import Origin, file_name, today
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.read import name as inspect_name
from fairviz.ui.read.decide import OUTCOME
from fairviz.ui.read.state import Room
from fairviz.words.sentences import counted


def decisions_menu(room: Room) -> None:
    """Draw the popover with the number of decisions, their export and their import."""
    count = len(room.decisions)
    with st.popover(f"{count:,} decided", width="stretch"):
        html.quiet(_place(room.study))
        inspect_name.switch()
        if count:
            _draw_exports(room)
        st.file_uploader(
            "Decisions from a file (CSV or JSONL)", ["csv", "jsonl"], key="inspect_import", on_change=guarded(_import),
            args=(room.study,),
        )  # fmt: skip


def _place(study: Study) -> str:
    """Return a text with the path at which decisions are stored, or the error."""
    try:
        return f"Stored beside the study: {adjudications.store_path(study)}"
    except FairvizError as error:
        return f"{error.message}. {error.remedy}"


def _draw_exports(room: Room) -> None:
    study = room.study
    origin = Origin(study.name, room.settings, date=today())
    files = {
        "Every decision, CSV": (partial(_as_decisions, study, "csv"), file_name(origin, "adjudications", "csv")),
        "Every decision, JSONL": (
            partial(_as_decisions, study, "jsonl"),
            file_name(origin, "adjudications", "jsonl"),
        ),
        "The long table of labels": (partial(_as_labels, study), file_name(origin, "labels", "csv")),
    }
    for label, (export, name) in files.items():
        st.download_button(label, export, name, on_click="ignore", width="stretch", key=f"inspect_{label}")
    st.dataframe(room.decisions, hide_index=True, key="inspect_decisions", height=220, alt="The current decisions.")


def _as_decisions(study: Study, suffix: str) -> bytes:
    return _file_bytes(study, f"decisions.{suffix}", adjudications.export_decisions)


def _as_labels(study: Study) -> bytes:
    """Return the long table with the current decisions, not those at the opening of the page."""
    return _file_bytes(adjudications.with_adjudications(study), "labels.csv", adjudications.export_labels)


def _file_bytes(study: Study, name: str, export: Callable[[Study, Path], object]) -> bytes:
    """Return the bytes of the file that `export` writes."""
    with tempfile.TemporaryDirectory(prefix="fairviz-export-") as folder:
        path = Path(folder, name)
        export(study, path)
        return path.read_bytes()


def _import(study: Study) -> None:
    upload = st.session_state["inspect_import"]
    if upload is None:
        return
    with tempfile.TemporaryDirectory(prefix="fairviz-import-") as folder:
        path = Path(folder, f"decisions.{upload.name.rpartition('.')[2].lower()}")
        path.write_bytes(upload.getvalue())
        try:
            count = adjudications.import_decisions(study, path)
        except FairvizError as error:
            st.session_state[OUTCOME] = ("error", error.message, error.remedy)
            return
    count_text = counted(count, "decision was", "decisions were")
    st.session_state[OUTCOME] = ("good", f"{count_text} added from the file.", "")
