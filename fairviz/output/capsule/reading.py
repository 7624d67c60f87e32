"""Reading capsules from others: nothing in them is trusted, written or executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from json import JSONDecoder
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.declared import REPLAY
from fairviz.errors import DataError, FairvizError, UsageError, expect
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.files import parse_json
from fairviz.home import expand_path
from fairviz.output.capsule.packing import (
    COLUMNS,
    FOLDER,
    FORMAT,
    LAYOUT,
    MANIFEST,
    README,
    SCORES,
    SELECTED,
    SUMMARY,
    add_seal,
    changes,
    files_of,
    hash_content,
    tables_of,
    versions,
)
from fairviz.study.loaders.archive import read_members
from fairviz.study.loaders.lines import CSV, first_row, is_guarded, read_columns, unguard
from fairviz.study.record import Study
from fairviz.words.vectors import offered

PREFIX, SUFFIX = f"{FOLDER}/", ".html"
CALL = "Plotly.newPlot("
TRACES = {"scatter", "scattergl", "scatterternary", "bar"}  # of the figures that capsules hold
LOADING = ("images", "mapbox", "map", "geo")  # parts of a layout for which a browser loads files of other hosts
REMEDY = "Make the capsule again: fairviz capsule STUDY -o capsule.zip"
AGAIN = "Ask for the capsule again, or make one: fairviz capsule STUDY -o capsule.zip"
MOST_BYTES, MOST_FILES, MOST_MANIFEST, MOST_MEASURES = 1024**3, 200, 32 * 1024**2, 1000
NUMBERS = ("value", "ci_low", "ci_high", "queries", "undefined", "coverage")
SUMMARY_COLUMNS = ["system", "measure", *NUMBERS]
_PARTS: dict[str, type] = {
    "study": dict, "settings": dict, "measures": list, "versions": dict, "inputs": dict, "members": dict,
}  # fmt: skip
KEYS = ["measure", "system", "query_id"]
TABLE = ("measure", "system", "values", "differ", "largest_difference", "then", "now")


# Figures read back out of a capsule's pages: their JSON is parsed and never executed, and none loads anything.


def figure_members(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the pages of a capsule's figures by the name of the figure."""
    return {
        member.removeprefix(PREFIX).removesuffix(SUFFIX): content
        for member, content in members.items()
        if member.startswith(PREFIX) and member.endswith(SUFFIX)
    }


