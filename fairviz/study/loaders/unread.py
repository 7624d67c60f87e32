"""Warnings about the unread files of a study's folder: what each is, and one step that makes it a part of the study."""

import re
from heapq import nsmallest
from pathlib import Path

from fairviz.errors import attempt
from fairviz.files import readable_name
from fairviz.study.loaders import extensions, labels, qrels, suffixes_of, texts
from fairviz.study.loaders.archive import plain_name
from fairviz.study.loaders.finding import IN_ITS_PLACE, NO_RUN, RUNS_FOLDER, SINGLE, Files, find_obstacle
from fairviz.study.loaders.runs import begins_as_run, read_beginning
from fairviz.study.loaders.source import is_workbook, recognise
from fairviz.study.loaders.word_files import PREFIX
from fairviz.words.sentences import agreeing, listed

LISTED = 20  # of each kind, this number is named and the others are counted
UNKNOWN = "neither its name nor its content is that of a part of a study"
UNKNOWN_ONES = "neither their names nor their contents are those of a part of a study"
LEAVE = "Leave it there, or give it a name that `fairviz check --help` lists."
_HEAD = 1 << 13  # bytes of an unread file that are looked at
_NO_DATA = "txt"  # notes and parts alike
_STEMS = {*SINGLE, "lexicon", "annotators", "runs", "study"}
_LAYOUTS = (labels.LAYOUT, qrels.LAYOUT, texts.QUERY_LAYOUT, texts.DOCUMENT_LAYOUT)
_NUMBERS = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*[-0-9]')


def unread_warnings(folder: Path, files: Files) -> list[str]:
    """Return warnings about unread files, each with the remedy in a second line: one for each of the first 20 that look
    like data or are recognised, one for the rest of these, and one for all others, such as notes.

    Files named in study.toml are left out of the last one, and hidden files of all.
    """
    unread, data = _unread(folder, files), data_files(folder, files)
    try:
        text = files.metadata.read_text(encoding="utf-8", errors="replace") if files.metadata else ""
    except OSError:  # its reader reports it
        text = ""
    data_names = {*data}
    others = [name for name in unread if name not in data_names and name.rpartition("/")[2] not in text]
    reasons = {name: _reason(folder, name, files) for name in nsmallest(LISTED, data)}
    for name in nsmallest(LISTED, others):
        if (reason := _recognised(folder / name, name, files)) is not None:
            reasons[name] = reason
    lines = [
        f"{readable_name(name)} was not read: {reason}.\n{step}" for name, (reason, step) in sorted(reasons.items())
    ]
    rest_count = len(data) - len(reasons.keys() & data_names)
    if rest_count:
        lines.append(f"… and {rest_count:,} more that {agreeing(rest_count, 'was', 'were')} not read.\n{LEAVE}")
    notes = [readable_name(name) for name in others if name not in reasons]
    if len(notes) == 1:
        lines.append(f"{notes[0]} was not read: {UNKNOWN}.\n{LEAVE}")
    elif notes:
        first = nsmallest(LISTED, notes)
        rest = len(notes) - len(first)
        names_text = f"{', '.join(first)} and {rest:,} more" if rest else listed(first)
        lines.append(f"{names_text} were not read: {UNKNOWN_ONES}.\n{LEAVE}")
    return lines


def data_files(folder: Path, files: Files) -> list[str]:
    """Return the unread files that look like data, or for which the reason is known."""
    endings = {*extensions()} - {_NO_DATA}

    def looks_like_data(path: str) -> bool:
        top, _, below = path.partition("/")
        if (below and top == RUNS_FOLDER) or path.partition(".")[0].lower() in _STEMS:
            return True
        name = path.rpartition("/")[2]
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        return ending in endings and not name.startswith(PREFIX)

    return [name for name in _unread(folder, files) if name in files.reasons or looks_like_data(name)]


def _unread(folder: Path, files: Files) -> list[str]:
    used_names = {path.relative_to(folder).as_posix() for path in files.all}
    return [name for name in files.others if name not in used_names]


