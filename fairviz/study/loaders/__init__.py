"""Loaders: a file becomes a table, with one module for each format.

To add a part of a study, or another format of one, write its reader and add a line to LOADERS, which serves folders,
uploads and the command line; `places` lists the paths of published data sets. Readers take (path, root), name the file
in errors relative to `root`, and raise DataError with every bad line. A run's reader names the system with
`runs.system_name` and its own suffixes.

A file passes the modules in one direction: `archive` unpacks it, `source` opens it as text, `lines` numbers its lines,
`columns` (white space) and `rows` (CSV, JSON, Parquet) make cells of them and collect bad ones, `runs`, `qrels`,
`labels`, `texts` and `word_files` check what a part requires, and `folder` joins the parts to a study.

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
from fairviz.installed import Owner, added, bundled, owner_of, report
from fairviz.normal_form import normal_form
from fairviz.study.loaders import mteb, rows, texts
from fairviz.study.loaders.labels import read_labels as read_labels
from fairviz.study.loaders.qrels import SUFFIXES as QRELS_SUFFIXES
from fairviz.study.loaders.qrels import read_qrels as read_qrels
from fairviz.study.loaders.runs import ARCHIVES, system_name
from fairviz.study.loaders.runs import SUFFIXES as RUN_SUFFIXES
from fairviz.study.loaders.runs import read_run as read_run
from fairviz.study.loaders.texts import read_documents as read_documents
from fairviz.study.loaders.texts import read_queries as read_queries
from fairviz.study.loaders.word_files import SUFFIXES as LEXICON_SUFFIXES
from fairviz.study.loaders.word_files import read_lexicon as read_lexicon
from fairviz.study.tables import SCHEMAS, conform
from fairviz.words.counting import Lexicon

GROUP = "fairviz.loaders"


@dataclass(frozen=True)
class Form:
    """A form in which people have files of a part, for the table of the manual: whose it is, the files as they are
    called, and what they hold.
    """

    name: str
    files: str
    content: str


@dataclass(frozen=True)
class Loader:
    """The file endings of a part of a study, and the function that reads one file, by its content where it may have
    several forms.

    package: that of others from which it comes, with its version, set when it is loaded. folder: of a study, whose
    files it reads and no other; else those of the part's usual places. several: whether a file of runs may have several
    systems.
    """

    part: str
    suffixes: tuple[str, ...]
    read: Callable[..., Any]
    package: str = ""
    forms: tuple[Form, ...] = ()
    folder: str = ""
    several: bool = False

    @property
    def name(self) -> str:
        """The words for it in messages."""
        return f"the loader of {', '.join(self.suffixes)}"


_TABLES = "{csv,tsv,jsonl,json,xlsx,parquet}"
LOADERS: tuple[Loader, ...] = (
    Loader(
        "queries",
        (*rows.SUFFIXES, *texts.SUFFIXES),
        read_queries,
        forms=(
            Form(
                "table",
                f"`queries.{_TABLES}`",
                "`query_id` (`qid`, `_id`, `id`), `text` (`query`, `title`, `contents`)",
            ),
            Form("MS MARCO", "`queries.tsv`, `queries.NAME.tsv`, `topics.NAME.txt`", "id, tab, text, without a header"),
            Form("BEIR", "`queries.jsonl`", '`{"_id": …, "text": …}`'),
            Form("data hub", "`queries/…-00000-of-00002.parquet`", "Parquet in pieces, each of these columns"),
            Form("TREC, SGML", "`topics.NAME.{txt,trec,sgml,sgm}`", "`<top> <num> <title>`"),
            Form("TREC, XML", "`topics.NAME.{xml,txt}`", '`<topic number="1"><query>` or `<title>`'),
        ),
    ),
    Loader(
        "documents",
        (*rows.SUFFIXES, *texts.SUFFIXES),
        read_documents,
        forms=(
            Form(
                "table",
                f"`documents.{_TABLES}`",
                "`doc_id` (`docno`, `_id`, `id`), `text` (`contents`), and perhaps `title`",
            ),
            Form("MS MARCO", "`documents.tsv`", "id, tab, text, without a header"),
            Form("BEIR", "`corpus.jsonl`", '`{"_id": …, "title": …, "text": …}`'),
            Form("data hub", "`corpus/…-00000-of-00002.parquet`", "Parquet in pieces, each of these columns"),
            Form("TREC", "`documents.{txt,trec,sgml,sgm}`", "`<DOC> <DOCNO> <TEXT>`"),
        ),
    ),
    Loader(
        "runs",
        RUN_SUFFIXES,
        read_run,
        forms=(
            Form(
                "TREC",
                "`runs/NAME.{run,txt,trec,tsv,res}`",
                "`query_id Q0 doc_id rank score tag`; lines beginning with `#` are skipped",
            ),
            Form("MS MARCO", "`runs/NAME.tsv`", "`query_id doc_id rank`"),
            Form("scores", "`runs/NAME.tsv`", "`query_id doc_id score`: fractions, or whole numbers that fall"),
            Form(
                "table",
                "`runs/NAME.{csv,tsv,jsonl,xlsx,parquet}`",
                "`query_id` (`qid`), `doc_id` (`docno`), and `score`, `rank` or both",
            ),
            Form("ranx, BEIR", "`runs/NAME.json`", '`{"query": {"document": score}}`'),
        ),
    ),
    Loader(
        "runs",
        mteb.SUFFIXES,
        mteb.read_predictions,
        forms=(
            Form(
                "MTEB",
                "`{Task}_predictions.json`",
                "lists of retrieval and reranking, of one model, which is the system",
            ),
        ),
    ),
    Loader(
        "runs",
        ARCHIVES,
        read_run,
        forms=(Form("archive", "`runs/NAME.{zip,tar,tar.gz,tgz}`", "a run in each file, which is called as the file"),),
        several=True,
    ),
    Loader(
        "qrels",
        QRELS_SUFFIXES,
        read_qrels,
        forms=(
            Form(
                "TREC",
                "`qrels.{txt,qrels,tsv}`, `qrels.NAME.txt`",
                "`query_id 0 doc_id relevance`; lines beginning with `#` are skipped",
            ),
            Form(
                "BEIR",
                "`qrels.tsv`, `qrels/test.tsv`",
                "`query-id`, `corpus-id`, `score` under this header, in any spelling",
            ),
            Form("table", f"`qrels.{_TABLES}`", "`query_id`, `doc_id`, `relevance` under a header"),
            Form("data hub", "`default/test-00000-of-00001.parquet`", "Parquet in pieces, each of these columns"),
            Form("ranx, BEIR", "`qrels.json`", '`{"query": {"document": relevance}}`'),
        ),
    ),
    Loader(
        "labels",
        rows.SUFFIXES,
        read_labels,
        forms=(
            Form(
                "table",
                f"`labels.{_TABLES}`",
                "`doc_id`, `label`, and perhaps `annotator`; labels are neutral, female, male",
            ),
            Form("spreadsheet", "`labels.csv`", "the same between `;` or tabs, also below a line `sep=;`"),
            Form("Label Studio", "`labels.{json,csv,tsv}`", "its exports JSON, JSON_MIN, CSV and TSV"),
            Form("Prodigy", "`labels.jsonl`", "classification or choice; rejected and ignored answers are left out"),
            Form("doccano", "`labels.{jsonl,json,csv}`", "text classification"),
            Form("Argilla", "`labels.{json,jsonl,csv,parquet}`", "records with responses, of versions 1 and 2"),
            Form(
                "MTurk",
                "`labels.csv`",
                "a batch with `WorkerId`, `Input.doc_id`, `Answer.…`; rejected ones are left out",
            ),
        ),
    ),
    Loader(
        "lexicon", LEXICON_SUFFIXES, read_lexicon, forms=(Form("word list", "`lexicon.{csv,xlsx}`", "`word`, `group`"),)
    ),
)


PARTS = tuple(dict.fromkeys(loader.part for loader in LOADERS))


def loaders() -> tuple[Loader, ...]:
    """Return the program's loaders, then those of its extensions and of packages, which are loaded at the first
    call."""
    return (*LOADERS, *_bundled_loaders(), *_added_loaders())


@cache
def _bundled_loaders() -> tuple[Loader, ...]:
    return tuple(entry.load() for entry in bundled(GROUP).values())


@cache
def _added_loaders() -> tuple[Loader, ...]:
    """Return the loaders of packages. Those of several packages for one ending of a part are left out."""
    found = added(GROUP, Loader, _adopt)
    loaders = []
    for entry, loader in found:
        rivals = [
            other for _, other in found
            if (other.part, other.folder) == (loader.part, loader.folder) and other.package != loader.package
            and {*other.suffixes} & {*loader.suffixes}
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
    rivals = [one for one in (*LOADERS, *_bundled_loaders()) if one.folder == loader.folder]
    taken = [ending for ending in loader.suffixes if ending in {own for one in rivals for own in one.suffixes}]
    if taken:
        raise ValueError(f"its ending {taken[0]} is in use by a loader of fairviz")
    if wrong := [ending for ending in loader.suffixes if not ending.startswith(".") or ending != ending.lower()]:
        raise ValueError(f"its ending {wrong[0]} does not begin with a dot, or has capitals")
    return replace(loader, read=partial(_read, loader, owner_of(loader)))


def _read(loader: Loader, owner: Owner, *arguments: Any) -> Any:
    """Return the part of a study that a loader of others reads. Raises PackageError for what is no such part."""
    value, part = loader.read(*arguments), loader.part
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
    if part == "runs" and table["system"].nunique() > 1 and not loader.several:
        raise PackageError(f"{owner} gives several systems for one file", "Name one system in the column system.")
    return table


def suffixes_of(part: str) -> tuple[str, ...]:
    """Return the endings of the files of this part in its usual places, such as `.run.gz`."""
    return tuple(
        suffix for loader in loaders() if loader.part == part and not loader.folder for suffix in loader.suffixes
    )


def system_of(path: str | Path) -> str:
    """Return the name of the system of a run file with the ending of any loader."""
    if mteb.is_predictions(path):
        return normal_form(mteb.model_system(path))
    return system_name(path, suffixes_of("runs"))


def loader_of(part: str, path: str | Path) -> Loader:
    """Return the loader of this file of a part: that of its folder, or else the one with its longest ending, by default
    the part's first."""
    place = Path(path)
    of_part = [loader for loader in loaders() if loader.part == part and loader.folder in ("", place.parent.name)]
    name = place.name.lower()
    endings = [(bool(one.folder), ending, one) for one in of_part for ending in one.suffixes if name.endswith(ending)]
    return max(endings, key=lambda each: (each[0], len(each[1])), default=(False, "", of_part[0]))[2]


def reader_of(part: str, path: str | Path) -> Callable[..., Any]:
    """Return the reader of this file of a part."""
    return loader_of(part, path).read


def extensions(*parts: str) -> tuple[str, ...]:
    """Return the last extensions of the files of these parts (by default all): run, txt, gz, …"""
    endings = (ending for loader in loaders() if not parts or loader.part in parts for ending in loader.suffixes)
    return tuple(dict.fromkeys(ending.rpartition(".")[2] for ending in endings))
