"""Writing a capsule: the same study, settings and program result in the same bytes."""

import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from fairviz import plot
from fairviz.comparison.family import untested
from fairviz.datasets.stored import resolve
from fairviz.errors import FairvizError
from fairviz.evaluation import validation
from fairviz.evaluation.choices import Resolved, chosen_annotator, missing_part
from fairviz.evaluation.formats import to_csv
from fairviz.evaluation.gsr import direction_of
from fairviz.evaluation.questions import MAIN, ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import EFFECTIVENESS, SHOWN_ONLY, Settings
from fairviz.home import BUILTIN, __version__
from fairviz.measures import MEASURES, Question, parse
from fairviz.study.loaders.finding import find_files
from fairviz.study.record import PARTS, Study, table_hash
from fairviz.words.vectors import offered

FOLDER, SCRIPT = "figures", "plotly.min.js"
HEIGHT = 420
CONFIG = {"displaylogo": False, "responsive": True}
TITLES = {"tradeoff": "One measure against another", "exposure": "Who gets the exposure", "alpha": "CWEx along alpha"}
CURVE = "cutoff-"
METADATA = "metadata"
FORMAT, LAYOUT = "fairviz capsule", 1
MANIFEST, README, SCORES, SUMMARY = "capsule.json", "README.txt", "scores.csv", "summary.csv"
SELECTED = ("study", *SHOWN_ONLY)  # the settings that a capsule does not contain
PACKAGES = ("numpy", "pandas", "plotly", "ir-measures", "pyarrow")
COLUMNS = ["system", "query_id", "measure", "value"]
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # date of every member: the earliest of zip files
_PLAIN = 0o644 << 16
BY_PATH = "its word vectors are a file of this machine, which no capsule names"


def figures(study: Study, settings: Settings, scores: pd.DataFrame, *, dark: bool = False) -> dict[str, go.Figure]:
    """Return the figures by name. scores: see `evaluate`."""
    look: dict[str, Any] = {"dark": dark, "height": HEIGHT}
    fed = [name for name in ("CWEx", *_curves(scores)) if not missing_part(study, ask(name, settings), settings)]
    draw_by_name: dict[str, Callable[[], go.Figure]] = {}
    pair = _select_axes(scores)
    if pair:
        outside = untested(study, settings)
        draw_by_name["tradeoff"] = lambda: plot.tradeoff(_summary(scores, pair), *pair, outside=outside, **look)
    if "CWEx" in fed:
        draw_by_name["exposure"] = lambda: plot.exposure(study, settings, **look)
        draw_by_name["alpha"] = lambda: plot.alpha(study, settings, **look)
    for name in _curves(scores):
        if name in fed:
            draw_by_name[CURVE + name] = lambda name=name: plot.cutoff(study, name, settings, **look)  # type: ignore[misc]
    return {name: make() for name, make in draw_by_name.items()}


def title_of(name: str) -> str:
    """Return the title of the figure of this name."""
    return TITLES.get(name) or f"{name.removeprefix(CURVE)} along the cutoff"


def _curves(scores: pd.DataFrame) -> tuple[str, ...]:
    """Return the measures with a curve over the cutoff: the main ones, or where the scores have none of them, the first
    two of fairness."""
    names = [question.name for question in _questions(scores) if question.family != "effectiveness"]
    return MAIN if not names or set(names) & set(MAIN) else tuple(dict.fromkeys(names))[:2]


def _questions(scores: pd.DataFrame) -> list[Question]:
    """Return the measures of the scores, without GSR's parts."""
    return [parse(text) for text in scores["measure"].astype(str).unique() if not text.startswith("GSR.")]


def _select_axes(scores: pd.DataFrame) -> tuple[str, str] | None:
    """Return the measures of the y axis and the x axis: the first of fairness; one of effectiveness or the next of
    fairness.
    """
    questions = _questions(scores)
    fair = [question.text for question in questions if question.family != "effectiveness"]
    x_candidates = [question.text for question in questions if question.family == "effectiveness"] + fair[1:]
    return (fair[0], x_candidates[0]) if fair and x_candidates else None


def _summary(scores: pd.DataFrame, texts: tuple[str, str]) -> pd.DataFrame:
    return summarise(scores[scores["measure"].isin(texts)])


def figure_pages(study: Study, settings: Settings, scores: pd.DataFrame) -> dict[str, bytes]:
    """Return the figures as HTML pages by their path in the zip, with the script that all of them load."""
    figure_by_name = figures(study, settings, scores)
    if not figure_by_name:
        return {}
    pages = {
        f"{FOLDER}/{name}.html": figure.to_html(
            include_plotlyjs="directory", full_html=True, div_id=f"figure-{name}", config=CONFIG
        ).encode()
        for name, figure in figure_by_name.items()
    }
    return {**pages, f"{FOLDER}/{SCRIPT}": get_plotlyjs().encode()}


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
    attributes = (study.groups, study.neutral, study.protected, sorted(study.targets.items()), study.lexicon)
    text = repr(
        (
            *attributes,
            study.label_kind,
            study.annotator,
            sorted(study.annotators.items()),
            *([] if study.scale == "nominal" else [study.scale]),
            *sorted(study.attributes.items()),
            *([study.word_counts.fingerprint] if study.word_counts else []),
        )
    )
    return {**tables, METADATA: {"rows": 0, "sha256": hashlib.sha256(text.encode()).hexdigest()}}


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


