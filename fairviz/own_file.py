"""A file of functions and records of one's own as measures, rankers and re-rankers of this process.

`fairviz app --with FILE.py` names it. Its code runs, so the file is one that the user of this machine names on the
command line: never a page, a link, a study's folder, or a server that others can reach.

May import evaluation, rankers and the rooms below them.
"""

import inspect
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from fairviz.errors import FairvizError, UsageError
from fairviz.home import OWN_FILE, SERVED, data_home, expand_path, is_shared
from fairviz.installed import Registry
from fairviz.measures import MEASURES, Measure
from fairviz.measures.adopted import measure_of
from fairviz.rankers import RANKERS, Ranker
from fairviz.rankers.adopted import ranker_of
from fairviz.study.collection_counts import FOLDER as COUNTS_FOLDER
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.metadata import FILE

MODULE = "fairviz_own_file"
FORM = "A measure is a function of `ranking`, a ranker one of `query` and `texts`, or a Measure or Ranker record."


class Brought(NamedTuple):
    """The names of a file's measures and rankers, and a line for each public function that is neither."""

    measures: tuple[str, ...]
    rankers: tuple[str, ...]
    left_out: tuple[str, ...]


def checked_path(text: str) -> Path:
    """Return the path of a file that may be run.

    Raises UsageError for a file that is not there or not of Python, in a study's folder, or in fairviz's data, and on a
    server for others.
    """
    if is_shared() or os.environ.get(SERVED):
        raise UsageError(
            "--with is for the app of this machine alone: others could run the file's code",
            "Leave out --address, or make a package of the file (docs/template).",
        )
    path = expand_path(text)
    if path.suffix != ".py" or not path.is_file():
        raise UsageError(f"{text} is not a file of Python", "Name one: fairviz app --with measures.py")
    path = path.resolve()
    folders = [path.parent, *path.parent.parents]
    is_data = data_home().resolve() in folders
    try:
        holds_study = (path.parent / COUNTS_FOLDER).is_dir() or bool(find_files(path.parent).all)
    except FairvizError:
        holds_study = True  # with files that contradict one another
    if is_data or holds_study or any((folder / FILE).is_file() for folder in folders):
        raise UsageError(
            f"{path} is in the folder of a study, and code that comes with data is not run",
            "Read it, and copy it to a folder of your own.",
        )
    return path


def bring(path: Path) -> Brought:
    """Add a file's measures and rankers to those of this process; what it brings.

    A function of `ranking` is a measure, as `fairviz.evaluate` takes one, and a function of `query` and `texts` a
    ranker, which with run='NAME' reorders that run, as `fairviz.rank` takes one. Names that begin with _ are left
    alone, and so is what the file imports.

    Raises FairvizError, with the line, for a file that fails, that brings nothing, or a record that cannot be used.
    """
    found: dict[str, list[str]] = {"measures": [], "rankers": []}
    left_out = []
    for name, value in vars(_run(path)).items():
        is_own = inspect.isfunction(value) and value.__module__ == MODULE and not name.startswith("_")
        if isinstance(value, Measure):
            found["measures"].append(_take(MEASURES, value, path))
        elif isinstance(value, Ranker):
            found["rankers"].append(_take(RANKERS, value, path))
        elif is_own:
            parameters = tuple(inspect.signature(value).parameters)
            if parameters == ("ranking",):
                found["measures"].append(_take(MEASURES, measure_of(value), path))
            elif parameters == ("query", "texts"):
                found["rankers"].append(_take(RANKERS, ranker_of(name, value), path))
            else:
                left_out.append(f"{name}({', '.join(parameters)}) is left out. {FORM}")
    if not any(found.values()):
        raise FairvizError(f"{path.name} has no measure and no ranker", FORM)
    return Brought(tuple(found["measures"]), tuple(found["rankers"]), tuple(left_out))


def bring_named() -> None:
    """Add what the file in OWN_FILE brings, in the process of a server for this machine alone."""
    if path := os.environ.get(OWN_FILE):
        bring(checked_path(path))


def _run(path: Path) -> ModuleType:
    module = ModuleType(MODULE)
    module.__file__ = str(path)
    sys.modules[MODULE] = module  # pickling and dataclasses look there
    sys.path.insert(0, str(path.parent))  # for the files beside it that it imports
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        places = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) and error.filename == str(path) else (places or [0])[-1]
        reason = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
        raise FairvizError(f"{path.name}:{line}: {reason.removesuffix(': ')}", "Correct the file.") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _take(registry: Registry[Any], record: Measure | Ranker, path: Path) -> str:
    try:
        registry.take(record, path.name)
    except ValueError as error:
        raise FairvizError(f"{path.name}: {record.name} cannot be used: {error}", "Correct it.") from error
    return record.name
