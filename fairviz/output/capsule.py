"""A capsule: one zip with the questions, their inputs and their results, and its replay.

The same study, settings and program result in the same bytes. Nothing in a capsule from others is trusted, written or
executed. May import what output may.
"""

import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from json import JSONDecoder
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from fairviz import declared, plot
from fairviz.checks.claim import verdict
from fairviz.checks.running import check_claims
from fairviz.comparison.family import untested
from fairviz.datasets.stored import resolve
from fairviz.errors import DataError, FairvizError, UsageError, expect
from fairviz.evaluation.choices import Resolved, chosen_annotator, missing_part
from fairviz.evaluation.formats import to_csv
from fairviz.evaluation.gsr import direction_of
from fairviz.evaluation.questions import MAIN, ask, chosen_settings, texts_of
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import EFFECTIVENESS, SHOWN_ONLY, Settings
from fairviz.files import parse_json
from fairviz.home import BUILTIN, __version__, expand_path
from fairviz.measures import MEASURES, Question, parse
from fairviz.study.loaders.archive import read_members
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.lines import CSV, first_row, is_guarded, read_columns, unguard
from fairviz.study.loaders.metadata import claim_entries
from fairviz.study.record import PARTS, Study, annotator_columns, table_hash
from fairviz.words.vectors import offered

FORMAT, LAYOUT = "fairviz capsule", 1
MANIFEST, README, SCORES, SUMMARY = "capsule.json", "README.txt", "scores.csv", "summary.csv"
CHECKED = "checks.csv"
FOLDER, SUFFIX = "figures/", ".html"
OF_ITS_OWN = "of its own"  # a study that no name opens
SELECTED = ("study", *SHOWN_ONLY)  # the settings that a capsule does not contain
PACKAGES = ("numpy", "pandas", "plotly", "ir-measures", "pyarrow")
COLUMNS = ["system", "query_id", "measure", "value"]
NUMBERS = ("value", "ci_low", "ci_high", "queries", "undefined", "coverage")
KEYS = ["measure", "system", "query_id"]
HEIGHT = 420
TITLES = {"tradeoff": "One measure against another", "exposure": "Who gets the exposure", "alpha": "CWEx along alpha"}
CURVE = "cutoff-"
CALL = "Plotly.newPlot("
TRACES = {"scatter", "scattergl", "scatterternary", "bar"}  # of the figures that capsules hold
LOADING = ("images", "mapbox", "map", "geo")  # parts of a layout for which a browser loads files of other hosts
BY_PATH = "its word vectors are a file of this machine, which no capsule names"
REMEDY = "Make the capsule again: fairviz capsule STUDY -o capsule.zip"
AGAIN = "Ask for the capsule again, or make one: fairviz capsule STUDY -o capsule.zip"
MOST_BYTES, MOST_FILES, MOST_MANIFEST, MOST_MEASURES = 1024**3, 200, 32 * 1024**2, 1000
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # date of every member: the earliest of zip files
_PLAIN = 0o644 << 16
_PARTS: dict[str, type] = {
    "study": dict, "settings": dict, "measures": list, "versions": dict, "inputs": dict, "members": dict,
}  # fmt: skip


def drawings(study: Study, settings: Settings, scores: pd.DataFrame) -> dict[str, Callable[[bool], go.Figure]]:
    """Return for each figure by its name what draws it, from whether the page is dark. scores: see `evaluate`."""
    questions = [parse(text) for text in scores["measure"].astype(str).unique() if not text.startswith("GSR.")]
    fair = [question for question in questions if question.family != "effectiveness"]
    fair_names = list(dict.fromkeys(question.name for question in fair))
    # curves of the main measures, or where the scores have none of them, of the first two of fairness
    curves = MAIN if not fair_names or set(fair_names) & set(MAIN) else fair_names[:2]
    fed = [name for name in ("CWEx", *curves) if not missing_part(study, ask(name, settings), settings)]

    makers: dict[str, Callable[[bool], go.Figure]] = {}
    across = [question for question in questions if question.family == "effectiveness"] + fair[1:]
    if fair and across:
        pair = fair[0].text, across[0].text
        means = summarise(scores[scores["measure"].isin(pair)])
        outside = untested(study, settings)
        makers["tradeoff"] = lambda dark: plot.tradeoff(means, *pair, outside=outside, dark=dark, height=HEIGHT)
    if "CWEx" in fed:
        makers["exposure"] = lambda dark: plot.exposure(study, settings, dark=dark, height=HEIGHT)
        makers["alpha"] = lambda dark: plot.alpha(study, settings, dark=dark, height=HEIGHT)
    for name in [name for name in curves if name in fed]:
        makers[CURVE + name] = lambda dark, name=name: plot.cutoff(  # type: ignore[misc]
            study, name, settings, dark=dark, height=HEIGHT
        )
    return makers


