"""A list of words that a reader may change, in a popover: an editable table, a file, and the packaged list."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices

Row = Sequence[object]


@dataclass(frozen=True, eq=False)
class Editor:
    """A list with its forms.

    key: of its text in the session, empty for the packaged list. edited, file: of the widgets. label: of the popover.
    what: what the list has, as in `Use these names`. header: the columns of the table and of a file. packaged: returns
    the packaged list. parse, format: from and to a text. of_rows, rows: from and to rows. read: from a file, and its
    folder, which messages leave out. config: of the columns, as in `st.data_editor`.
    """

    key: str
    edited: str
    file: str
    label: str
    what: str
    about: str
    header: Sequence[str]
    packaged: Callable[[], Any]
    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    of_rows: Callable[[Sequence[Any]], Any]
    rows: Callable[[Any], Sequence[Row]]
    read: Callable[[Path, str], Any]
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def problem(self) -> str:
        """The key of an error until it is drawn."""
        return f"{self.key}_problem"

    def chosen(self) -> Any:
        """Return the list that counts: the reader's, else the packaged one. Raises UsageError for a text that is no
        list."""
        text = choices.value_of(self.key)
        return self.parse(str(text)) if text else self.packaged()

    def in_file(self, name: str, content: bytes) -> Any:
        """Return the list of a file. Raises DataError that names every bad line."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / Path(name).name
            path.write_bytes(content)
            return self.read(path, folder)

    def draw(self) -> None:
        """Draw the popover."""
        packaged = self.packaged()
        try:
            current, problem = self.chosen(), st.session_state.pop(self.problem, None)
        except FairvizError as error:
            current, problem = packaged, error
        own = " (own)" if current != packaged else ""
        rows = self.rows(current)
        with st.popover(f"{self.label}: {len(rows):,}{own}", width="stretch"):
            html.quiet(self.about)
            version = f"{self.edited}_{abs(hash(current))}"
            frame = pd.DataFrame(list(rows), columns=list(self.header))
            edited = st.data_editor(
                frame, num_rows="dynamic", hide_index=True, key=version, height=300, column_config=self.config or None
            )
            use, back = st.columns(2)
            changed = list(edited.itertuples(index=False, name=None))
            take_rows = guarded(partial(self._take, lambda: self.of_rows(changed)))
            use.button(f"Use these {self.what}", on_click=take_rows, type="primary", key=f"{version}_use")
            take_back = guarded(partial(self._take, self.packaged))
            back.button("The packaged ones", on_click=take_back, disabled=not own, key=f"{version}_back")
            types = ["csv", "tsv", "txt"]
            st.file_uploader(",".join(self.header), type=types, key=self.file, on_change=guarded(self._take_file))
            html.problem(problem)

    def _take(self, make: Callable[[], Any]) -> None:
        try:
            chosen = make()
        except FairvizError as error:
            st.session_state[self.problem] = error
        else:
            st.session_state[self.key] = "" if chosen == self.packaged() else self.format(chosen)

    def _take_file(self) -> None:
        upload = st.session_state[self.file]
        if upload is not None:
            self._take(lambda: self.in_file(upload.name, upload.getvalue()))
