"""Changes to study.toml that keep its comments if possible."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.study.loaders.metadata import FILE, Metadata, format_metadata, read_metadata


def stored_metadata(folder: Path) -> Metadata:
    """Return the metadata of the folder's study.toml; the defaults without one."""
    file = folder / FILE
    return read_metadata(file, folder) if file.exists() else Metadata()


def write_edited(folder: Path, draft_folder: Path, target: Metadata, edit: Callable[[str], str]) -> None:
    """Write the folder's edited study.toml into the draft folder; `target` in full if the text reads as another."""
    file = folder / FILE
    text = file.read_text(encoding="utf-8-sig") if file.exists() else ""
    new_file = draft_folder / FILE
    new_file.write_text(edit(text), encoding="utf-8")
    try:
        is_right = read_metadata(new_file, draft_folder) == target
    except FairvizError:
        is_right = False
    if not is_right:
        new_file.write_text(format_metadata(target), encoding="utf-8")


def with_key(text: str, key: str, value: object) -> str:
    """Return the text of a study.toml with one top-level key of one line changed, without it for the default value."""
    line = format_metadata(replace(Metadata(), **{key: value})).lstrip("\n")  # type: ignore[arg-type]
    return line + re.sub(rf"""(?m)^{key} *= *(\[[^\]\n]*\]|"[^"\n]*"|'[^'\n]*') *(\n|$)""", "", text)


def write_keys(folder: Path, draft_folder: Path, **values: object) -> None:
    """Write the folder's study.toml with these top-level keys changed into the draft folder."""
    target = replace(stored_metadata(folder), **values)  # type: ignore[arg-type]
    write_edited(folder, draft_folder, target, partial(_with_keys, values))


def _with_keys(values: Mapping[str, object], text: str) -> str:
    for key, value in values.items():
        text = with_key(text, key, value)
    return text
