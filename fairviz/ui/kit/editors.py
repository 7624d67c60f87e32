"""Editor of a list of words in a popover, and uploads of files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices

RENAME = "Give it a short name of letters and digits, or free space for temporary files."
TYPES = ("csv", "tsv", "txt")

Row = Any  # a sequence of values, or a tuple of a kind


@contextmanager
def as_file(name: str, content: bytes) -> Iterator[Path]:
    """Yield a temporary file with the content of an upload, alone in its folder. Raises FairvizError for a name that no
    file can have."""
    with TemporaryDirectory(prefix="fairviz-upload-") as folder:
        path = Path(folder, PurePath(name.replace("\\", "/")).name)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise FairvizError(f"the upload {name[:80]!r} cannot be written: {error.strerror}", RENAME) from error
        yield path


def setting_from_file(
    label: str, key: str, problem: str, setting: str, read: Callable[[str, bytes], object], types: Sequence[str] = TYPES
) -> None:
    """Draw the uploader of a file that becomes a setting. problem: the key of the error of a file that cannot be read;
    the setting then stays."""
    take = guarded(partial(_take_file, key, problem, setting, read))
    st.file_uploader(label, type=list(types), key=key, on_change=take)


def _take_file(key: str, problem: str, setting: str, read: Callable[[str, bytes], object]) -> None:
    upload = st.session_state[key]
    st.session_state[problem] = None
    if upload is None:
        return
    try:
        st.session_state[setting] = read(upload.name, upload.getvalue())
    except FairvizError as error:
        st.session_state[problem] = error


@dataclass(frozen=True, eq=False)
class Editor:
    """A list of words with its forms.

    key: of its text in the session, a choice of the page or a setting; empty for the usual list. edited: begins the
    keys of the table. label: of the popover. what: what the list has, as in `Use these names`. header: the columns of
    the table and of a file. usual: returns the list without a text. parse, format: from and to a text. of_rows, rows:
    from and to rows. presets: texts by the label of their button, the usual one first. file: the key of the uploader,
    empty for none. read: from a file, and its folder, which messages leave out. config: of the columns, as in
    `st.data_editor`. unit: behind the number of rows; without it, it is told whether the list is the reader's own.
    """

    key: str
    edited: str
    label: str
    what: str
    header: Sequence[str]
    usual: Callable[[], Any]
    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    of_rows: Callable[[Sequence[Row]], Any]
    rows: Callable[[Any], Sequence[Row]]
    presets: Mapping[str, str] = field(default_factory=lambda: {"The packaged ones": ""})
    about: str = ""
    file: str = ""
    read: Callable[[Path, str], Any] = lambda path, folder: None
    config: Mapping[str, Any] = field(default_factory=dict)
    unit: str = ""

    @property
    def problem(self) -> str:
        """The key of an error until it is drawn."""
        return f"{self.key}_problem"

    def chosen(self) -> Any:
        """Return the list that counts: the reader's, else the usual one. Raises UsageError for a text that is no
        list."""
        is_of_page = self.key in choices.CHOICES  # a setting is in the session at every run
        text = str(choices.value_of(self.key) if is_of_page else st.session_state[self.key])
        return self.parse(text) if text else self.usual()

    def in_file(self, name: str, content: bytes) -> Any:
        """Return the list of a file. Raises DataError that names every bad line."""
        with as_file(name, content) as path:
            return self.read(path, str(path.parent))

    def draw(self) -> None:
        """Draw the popover."""
        usual = self.usual()
        try:
            current, problem = self.chosen(), st.session_state.pop(self.problem, None)
        except FairvizError as error:
            current, problem = usual, error
        own = " (own)" if current != usual else ""
        rows = self.rows(current)
        label, about = f"{self.label}: {len(rows):,}{self.unit or own}", html.tooltip(self.about)
        with st.popover(label, width="stretch", help=about or None):
            version = f"{self.edited}_{abs(hash(current))}"
            frame = pd.DataFrame(list(rows), columns=list(self.header))
            edited = st.data_editor(
                frame, num_rows="dynamic", hide_index=True, key=version, height=300, column_config=self.config or None
            )
            changed = list(edited.itertuples(index=False, name=None))
            places: list[Any] = [*st.columns(2)] if len(self.presets) == 1 else [st] * (1 + len(self.presets))
            use, *others = places
            take_rows = guarded(partial(self._take, lambda: self.of_rows(changed)))
            use.button(f"Use these {self.what}", on_click=take_rows, type="primary", key=f"{version}_use")
            for place, (label, text) in zip(others, self.presets.items(), strict=True):
                take_back = guarded(partial(self._set, text))
                place.button(
                    label, on_click=take_back, disabled=not text and not own, key=f"{version}_{text or 'back'}"
                )
            if self.file:
                take_file = guarded(self._take_file)
                st.file_uploader(",".join(self.header), type=list(TYPES), key=self.file, on_change=take_file)
            html.problem(problem)

    def _set(self, text: str) -> None:
        st.session_state[self.key] = text

    def _take(self, make: Callable[[], Any]) -> None:
        try:
            chosen = make()
        except FairvizError as error:
            st.session_state[self.problem] = error
        else:
            self._set("" if chosen == self.usual() else self.format(chosen))

    def _take_file(self) -> None:
        upload = st.session_state[self.file]
        if upload is not None:
            self._take(lambda: self.in_file(upload.name, upload.getvalue()))