def _reason(folder: Path, name: str, files: Files) -> tuple[str, str]:
    """Return why a file is not read, and the step that helps."""
    known, _, step = files.reasons.get(name, "").partition("\n")
    if known and known != NO_RUN:
        return known, step or LEAVE
    if obstacle := find_obstacle(folder / name):
        return obstacle
    what = _recognised(folder / name, name, files)
    if not known or what is not None:
        return what or (UNKNOWN, LEAVE)
    beginning = attempt(lambda: read_beginning(folder / name, _HEAD)) or b""
    if beginning.lstrip()[:1] in (b"{", b"["):
        return "this is JSON, and no run", 'Write it as {"query": {"document": score}}, with scores as numbers.'
    return known, "Write its lines as: query_id Q0 doc_id rank score tag, or move it out of the folder runs."


def _recognised(path: Path, name: str, files: Files) -> tuple[str, str] | None:
    """Return what a file is by its content, and the step that makes it a part of the study; None for neither."""
    if find_obstacle(path) is not None:
        return None
    data = attempt(lambda: read_beginning(path, _HEAD)) or b""
    if is_workbook(data) or (data.startswith(b"PK") and name.lower().endswith(".xlsx")):
        return "this is a workbook of another name", "Call it labels.xlsx, qrels.xlsx, queries.xlsx or documents.xlsx."
    if kind := recognise(data):
        return f"this is {kind.name}", kind.step.format(file=name)
    if _NUMBERS.match(data):
        return (
            "these are numbers by query and document",
            f"Call it qrels.json, or put it into the folder {RUNS_FOLDER}.",
        )
    markup = re.match(rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(\w+)", data.lstrip(), re.DOTALL)
    if markup and (markup[1].lower() == b"top" or b"<topic" in data or b"<num" in data):
        return _as_part("queries", "topics.txt" if markup[1].lower() == b"top" else "topics.xml", files)
    if markup and markup[1].lower() == b"doc":
        return _as_part("documents", "documents.trec", files)
    if not name.startswith(f"{RUNS_FOLDER}/") and attempt(lambda: begins_as_run(path)) and b"=" not in data[:200]:
        return "this is a run outside of the folder runs", f"Move it into the folder {RUNS_FOLDER}."
    return _recognised_rows(path, name, data, files)


def _recognised_rows(path: Path, name: str, data: bytes, files: Files) -> tuple[str, str] | None:
    """Return what a file of rows is by the columns at its beginning, and the step; None for unknown columns."""
    plain = Path(plain_name(path))
    ending, packing = plain.suffix.lower(), path.name[len(plain.name) :]
    text = data.decode("utf-8", "replace")
    for separator, cells in attempt(lambda: _columns(path, text, ending)) or []:
        parts = [layout.part for layout in _LAYOUTS if layout.fits(cells)]
        if parts == ["queries", "documents"]:
            return (
                "these are ids and texts under a name that is not read",
                f"Call it documents{ending} or queries{ending}.",
            )
        if parts:
            known = ending + packing in suffixes_of(parts[0])
            sort = ending if known else ".tsv" if separator == "\t" else ".csv"
            return _as_part(parts[0], f"{parts[0]}{sort}{packing}", files)
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    lines = lines[:-1] or lines
    if lines and all(len(cells := line.split()) == 4 and cells[3].lstrip("-").isdigit() for line in lines):
        return _as_part("qrels", f"qrels.txt{packing}", files)
    if lines and all(line.count("\t") == 1 and not line.startswith("\t") for line in lines):
        step = f"Call it documents.tsv or queries.tsv; of a whole collection: fairviz attach FOLDER --collection {name}"
        return "these are ids and texts between tabs", step
    return None


def _columns(path: Path, text: str, ending: str) -> list[tuple[str, list[str]]]:
    """Return the columns of a file that begins with this text, with the separator, in each way in which they may be
    separated."""
    if ending == ".parquet":
        from pyarrow import parquet

        return [("", list(parquet.read_schema(path).names))]
    if text.lstrip()[:1] in ("{", "["):
        return [("", list(dict.fromkeys(re.findall(r'"([^"]+)"\s*:', text))))]
    first = next((line for line in text.splitlines() if line.strip()), "")
    return [
        (separator, [cell.strip(' "\ufeff') for cell in first.split(separator)])
        for separator in ",\t;"
        if separator in first
    ]


def _as_part(part: str, name: str, files: Files) -> tuple[str, str]:
    """Return what a file is that holds a part of a study, and its name as that part."""
    if own := files.parts[part]:
        return f"the study has its {part} in {own[0].name}", IN_ITS_PLACE
    return f"these are {part} under a name that is not read", f"Call it {name}."