def read_figure(content: bytes, name: str, capsule: str) -> go.Figure:
    """Return the figure of a page that `figure_pages` wrote.

    name: of the figure; capsule: of the file, for messages. Raises FairvizError for anything but such a page.
    """
    try:
        data, layout = _arguments(content.decode())
        # traces of other figures, and layouts that make a browser load files
        other_traces = [str(trace.get("type")) for trace in data if trace.get("type") not in TRACES]
        if other_traces:
            raise ValueError(f"capsules hold no traces of the type {other_traces[0][:40]!r}")
        template = layout.get("template")
        template_layout = template.get("layout") if isinstance(template, dict) else None
        loading = [key for key in layout if key.rstrip("0123456789") in LOADING]
        if isinstance(template_layout, dict) and template_layout.get("images"):
            loading.append("images")
        if loading:
            raise ValueError(f"its layout has {loading[0][:40]}, for which a browser loads files")
        return go.Figure(data=data, layout=layout)
    except (ValueError, TypeError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        reason = str(error).strip().split("\n")[0][:120]
        place = f"{PREFIX}{name[:80]}{SUFFIX}"
        raise FairvizError(f"{capsule}: {place} cannot be read as a figure: {reason}", REMEDY) from error


def _arguments(page: str) -> tuple[list[dict], dict]:
    """Return the data and the layout that a page passes to Plotly. Raises ValueError, RecursionError."""
    start = page.find(CALL)
    if start < 0:
        raise ValueError("it draws nothing")
    decoder, values, end = JSONDecoder(parse_constant=_refuse_constant), [], start + len(CALL) - 1
    for _ in range(3):  # the id of the element, the data and the layout, each after a bracket or a comma
        place = end + 1
        place += len(page[place:]) - len(page[place:].lstrip())
        value, end = decoder.raw_decode(page, place)
        values.append(value)
    _, data, layout = values
    if not isinstance(data, list) or not all(isinstance(trace, dict) for trace in data) or not isinstance(layout, dict):
        raise ValueError("it has no traces or no layout")
    return data, layout


def _refuse_constant(text: str) -> NoReturn:
    """Raise ValueError for NaN and infinities, which JSON does not have."""
    raise ValueError(f"{text} is not JSON")


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
    # a member that is missing, unlisted, or differs from the list
    fingerprints = manifest["members"]
    for member in (SCORES, SUMMARY, *fingerprints):
        if member not in members or member not in fingerprints:
            raise FairvizError(f"{name} holds no {str(member)[:80]!r}, which belongs to it", AGAIN)
        if fingerprints[member] != hash_content(members[member]):
            raise FairvizError(f"{name}: {str(member)[:80]} was changed after the capsule was made", AGAIN)
    unlisted = sorted(set(members) - set(fingerprints) - {MANIFEST, README})
    if unlisted:
        raise FairvizError(f"{name} holds {unlisted[0][:80]!r}, which is not on its list", AGAIN)
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


# Replay of a capsule: computing its numbers again, and reporting differing numbers and changed inputs.


@dataclass(frozen=True, eq=False)
class Replay:
    """The differences between a capsule and its replay.

    table: a row for each measure and system whose numbers differ: the number of differing values, the largest
    difference, and the mean then and now (for GSR the slope). values, means: how many values and rows of the summary
    were compared; differ, means_differ: how many of them differ. inputs: a line for each changed file or, without
    changed files, for each changed table. others: different versions, and measures that can no longer be computed.
    """

    table: pd.DataFrame
    values: int
    differ: int
    means: int
    means_differ: int
    inputs: tuple[str, ...] = ()
    others: tuple[str, ...] = field(default=())

    @property
    def same(self) -> bool:
        """True if all numbers are equal."""
        return not len(self.table)


def replay(capsule: Capsule, study: Study, tolerance: float = 0.0) -> Replay:
    """Return the differences between the capsule and the same computation on the study.

    tolerance: relative difference up to which two numbers count as equal; 0 compares all digits. Raises UsageError for
    a tolerance below 0 or above 1, FairvizError if no measure can be computed.
    """
    expect("capsule", capsule, Capsule, "Give what fairviz.output.capsule.read_capsule reads.")
    expect("study", study, Study, "Give a Study, as fairviz.open_study opens.")
    REPLAY["tolerance"].check(tolerance)
    texts, reasons = [], {}  # the measures that this version computes on the study; why it does not the others
    for text in capsule.measures:
        try:
            question = ask(text, capsule.settings)
        except UsageError as error:
            reasons[text] = f"this version cannot read it ({error.message})."
            continue
        if reason := missing_part(study, question, capsule.settings):
            reasons[text] = reason
        else:
            texts.append(text)
    if not texts:
        raise FairvizError(f"no measure of the capsule can be computed on {study.name}: {next(iter(reasons.values()))}")
    settings = capsule.settings
    missing = [name for name in settings.systems if name not in study.systems]
    if missing:
        raise FairvizError(f"{study.name} has no system {missing[0]!r} any more", "Give the study of the capsule.")
    scores = evaluate(study, texts, settings)
    values = _join_tables(capsule.scores, scores[COLUMNS], KEYS, ("value",))
    means = _join_tables(capsule.summary, summarise(scores), KEYS[:2], NUMBERS)
    unavailable = tuple(f"{text} cannot be computed now: {reason}" for text, reason in reasons.items())
    differs = _any_differs(values, ("value",), tolerance), _any_differs(means, NUMBERS, tolerance)
    table = _differing_rows(values.assign(differ=differs[0]), means.assign(wrong=differs[1]))
    counts = len(values), int(differs[0].sum()), len(means), int(differs[1].sum())
    files = changes(capsule.files, files_of(study), "bytes")
    tables = [f"the table {line}" for line in changes(capsule.tables, tables_of(study), "rows")]
    return Replay(table, *counts, tuple(files or tables), (*_changed_versions(capsule), *unavailable))


def _changed_versions(capsule: Capsule) -> tuple[str, ...]:
    current_versions = versions()
    return tuple(
        f"{name} was {then}, and is {current_versions.get(name, 'not known')} now"
        for name, then in capsule.versions.items()
        if current_versions.get(name) != then
    )


def _join_tables(before: pd.DataFrame, after: pd.DataFrame, keys: list[str], numbers: tuple[str, ...]) -> pd.DataFrame:
    """Return the rows of both tables by their keys; numbers get the suffixes _then and _now, NaN for a missing row."""
    texts = [frame.astype(dict.fromkeys(keys, "str"))[[*keys, *numbers]] for frame in (before, after)]
    return texts[0].merge(texts[1], on=keys, how="outer", suffixes=("_then", "_now"), sort=False)


def _any_differs(table: pd.DataFrame, numbers: tuple[str, ...], tolerance: float) -> np.ndarray:
    """Return for each row whether any of these numbers differs between then and now by more than the relative
    tolerance; NaN equals NaN."""
    result = np.zeros(len(table), dtype=bool)
    for name in numbers:
        old_values, new_values = (table[f"{name}_{when}"].to_numpy(dtype=np.float64) for when in ("then", "now"))
        with np.errstate(over="ignore"):
            is_close = np.abs(old_values - new_values) <= tolerance * np.maximum(np.abs(old_values), np.abs(new_values))
        result |= ~(is_close | (np.isnan(old_values) & np.isnan(new_values)))
    return result


def _differing_rows(paired_values: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each measure and system with a differing number, GSR's parts as GSR."""
    old_values, new_values = (paired_values[f"value_{when}"].to_numpy(dtype=np.float64) for when in ("then", "now"))
    with np.errstate(over="ignore"):
        differences = paired_values[[*KEYS[:2], "differ"]].assign(largest_difference=np.abs(old_values - new_values))
    differences["measure"] = differences["measure"].str.replace(r"^GSR\.(query|list)", "GSR", regex=True)
    grouped = differences.groupby(KEYS[:2], sort=False)
    values = grouped.agg(values=("differ", "size"), differ=("differ", "sum"), largest_difference=("largest_difference",
                                                                                                "max"))  # fmt: skip
    table = means.merge(values.reset_index(), on=KEYS[:2], how="outer", sort=False)
    table = table[table["wrong"].eq(True) | (table["differ"] > 0)]
    table = table.rename(columns={"value_then": "then", "value_now": "now"})[list(TABLE)]
    table = table.fillna({"values": 0, "differ": 0})  # a mean without values, which a capsule may contain
    return table.astype({"values": "int64", "differ": "int64"}).reset_index(drop=True)
