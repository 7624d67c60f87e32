"""Results shipped with the program: what an analysis of a built-in study returned, with its settings and date.

A result is one file, `data/packaged/STUDY/NAME-KEY.zip`: `result.json` with the values, and beside it each table as
Parquet and each array as `.npy`. It contains no code. The key in its name is a hash of everything the result depends
on, the study's fingerprint included, so a result of other data or settings is never found. `python -m
benchmarks.packaged` makes all of them.
"""

import importlib
import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.home import DATA, __version__
from fairviz.installed import bundled
from fairviz.measures import Question, parse
from fairviz.rankers import RANKERS
from fairviz.rankers.record import Ranker

FOLDER = DATA / "packaged"
VALUES = "result.json"
SHORT = 16  # characters of the key in a file's name
Given = Mapping[str, Any]  # what is not stored but passed again, by name: the study, a page's request

# Where the records are that a file may name. A file keeps the name, so that moving a record is a line here.
RECORDS: dict[str, str] = {
    "Bench": "fairviz.analyses.mitigations.bench:Bench",
    "Choice": "fairviz.rankers.grammar:RankerChoice",
    "Comparison": "fairviz.comparison.compare:Comparison",
    "Counterparts": "fairviz.words.counterparts:Counterparts",
    "Experiment": "fairviz.analyses.gender_swap.experiment:Experiment",
    "ExperimentPlan": "fairviz.analyses.gender_swap.experiment:SwapPlan",
    "How": "fairviz.comparison.family:How",
    "Mitigation": "fairviz.analyses.mitigations.mitigation:Mitigation",
    "Pairs": "fairviz.comparison.pairs:Pairs",
    "Points": "fairviz.comparison.points:Points",
    "Tests": "fairviz.statistics.families:Tests",
}
RECORDS |= {name: entry.value for name, entry in bundled("fairviz.stored").items()}
NAME_BY_PLACE = {place: name for name, place in RECORDS.items()}
# Records with functions, which are named instead of stored.
REGISTERED: dict[type, Mapping[str, Any]] = {Ranker: RANKERS}


@dataclass(frozen=True, eq=False)
class PackagedResult:
    """A result as it was computed. outcome: what the job returned. made: the date. versions: of fairviz, numpy and
    pandas."""

    outcome: Any
    made: str
    versions: Mapping[str, str]


def path_of(study: str, name: str, key: str) -> Path:
    """Return the file of a result of a study. name: of its page. key: a hash of all that the result depends on."""
    return FOLDER / study / f"{name}-{key[:SHORT]}.zip"


