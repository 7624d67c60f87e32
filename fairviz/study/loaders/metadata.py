"""study.toml: what a study folder says about itself, read with every slip named, and written again."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairviz.errors import MOST_BAD_LINES, BadLine, DataError, capped, display_path
from fairviz.study.loaders.source import attempted, decode, parsing, problem, read_raw

FILE = "study.toml"
TEXTS = ("title", "description", "licence", "citation", "neutral", "protected", "lexicon", "labels", "annotator")
SOURCES = ("queries", "documents", "qrels")
LISTS = ("groups", "notices", "systems", "drafts")
TABLES = ("targets", "annotators")
KEYS = (*TEXTS, *SOURCES, *LISTS, *TABLES)
KINDS = ("person", "model", "rule", "mixed")
OLDER_KINDS = {"human": "person", "project": "mixed"}  # read, and written by their new words
MOST_BYTES = 2 * 1024**2
MOST_KEYS = 10_000  # in it and in its tables, so that 4,000 annotators can be described
_LONGEST_NAME = 255  # bytes of a file's name
_DEEP = re.compile(
    r"""(?<![\w-])(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')(?:[ \t]*+\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')){20}"""
)
TOML_REMEDY = 'Write each line as: title = "My study".'
REMEDY = f"Its keys are {', '.join(KEYS)}."


@dataclass(frozen=True)
class Metadata:
    """The content of study.toml. `sources` maps a part to where it comes from, such as gensim:lee; `lexicon` is a
    file's name; `annotators` maps a name to (kind, description), the kind empty where it is not named; `systems` is
    the order of the systems; `drafts` are added systems, which are not tested unless ticked."""

    title: str = ""
    description: str = ""
    licence: str = ""
    citation: str = ""
    groups: tuple[str, ...] = ("female", "male")
    neutral: str = "neutral"
    protected: str = "female"
    targets: Mapping[str, float] = field(default_factory=dict)
    lexicon: str = ""
    labels: str = "gender"
    annotator: str = ""
    annotators: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)


def read_metadata(path: Path, root: Path | None = None) -> Metadata:
    """A study.toml. Raises DataError that names every key that is unknown or holds what it cannot."""
    file = display_path(path, root)
    text = decode(read_raw(path, root, MOST_BYTES), file).removeprefix("\ufeff").replace("\r\n", "\n")
    text = text if "\n" in text else text.replace("\r", "\n")
    found = _parsed(text, file)
    slips = [*_shape(found), *meaning(found)]
    if slips:
        lines = [BadLine(file, _line_of(text, key), what, value) for key, what, value in slips[:MOST_BAD_LINES]]
        raise DataError(capped(sorted(lines, key=lambda line: line.line)), REMEDY)
    return _metadata(found)


def _parsed(text: str, file: str) -> dict[str, Any]:
    """The tables and keys of the text. Raises DataError where it is no TOML, or holds more than anybody writes."""
    deep = _DEEP.search(text)
    if deep:  # for which the parser takes quadratic time
        line = text.count("\n", 0, deep.start()) + 1
        raise problem(file, "not TOML as a study has it: a key of more than 20 parts", TOML_REMEDY, deep.group(), line)
    with parsing(file, "not TOML that can be read: a number is too long, or brackets are nested too deep", TOML_REMEDY):
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise problem(file, f"not TOML: {error}", TOML_REMEDY) from error
    count = _count(found)
    if count > MOST_KEYS:
        raise problem(file, f"{count:,} keys, more than {MOST_KEYS:,}", REMEDY)
    return found


def _count(found: dict[str, Any]) -> int:
    """The keys of the table and of all tables inside it."""
    count = 0
    waiting: list[Any] = [found]
    while waiting:
        table = waiting.pop()
        count += len(table) if isinstance(table, dict) else 0
        waiting += [
            value for value in (table.values() if isinstance(table, dict) else table) if isinstance(value, (dict, list))
        ]
    return count


def _told(value: object) -> str | None:
    """The value as text, None where it is a number of too many digits or nested too deep to be shown."""
    return attempted(lambda: str(value))


def _line_of(text: str, key: str) -> int:
    """The line that sets the key, 0 where none is found."""
    pattern = re.compile(rf"""^[ \t]*(?:\[+[ \t]*)?["']?{re.escape(key)}["']?[ \t]*[=.\]]""", re.MULTILINE)
    found = pattern.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _shape(found: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """(key, what is wrong, value) for unknown keys and wrong types."""
    slips: list[tuple[str, str, str | None]] = []
    for key, value in found.items():
        if key not in KEYS:
            slips.append((key, "unknown key", key))
        elif key in (*TEXTS, *SOURCES) and not isinstance(value, str):
            slips.append((key, f"{key} is not text", _told(value)))
        elif key in LISTS and not _is_texts(value):
            slips.append((key, f"{key} is not a list of texts", _told(value)))
        elif key in TABLES and not isinstance(value, dict):
            slips.append((key, f"{key} is not a table", _told(value)))
    return slips


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def meaning(found: Mapping[str, Any]) -> list[tuple[str, str, str | None]]:
    """(key, what is wrong, value) for values of the right type that make no sense."""
    slips: list[tuple[str, str, str | None]] = []
    groups = found.get("groups", ["female", "male"])
    if _is_texts(groups):
        if len(set(groups)) < max(2, len(groups)) or found.get("neutral", "neutral") in groups or "" in groups:
            slips.append(("groups", "groups must be two or more gender groups, the neutral one not among them", None))
        if isinstance(found.get("protected"), str) and found["protected"] not in groups:
            slips.append(("protected", f"protected is none of the groups {', '.join(groups)}", found["protected"]))
        if isinstance(found.get("targets"), dict):
            slips += _targets(found["targets"], groups)
    if isinstance(found.get("labels"), str) and found["labels"] not in ("gender", "other"):
        slips.append(("labels", "labels is neither gender nor other", found["labels"]))
    lexicon = found.get("lexicon", "")
    if isinstance(lexicon, str) and not _is_name(lexicon):
        slips.append(("lexicon", "lexicon is not the name of a file in this folder", lexicon))
    if isinstance(found.get("annotators"), dict):
        slips += _annotators(found["annotators"])
    return slips


def _is_name(text: str) -> bool:
    """Whether a file of the study's folder can be called so; no text is no name and allowed."""
    return not set(text) & set("/\\:\0") and not text.startswith(".") and len(text.encode()) <= _LONGEST_NAME


def _targets(targets: dict[str, Any], groups: list[str]) -> list[tuple[str, str, str | None]]:
    numbers = all(isinstance(share, (int, float)) and not isinstance(share, bool) for share in targets.values())
    if not numbers or set(targets) != set(groups):
        return [("targets", f"targets must give a number for each of {', '.join(groups)}", _told(targets))]
    if not all(0 < share <= 1 for share in targets.values()) or abs(sum(targets.values()) - 1) > 1e-6:
        return [("targets", "targets must be above 0 and add up to 1", _told(targets))]
    return []


def _annotators(annotators: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    slips: list[tuple[str, str, str | None]] = []
    for name, entry in annotators.items():
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
            slips.append(("annotators", f"annotators.{name} is not a table of texts", _told(entry)))
            continue
        slips += [("annotators", f"annotators.{name} has an unknown key", key) for key in entry.keys() - _ENTRY]
        if "kind" in entry and current_kind(entry["kind"]) not in KINDS:
            slips.append(("kind", f"the kind of annotators.{name} is none of {', '.join(KINDS)}", entry["kind"]))
    return slips


_ENTRY = {"kind", "description"}


def current_kind(kind: str) -> str:
    """What an annotator is, in the words of KINDS, where an older word says it."""
    return OLDER_KINDS.get(kind, kind)


def _metadata(found: dict[str, Any]) -> Metadata:
    groups = tuple(found.get("groups", Metadata.groups))
    values: dict[str, Any] = {key: found[key].strip() for key in TEXTS if key in found}
    values |= {key: tuple(found[key]) for key in LISTS if key in found}
    values["sources"] = {key: found[key] for key in SOURCES if key in found}
    values["targets"] = {group: float(found["targets"][group]) for group in groups} if found.get("targets") else {}
    values["annotators"] = {
        name: (current_kind(entry.get("kind", "")), entry.get("description", ""))
        for name, entry in found.get("annotators", {}).items()
    }
    values.setdefault("protected", "female" if "female" in groups else groups[0])
    return Metadata(**values)


def format_metadata(metadata: Metadata) -> str:
    """The content of a study.toml that `read_metadata` reads back: what differs from the default."""
    lines = []
    for key in (*TEXTS, *LISTS):
        value = getattr(metadata, key)
        if value != getattr(Metadata, key) or (key == "protected" and "female" not in metadata.groups):
            lines.append(f"{key} = {_quoted(value) if isinstance(value, str) else _listed(value)}")
    lines += [f"{part} = {_quoted(source)}" for part, source in metadata.sources.items()]
    if metadata.targets:
        lines += [
            "",
            "[targets]",
            *(f"{_quoted(group)} = {float(share)!r}" for group, share in metadata.targets.items()),
        ]
    for name, (kind, description) in metadata.annotators.items():
        lines += ["", f"[annotators.{_quoted(name)}]"]
        lines += [f"{key} = {_quoted(text)}" for key, text in (("kind", kind), ("description", description)) if text]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _listed(values: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_quoted, values))}]"
