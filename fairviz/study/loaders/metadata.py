"""study.toml, the metadata of a study folder: read with an error for every defect, and written."""

import datetime
import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fairviz.errors import (
    MOST_BAD_LINES,
    BadLine,
    DataError,
    FairvizError,
    attempt,
    cap_lines,
    display_path,
    parsing,
    problem,
)
from fairviz.normal_form import normal_form
from fairviz.study.attributes import SCALES, Attribute, attribute_of
from fairviz.study.attributes import find_defects as find_attribute_defects
from fairviz.study.loaders.lines import decode
from fairviz.study.loaders.source import read_raw

FILE = "study.toml"
TEXTS = (
    "title",
    "description",
    "licence",
    "citation",
    "neutral",
    "protected",
    "lexicon",
    "labels",
    "scale",
    "annotator",
    "word_counts",
)
SOURCES = ("queries", "documents", "qrels")
LISTS = ("groups", "notices", "systems", "drafts", "tested", "not_tested")
TABLES = ("targets", "annotators", "cards", "attributes", "checks", "claim")
PATHS = ("lexicon", "word_counts", *SOURCES)  # names of files, as they are on the disk
KEYS = (*TEXTS, *SOURCES, *LISTS, *TABLES)
KINDS = ("person", "model", "rule", "mixed")
KIND_NAMES = {"person": "human", "mixed": "human with machine help", "model": "model", "rule": "rule", "": "unknown"}
OTHER_KINDS = {"people": "person", "model with a reader": "mixed", "project": "mixed"} | {
    words: kind for kind, words in KIND_NAMES.items()
}  # read, and replaced on writing
MOST_BYTES = 2 * 1024**2
COLUMNS = "columns"  # of an annotator, beside kind and description
MOST_KEYS = 10_000  # in the file and its tables: enough for 4,000 annotators
_LONGEST_NAME = 255  # bytes of a file's name
_DEEP = re.compile(
    r"""(?<![\w-])(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')(?:[ \t]*+\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')){20}"""
)
TOML_REMEDY = 'Write each line as: title = "My study".'
REMEDY = f"Its keys are {', '.join(KEYS)}."


@dataclass(frozen=True)
class Claim:
    """What is claimed before the runs are tested. measure: text with parameters. better: the system that is claimed to
    be fairer. worse: the systems that it is compared with; empty for all others that are tested. margin: 0 or more, by
    more than which it is fairer. annotator: whose labels count; empty for the study's. date: ISO, of the declaration.
    had_runs: those of its systems that had runs at the declaration; None where it was written by hand, and nobody
    looked. earlier: what was declared before and replaced, the first one first.

    >>> Claim("CWEx(alpha=0.5)@10", "rrf", ("bm25",), "2026-11-01").margin
    0.0
    """

    measure: str
    better: str
    worse: tuple[str, ...]
    date: str
    margin: float = 0.0
    annotator: str = ""
    had_runs: tuple[str, ...] | None = None
    earlier: tuple["Claim", ...] = ()


@dataclass(frozen=True)
class Metadata:
    """The content of study.toml. `sources`: the origin of a part, such as gensim:lee; `lexicon`: a file's name;
    `scale`: of the groups; `word_counts`: the path of a folder of counts; `annotators`: (kind, description) by name,
    the kind empty if missing; `annotator_columns`: what else annotators.csv has of them; `cards`: a sentence about a
    system, by name; `systems`: the order of the systems;
    `drafts`: added systems, which move no value of the others; `tested` and `not_tested`: systems that somebody has
    put into the tests or taken out of them; `attributes`: further groupings, by their column of the
    documents; `muted`: the codes of checks whose findings are not counted, each with the reason (`[checks.muted]`);
    `claim`: what was declared beforehand (`[claim]`), None without one.
    """

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
    scale: str = "nominal"
    annotator: str = ""
    word_counts: str = ""
    annotators: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    annotator_columns: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    not_tested: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    cards: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    muted: Mapping[str, str] = field(default_factory=dict)
    claim: Claim | None = None


