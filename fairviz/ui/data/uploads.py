"""Uploads of each file of a study or of a zipped study, checked before anything is replaced; and saving the result."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import streamlit as st

from fairviz.errors import FairvizError, noticing
from fairviz.home.access import has_overlay, is_demo, log
from fairviz.home.server_config import server_config
from fairviz.study.loaders import extensions
from fairviz.study.record import Study
from fairviz.study.study import save_study
from fairviz.ui.data.received import (
    add_documents_file,
    add_labels_file,
    add_qrels_file,
    add_queries_file,
    add_run_file,
    open_zip_file,
    set_lexicon_file,
    store_labels_file,
    store_run_file,
)
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell.uploads import most_megabytes
from fairviz.ui.state import library, session

OUTCOME = "outcome"
LEXICON = "lexicon"  # the kind of upload, and the key of the word list in force
IN_A_ROW = 4
RENAME = "Give it a short name of letters and digits, or free space for temporary files."


@dataclass(frozen=True)
class Kind:
    """A kind of upload: a file of a `part` of a study, or of a whole study. `take` returns the study with the file
    from (study, file, temporary folder). store: adds the file to what the visitor of a server has added to the study.
    """

    name: str
    label: str
    hint: str
    part: str
    take: Callable[[Study, Path, Path], Study]
    store: Callable[[Study, Path, Path], None] | None = None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File suffixes."""
        return extensions(self.part) if self.part else ("zip",)


KINDS = (
    Kind(
        "run",
        "A run (TREC, JSON, a table)",
        "TREC's six columns, ranx's or BEIR's JSON, or a table of query_id, doc_id, score. The file's name becomes the "
        "system's.",
        "runs",
        add_run_file,
        store_run_file,
    ),
    Kind(
        "labels",
        "Labels",
        "Columns doc_id, label and, for several people, annotator; or an export of Label Studio, Prodigy, doccano, "
        "Argilla or MTurk.",
        "labels",
        add_labels_file,
        store_labels_file,
    ),
    Kind(
        "documents",
        "Documents",
        "Columns doc_id, text and, if you like, title.",
        "documents",
        add_documents_file,
    ),
    Kind("queries", "Queries", "Columns query_id and text.", "queries", add_queries_file),
    Kind(
        "qrels",
        "Judgements (qrels)",
        "TREC's four columns, BEIR's three, or ranx's JSON.",
        "qrels",
        add_qrels_file,
    ),
    Kind(
        LEXICON,
        "Word list",
        "Columns word and group. It replaces the study's word list.",
        "lexicon",
        set_lexicon_file,
    ),
    Kind(
        "zip",
        "A whole study, zipped",
        "A folder with runs/, queries, documents, qrels and labels, each where there is one.",
        "",
        open_zip_file,
    ),
)


def uploaders(study: Study) -> None:
    """Draw an uploader for each kind of file; nothing in a demo. Errors are shown verbatim, and nothing is replaced."""
    if is_demo():
        html.message("info", "A demo takes no files.", "On a machine of your own: fairviz app")
        return
    place = "runs and labels stay, seen by you alone" if _keeps_privately(study) else "in this session only"
    html.quiet(f"Files are checked before they join the study: {place}. Limit: {most_megabytes():,} MB together.")
    columns = [column for _ in range(0, len(KINDS), IN_A_ROW) for column in st.columns(IN_A_ROW)]
    for column, kind in zip(columns, KINDS, strict=False):
        with column:
            key = f"upload_{kind.name}"
            st.file_uploader(
                kind.label,
                list(kind.suffixes),
                key=key,
                on_change=guarded(_receive),
                args=(kind, key, study),
                help=kind.hint,
            )


def save_as(study: Study) -> None:
    """Draw the form that saves the study to the data folder; nothing in a demo."""
    if is_demo():
        return
    is_own = library.is_own(study)
    html.strong("Save as study")
    html.quiet(
        "This session's uploads are not saved yet: a refresh loses them."
        if is_own
        else "A copy, which the study picker then offers."
    )
    name, button = st.columns([4, 1], vertical_alignment="bottom")
    suggested = f"my-{study.name}" if study.read_only or not is_own else study.name
    typed_name = name.text_input("Name", suggested, key=f"save_name_{study.name}")
    button.button(
        "Save", on_click=guarded(_save), args=(study, f"save_name_{study.name}"), width="stretch", type="primary"
    )
    if is_own:
        st.button("Drop what was uploaded", on_click=guarded(_drop), args=(study.name,))
    if server_config() is None:
        html.quiet(f"It goes to {library.place_of(typed_name)}")


def outcome() -> None:
    """Draw the message on the last upload, save or fetch, once."""
    with st.container():  # always drawn, as the tabs below would otherwise be reset to the first
        if message := st.session_state.pop(OUTCOME, None):
            html.message(*message)


def _receive(kind: Kind, key: str, study: Study) -> None:
    upload = st.session_state[key]
    if upload is None:
        return
    try:
        if kind.store is not None and _keeps_privately(study):
            _store(kind, upload.name, upload.getvalue(), study)
            return
        new_study = read_upload(kind, upload.name, upload.getvalue(), study)
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", error.message, error.remedy)
        return
    library.keep(new_study)
    session.open_named(new_study.name)
    if kind.name == LEXICON:
        st.session_state[LEXICON] = ""  # the study's own list, which is now the uploaded one
    st.session_state[OUTCOME] = (
        "good",
        f"{upload.name} is in the study {new_study.name!r}.",
        "\n".join(new_study.warnings),
    )


def _keeps_privately(study: Study) -> bool:
    """Return whether uploads become additions of this visitor to the study."""
    return has_overlay(study.name) and not library.is_own(study)


def _store(kind: Kind, name: str, content: bytes, study: Study) -> None:
    """Add an upload to the visitor's additions. Raises FairvizError."""
    with _written(name, content) as path:
        if kind.store is not None:
            kind.store(study, path, path.parent)
    st.session_state[OUTCOME] = ("good", f"{name} is in the study {study.name!r}, for you alone.", "")


def read_upload(kind: Kind, name: str, content: bytes, study: Study) -> Study:
    """Return the study with the uploaded file. Raises FairvizError; `study` is unchanged."""
    with _written(name, content) as path, noticing([]) as notices:
        new_study = kind.take(study, path, path.parent)
        return replace(new_study, warnings=tuple(dict.fromkeys([*new_study.warnings, *notices])))


@contextmanager
def _written(name: str, content: bytes) -> Iterator[Path]:
    """Yield a temporary file with the content. Raises FairvizError for a name that no file can have."""
    with tempfile.TemporaryDirectory(prefix="fairviz-upload-") as folder:
        path = Path(folder, PurePath(name.replace("\\", "/")).name)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise FairvizError(f"the upload {name[:80]!r} cannot be written: {error.strerror}", RENAME) from error
        yield path


def _save(study: Study, key: str) -> None:
    try:
        folder = library.saved_folder(st.session_state[key])
        save_study(replace(study, name=folder.name, read_only=False), folder)
        log(folder.name, "save a study")
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", error.message, error.remedy)
        return
    library.forget(study.name)
    session.open_named(folder.name)
    st.session_state[OUTCOME] = (
        "good",
        f"Saved to {folder}." if server_config() is None else f"Saved: {folder.name}.",
        "",
    )


def _drop(name: str) -> None:
    library.forget(name)
    st.session_state[OUTCOME] = ("good", f"The uploads to {name!r} are gone.", "")
