"""Predictions of MTEB, `{Task}_predictions.json`: a model's run, as mteb.evaluate(prediction_folder=…) writes it.

    {"mteb_model_meta": {"model_name": …, "revision": …}, subset: {split: {query: {document: score}}}}

The system's name is the last part of the model's. Where a file has several subsets or splits, query ids are
`subset/split/query`, since one id may mean different queries there.
"""

import json
import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import BadLines, attempt, display_path, problem
from fairviz.files import open_regular
from fairviz.study.loaders.packing import packed_names, packing_of, unpack
from fairviz.study.loaders.source import read_bytes
from fairviz.study.tables import RUNS, conform

SUFFIXES = packed_names("_predictions.json")
META = "mteb_model_meta"
REMEDY = "Write predictions by mteb.evaluate(…, prediction_folder=…)."
REMEDIES = {"score": "Write the score as a finite number.", "table": REMEDY}
_BEGINNING = 1 << 12  # bytes that hold the model's name
_FIELD = r'"{}"\s*:\s*("(?:[^"\\]|\\.)*")'


def is_predictions(path: str | Path) -> bool:
    """Return whether the file has the name of predictions."""
    return Path(path).name.lower().endswith(SUFFIXES)


def model_of(path: str | Path) -> tuple[str, str]:
    """Return the name and the revision of the model at the beginning of a file; empty where it has none."""
    text = (attempt(lambda: _beginning(Path(path))) or b"").decode("utf-8", "replace")
    matches = [re.search(_FIELD.format(name), text) for name in ("model_name", "revision")]
    name, revision = (str(attempt(partial(json.loads, match[1])) or "") if match else "" for match in matches)
    return name, revision


def _beginning(path: Path) -> bytes:
    with open_regular(path) as stream:
        ending = packing_of(path)
        return next(filter(None, unpack(stream, ending, _BEGINNING)), b"") if ending else stream.read(_BEGINNING)


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
    bad_lines = BadLines(file, REMEDIES)
    rows = list(_rows(content, bad_lines))
    bad_lines.raise_collected()
    if not rows:
        raise problem(file, "there is no list of predictions", REMEDY)
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    table = table.sort_values("score", ascending=False, kind="stable").sort_values("query_id", kind="stable")
    rank = table.groupby("query_id", sort=False).cumcount() + 1
    return conform(table.assign(system=model_system(path), rank=rank), RUNS)


def _rows(content: Any, bad_lines: BadLines) -> Iterator[tuple[str, str, float]]:
    """Yield query, document and score; record what is none."""
    lists = [
        (f"{subset}/{split}", results)
        for subset, splits in _items(content, "the file", bad_lines)
        if subset != META
        for split, results in _items(splits, f"subset {subset!r}", bad_lines)
    ]
    for place, results in lists:
        prefix = f"{place}/" if len(lists) > 1 else ""
        for query, scores in _items(results, f"split {place!r}", bad_lines):
            for document, score in _items(scores, f"query {query!r} of {place}", bad_lines):
                if isinstance(score, (int, float)) and not isinstance(score, bool) and math.isfinite(score):
                    yield f"{prefix}{query}", document, float(score)
                else:
                    what = f"the score of document {document!r} for query {query!r} is not a finite number"
                    bad_lines.add(0, what, str(score))


def _items(content: Any, place: str, bad_lines: BadLines) -> Iterator[tuple[str, Any]]:
    if isinstance(content, dict):
        yield from content.items()
    else:
        bad_lines.add(0, f"no table for {place}", str(content))
