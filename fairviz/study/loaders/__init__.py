"""Loaders: a file becomes a table, with one module for each format.

To add a part of a study, or another format of one, write its reader and add a line to LOADERS, which serves folders,
uploads and the command line; `places` lists the paths of published data sets. Readers take (path, root), name the file
in errors relative to `root`, and raise DataError with every bad line. A run's reader names the system with
`runs.system_name` and its own suffixes.

May import what study may.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, value_text
from fairviz.installed import added, contained
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


@dataclass(frozen=True)
class Loader:
    """The file endings of a part of a study, and the function that reads one file.

    package: that of others from which it comes, with its version, set when it is loaded.
    """

    part: str
    suffixes: tuple[str, ...]
    read: Callable[..., Any]
    package: str = ""


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
    return (*LOADERS, *(loader for _, loader in added("fairviz.loaders", _adopt)))


def _adopt(loader: Any, package: str) -> Loader:
    """Return the loader with its package, and a `read` whose faults name it. Raises ValueError, with the reason."""
    if not isinstance(loader, Loader):
        raise ValueError(f"it is a {type(loader).__name__}, and not a fairviz.study.loaders.Loader")
    if loader.part not in PARTS:
        raise ValueError(f"its part is {loader.part!r}, and none of {', '.join(PARTS)}")
    taken = [ending for ending in loader.suffixes if ending in {own for one in LOADERS for own in one.suffixes}]
    if taken or not all(ending.startswith(".") for ending in loader.suffixes):
        raise ValueError(f"its ending {taken[0]} is in use" if taken else "an ending begins without a dot")
    owner = f"the loader of {', '.join(loader.suffixes)} (package {package})"
    return replace(loader, read=partial(_read_checked, loader, owner), package=package)


def _read_checked(loader: Loader, owner: str, *arguments: Any, **options: Any) -> Any:
    """Return what a loader of others reads from a file. Raises FairvizError, with the owner, also for a result that is
    not the part's table (for a lexicon, a Lexicon)."""
    found = contained(loader.read, owner, *arguments, **options)
    wanted = Lexicon if loader.part == "lexicon" else pd.DataFrame
    try:
        if not isinstance(found, wanted):
            raise FairvizError(f"it returns {value_text(found)}, not a {wanted.__name__}")
        return conform(found, SCHEMAS[loader.part]) if isinstance(found, pd.DataFrame) else found
    except FairvizError as error:
        raise FairvizError(f"{owner} fails: {error.message}", "Correct it, or uninstall its package.") from error


def suffixes_of(part: str) -> tuple[str, ...]:
    """Return the endings of the files of this part, such as `.run.gz`."""
    return tuple(suffix for loader in loaders() if loader.part == part for suffix in loader.suffixes)


def system_of(path: str | Path) -> str:
    """Return the name of the system of a run file with the ending of any loader."""
    if mteb.is_predictions(path):
        return mteb.model_system(path)
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
