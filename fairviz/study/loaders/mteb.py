"""Predictions of MTEB, `{Task}_predictions.json`: a model's run, as mteb.evaluate(prediction_folder=…) writes it.

    {"mteb_model_meta": {"model_name": …, "revision": …}, subset: {split: {query: {document: score}}}}

The system's name is the last part of the model's. Where a file has several subsets or splits, query ids are
`subset/split/query`, since one id may mean different queries there.
"""

import json
import re
from functools import partial
from pathlib import Path

import pandas as pd

from fairviz.errors import BadLines, attempt, display_path, problem
from fairviz.study.loaders.archive import packed_names
from fairviz.study.loaders.rows import items_of, numbers_by_query
from fairviz.study.loaders.runs import ranked, read_beginning
from fairviz.study.loaders.source import read_bytes

SUFFIXES = packed_names("_predictions.json")
META = "mteb_model_meta"
REMEDY = "Write predictions by mteb.evaluate(…, prediction_folder=…)."
REMEDIES = {"score": "Write the score as a finite number.", "table": REMEDY}
OTHER_TASK = "predictions of a task without lists of documents, such as classification"
OF_LISTS = "Leave it out: lists are in the predictions of tasks of retrieval and reranking."
_OTHER = re.compile(r'\s*,\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*(?:\[|"|[-0-9]|\{\s*"[^"]*"\s*:\s*[^{\s])')
_BEGINNING = 1 << 12  # bytes that hold the model's name
_FIELD = r'"{}"\s*:\s*("(?:[^"\\]|\\.)*")'


def is_predictions(path: str | Path) -> bool:
    """Return whether the file has the name of predictions."""
    return Path(path).name.lower().endswith(SUFFIXES)


def model_of(path: str | Path) -> tuple[str, str]:
    """Return the name and the revision of the model at the beginning of a file; empty where it has none."""
    text = (attempt(lambda: read_beginning(Path(path), _BEGINNING)) or b"").decode("utf-8", "replace")
    matches = [re.search(_FIELD.format(name), text) for name in ("model_name", "revision")]
    name, revision = (str(attempt(partial(json.loads, match[1])) or "") if match else "" for match in matches)
    return name, revision


def other_task(path: str | Path) -> bool:
    """Return whether the beginning of a file is that of predictions which are no lists of documents: of classification,
    clustering and other tasks.
    """
    text = (attempt(lambda: read_beginning(Path(path))) or b"").decode("utf-8", "replace")
    place = text.find(f'"{META}"')
    if place < 0:
        return False
    start = text.find("{", place)
    after = attempt(lambda: json.JSONDecoder().raw_decode(text, start))
    return after is not None and bool(_OTHER.match(text, after[1]))


def model_system(path: str | Path) -> str:
    """Return the system of a file of predictions: the last part of the model's name, or else the name of the task."""
    name, _ = model_of(path)
    return name.rstrip("/").rpartition("/")[2] or re.sub(r"_predictions\.json.*$", "", Path(path).name, flags=re.I)


def card_of(path: str | Path) -> str:
    """Return the sentence about the system of a file: model, revision and task; empty where it names no model."""
    name, revision = model_of(path)
    task = re.sub(r"_predictions\.json.*$", "", Path(path).name, flags=re.I)
    return f"{name}{f', revision {revision}' if revision else ''}; MTEB's predictions of {task}." if name else ""


def read_predictions(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of predictions as a runs table, each list by falling score. Raises DataError with every bad one."""
    file = display_path(path, root)
    try:
        content = json.loads(read_bytes(path, root))
    except (ValueError, RecursionError) as error:
        raise problem(file, f"not JSON: {error}", REMEDY) from error
    if not isinstance(content, dict):
        raise problem(file, "no table for the file", REMEDY, str(content))
    if other_task(path):
        raise problem(file, f"these are {OTHER_TASK}", OF_LISTS)
    bad_lines, rows = BadLines(file, REMEDIES), list[tuple[str, str, float]]()
    lists = [
        (f"{subset}/{split}", results)
        for subset, splits in content.items()
        if subset != META
        for split, results in items_of(splits, f"subset {subset!r}", bad_lines)
    ]
    for place, results in lists:
        prefix = f"{place}/" if len(lists) > 1 else ""
        found = numbers_by_query(results, place, "score", bad_lines)
        rows += ((f"{prefix}{query}", document, score) for query, document, score in found)
    bad_lines.raise_collected()
    if not rows:
        raise problem(file, "there is no list of predictions", REMEDY)
    return ranked(pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]), model_system(path))
