"""Loaders: a file becomes a table, with one module for each format.

To add a part of a study, or another format of one, write its reader and add a line to LOADERS, which serves folders,
uploads and the command line; `places` lists the paths of published data sets. Readers take (path, root), name the file
in errors relative to `root`, and raise DataError with every bad line. A run's reader names the system with
`runs.system_name` and its own suffixes.

May import what study may.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, PackageError, value_text
from fairviz.installed import Owner, added, owner_of, report
from fairviz.normal_form import normal_form
from fairviz.study.loaders import mteb, rows, sgml
from fairviz.study.loaders.labels import read_labels as read_labels
from fairviz.study.loaders.qrels import SUFFIXES as QRELS_SUFFIXES
from fairviz.study.loaders.qrels import read_qrels as read_qrels
from fairviz.study.loaders.runs import SUFFIXES as RUN_SUFFIXES
from fairviz.study.loaders.runs import read_run as read_run
from fairviz.study.loaders.runs import system_name
from fairviz.study.loaders.texts import read_documents as read_documents
from fairviz.study.loaders.texts import read_queries as read_queries
from fairviz.study.loaders.word_files import SUFFIXES as LEXICON_SUFFIXES
from fairviz.study.loaders.word_files import read_lexicon as read_lexicon
from fairviz.study.tables import SCHEMAS, conform
from fairviz.words.counting import Lexicon

GROUP = "fairviz.loaders"


@dataclass(frozen=True)
class Loader:
    """The file endings of a part of a study, and the function that reads one file.

    package: that of others from which it comes, with its version, set when it is loaded.
    """

    part: str
    suffixes: tuple[str, ...]
    read: Callable[..., Any]
    package: str = ""

    @property
    def name(self) -> str:
        """The words for it in messages."""
        return f"the loader of {', '.join(self.suffixes)}"


LOADERS: tuple[Loader, ...] = (
    Loader("queries", rows.SUFFIXES, read_queries),
    Loader("queries", sgml.SUFFIXES, sgml.read_topics),
    Loader("documents", rows.SUFFIXES, read_documents),
    Loader("documents", sgml.SUFFIXES, sgml.read_documents_in_sgml),
    Loader("runs", RUN_SUFFIXES, read_run),
    Loader("runs", mteb.SUFFIXES, mteb.read_predictions),
    Loader("qrels", QRELS_SUFFIXES, read_qrels),
    Loader("labels", rows.SUFFIXES, read_labels),
    Loader("lexicon", LEXICON_SUFFIXES, read_lexicon),
)


PARTS = tuple(dict.fromkeys(loader.part for loader in LOADERS))


def loaders() -> tuple[Loader, ...]:
    """Return the program's loaders, then those that packages add, which are loaded at the first call."""
    return (*LOADERS, *_added_loaders())


@cache
def _added_loaders() -> tuple[Loader, ...]:
    """Return the loaders of packages. Those of several packages for one ending of a part are left out."""
    found = added(GROUP, Loader, _adopt)
    loaders = []
    for entry, loader in found:
        rivals = [
            other for _, other in found
            if other.part == loader.part and other.package != loader.package and {*other.suffixes} & {*loader.suffixes}
        ]  # fmt: skip
        if rivals:
            report(GROUP, entry, ValueError(f"{loader.name} is in use by {owner_of(rivals[0])}"))
        else:
            loaders.append(loader)
    return tuple(loaders)


def _adopt(loader: Loader) -> Loader:
    """Return the loader with a `read` whose tables are checked. Raises ValueError, with the reason."""
    if loader.part not in PARTS:
        raise ValueError(f"its part is {loader.part!r}, and none of {', '.join(PARTS)}")
    taken = [ending for ending in loader.suffixes if ending in {own for one in LOADERS for own in one.suffixes}]
    if taken:
        raise ValueError(f"its ending {taken[0]} is in use by a loader of fairviz")
    if wrong := [ending for ending in loader.suffixes if not ending.startswith(".") or ending != ending.lower()]:
        raise ValueError(f"its ending {wrong[0]} does not begin with a dot, or has capitals")
    return replace(loader, read=partial(_read, loader.read, loader.part, owner_of(loader)))


def _read(read: Callable[..., Any], part: str, owner: Owner, *arguments: Any) -> Any:
    """Return the part of a study that a loader of others reads. Raises PackageError for what is no such part."""
    value = read(*arguments)
    if part == "lexicon":
        if not isinstance(value, Lexicon):
            raise PackageError(f"{owner} gives {value_text(value)}, and no word list", "Return a Lexicon.")
        return value
    if not isinstance(value, pd.DataFrame):
        raise PackageError(f"{owner} gives {value_text(value)}, and no table", "Return a pandas DataFrame.")
    try:
        table = conform(value, SCHEMAS[part])
    except FairvizError as error:
        raise PackageError(f"{owner}: {error.message}", error.remedy) from error
    if part == "runs" and not np.isfinite(table["score"].to_numpy()).all():
        raise PackageError(f"{owner} gives an infinite score", "Give every document a finite score.")
    if part == "runs" and table["system"].nunique() > 1:
        raise PackageError(f"{owner} gives several systems for one file", "Name one system in the column system.")
    return table


def suffixes_of(part: str) -> tuple[str, ...]:
    """Return the endings of the files of this part, such as `.run.gz`."""
    return tuple(suffix for loader in loaders() if loader.part == part for suffix in loader.suffixes)


def system_of(path: str | Path) -> str:
    """Return the name of the system of a run file with the ending of any loader."""
    if mteb.is_predictions(path):
        return normal_form(mteb.model_system(path))
    return system_name(path, suffixes_of("runs"))


def reader_of(part: str, path: str | Path) -> Callable[..., Any]:
    """Return the reader of this file of a part: the loader with its ending, by default the part's first."""
    of_part = [loader for loader in loaders() if loader.part == part]
    fitting = (loader for loader in of_part if Path(path).name.lower().endswith(loader.suffixes))
    return next(fitting, of_part[0]).read


def extensions(*parts: str) -> tuple[str, ...]:
    """Return the last extensions of the files of these parts (by default all): run, txt, gz, …"""
    endings = (ending for loader in loaders() if not parts or loader.part in parts for ending in loader.suffixes)
    return tuple(dict.fromkeys(ending.rpartition(".")[2] for ending in endings))
