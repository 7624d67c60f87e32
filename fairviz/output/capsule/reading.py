"""Reading capsules from others: nothing in them is trusted, written or executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from fairviz.errors import DataError, FairvizError, expect
from fairviz.evaluation.settings import Settings
from fairviz.files import parse_json
from fairviz.home import expand_path
from fairviz.output.capsule.packing import (
    COLUMNS,
    FORMAT,
    LAYOUT,
    MANIFEST,
    README,
    SCORES,
    SELECTED,
    SUMMARY,
    add_seal,
    hash_content,
)
from fairviz.output.capsule.stored_figures import figure_members, read_figure
from fairviz.study.loaders.archive import read_members
from fairviz.study.loaders.lines import CSV, first_row, is_guarded, read_columns, unguard
from fairviz.words.vectors import offered

AGAIN = "Ask for the capsule again, or make one: fairviz capsule STUDY -o capsule.zip"
MOST_BYTES, MOST_FILES, MOST_MANIFEST, MOST_MEASURES = 1024**3, 200, 32 * 1024**2, 1000
NUMBERS = ("value", "ci_low", "ci_high", "queries", "undefined", "coverage")
SUMMARY_COLUMNS = ["system", "measure", *NUMBERS]


@dataclass(frozen=True, eq=False)
class Capsule:
    """The content of a capsule. study: its name. files and tables: hashes of the inputs. scores: system, query_id,
    measure, value; summary: see `fairviz.summarise`. versions: of fairviz, Python and packages. file: its name, for
    messages. figure_pages: the HTML of its figures, by name.
    """

    study: str
    settings: Settings
    measures: tuple[str, ...]
    versions: dict[str, str]
    files: dict[str, dict]
    tables: dict[str, dict]
    scores: pd.DataFrame
    summary: pd.DataFrame
    file: str = "the capsule"
    figure_pages: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @cached_property
    def figures(self) -> dict[str, go.Figure]:
        """The figures by name, such as `tradeoff`; none for a capsule made without figures.

        Raises FairvizError, in one line, for a page of a figure that is not one.
        """
        return {name: read_figure(page, name, self.file) for name, page in self.figure_pages.items()}


def open_capsule(path: str | Path) -> Capsule:
    """Return the capsule in a file: its settings, measures, tables `scores` and `summary`, and its figures.

    Parameters
    ----------
    path : str or Path
        Of a zip by `fairviz report --capsule` or the menu Share. Nothing in it is executed.

    Returns
    -------
    Capsule
        Its content.

    Raises
    ------
    FairvizError
        For another file, and for a damaged, changed or invalid capsule.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fairviz
    >>> from fairviz.output.capsule import capsule
    >>> path = Path(tempfile.mkdtemp(), "capsule.zip")
    >>> _ = path.write_bytes(capsule(fairviz.open_study("football"), "CWEx@4", figures=False))
    >>> fairviz.open_capsule(path).measures
    ('CWEx(alpha=0.5)@4',)
    """
    expect("path", path, (str, Path), "Give the path of a capsule.")
    return read_capsule(expand_path(path))


def read_capsule(source: str | Path | bytes) -> Capsule:
    """Return the capsule in the file or the bytes.

    Raises FairvizError, in one line, for anything else and for a damaged, changed or invalid capsule.
    """
    expect("source", source, (str, Path, bytes), "Give the path of a capsule.")
    name = "the capsule" if isinstance(source, bytes) else Path(source).name
    try:
        members = read_members(source, MOST_BYTES, MOST_FILES)
    except FairvizError as error:
        message = error.message.replace("the upload", name)
        raise FairvizError(message if message.startswith(name) else f"{name}: {message}", AGAIN) from error
    except OSError as error:
        raise FairvizError(
            f"{name} cannot be read ({error.strerror or error})", "Name a capsule that is there and can be read."
        ) from error
    manifest = _manifest(members, name)
    _check_members(members, manifest, name)
    return Capsule(
        study=_text(manifest["study"].get("name"), "study", name),
        settings=_settings(manifest["settings"], name),
        measures=_measures(manifest["measures"], name),
        versions={str(key): str(value)[:80] for key, value in manifest["versions"].items()},
        files=_inputs(manifest["inputs"].get("files"), name),
        tables=_inputs(manifest["inputs"].get("tables"), name),
        scores=_table(members, SCORES, COLUMNS, ("value",), name),
        summary=_table(members, SUMMARY, SUMMARY_COLUMNS, NUMBERS, name),
        file=name,
        figure_pages=figure_members(members),
    )


_PARTS: dict[str, type] = {
    "study": dict, "settings": dict, "measures": list, "versions": dict, "inputs": dict, "members": dict,
}  # fmt: skip


def _manifest(members: dict[str, bytes], name: str) -> dict[str, Any]:
    """Return the complete and unchanged manifest. Raises FairvizError."""
    if MANIFEST not in members:
        raise FairvizError(f"{name} is not a capsule: it has no {MANIFEST}", AGAIN)
    try:
        if len(members[MANIFEST]) > MOST_MANIFEST:
            raise ValueError(f"it is longer than {MOST_MANIFEST:,} bytes")
        manifest = parse_json(members[MANIFEST])
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise FairvizError(f"{name}: {MANIFEST} cannot be read as JSON: {error}", AGAIN) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise FairvizError(f"{name} is not a capsule: the format in {MANIFEST} is not {FORMAT!r}", AGAIN)
    if manifest.get("layout") != LAYOUT:
        raise FairvizError(
            f"{name} is laid out as version {str(manifest.get('layout'))[:20]!r} of capsules, and this program reads "
            f"{LAYOUT}", "Use the fairviz that it was made with."
        )  # fmt: skip
    if manifest.get("seal") != add_seal(manifest)["seal"]:
        raise FairvizError(f"{name}: {MANIFEST} was changed after the capsule was made", AGAIN)
    invalid_parts = [part for part, kind in _PARTS.items() if not isinstance(manifest.get(part), kind)]
    if invalid_parts:
        raise FairvizError(f"{name}: {MANIFEST} has no {invalid_parts[0]}, or it is of another kind", AGAIN)
    return manifest


def _check_members(members: dict[str, bytes], manifest: dict[str, Any], name: str) -> None:
    """Raise FairvizError for a member that is missing, unlisted, or differs from the list."""
    fingerprints = manifest["members"]
    for member in (SCORES, SUMMARY, *fingerprints):
        if member not in members or member not in fingerprints:
            raise FairvizError(f"{name} holds no {str(member)[:80]!r}, which belongs to it", AGAIN)
        if fingerprints[member] != hash_content(members[member]):
            raise FairvizError(f"{name}: {str(member)[:80]} was changed after the capsule was made", AGAIN)
    unlisted = sorted(set(members) - set(fingerprints) - {MANIFEST, README})
    if unlisted:
        raise FairvizError(f"{name} holds {unlisted[0][:80]!r}, which is not on its list", AGAIN)


def _settings(values: dict, name: str) -> Settings:
    """Return the settings, without selections; word vectors are never opened by a path."""
    names = {field.name for field in fields(Settings)} - set(SELECTED)
    unknown = sorted(set(values) - names)
    if unknown:
        raise FairvizError(f"{name}: there is no setting {unknown[0][:80]!r}", "Use the fairviz that it was made with.")
    embedding = values.get("embedding", Settings.embedding)
    if embedding not in offered():
        raise FairvizError(
            f"{name} needs the word vectors {str(embedding)[:80]!r}, which are not here",
            "Fetch or add vectors of that name first; a capsule opens no file by its path.",
        )
    try:
        return Settings().changed(**values)
    except FairvizError as error:
        raise FairvizError(f"{name}: {error.message}", AGAIN) from error


def _measures(texts: list, name: str) -> tuple[str, ...]:
    if not texts or len(texts) > MOST_MEASURES:
        raise FairvizError(f"{name} has {len(texts):,} measures", f"A capsule has 1 to {MOST_MEASURES:,}.")
    return tuple(_text(text, "measures", name) for text in texts)


def _text(value: object, key: str, name: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 1000:
        raise FairvizError(f"{name}: {key} in {MANIFEST} is not a text", AGAIN)
    return value


def _inputs(inputs: object, name: str) -> dict[str, dict]:
    if not isinstance(inputs, dict) or not all(isinstance(about, dict) for about in inputs.values()):
        raise FairvizError(f"{name}: {MANIFEST} has no inputs, or they are of another kind", AGAIN)
    return inputs


def _table(
    members: dict[str, bytes], member: str, columns: list[str], numbers: tuple[str, ...], name: str
) -> pd.DataFrame:
    """Return a table of the capsule: texts unchanged, numbers at full precision. Raises FairvizError."""
    content = members[member]
    try:
        names = first_row(content, member, CSV)
        guarded = is_guarded(names)
        if (names[:-1] if guarded else names) != columns:
            raise FairvizError(f"{name}: {member} has not the columns {', '.join(columns)}", AGAIN)
        table = read_columns(content, member, names, header=True, dialect=CSV)
    except DataError as error:
        raise FairvizError(f"{name}: {error.lines[0]}", AGAIN) from error
    table = table.iloc[:, :-1].map(unguard) if guarded else table
    values = {column: [_number(text, member, name) for text in table[column]] for column in numbers}
    return table.assign(**values)


def _number(text: str, member: str, name: str) -> float:
    try:
        value = float(text) if text else float("nan")
    except ValueError:
        value = float("inf")
    if text and not isfinite(value):
        raise FairvizError(f"{name}: {member} holds {text[:40]!r}, which is not a finite number", AGAIN)
    return value
