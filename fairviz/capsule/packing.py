"""Making a capsule: the same study, settings and program give the same bytes."""

import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

from fairviz import __version__
from fairviz.capsule.figures import figure_pages
from fairviz.capsule.inputs import files_of, tables_of
from fairviz.datasets.stored import resolve
from fairviz.errors import FairvizError
from fairviz.evaluation import given
from fairviz.evaluation.choices import chosen_annotator, missing_part
from fairviz.evaluation.formats import to_csv
from fairviz.evaluation.gsr import direction_of
from fairviz.evaluation.scores import ask, evaluate, summarise
from fairviz.evaluation.settings import EFFECTIVENESS, Settings
from fairviz.home import BUILTIN
from fairviz.measures import MEASURES, Question
from fairviz.study.study import Study
from fairviz.words.vectors import offered

FORMAT, LAYOUT = "fairviz capsule", 1
MANIFEST, README, SCORES, SUMMARY = "capsule.json", "README.txt", "scores.csv", "summary.csv"
SELECTED = ("study", "system", "query", "document", "debias", "left_out", "word_lists", "words", "against")
PACKAGES = ("numpy", "pandas", "plotly", "ir-measures", "pyarrow")
COLUMNS = ["system", "query_id", "measure", "value"]
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # of every member, as zip files begin there
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
    """The zip: settings, fingerprints of all inputs, scores per query and summary, figures as HTML, versions.

    measures: all that the study can feed, unless some are named. Raises as `fairviz.evaluate`, and FairvizError for GSR
    by vectors that have no name.
    """
    settings = given.chosen_settings(study, settings, choices)
    asked, without = chosen_measures(study, given.texts(measures), settings)
    if not asked:
        raise FairvizError(
            f"{study.name} has nothing to measure: {next(iter(without.values()), 'it has no runs.')}",
            "A capsule needs runs, and labels, text or relevance.",
        )
    texts = [question.text for question in asked]
    scores = evaluate(study, texts, settings)
    members = {SCORES: to_csv(scores[COLUMNS]).encode(), SUMMARY: to_csv(summarise(scores)).encode()}
    if figures:
        members |= figure_pages(study, settings, scores)
    manifest = sealed(
        {
            **_origin(study, settings),
            "measures": texts,
            "left_out": without,
            "members": {name: mark(content) for name, content in sorted(members.items())},
        }
    )
    told = {README: readme(manifest).encode(), MANIFEST: _text(manifest).encode()}
    return zipped({**told, **members})


def _origin(study: Study, settings: Settings) -> dict:
    """What the numbers were made of and with."""
    return {
        "format": FORMAT,
        "layout": LAYOUT,
        "versions": versions(),
        "study": _study(study),
        "settings": kept_settings(settings),
        "annotator": chosen_annotator(study, settings),
        "inputs": {"files": files_of(study), "tables": tables_of(study)},
    }


def chosen_measures(study: Study, texts: Iterable[str], settings: Settings) -> tuple[list[Question], dict[str, str]]:
    """The questions of a capsule or report, and why others are not among them. Raises FairvizError where one of the
    texts cannot be answered; without texts all measures are asked for that the study can feed."""
    named = [ask(text, settings) for text in texts]
    if named:
        given.refuse_missing(study, named, settings)
        for question in named:
            if reason := _unnamed(question, settings):
                raise FairvizError(f"{question.text} cannot be in a capsule: {reason}", "Add the vectors by a name.")
        return list({question.text: question for question in named}.values()), {}
    every = [ask(f"{name}@{settings.cutoff}", settings) for name in (*MEASURES, *EFFECTIVENESS)]
    lacking = {
        question.text: missing_part(study, question, settings) or _without_vectors(question, settings)
        for question in every
    }
    without = {text: reason for text, reason in lacking.items() if reason}
    return [question for question in every if not lacking[question.text]], without


def _without_vectors(question: Question, settings: Settings) -> str:
    """Why a measure of word vectors cannot be asked for; empty where they are here, and for other measures."""
    if question.measure is None or question.measure.per_query:
        return ""
    if reason := _unnamed(question, settings):
        return reason
    try:
        direction_of(settings)
    except FairvizError as error:
        return error.message
    return ""


def _unnamed(question: Question, settings: Settings) -> str:
    by_vectors = question.measure is not None and not question.measure.per_query
    return BY_PATH if by_vectors and settings.embedding not in offered() else ""


def kept_settings(settings: Settings) -> dict:
    """The settings that numbers depend on, by name; what is only selected or shown is left out, and so is a path."""
    kept = {name: value for name, value in asdict(settings).items() if name not in SELECTED}
    if settings.embedding not in offered():
        kept["embedding"] = Settings.embedding
    return kept


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    found = {"fairviz": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def sealed(manifest: dict) -> dict:
    """The manifest with the hash of itself, by which a change to it shows."""
    rest = {name: value for name, value in manifest.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return {**rest, "seal": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}


def zipped(members: dict[str, bytes]) -> bytes:
    """The members as a zip that is the same whenever it is made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in members.items():
            about = zipfile.ZipInfo(name, _LONG_AGO)
            about.compress_type, about.external_attr, about.create_system = zipfile.ZIP_DEFLATED, _PLAIN, 3
            archive.writestr(about, content)
    return out.getvalue()


def _study(study: Study) -> dict:
    known = study.name in BUILTIN or (study.folder is not None and resolve(study.name) == study.folder)
    kind = "built in" if study.name in BUILTIN else "fetched or saved" if known else "of its own"
    return {"name": study.name, "kind": kind, "title": study.title, "citation": study.citation,
            "licence": study.licence, "systems": list(study.systems), "fingerprint": study.fingerprint}  # fmt: skip


def mark(content: bytes) -> dict:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _text(manifest: dict) -> str:
    return json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def readme(manifest: dict) -> str:
    """What lies in the zip and how to ask the same again, for somebody who was only given the file."""
    study, made = manifest["study"], manifest["versions"]
    own = "" if study["kind"] != "of its own" else " --study FOLDER"
    return f"""A capsule of fairviz: what was asked of the study {study["name"]}, and what came out.

{MANIFEST}   the study, the settings, the versions, and the SHA-256 of every input and of every file here
{SCORES}     every measure for every system and query: system, query_id, measure, value
{SUMMARY}    means over queries with 95 % intervals
figures/       figures to open in a browser, once the zip is unpacked; they ask no network for anything

To make the numbers again and see which differ, and which input has changed:

    fairviz replay capsule.zip{own}

The study's own files are not in here. It is {study["kind"]}{f" ({study['title']})" if study["title"] else ""}.
Made with fairviz {made["fairviz"]} and Python {made["python"]}.
"""
