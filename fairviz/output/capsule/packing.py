"""Writing a capsule: the same study, settings and program result in the same bytes."""

import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

from fairviz.datasets.stored import resolve
from fairviz.errors import FairvizError
from fairviz.evaluation import validation
from fairviz.evaluation.choices import Resolved, chosen_annotator
from fairviz.evaluation.formats import to_csv
from fairviz.evaluation.gsr import direction_of
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import EFFECTIVENESS, SHOWN_ONLY, Settings
from fairviz.home import BUILTIN, __version__
from fairviz.measures import MEASURES, Question
from fairviz.output.capsule.figures import figure_pages
from fairviz.output.capsule.inputs import files_of, tables_of
from fairviz.study.record import Study
from fairviz.words.vectors import offered

FORMAT, LAYOUT = "fairviz capsule", 1
MANIFEST, README, SCORES, SUMMARY = "capsule.json", "README.txt", "scores.csv", "summary.csv"
SELECTED = ("study", *SHOWN_ONLY)  # the settings that a capsule does not contain
PACKAGES = ("numpy", "pandas", "plotly", "ir-measures", "pyarrow")
COLUMNS = ["system", "query_id", "measure", "value"]
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # date of every member: the earliest of zip files
_PLAIN = 0o644 << 16
BY_PATH = "its word vectors are a file of this machine, which no capsule names"


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