def read_metadata(path: Path, root: Path | None = None) -> Metadata:
    """Return a study.toml. Raises DataError that names every unknown key and every invalid value."""
    file = display_path(path, root)
    text = decode(read_raw(path, root, MOST_BYTES), file).removeprefix("\ufeff").replace("\r\n", "\n")
    text = text if "\n" in text else text.replace("\r", "\n")
    composed = normal_form(text)
    entries = _parse_toml(composed, file)
    if composed != text:
        written = _parse_toml(text, file)
        entries |= {key: written[key] for key in PATHS if key in written}
    defects = [*_find_type_errors(entries), *find_invalid_values(entries)]
    if defects:
        lines = [BadLine(file, _line_of(text, key), message, value) for key, message, value in defects[:MOST_BAD_LINES]]
        raise DataError(cap_lines(sorted(lines, key=lambda line: line.line)), REMEDY)
    return _build_metadata(entries)


def _parse_toml(text: str, file: str) -> dict[str, Any]:
    """Return the tables and keys of the text. Raises DataError for invalid TOML and for too many keys."""
    deep_key = _DEEP.search(text)
    if deep_key:  # the parser takes quadratic time for them
        line = text.count("\n", 0, deep_key.start()) + 1
        raise problem(
            file, "not TOML as a study has it: a key of more than 20 parts", TOML_REMEDY, deep_key.group(), line
        )
    with parsing(file, "not TOML that can be read: a number is too long, or brackets are nested too deep", TOML_REMEDY):
        try:
            entries = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise problem(file, f"not TOML: {error}", TOML_REMEDY) from error
    count = _count_keys(entries)
    if count > MOST_KEYS:
        raise problem(file, f"{count:,} keys, more than {MOST_KEYS:,}", REMEDY)
    return entries


def _count_keys(entries: dict[str, Any]) -> int:
    """Return the number of keys of the table and of all tables inside it."""
    count = 0
    pending: list[Any] = [entries]
    while pending:
        table = pending.pop()
        if isinstance(table, dict):
            count += len(table)
            table = list(table.values())
        pending += [value for value in table if isinstance(value, (dict, list))]
    return count


def _value_text(value: object) -> str | None:
    """Return the value as text, None for a number of too many digits or too deep nesting."""
    return attempt(lambda: str(value))


def _line_of(text: str, key: str) -> int:
    """Return the line that sets the key, or for `table.key` without one that of the table, or 0."""
    table, _, name = key.partition(".")
    quoted = rf"""["']?{re.escape(table)}["']?""" + (rf"""[ \t]*\.[ \t]*["']?{re.escape(name)}["']?""" if name else "")
    match = re.search(rf"""^[ \t]*(?:\[+[ \t]*)?{quoted}[ \t]*[=.\]]""", text, re.MULTILINE)
    if match is None and name:
        return _line_of(text, table)
    return text.count("\n", 0, match.start()) + 1 if match else 0