def title_of(name: str) -> str:
    """Return the title of the figure of this name."""
    return TITLES.get(name) or f"{name.removeprefix(CURVE)} along the cutoff"


# Inputs of answers: hashes of a study's files and tables, and changes of them.


def files_of(study: Study) -> dict[str, dict]:
    """Return the size in bytes and the SHA-256 of every file of the study's folder; {} for a study without a folder.

    Raises FairvizError for a file that cannot be read.
    """
    if study.folder is None:
        return {}
    folder = study.folder.resolve()
    files = {}
    for path in find_files(folder).all:
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            files[path.relative_to(folder).as_posix()] = {"bytes": path.stat().st_size, "sha256": digest}
        except OSError as error:
            raise FairvizError(
                f"{path.name} cannot be read ({error.strerror or error})", "Make the study's files readable."
            ) from error
    return dict(sorted(files.items()))


def tables_of(study: Study) -> dict[str, dict]:
    """Return the rows and the SHA-256 of every table of the study, and of its other inputs to figures as `metadata`."""
    tables = {part: {"rows": len(getattr(study, part)), "sha256": table_hash(getattr(study, part))} for part in PARTS}
    others = (
        study.groups,
        study.neutral,
        study.protected,
        sorted(study.targets.items()),
        study.lexicon,
        study.label_kind,
        study.annotator,
        sorted(study.annotators.items()),
        *annotator_columns(study).items(),
        *([] if study.scale == "nominal" else [study.scale]),
        *sorted(study.attributes.items()),
        *([study.word_counts.fingerprint] if study.word_counts else []),
    )
    return {**tables, "metadata": {"rows": 0, "sha256": hashlib.sha256(repr(others).encode()).hexdigest()}}


def changes(before: Mapping[str, Mapping], after: Mapping[str, Mapping], unit: str) -> list[str]:
    """Return a line for each input that was changed, removed or added. unit: `bytes` or `rows`."""
    lines = []
    for name in sorted({*before, *after}):
        if name not in after:
            lines.append(f"{name} is gone")
        elif name not in before:
            lines.append(f"{name} is new")
        elif before[name].get("sha256") != after[name].get("sha256"):
            sizes = [each.get(unit) for each in (before[name], after[name])]
            note = f"{sizes[0]:,} {unit} then, {sizes[1]:,} now" if all(isinstance(size, int) for size in sizes) else ""
            lines.append(f"{name} has changed{f' ({note})' if any(sizes) and note else ''}")
    return lines


# Writing.


def capsule(
    study: Study,
    measures: str | Sequence[str] = (),
    settings: Settings | None = None,
    *,
    figures: bool = True,
    **choices: object,
) -> bytes:
    """Return the zip: settings, hashes of all inputs, scores per query, summary, checks, figures as HTML, versions.

    measures: by default all that the study has data for. Raises: see `fairviz.evaluate`; and FairvizError for GSR with
    unnamed word vectors.
    """
    settings = chosen_settings(study, settings, choices)
    questions, reasons = chosen_measures(study, texts_of(measures), settings)
    if not questions:
        raise FairvizError(
            f"{study.name} has nothing to measure: {next(iter(reasons.values()), 'it has no runs.')}",
            "A capsule needs runs, and labels, text or relevance.",
        )
    scores = evaluate(study, [question.text for question in questions], settings)
    members = {SCORES: to_csv(scores[COLUMNS]).encode(), SUMMARY: to_csv(summarise(scores)).encode()}
    members[CHECKED] = to_csv(check_claims(study, settings)).encode()
    if figures:
        members |= _figure_members(study, settings, scores)
    manifest = _manifest_of(study, settings, questions, reasons, members)
    text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return write_zip({README: _readme(manifest).encode(), MANIFEST: text.encode(), **members})