def capsule(
    study: Study,
    measures: str | Sequence[str] = (),
    settings: Settings | None = None,
    *,
    figures: bool = True,
    **choices: object,
) -> bytes:
    """Return the zip: settings, hashes of all inputs, scores per query and summary, figures as HTML, versions.

    measures: by default all that the study has data for. Raises: see `fairviz.evaluate`; and FairvizError for GSR with
    unnamed word vectors.
    """
    settings = validation.chosen_settings(study, settings, choices)
    questions, reasons = chosen_measures(study, validation.texts(measures), settings)
    if not questions:
        raise FairvizError(
            f"{study.name} has nothing to measure: {next(iter(reasons.values()), 'it has no runs.')}",
            "A capsule needs runs, and labels, text or relevance.",
        )
    texts = [question.text for question in questions]
    scores = evaluate(study, texts, settings)
    members = {SCORES: to_csv(scores[COLUMNS]).encode(), SUMMARY: to_csv(summarise(scores)).encode()}
    if figures:
        members |= figure_pages(study, settings, scores)
    manifest = add_seal(
        {
            "format": FORMAT,
            "layout": LAYOUT,
            "versions": versions(),
            "study": _study(study),
            "settings": recorded_settings(settings),
            "annotator": chosen_annotator(study, settings),
            "inputs": {"files": files_of(study), "tables": tables_of(study)},
            "measures": texts,
            "left_out": reasons,
            "members": {name: hash_content(content) for name, content in sorted(members.items())},
        }
    )
    text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return write_zip({README: readme(manifest).encode(), MANIFEST: text.encode(), **members})


def chosen_measures(study: Study, texts: Iterable[str], settings: Settings) -> tuple[list[Question], dict[str, str]]:
    """Return the questions of a capsule or report, and the reasons for the omitted ones, by measure.

    Raises FairvizError if one of the texts cannot be answered; without texts, all measures with data are selected.
    """
    resolved, questions = Resolved(study, settings), [ask(text, settings) for text in texts]
    if questions:
        resolved.refuse_missing(questions)
        for question in questions:
            if reason := _unnamed_vectors(question, settings):
                raise FairvizError(f"{question.text} cannot be in a capsule: {reason}", "Add the vectors by a name.")
        return list({question.text: question for question in questions}.values()), {}
    all_questions = [ask(name, settings) for name in (*MEASURES, *EFFECTIVENESS)]
    reason_by_measure = {
        question.text: resolved.missing_part(question) or _missing_vectors(question, settings)
        for question in all_questions
    }
    omitted = {text: reason for text, reason in reason_by_measure.items() if reason}
    return [question for question in all_questions if not reason_by_measure[question.text]], omitted


def _missing_vectors(question: Question, settings: Settings) -> str:
    """Return the reason why a measure of word vectors cannot be computed; "" if it can, and for other measures."""
    if question.per_query:
        return ""
    if reason := _unnamed_vectors(question, settings):
        return reason
    try:
        direction_of(settings)
    except FairvizError as error:
        return error.message
    return ""


def _unnamed_vectors(question: Question, settings: Settings) -> str:
    by_vectors = question.measure is not None and not question.measure.per_query
    return BY_PATH if by_vectors and settings.embedding not in offered() else ""


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


def write_zip(members: dict[str, bytes]) -> bytes:
    """Return the members as a reproducible zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in members.items():
            about = zipfile.ZipInfo(name, _LONG_AGO)
            about.compress_type, about.external_attr, about.create_system = zipfile.ZIP_DEFLATED, _PLAIN, 3
            archive.writestr(about, content)
    return out.getvalue()


def _study(study: Study) -> dict:
    is_known = study.name in BUILTIN or (study.folder is not None and resolve(study.name) == study.folder)
    kind = "built in" if study.name in BUILTIN else "fetched or saved" if is_known else "of its own"
    return {"name": study.name, "kind": kind, "title": study.title, "citation": study.citation,
            "licence": study.licence, "systems": list(study.systems), "fingerprint": study.fingerprint}  # fmt: skip


def hash_content(content: bytes) -> dict:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def readme(manifest: dict) -> str:
    """Return the README of the zip: its content and how to repeat the computation."""
    study, version_by_package = manifest["study"], manifest["versions"]
    study_option = "" if study["kind"] != "of its own" else " --study FOLDER"
    return f"""A capsule of fairviz: settings and results of the study {study["name"]}.

{MANIFEST}   the study, the settings, the versions, and the SHA-256 of every input and of every file here
{SCORES}     every measure for every system and query: system, query_id, measure, value
{SUMMARY}    means over queries with 95 % intervals
figures/       figures to open in a browser, once the zip is unpacked; they ask no network for anything

To make the numbers again and see which differ, and which input has changed:

    fairviz replay capsule.zip{study_option}

The study's own files are not in here. It is {study["kind"]}{f" ({study['title']})" if study["title"] else ""}.
Made with fairviz {version_by_package["fairviz"]} and Python {version_by_package["python"]}.
"""