def write_packaged(path: Path, key: str, settings: str, outcome: Any, given: Given) -> None:
    """Write a result. settings: the text whose hash the key is. Raises TypeError for a value without a form in a
    file."""
    parts: dict[str, bytes] = {}
    versions = {"fairviz": __version__, "numpy": np.__version__, "pandas": pd.__version__}
    facts = {"key": key, "made": date.today().isoformat(), "versions": versions, "settings": settings}
    facts["outcome"] = _stored(outcome.lean() if hasattr(outcome, "lean") else outcome, given, parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        file.writestr(VALUES, json.dumps(facts, ensure_ascii=False))
        for name, content in parts.items():
            file.writestr(name, content)


def read_packaged(path: Path, key: str, given: Given) -> PackagedResult | None:
    """Return the result in a file; None without one, or for another key."""
    if not path.is_file():
        return None
    with zipfile.ZipFile(path) as file:
        facts = json.loads(file.read(VALUES))
        if facts["key"] != key:
            return None
        outcome = _restored(facts["outcome"], given, file)
    return PackagedResult(outcome, facts["made"], facts["versions"])


def _stored(value: Any, given: Given, parts: dict[str, bytes]) -> Any:
    """Return a value as JSON; tables and arrays go to `parts`."""
    for name, one in given.items():
        if value is one:
            return {"given": name}
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return float(value)
        case float():
            return {"float": str(value)}
        case np.generic():
            return _stored(value.item(), given, parts)
        case Question():
            return {"question": parse(value.text).text}
        case np.ndarray() if value.dtype == object:
            return {"objects": _stored(value.tolist(), given, parts), "shape": list(value.shape)}
        case pd.DataFrame() | np.ndarray():
            return _stored_part(value, parts)
        case list():
            return [_stored(part, given, parts) for part in value]
        case Mapping():
            pairs = [[_stored(name, given, parts), _stored(part, given, parts)] for name, part in value.items()]
            return {"mapping": pairs}
        case _:
            return _stored_record(value, given, parts)


def _stored_part(value: pd.DataFrame | np.ndarray, parts: dict[str, bytes]) -> dict[str, str]:
    """Add a table or an array to the parts of the file; return its name there."""
    content, is_table = io.BytesIO(), isinstance(value, pd.DataFrame)
    if isinstance(value, pd.DataFrame):
        value.to_parquet(content, compression="zstd")
    else:
        np.save(content, value, allow_pickle=False)
    name = f"{len(parts)}.{'parquet' if is_table else 'npy'}"
    parts[name] = content.getvalue()
    return {"table" if is_table else "array": name}


def _stored_record(value: Any, given: Given, parts: dict[str, bytes]) -> Any:
    """Return a tuple, a named tuple or a dataclass of fairviz as JSON."""
    kind = type(value)
    for base, records in REGISTERED.items():
        if isinstance(value, base):
            return {"registered": base.__name__, "name": next(name for name in records if records[name] is value)}
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.init and field.name not in _made_anew(kind)]
    elif isinstance(value, tuple):
        names = list(getattr(kind, "_fields", ()))
        if not names:
            return {"tuple": [_stored(part, given, parts) for part in value]}
    else:
        raise TypeError(f"a packaged result cannot hold {kind.__qualname__}")
    place = f"{kind.__module__}:{kind.__qualname__}"
    if place not in NAME_BY_PLACE:
        raise TypeError(f"a packaged result cannot hold {kind.__module__}.{kind.__qualname__}, which is not in RECORDS")
    values = {name: _stored(getattr(value, name), given, parts) for name in names}
    return {"record": NAME_BY_PLACE[place], "values": values}


def _restored(stored: Any, given: Given, file: zipfile.ZipFile) -> Any:
    """Return the value that `_stored` was given."""
    match stored:
        case list():
            return [_restored(part, given, file) for part in stored]
        case {"given": name}:
            return given[name]
        case {"float": text}:
            return float(text)
        case {"question": text}:
            return parse(text)
        case {"table": name}:
            return pd.read_parquet(io.BytesIO(file.read(name)))
        case {"array": name}:
            return np.load(io.BytesIO(file.read(name)), allow_pickle=False)
        case {"objects": values, "shape": shape}:
            array = np.empty(math.prod(shape), dtype=object)
            array[:] = np.array(_restored(values, given, file), dtype=object).ravel()
            return array.reshape(shape)
        case {"mapping": pairs}:
            return {_restored(name, given, file): _restored(part, given, file) for name, part in pairs}
        case {"tuple": values}:
            return tuple(_restored(part, given, file) for part in values)
        case {"registered": kind, "name": name}:
            records = next(records for base, records in REGISTERED.items() if base.__name__ == kind)
            return records[name]
        case {"record": kind, "values": values}:
            return _restored_record(kind, values, given, file)
    return stored


def _restored_record(name: str, stored: Mapping[str, Any], given: Given, file: zipfile.ZipFile) -> Any:
    if name not in RECORDS:
        raise TypeError(f"a packaged result cannot hold {name}")
    module, _, qualified = RECORDS[name].partition(":")
    kind = getattr(importlib.import_module(module), qualified)
    values = {key: _restored(part, given, file) for key, part in stored.items()}
    values |= {part: make(values, given) for part, make in _made_anew(kind).items()}
    return kind(**values)


def _made_anew(kind: type) -> Mapping[str, Callable[[Mapping[str, Any], Given], Any]]:
    """Return the parts of a record that are computed again when it is read: its own `MADE_ANEW`, from the other parts
    and what is given. They are fast to make from the study, and large."""
    return getattr(kind, "MADE_ANEW", {})
