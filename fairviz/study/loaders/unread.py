"""The files of a study's folder that are no part of it: each is named, with the reason."""

from heapq import nsmallest
from pathlib import Path

from fairviz.study.loaders import extensions
from fairviz.study.loaders.finding import RUNS_FOLDER, SINGLE, Files, obstacle
from fairviz.study.loaders.lexicon import PREFIX

LISTED = 20  # of each kind as many are named, the others counted
NO_PART = "no part of a study has this name"
_NO_DATA = "txt"  # a note as often as a part
_STEMS = {*SINGLE, "lexicon", "runs", "study"}


def left_over(folder: Path, files: Files) -> list[str]:
    """A warning for each of the first 20 files that look like data or that a reason is known for, one for the rest of
    these, and one for all others, which are notes and the like.

    What study.toml speaks of is no surprise, and is left out of that last line; so are hidden files everywhere.
    """
    used = {path.relative_to(folder).as_posix() for path in files.all}
    left = [name for name in files.others if name not in used]
    endings = {*extensions()} - {_NO_DATA}
    data = [name for name in left if name in files.reasons or _looks_like_data(name, endings)]
    lines = [f"{name} was not read: {_why_not(folder / name, files.reasons.get(name))}." for name in _first(data)]
    rest = len(data) - len(lines)
    if rest:
        lines.append(f"… and {rest:,} more that {'were' if rest > 1 else 'was'} not read.")
    told, known = _told(files.metadata), {*data}
    notes = [name for name in left if name not in known and name.rpartition("/")[2] not in told]
    return lines + ([_folded(notes)] if notes else [])


def _first(names: list[str]) -> list[str]:
    return nsmallest(LISTED, names)


def _folded(names: list[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} was not read: {NO_PART}."
    first = _first(names)
    rest = len(names) - len(first)
    listed = f"{', '.join(first)} and {rest:,} more" if rest else f"{', '.join(first[:-1])} and {first[-1]}"
    return f"{listed} were not read: no part of a study has these names."


def _told(metadata: Path | None) -> str:
    """The text of study.toml; nothing where it cannot be read, which reading it says."""
    try:
        return metadata.read_text(encoding="utf-8", errors="replace") if metadata else ""
    except OSError:
        return ""


def _why_not(path: Path, reason: str | None) -> str:
    wrong = None if reason else obstacle(path)
    return reason or (NO_PART if wrong is None else wrong[0])


def _looks_like_data(path: str, endings: set[str]) -> bool:
    inside, _, name = path.partition("/")
    if (name and inside == RUNS_FOLDER) or path.partition(".")[0].lower() in _STEMS:
        return True
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return ending in endings and not name.startswith(PREFIX)
