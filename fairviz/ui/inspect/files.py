"""The decisions of readers as files, and decisions from a file."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from fairviz.annotation import adjudications
from fairviz.errors import FairvizError
from fairviz.evaluation.exports import Origin, file_name, today
from fairviz.study.study import Study
from fairviz.ui.inspect import name as inspect_name
from fairviz.ui.inspect.decide import OUTCOME
from fairviz.ui.inspect.state import Room
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded


def decisions_menu(room: Room) -> None:
    """How many are decided; the decisions as files, and from a file."""
    count = len(room.decisions)
    with st.popover(f"{count:,} decided", width="stretch"):
        html.quiet(_place(room.study))
        inspect_name.switch()
        if count:
            _exports(room)
        st.file_uploader(
            "Decisions from a file (CSV or JSONL)", ["csv", "jsonl"], key="inspect_import", on_change=guarded(_import),
            args=(room.study,),
        )  # fmt: skip


def _place(study: Study) -> str:
    """Where decisions are stored, or why they cannot be."""
    try:
        return f"Stored beside the study: {adjudications.store_path(study)}"
    except FairvizError as error:
        return f"{error.message}. {error.remedy}"


def _exports(room: Room) -> None:
    study = room.study
    about = Origin(study.name, room.settings, date=today())
    files = {
        "Every decision, CSV": (_as_csv, file_name(about, "adjudications", "csv")),
        "Every decision, JSONL": (_as_jsonl, file_name(about, "adjudications", "jsonl")),
        "The long table of labels": (_as_labels, file_name(about, "labels", "csv")),
    }
    for label, (make, name) in files.items():
        st.download_button(
            label, partial(make, study), name, on_click="ignore", width="stretch", key=f"inspect_{label}"
        )
    st.dataframe(room.decisions, hide_index=True, key="inspect_decisions", height=220, alt="Decisions as they stand.")


def _as_csv(study: Study) -> bytes:
    return _written(study, "decisions.csv", adjudications.export_decisions)


def _as_jsonl(study: Study) -> bytes:
    return _written(study, "decisions.jsonl", adjudications.export_decisions)


def _as_labels(study: Study) -> bytes:
    """The long table with the decisions as they stand now, not as they stood when the page was opened."""
    return _written(adjudications.with_adjudications(study), "labels.csv", adjudications.export_labels)


def _written(study: Study, name: str, export: Callable[[Study, Path], object]) -> bytes:
    """The bytes of the file that `export` writes."""
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
            added = adjudications.import_decisions(study, path)
        except FairvizError as error:
            st.session_state[OUTCOME] = ("error", error.message, error.remedy)
            return
    told = "1 decision was" if added == 1 else f"{added:,} decisions were"
    st.session_state[OUTCOME] = ("good", f"{told} added from the file.", "")