def _find_type_errors(entries: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return (key, defect, value) for unknown keys and wrong types."""
    defects: list[tuple[str, str, str | None]] = []
    for key, value in entries.items():
        if key not in KEYS:
            defects.append((key, "unknown key", key))
        elif key in (*TEXTS, *SOURCES) and not isinstance(value, str):
            defects.append((key, f"{key} is not text", _value_text(value)))
        elif key in LISTS and not _is_texts(value):
            defects.append((key, f"{key} is not a list of texts", _value_text(value)))
        elif key in TABLES and not isinstance(value, dict):
            defects.append((key, f"{key} is not a table", _value_text(value)))
        elif key == "cards" and not all(isinstance(text, str) for text in value.values()):
            defects.append((key, "cards is not a table of texts", _value_text(value)))
    return defects


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def find_invalid_values(entries: Mapping[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return (key, defect, value) for invalid values of the right type."""
    defects: list[tuple[str, str, str | None]] = []
    groups = entries.get("groups", ["female", "male"])
    if _is_texts(groups):
        defects += _find_group_errors(entries, groups)
    if isinstance(entries.get("labels"), str) and entries["labels"] not in ("gender", "other"):
        defects.append(("labels", "labels is neither gender nor other", entries["labels"]))
    if isinstance(entries.get("scale"), str) and entries["scale"] not in SCALES:
        defects.append(("scale", "scale is neither nominal nor ordinal", entries["scale"]))
    lexicon = entries.get("lexicon", "")
    if isinstance(lexicon, str) and not _is_file_name(lexicon):
        defects.append(("lexicon", "lexicon is not the name of a file in this folder", lexicon))
    if isinstance(entries.get("annotators"), dict):
        defects += _find_annotator_errors(entries["annotators"])
    if isinstance(entries.get("attributes"), dict):
        defects += find_attribute_defects(entries["attributes"])
    if isinstance(entries.get("checks"), dict):
        defects += _find_muted_errors(entries["checks"])
    if isinstance(entries.get("claim"), dict):
        defects += [*_find_claim_errors(entries["claim"]), *_find_earlier_errors(entries["claim"])]
    return defects


def _find_claim_errors(claim: dict[str, Any], table: str = "claim") -> list[tuple[str, str, str | None]]:
    """Return (key, defect, value) of [claim], or of one of [[claim.earlier]], each with what to write instead."""
    defects: list[tuple[str, str, str | None]] = []

    def refuse(key: str, what: str) -> None:
        defects.append((f"{table}.{key}", f"{table}.{key} {what}", _value_text(claim[key]) if key in claim else None))

    examples = {"measure": "CWEx(alpha=0.5)@10", "better": "rrf", "worse": "bm25", "date": "2026-11-01"}
    further = ("margin", "annotator", "had_runs", *(["earlier"] if table == "claim" else []))
    for key in claim.keys() - {*examples, *further}:
        refuse(key, f"is an unknown key; {table} has {', '.join([*examples, *further[:-1]])} and {further[-1]}")
    for key in examples.keys() - claim.keys():
        refuse(key, f'is missing; write as {key} = "{examples[key]}"')
    for key in ("measure", "better", "annotator"):
        if key in claim and not (isinstance(claim[key], str) and claim[key].strip()):
            refuse(key, "is not a text" if key == "annotator" else f'is not a text, as "{examples[key]}"')
    if "worse" in claim:
        worse = _worse_of(claim["worse"])
        if worse is None or not all(name.strip() for name in worse) or len(set(worse)) < len(worse):
            refuse("worse", 'is not a system, a list of different systems, or "others"')
        elif claim.get("better") in worse:
            refuse("worse", "names the system that is claimed to be better; leave it out")
    margin = claim.get("margin", 0)
    if isinstance(margin, bool) or not isinstance(margin, (int, float)) or not 0 <= margin < math.inf:
        refuse("margin", "is not a number of 0 or more, in units of the measure")
    if "date" in claim and attempt(lambda: datetime.date.fromisoformat(str(claim["date"]))) is None:
        refuse("date", "is not a date, as 2026-11-01")
    if not _is_texts(claim.get("had_runs", [])):
        refuse("had_runs", "is not a list of systems")
    return defects


def _find_earlier_errors(claim: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return (key, defect, value) of [[claim.earlier]]."""
    earlier = claim.get("earlier", [])
    if not isinstance(earlier, list) or not all(isinstance(one, dict) for one in earlier):
        what = "claim.earlier is not a list of tables, as [[claim.earlier]]"
        return [("claim.earlier", what, _value_text(earlier))]
    return [defect for one in earlier for defect in _find_claim_errors(one, "claim.earlier")]


def _worse_of(worse: object) -> tuple[str, ...] | None:
    """Return the systems that are named; none for `others`; None for what names nothing."""
    if isinstance(worse, str):
        return () if worse == "others" else (worse,)
    return tuple(worse) if _is_texts(worse) and worse else None  # type: ignore[arg-type]


def _claim_of(claim: Mapping[str, Any]) -> Claim:
    texts = {key: claim[key].strip() for key in ("measure", "better", "annotator") if key in claim}
    worse = _worse_of(claim["worse"]) or ()
    day = datetime.date.fromisoformat(str(claim["date"])).isoformat()
    return Claim(
        worse=worse,
        date=day,
        margin=float(claim.get("margin", 0)),
        had_runs=tuple(claim["had_runs"]) if "had_runs" in claim else None,
        earlier=tuple(map(_claim_of, claim.get("earlier", []))),
        **texts,
    )


def claim_entries(claim: Claim) -> dict[str, Any]:
    """Return the claim as study.toml has it: all that differs from the default."""
    worse: object = "others" if claim.worse == () else claim.worse[0] if len(claim.worse) == 1 else list(claim.worse)
    worse = ["others"] if claim.worse == ("others",) else worse
    entries: dict[str, Any] = {"measure": claim.measure, "better": claim.better, "worse": worse, "date": claim.date}
    entries |= {"margin": claim.margin} if claim.margin else {}
    entries |= {"annotator": claim.annotator} if claim.annotator else {}
    entries |= {} if claim.had_runs is None else {"had_runs": list(claim.had_runs)}
    return entries | ({"earlier": [claim_entries(one) for one in claim.earlier]} if claim.earlier else {})


def _claim_lines(claim: Claim) -> list[str]:
    """Return the lines of [claim], and of [[claim.earlier]] below it."""
    lines = []
    for heading, one in (("[claim]", claim), *(("[[claim.earlier]]", one) for one in claim.earlier)):
        lines += ["", heading]
        for key, value in claim_entries(replace(one, earlier=())).items():
            is_list = isinstance(value, list)
            lines.append(
                f"{key} = {_quote(value) if isinstance(value, str) else _quote_list(value) if is_list else repr(value)}"
            )
    return lines


def _find_muted_errors(checks: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    muted = checks.get("muted", {})
    defects: list[tuple[str, str, str | None]] = [
        ("checks", f"checks has an unknown key {key!r}; it has muted alone", None) for key in checks.keys() - {"muted"}
    ]
    if not isinstance(muted, dict):
        return [*defects, ("checks.muted", "checks.muted is not a table of codes with reasons", _value_text(muted))]
    return defects + [
        ("checks.muted", f"checks.muted gives no reason for {code}", _value_text(reason))
        for code, reason in muted.items()
        if not isinstance(reason, str) or not reason.strip()
    ]


def _find_group_errors(entries: Mapping[str, Any], groups: list[str]) -> list[tuple[str, str, str | None]]:
    defects: list[tuple[str, str, str | None]] = []
    if len(set(groups)) < max(2, len(groups)) or entries.get("neutral", "neutral") in groups or "" in groups:
        defects.append(("groups", "groups must be two or more gender groups, the neutral one not among them", None))
    if isinstance(entries.get("protected"), str) and entries["protected"] not in groups:
        defects.append(("protected", f"protected is not one of the groups {', '.join(groups)}", entries["protected"]))
    if isinstance(entries.get("targets"), dict):
        defects += _find_target_errors(entries["targets"], groups)
    return defects


def _find_target_errors(targets: dict[str, Any], groups: list[str]) -> list[tuple[str, str, str | None]]:
    numbers = all(isinstance(share, (int, float)) and not isinstance(share, bool) for share in targets.values())
    if not numbers or set(targets) != set(groups):
        return [("targets", f"targets must give a number for each of {', '.join(groups)}", _value_text(targets))]
    if not all(0 < share <= 1 for share in targets.values()) or abs(sum(targets.values()) - 1) > 1e-6:
        return [("targets", "targets must be above 0 and add up to 1", _value_text(targets))]
    return []


def _is_file_name(text: str) -> bool:
    """Return whether the text can be the name of a file in the study's folder, or is empty."""
    return not set(text) & set("/\\:\0") and not text.startswith(".") and len(text.encode()) <= _LONGEST_NAME


def _find_annotator_errors(annotators: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    defects: list[tuple[str, str, str | None]] = []
    for name, entry in annotators.items():
        own = {key: value for key, value in entry.items() if key != COLUMNS} if isinstance(entry, dict) else {}
        columns = entry.get(COLUMNS, {}) if isinstance(entry, dict) else None
        texts = [*own.values(), *columns.values()] if isinstance(columns, dict) else [None]
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in texts):
            defects.append(("annotators", f"annotators.{name} is not a table of texts", _value_text(entry)))
            continue
        defects += [
            ("annotators", f"annotators.{name} has an unknown key", key)
            for key in entry.keys() - {"kind", "description", COLUMNS}
        ]
        if "kind" in entry and (not entry["kind"] or current_kind(entry["kind"]) not in ("", *KINDS)):
            kinds = ", ".join(KIND_NAMES.values())
            defects.append(("kind", f"the kind of annotators.{name} is not one of {kinds}", entry["kind"]))
    return defects


def current_kind(kind: str) -> str:
    """Return the kind of an annotator in the words of KINDS, from those of KIND_NAMES too; empty for `unknown`."""
    return OTHER_KINDS.get(kind.strip().lower(), kind)


def _build_metadata(entries: Mapping[str, Any]) -> Metadata:
    groups = tuple(entries.get("groups", Metadata.groups))
    values: dict[str, Any] = {key: entries[key].strip() for key in TEXTS if key in entries}
    values |= {key: tuple(entries[key]) for key in LISTS if key in entries}
    values["cards"] = dict(entries.get("cards", {}))
    values["attributes"] = {name: attribute_of(entry) for name, entry in entries.get("attributes", {}).items()}
    values["muted"] = {code: reason.strip() for code, reason in entries.get("checks", {}).get("muted", {}).items()}
    values["claim"] = _claim_of(entries["claim"]) if "claim" in entries else None
    values["sources"] = {key: entries[key] for key in SOURCES if key in entries}
    values["targets"] = {group: float(entries["targets"][group]) for group in groups} if entries.get("targets") else {}
    values["annotators"] = {
        name: (current_kind(entry.get("kind", "")), entry.get("description", ""))
        for name, entry in entries.get("annotators", {}).items()
    }
    values["annotator_columns"] = {
        name: tuple((column, value) for column, value in entry[COLUMNS].items() if value)
        for name, entry in entries.get("annotators", {}).items() if entry.get(COLUMNS)
    }  # fmt: skip
    values.setdefault("protected", "female" if "female" in groups else groups[0])
    return Metadata(**values)


def format_metadata(metadata: Metadata) -> str:
    """Return the content of a study.toml for `read_metadata`: all that differs from the default."""
    lines = []
    for key in (*TEXTS, *LISTS):
        value = getattr(metadata, key)
        if value != getattr(Metadata, key) or (key == "protected" and "female" not in metadata.groups):
            lines.append(f"{key} = {_quote(value) if isinstance(value, str) else _quote_list(value)}")
    lines += [f"{part} = {_quote(source)}" for part, source in metadata.sources.items()]
    if metadata.targets:
        lines += [
            "",
            "[targets]",
            *(f"{_quote(group)} = {float(share)!r}" for group, share in metadata.targets.items()),
        ]
    if metadata.cards:
        lines += ["", "[cards]", *(f"{_quote(name)} = {_quote(text)}" for name, text in metadata.cards.items())]
    if metadata.muted:
        lines += ["", "[checks.muted]", *(f"{_quote(code)} = {_quote(why)}" for code, why in metadata.muted.items())]
    if metadata.claim is not None:
        lines += _claim_lines(metadata.claim)
    for name, attribute in metadata.attributes.items():
        lines += ["", f"[attributes.{_quote(name)}]", f"levels = {_quote_list(attribute.levels)}"]
        lines += [] if attribute.scale == SCALES[0] else [f"scale = {_quote(attribute.scale)}"]
        lines += [f"target = {list(attribute.target)!r}"] if attribute.target else []
    for name, (kind, description) in metadata.annotators.items():
        lines += ["", f"[annotators.{_quote(name)}]"]
        lines += [f"{key} = {_quote(text)}" for key, text in (("kind", kind), ("description", description)) if text]
        cells = [f"{_quote(column)} = {_quote(text)}" for column, text in metadata.annotator_columns.get(name, ())]
        lines += [f"{COLUMNS} = {{ {', '.join(cells)} }}"] if cells else []
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _quote_list(values: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_quote, values))}]"


# --- Changes to study.toml that keep its comments if possible.


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


def write_claim(folder: Path, draft_folder: Path, claim: Claim) -> None:
    """Write the folder's study.toml with this claim in place of its own, at the end, into the draft folder."""
    section = r"(?ms)^[ \t]*\[{1,2}[ \t]*claim\b[^\n]*\n.*?(?=^[ \t]*\[|\Z)"

    def edit(text: str) -> str:
        others = re.sub(section, "", text).rstrip("\n")
        return "\n".join([*([others] if others else []), *_claim_lines(claim)]).lstrip("\n") + "\n"

    write_edited(folder, draft_folder, replace(stored_metadata(folder), claim=claim), edit)


def write_keys(folder: Path, draft_folder: Path, **values: object) -> None:
    """Write the folder's study.toml with these top-level keys changed into the draft folder."""

    def edit(text: str) -> str:
        for key, value in values.items():
            text = with_key(text, key, value)
        return text

    write_edited(folder, draft_folder, replace(stored_metadata(folder), **values), edit)  # type: ignore[arg-type]
