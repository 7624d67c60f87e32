"""Warnings about the unread files of a study's folder, each with the reason."""

from heapq import nsmallest
from pathlib import Path

from fairviz.files import readable_name
from fairviz.study.loaders import extensions
from fairviz.study.loaders.finding import RUNS_FOLDER, SINGLE, Files, find_obstacle
from fairviz.study.loaders.word_files import PREFIX
from fairviz.words.sentences import agreeing, listed

LISTED = 20  # of each kind, this number is named and the others are counted
NO_PART = "no part of a study has this name"
_NO_DATA = "txt"  # notes and parts alike
_STEMS = {*SINGLE, "lexicon", "annotators", "runs", "study"}


def unread_warnings(folder: Path, files: Files) -> list[str]:
    """Return warnings about unread files: one for each of the first 20 that look like data or have a known reason, one
    for the rest of these, and one for all others, such as notes.

    Files named in study.toml are left out of the last one, and hidden files of all.
    """
    unread, data = _unread(folder, files), data_files(folder, files)
    lines = [
        f"{readable_name(name)} was not read: {_reason(folder / name, files.reasons.get(name))}."
        for name in _first(data)
    ]
    rest_count = len(data) - len(lines)
    if rest_count:
        lines.append(f"… and {rest_count:,} more that {agreeing(rest_count, 'was', 'were')} not read.")
    metadata_text, data_names = _metadata_text(files.metadata), {*data}
    notes = [name for name in unread if name not in data_names and name.rpartition("/")[2] not in metadata_text]
    return lines + ([_notes_warning(notes)] if notes else [])


def data_files(folder: Path, files: Files) -> list[str]:
    """Return the unread files that look like data, or for which the reason is known."""
    endings = {*extensions()} - {_NO_DATA}
    return [name for name in _unread(folder, files) if name in files.reasons or _looks_like_data(name, endings)]


def _unread(folder: Path, files: Files) -> list[str]:
    used_names = {path.relative_to(folder).as_posix() for path in files.all}
    return [name for name in files.others if name not in used_names]


def _first(names: list[str]) -> list[str]:
    return nsmallest(LISTED, names)


def _notes_warning(names: list[str]) -> str:
    names = [*map(readable_name, names)]
    if len(names) == 1:
        return f"{names[0]} was not read: {NO_PART}."
    first = _first(names)
    rest_count = len(names) - len(first)
    names_text = f"{', '.join(first)} and {rest_count:,} more" if rest_count else listed(first)
    return f"{names_text} were not read: no part of a study has these names."


def _metadata_text(metadata: Path | None) -> str:
    """Return the text of study.toml; empty if unreadable, which its reader reports."""
    try:
        return metadata.read_text(encoding="utf-8", errors="replace") if metadata else ""
    except OSError:
        return ""


def _reason(path: Path, reason: str | None) -> str:
    obstacle = None if reason else find_obstacle(path)
    return reason or (NO_PART if obstacle is None else obstacle[0])


def _looks_like_data(path: str, endings: set[str]) -> bool:
    folder, _, name = path.partition("/")
    if (name and folder == RUNS_FOLDER) or path.partition(".")[0].lower() in _STEMS:
        return True
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return ending in endings and not name.startswith(PREFIX)