def _figure_members(study: Study, settings: Settings, scores: pd.DataFrame) -> dict[str, bytes]:
    """Return the figures as pages, and beside them the script that they load."""
    config = {"displaylogo": False, "responsive": True}
    pages = {}
    for name, draw in drawings(study, settings, scores).items():
        page = draw(False).to_html(include_plotlyjs="directory", full_html=True, div_id=f"figure-{name}", config=config)
        pages[f"{FOLDER}{name}{SUFFIX}"] = page.encode()
    return pages | ({f"{FOLDER}plotly.min.js": get_plotlyjs().encode()} if pages else {})


def _manifest_of(
    study: Study, settings: Settings, questions: list[Question], reasons: dict[str, str], members: dict[str, bytes]
) -> dict:
    """Return the sealed list of what was asked of which inputs, and of the members that answer."""
    kind = OF_ITS_OWN
    if study.name in BUILTIN:
        kind = "built in"
    elif study.folder is not None and resolve(study.name) == study.folder:
        kind = "fetched or saved"
    about: dict[str, Any] = {
        "name": study.name,
        "kind": kind,
        "title": study.title,
        "citation": study.citation,
        "licence": study.licence,
        "systems": list(study.systems),
        "fingerprint": study.fingerprint,
    }
    if (declared := verdict(study)) is not None:
        about["claim"] = claim_entries(declared.claim) | {"verdict": declared.text}
    return add_seal(
        {
            "format": FORMAT,
            "layout": LAYOUT,
            "versions": versions(),
            "study": about,
            "settings": recorded_settings(settings),
            "annotator": chosen_annotator(study, settings),
            "inputs": {"files": files_of(study), "tables": tables_of(study)},
            "measures": [question.text for question in questions],
            "left_out": reasons,
            "members": {name: hash_content(content) for name, content in sorted(members.items())},
        }
    )


def _readme(manifest: dict) -> str:
    """Return the README of the zip: its content and how to repeat the computation."""
    study, releases = manifest["study"], manifest["versions"]
    title = f" ({study['title']})" if study["title"] else ""
    claim = f"\n\nThe declared claim: {study['claim']['verdict']}" if "claim" in study else ""
    study_option = " --study FOLDER" if study["kind"] == OF_ITS_OWN else ""
    return f"""A capsule of fairviz: settings and results of the study {study["name"]}.{claim}

{MANIFEST}   the study, the settings, the versions, and the SHA-256 of every input and of every file here
{SCORES}     every measure for every system and query: system, query_id, measure, value
{SUMMARY}    means over queries with 95 % intervals
{CHECKED}     what would change a conclusion, and what was checked without result
figures/       figures to open in a browser, once the zip is unpacked; they ask no network for anything

To make the numbers again and see which differ, and which input has changed:

    fairviz replay capsule.zip{study_option}

The study's own files are not in here. It is {study["kind"]}{title}.
Made with fairviz {releases["fairviz"]} and Python {releases["python"]}.
"""


def chosen_measures(study: Study, texts: Iterable[str], settings: Settings) -> tuple[list[Question], dict[str, str]]:
    """Return the questions of a capsule or report, and the reasons for the omitted ones, by measure.

    Raises FairvizError if one of the texts cannot be answered; without texts, all measures with data are selected.
    """
    resolved, questions = Resolved(study, settings), [ask(text, settings) for text in texts]
    unnamed = BY_PATH if settings.embedding not in offered() else ""
    if questions:
        resolved.refuse_missing(questions)
        for question in questions:
            if unnamed and _needs_vectors(question):
                raise FairvizError(f"{question.text} cannot be in a capsule: {unnamed}", "Add the vectors by a name.")
        return list({question.text: question for question in questions}.values()), {}
    omitted = {}
    questions = [ask(name, settings) for name in (*MEASURES, *EFFECTIVENESS)]
    for question in questions:
        reason = resolved.missing_part(question)
        if not reason and unnamed and _needs_vectors(question):
            reason = unnamed
        elif not reason and not question.per_query:
            try:
                direction_of(settings)
            except FairvizError as error:
                reason = error.message
        if reason:
            omitted[question.text] = reason
    return [question for question in questions if question.text not in omitted], omitted


def _needs_vectors(question: Question) -> bool:
    return question.measure is not None and not question.measure.per_query


def recorded_settings(settings: Settings) -> dict:
    """Return the settings that numbers depend on, by name, without selections and paths."""
    settings_by_name = {name: value for name, value in asdict(settings).items() if name not in SELECTED}
    if settings.embedding not in offered():
        settings_by_name["embedding"] = Settings.embedding
    return settings_by_name


def versions() -> dict[str, str]:
    """Return the versions of fairviz, Python and packages."""
    version_by_package = {"fairviz": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            version_by_package[name] = version(name)
        except PackageNotFoundError:
            version_by_package[name] = "not installed"
    return version_by_package


def add_seal(manifest: dict) -> dict:
    """Return the manifest with its own hash, which reveals changes."""
    content = {name: value for name, value in manifest.items() if name != "seal"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return {**content, "seal": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}


def hash_content(content: bytes) -> dict:
    """Return the size in bytes and the SHA-256, as a manifest lists them."""
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def write_zip(members: dict[str, bytes]) -> bytes:
    """Return the members as a reproducible zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in members.items():
            about = zipfile.ZipInfo(name, _LONG_AGO)
            about.compress_type, about.external_attr, about.create_system = zipfile.ZIP_DEFLATED, _PLAIN, 3
            archive.writestr(about, content)
    return out.getvalue()


# Reading.


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
        return {name: _read_figure(page, name, self.file) for name, page in self.figure_pages.items()}


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
    _check_members(members, manifest["members"], name)
    return Capsule(
        study=_text(manifest["study"].get("name"), "study", name),
        settings=_settings(manifest["settings"], name),
        measures=_measures(manifest["measures"], name),
        versions={str(key): str(value)[:80] for key, value in manifest["versions"].items()},
        files=_inputs(manifest["inputs"].get("files"), name),
        tables=_inputs(manifest["inputs"].get("tables"), name),
        scores=_table(members, SCORES, COLUMNS, ("value",), name),
        summary=_table(members, SUMMARY, ["system", "measure", *NUMBERS], NUMBERS, name),
        file=name,
        figure_pages=_figure_pages(members),
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


def _check_members(members: dict[str, bytes], listed: dict[str, dict], name: str) -> None:
    """Raise FairvizError for a member that is missing, is not listed, or differs from the list."""
    for member in (SCORES, SUMMARY, *listed):
        if member not in members or member not in listed:
            raise FairvizError(f"{name} holds no {str(member)[:80]!r}, which belongs to it", AGAIN)
        if listed[member] != hash_content(members[member]):
            raise FairvizError(f"{name}: {str(member)[:80]} was changed after the capsule was made", AGAIN)
    unlisted = sorted(set(members) - set(listed) - {MANIFEST, README})
    if unlisted:
        raise FairvizError(f"{name} holds {unlisted[0][:80]!r}, which is not on its list", AGAIN)


def _text(value: object, key: str, name: str) -> str:
    """Return the text under a key of the manifest. Raises FairvizError for anything else."""
    if not isinstance(value, str) or not 0 < len(value) <= 1000:
        raise FairvizError(f"{name}: {key} in {MANIFEST} is not a text", AGAIN)
    return value


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
    """Return the measures. Raises FairvizError for none, for too many, and for one that is no text."""
    if not texts or len(texts) > MOST_MEASURES:
        raise FairvizError(f"{name} has {len(texts):,} measures", f"A capsule has 1 to {MOST_MEASURES:,}.")
    return tuple(_text(text, "measures", name) for text in texts)


def _inputs(inputs: object, name: str) -> dict[str, dict]:
    """Return the hashes of files or tables by name. Raises FairvizError for anything else."""
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
    """Return the number in a cell, NaN for an empty one. Raises FairvizError for anything but a finite number."""
    try:
        value = float(text) if text else float("nan")
    except ValueError:
        value = float("inf")
    if text and not isfinite(value):
        raise FairvizError(f"{name}: {member} holds {text[:40]!r}, which is not a finite number", AGAIN)
    return value


def _figure_pages(members: dict[str, bytes]) -> dict[str, bytes]:
    """Return the pages of the figures by the figures' names."""
    return {
        member.removeprefix(FOLDER).removesuffix(SUFFIX): content
        for member, content in members.items()
        if member.startswith(FOLDER) and member.endswith(SUFFIX)
    }


def _read_figure(content: bytes, name: str, capsule: str) -> go.Figure:
    """Return the figure of a page: its JSON is parsed and never executed, and it loads nothing.

    name: of the figure; capsule: of the file, for messages. Raises FairvizError for anything but such a page.
    """
    try:
        data, layout = _arguments(content.decode())
        _refuse_loading(data, layout)
        return go.Figure(data=data, layout=layout)
    except (ValueError, TypeError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        reason = str(error).strip().split("\n")[0][:120]
        place = f"{FOLDER}{name[:80]}{SUFFIX}"
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


def _refuse_loading(data: list[dict], layout: dict[str, Any]) -> None:
    """Raise ValueError for traces of other figures, and for layouts that make a browser load files."""
    other_traces = [str(trace.get("type")) for trace in data if trace.get("type") not in TRACES]
    if other_traces:
        raise ValueError(f"capsules hold no traces of the type {other_traces[0][:40]!r}")
    loading = [key for key in layout if key.rstrip("0123456789") in LOADING]
    template = layout.get("template")
    template_layout = template.get("layout") if isinstance(template, dict) else None
    if isinstance(template_layout, dict) and template_layout.get("images"):
        loading.append("images")
    if loading:
        raise ValueError(f"its layout has {loading[0][:40]}, for which a browser loads files")


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
    declared.REPLAY["tolerance"].check(tolerance)
    settings = capsule.settings
    texts, reasons = _answerable(capsule, study)
    if not texts:
        raise FairvizError(f"no measure of the capsule can be computed on {study.name}: {next(iter(reasons.values()))}")
    missing = [name for name in settings.systems if name not in study.systems]
    if missing:
        raise FairvizError(f"{study.name} has no system {missing[0]!r} any more", "Give the study of the capsule.")
    scores = evaluate(study, texts, settings)
    values = _compared(capsule.scores, scores[COLUMNS], KEYS, ("value",), tolerance)
    means = _compared(capsule.summary, summarise(scores), KEYS[:2], NUMBERS, tolerance)
    inputs = changes(capsule.files, files_of(study), "bytes")
    inputs = inputs or [f"the table {line}" for line in changes(capsule.tables, tables_of(study), "rows")]
    current = versions()
    others = [
        f"{name} was {then}, and is {current.get(name, 'not known')} now"
        for name, then in capsule.versions.items()
        if current.get(name) != then
    ]
    others += [f"{text} cannot be computed now: {reason}" for text, reason in reasons.items()]
    counts = len(values), int(values["differ"].sum()), len(means), int(means["differ"].sum())
    return Replay(_differences(values, means), *counts, tuple(inputs), tuple(others))


def _answerable(capsule: Capsule, study: Study) -> tuple[list[str], dict[str, str]]:
    """Return the measures that this version computes on the study, and why it does not the others."""
    texts, reasons = [], {}
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
    return texts, reasons


def _differences(values: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each measure and system with a differing number, GSR's parts as GSR: see `Replay`."""
    with np.errstate(over="ignore"):
        distance = np.abs(values["value_then"].astype("float64") - values["value_now"].astype("float64"))
    measure = values["measure"].str.replace(r"^GSR\.(query|list)", "GSR", regex=True)
    by_system = values.assign(measure=measure, distance=distance).groupby(KEYS[:2], sort=False)
    counted = by_system.agg(values=("differ", "size"), differ=("differ", "sum"), largest_difference=("distance", "max"))
    table = means.rename(columns={"differ": "wrong", "value_then": "then", "value_now": "now"})
    table = table.merge(counted.reset_index(), on=KEYS[:2], how="outer", sort=False)
    table = table[table["wrong"].eq(True) | (table["differ"] > 0)]
    table = table[[*KEYS[:2], "values", "differ", "largest_difference", "then", "now"]]
    table = table.fillna({"values": 0, "differ": 0})  # a mean without values, which a capsule may contain
    return table.astype({"values": "int64", "differ": "int64"}).reset_index(drop=True)


def _compared(
    before: pd.DataFrame, after: pd.DataFrame, keys: list[str], numbers: tuple[str, ...], tolerance: float
) -> pd.DataFrame:
    """Return the rows of both tables by their keys, the numbers with the suffixes _then and _now, NaN for a missing
    row; and in `differ` whether any number differs by more than the relative tolerance, NaN being equal to NaN."""
    then, now = (frame.astype(dict.fromkeys(keys, "str"))[[*keys, *numbers]] for frame in (before, after))
    table = then.merge(now, on=keys, how="outer", suffixes=("_then", "_now"), sort=False)
    differ = np.zeros(len(table), dtype=bool)
    for name in numbers:
        old, new = (table[f"{name}_{when}"].to_numpy(dtype=np.float64) for when in ("then", "now"))
        with np.errstate(over="ignore"):
            is_close = np.abs(old - new) <= tolerance * np.maximum(np.abs(old), np.abs(new))
        differ |= ~(is_close | (np.isnan(old) & np.isnan(new)))
    return table.assign(differ=differ)
