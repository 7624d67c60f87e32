"""The record of a study, its annotators, and the study at a glance: ten lines for a terminal, a table for a notebook.

Everything loaded, nothing chosen: queries, documents, ranked runs, relevance and gender labels. The fingerprint, equal
for equal content, is the key of all cached answers.
"""

import hashlib
import html
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.home import expand_path
from fairviz.installed import Owner, require_package
from fairviz.study.attributes import Attribute
from fairviz.study.collection_counts import CollectionCounts
from fairviz.study.loaders.metadata import KIND_NAMES, KINDS, Claim, current_kind
from fairviz.study.loaders.stored_runs import StoredRuns
from fairviz.study.loaders.writing import write_qrels, write_runs
from fairviz.study.tables import (
    DOCUMENTS,
    LABELS,
    QRELS,
    QUERIES,
    RUNS,
    Ties,
    empty,
    list_numbers,
    ranked,
    runs_by_system,
    system_of_run,
)
from fairviz.words.counting import Lexicon
from fairviz.words.sentences import counted, first_listed

A_STUDY = "Give a Study, as fairviz.open_study opens and fairviz.make_study makes."
WIDTH = 100  # characters of a line's text
NAMED = 8  # systems, or annotators
Kind = Literal["", "person", "model", "rule", "mixed"]
PARTS = ("queries", "documents", "runs", "qrels", "labels")
REFERENCES = ("perfect", "random", "oracle")
EDITED = ", edited"  # in the name of a run with a list changed by hand

KEYS = {"query_id": "str", "doc_id": "str"}


class Corpus:
    """The documents of a study as PyTerrier's indexers take them: tables with docno, title and text, again at each
    iteration."""

    def __init__(self, documents: pd.DataFrame) -> None:
        self._documents = documents

    def __iter__(self) -> Iterator[dict[str, str]]:
        columns = self._documents[["doc_id", "title", "text"]].fillna("")
        for docno, title, text in columns.itertuples(index=False, name=None):
            yield {"docno": docno, "title": title, "text": text}

    def __len__(self) -> int:
        return len(self._documents)


class PyTerrier(NamedTuple):
    """A study for PyTerrier. topics: qid, query. qrels: qid, docno, label. corpus: see Corpus. runs, by system: qid,
    docno, score, rank from 0, query; for `pyterrier.Transformer.from_df`."""

    topics: pd.DataFrame
    qrels: pd.DataFrame
    corpus: Corpus
    runs: dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Annotator:
    """A source of labels.

    kind: a `person` or several (also `human`), a language `model`, a word list or other code (`rule`), or a language
    model and a reader together (`mixed`, also `human with machine help`); empty if `unknown`. It is declared, and never
    guessed from the name or the labels.
    description: one sentence for the screen. columns: the cells of annotators.csv beside these, pairs of a column and a
    text, such as ("gender", "female"); they put annotators in groups. votes: whether the labels may vote, which those
    stored next to a built-in study do nowhere. Raises UsageError for any other kind.
    """

    name: str
    kind: Kind = ""
    description: str = ""
    votes: bool = field(default=True, repr=False)
    columns: tuple[tuple[str, str], ...] = field(default=(), repr=False, kw_only=True)

    def __post_init__(self) -> None:
        kind = current_kind(self.kind)
        if kind not in ("", *KINDS):
            raise UsageError(
                f"the kind of the annotator {self.name!r} is {self.kind!r}",
                f"Use one of {', '.join(KIND_NAMES.values())}.",
            )
        object.__setattr__(self, "kind", kind)


@dataclass(frozen=True, eq=False)
class Study:
    """All loaded tables and metadata. Tables conform to fairviz.study.tables; a missing part is an empty table.

    name: the name on the command line and in the address. groups: the gender groups, without neutral. protected:
    the group that ratio measures protect. targets: the wished share of each gender group, empty for equal shares.
    scale: `ordinal` for groups with an order, that of `groups`, else `nominal`.
    word_counts: of the collection, by `fairviz score`; measures of words read them instead of texts. label_kind:
    `gender`, or `other` for labels that are not genders (agreement works, measures of labels are off). annotator:
    the default one, or empty. notices: sentences that Overview and Data show (on data of this project or offensive
    data). warnings: remarks from reading the study. cards: a sentence about a system, by name. drafts: systems that
    a user added; see `added_runs`. tested and not_tested: the systems that somebody has put into the tests or taken out
    of them; see `contenders`. attributes: further groupings, each a column of the documents.
    runs: made when it is first asked for where the runs are in the cache; see `changed`, `lengths` and `size`.
    muted: by the code of a check (`fairviz.checks`), why its finding is not counted. claim: what was declared before
    the runs were tested, None without one; see `fairviz.checks.claim`.
    fingerprint: equal for equal content.
    """

    name: str
    title: str = ""
    description: str = ""
    licence: str = ""
    citation: str = ""
    groups: tuple[str, ...] = ("female", "male")
    neutral: str = "neutral"
    protected: str = "female"
    targets: Mapping[str, float] = field(default_factory=dict)
    scale: Literal["nominal", "ordinal"] = "nominal"
    queries: pd.DataFrame = field(default_factory=lambda: empty(QUERIES))
    documents: pd.DataFrame = field(default_factory=lambda: empty(DOCUMENTS))
    runs: pd.DataFrame = field(default_factory=lambda: empty(RUNS))
    qrels: pd.DataFrame = field(default_factory=lambda: empty(QRELS))
    labels: pd.DataFrame = field(default_factory=lambda: empty(LABELS))
    lexicon: Lexicon | None = None
    word_counts: CollectionCounts | None = None
    label_kind: Literal["gender", "other"] = "gender"
    annotator: str = ""
    annotators: Mapping[str, Annotator] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    folder: Path | None = None
    read_only: bool = False
    drafts: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    not_tested: tuple[str, ...] = ()
    cards: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    muted: Mapping[str, str] = field(default_factory=dict)
    claim: Claim | None = None
    fingerprint: str = ""
    stored_runs: ClassVar[StoredRuns | None] = None  # the runs in the cache, of which `runs` is made

    def __post_init__(self) -> None:
        """Keep runs in the cache aside: their table is made when it is asked for."""
        if isinstance(self.runs, StoredRuns):
            object.__setattr__(self, "stored_runs", self.runs)
            object.__delattr__(self, "runs")

    def __getattr__(self, name: str) -> Any:
        if name == "runs" and self.stored_runs is not None:
            object.__setattr__(self, "runs", self.stored_runs.table())
            return self.runs
        raise AttributeError(name)

    def __repr__(self) -> str:
        counts = (f"{part}={self.size(part)}" for part in PARTS)
        return f"Study({self.name!r}, {', '.join(counts)})"

    def __str__(self) -> str:
        """Return ten lines for a terminal: name and title, then the parts of the study."""
        head, rows = _card(self)
        return "\n".join([head, *(f"{name:<11}{value}" for name, value in rows)])

    def _repr_html_(self) -> str:
        """Return the same as a small table for a notebook; text from data is escaped."""
        head, rows = _card(self)
        cells = "".join(
            f'<tr><th style="text-align:left">{html.escape(name)}</th>'
            f'<td style="text-align:left">{html.escape(value)}</td></tr>'
            for name, value in rows
        )
        return f"<table><caption>{html.escape(head)}</caption>{cells}</table>"

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order of their files; a stochastic one is named once for all its draws."""
        return tuple(runs_by_system(self.run_names))

    @cached_property
    def run_names(self) -> tuple[str, ...]:
        """Names of the runs, in the order of their files: systems, and the draws of stochastic ones."""
        return tuple(self.stored_runs.names if self.stored_runs is not None else self.runs["system"].cat.categories)

    @cached_property
    def answered(self) -> pd.Index:
        """The ids of the queries in the runs, in their order."""
        if self.stored_runs is not None:
            return self.stored_runs.queries
        return self.runs["query_id"].cat.remove_unused_categories().cat.categories

    @cached_property
    def retrieved(self) -> pd.Index:
        """The ids of the documents in the runs, in their order."""
        if self.stored_runs is not None:
            return self.stored_runs.documents
        return self.runs["doc_id"].cat.remove_unused_categories().cat.categories

    @cached_property
    def lengths(self) -> np.ndarray:
        """The number of documents of each list, (S, Q), by run of `run_names` and query of `answered`."""
        if self.stored_runs is not None:
            return self.stored_runs.lengths
        shape = len(self.run_names), len(self.runs["query_id"].cat.categories)
        lengths = np.bincount(list_numbers(self.runs), minlength=shape[0] * shape[1]).reshape(shape)
        return lengths[:, lengths.any(axis=0)]

    def runs_in_parts(self) -> Iterator[pd.DataFrame]:
        """Yield the table of runs in parts, one run after the other where it is large."""
        yield from self.stored_runs.tables() if self.stored_runs is not None else [self.runs]

    @property
    def draws(self) -> dict[str, tuple[str, ...]]:
        """Names of the runs that are draws, by stochastic system; empty for a study without any."""
        return {name: runs for name, runs in runs_by_system(self.run_names).items() if runs != (name,)}

    @property
    def contenders(self) -> tuple[str, ...]:
        """Names of the systems that are tested by default: all but references, lists edited by hand and those of
        `not_tested`, and those of `tested`."""
        return tuple(
            name for name in self.systems if name in self.tested or (is_contender(name) and name not in self.not_tested)
        )

    @property
    def added_runs(self) -> tuple[str, ...]:
        """Names of the runs that move no value of the others: the drafts of a study that has runs of its own, and lists
        edited by hand. Where all its runs were added they are its own, in whatever order they came."""
        has_own = any(is_contender(name) and name not in self.drafts for name in self.systems)
        drafts = self.drafts if has_own else ()
        return tuple(name for name in self.run_names if system_of_run(name) in drafts or EDITED in name)

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The queries that every measure and mean is over, whichever systems are shown: those of the queries table;
        without one, those that a run answers, an added one aside, and the judged ones."""
        if self.has("queries"):
            return tuple(self.queries["query_id"])
        added = self.added_runs
        own = np.array([name not in added for name in self.run_names], dtype=bool)
        if not own.any():
            own[:] = True
        occurs = (self.lengths[own] > 0).any(axis=0)
        return tuple(dict.fromkeys([*self.answered[occurs], *self.qrels["query_id"]]))

    def group_text(self, group: str) -> str:
        """Return `old (protected)` for the protected group, else its name."""
        return f"{group} (protected)" if group == self.protected else group

    def system_text(self, system: str) -> str:
        """Return `pl (mean of 5 draws)` for a stochastic system, else its name."""
        draws = self.draws.get(system, ())
        return f"{system} (mean of {counted(len(draws), 'draw')})" if draws else system

    def lent(self, owner: Owner) -> "Study":
        """Return the study for code of others, whose changes of tables and mappings stay with it."""
        own: dict[str, Any] = {part: getattr(self, part).copy(deep=False) for part in PARTS}
        own |= {name: dict(getattr(self, name)) for name in ("targets", "annotators", "cards", "attributes", "muted")}
        return replace(self, **own)

    def has(self, part: str) -> bool:
        """Return whether `queries`, `documents`, `runs`, `qrels` or `labels` of the study has any row."""
        return self.size(part) > 0

    def size(self, part: str) -> int:
        """Return the number of rows of a part."""
        return len(self.stored_runs if part == "runs" and self.stored_runs is not None else getattr(self, part))

    def changed(self, **fields: Any) -> "Study":
        """Return the study with other fields, as `dataclasses.replace` does, but without making the table of runs."""
        if self.stored_runs is not None:
            fields.setdefault("runs", self.stored_runs)
        return replace(self, **fields)

    # For other libraries and notebooks: a list's order is that of the tie rule. Other programs order equal scores in
    # ways of their own: ir_measures and trec_eval by falling document id, ranx by position. With keep_order, scores
    # fall by one a rank, and the order is kept.

    def to_trec(self, folder: str | Path, *, ties: Ties = "file", keep_order: bool = False) -> Path:
        """Write runs/NAME.run and qrels.txt in TREC's format to a new or empty folder, and return it.

        ties: the rule for equal scores, `file` or `trec_eval`. keep_order: whether scores are replaced by minus the
        rank. Raises FairvizError for a folder with files, and for an id with white space.
        """
        expect("folder", folder, (str, Path), "Give the path of a new folder.")
        path = expand_path(folder)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise FairvizError(f"{path} is there already", "Give the path of a new folder.")
        path.mkdir(parents=True, exist_ok=True)
        write_runs(_ordered(self.runs, ties, keep_order), path)
        write_qrels(self.qrels, path)
        return path

    def to_ir_measures(
        self, *, ties: Ties = "file", keep_order: bool = False
    ) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
        """Return the judgements and, by system, the runs as ir_measures takes them: query_id, doc_id, relevance or
        score. ties, keep_order: see `to_trec`.

        >>> import fairviz
        >>> qrels, runs = fairviz.open_study("football").to_ir_measures()
        >>> list(runs), list(runs["left"])
        (['left', 'right'], ['query_id', 'doc_id', 'score'])
        """
        lists = _ordered(self.runs, ties, keep_order)
        runs = {
            str(system): run[["query_id", "doc_id", "score"]].astype(KEYS).reset_index(drop=True)
            for system, run in lists.groupby("system", observed=True, sort=False)
        }
        return self.qrels[["query_id", "doc_id", "relevance"]].astype(KEYS), runs

    def to_ranx(self, *, ties: Ties = "file", keep_order: bool = False) -> tuple[Any, list[Any]]:
        """Return the judgements as ranx.Qrels, and the runs as a list of ranx.Run. ties, keep_order: see `to_trec`.

        Raises FairvizError without ranx.
        """
        require_package("ranx", "runs of ranx need")
        import ranx

        qrels, runs = self.to_ir_measures(ties=ties, keep_order=keep_order)
        judgements = ranx.Qrels.from_dict(_numbers(qrels, "relevance"))
        return judgements, [ranx.Run.from_dict(_numbers(run, "score"), name=system) for system, run in runs.items()]

    def to_pyterrier(self, *, ties: Ties = "file", keep_order: bool = False) -> PyTerrier:
        """Return topics, qrels, corpus and runs as PyTerrier takes them. ties, keep_order: see `to_trec`.

        >>> import fairviz
        >>> terrier = fairviz.open_study("football").to_pyterrier()
        >>> list(terrier.topics), len(terrier.corpus)
        (['qid', 'query'], 10)
        """
        names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
        qrels, runs = self.to_ir_measures(ties=ties, keep_order=keep_order)
        topics = self.queries[["query_id", "text"]].rename(columns={"query_id": "qid", "text": "query"})
        texts = topics.set_index("qid")["query"]
        tables = {}
        for system, run in runs.items():
            table = run.rename(columns=names)
            rank = table.groupby("qid", sort=False).cumcount()
            tables[system] = table.assign(rank=rank, query=table["qid"].map(texts).fillna(""))
        return PyTerrier(topics, qrels.rename(columns=names), Corpus(self.documents), tables)

    def explore(
        self, measures: str | Sequence[str] = (), settings: Any = None, *, dark: bool = False, **choices: object
    ) -> Any:
        """Return the findings of the report, for a notebook. Arguments and Raises: see `fairviz.explore`."""
        package: Any = sys.modules[__name__.partition(".")[0]]
        return package.explore(self, measures, settings, dark=dark, **choices)


def _ordered(runs: pd.DataFrame, ties: Ties, keep_order: bool) -> pd.DataFrame:
    lists = ranked(runs, ties)
    return lists.assign(score=-lists["rank"].astype("float64")) if keep_order else lists


def _numbers(table: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return {query: {document: number}}."""
    return {
        str(query): dict(zip(rows["doc_id"], rows[column].tolist(), strict=True))
        for query, rows in table.groupby("query_id", sort=False)
    }


def _card(study: Study) -> tuple[str, list[tuple[str, str]]]:
    """Return the study's name with its title, and its parts by name, each a short line."""

    def listed(names: Sequence[str], noun: str) -> str:
        """Return `2 systems: left, right`, the first few by name."""
        return counted(len(names), noun) + (f": {first_listed(names, NAMED)}" if names else "")

    documents, labels, qrels, lexicon = study.documents, study.labels, study.qrels, study.lexicon
    texts = f"{len(documents):,}, {int(documents['text'].notna().sum()):,} with text"
    words = f"; word counts of {study.word_counts.documents:,}" if study.word_counts else ""
    scale = "ordinal; " if study.scale == "ordinal" else ""
    sets = f"; attribute sets: {', '.join(study.attributes)}" if study.attributes else ""
    systems, annotators = tuple(map(study.system_text, study.systems)), tuple(labels["annotator"].drop_duplicates())
    lines = {
        "": f"{study.name}: {study.title}" if study.title else study.name,
        "queries": f"{len(study.queries):,}",
        "documents": f"{texts}{words}",
        "runs": f"{counted(study.size('runs'), 'line')} of {listed(systems, 'system')}",
        "qrels": f"{counted(len(qrels), 'judgement')} of {counted(qrels['query_id'].nunique(), 'query')}",
        "labels": f"{counted(labels['doc_id'].nunique(), 'document')} by {listed(annotators, 'annotator')}",
        "groups": f"{', '.join((study.neutral, *study.groups))}; {scale}protected: {study.protected}{sets}",
        "words": "the built-in list" if lexicon is None else f"its own list of {len(lexicon.words):,}",
        "licence": study.licence or "not stated",
        "folder": "none" if study.folder is None else f"{study.folder}{' (read only)' if study.read_only else ''}",
    }
    for name, line in lines.items():
        plain = " ".join("".join(letter if letter.isprintable() else " " for letter in line).split())
        lines[name] = plain if len(plain) <= WIDTH else f"{plain[: WIDTH - 1]}…"
    return lines.pop(""), list(lines.items())


def annotator_columns(study: Study) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the columns of the annotators that have any, by name in alphabetical order."""
    return {name: who.columns for name, who in sorted(study.annotators.items()) if who.columns}


def with_fingerprint(study: Study) -> Study:
    """Return the study with a fingerprint of its tables and of all that affects its figures."""
    digest = hashlib.sha256()
    group_settings = (study.groups, study.neutral, study.protected, sorted(study.targets.items()), study.lexicon)
    digest.update(repr((*group_settings, study.label_kind, study.annotator, sorted(study.annotators.items()))).encode())
    columns = annotator_columns(study)
    digest.update(repr(columns).encode() if columns else b"")
    digest.update(b"" if study.scale == "nominal" else study.scale.encode())
    digest.update(repr(sorted(study.attributes.items())).encode() if study.attributes else b"")
    digest.update(study.word_counts.fingerprint.encode() if study.word_counts else b"")
    for part in PARTS:
        digest.update(f"{part} {table_hash(getattr(study, part))}".encode())
    return replace(study, fingerprint=digest.hexdigest())


def table_hash(table: pd.DataFrame) -> str:
    """Return a hash of a table's columns and rows, in their order."""
    digest = hashlib.sha256(repr(list(table.columns)).encode())
    if len(table):
        digest.update(pd.util.hash_pandas_object(table, index=False).to_numpy().tobytes())
    return digest.hexdigest()


@cache
def is_reference(system: str) -> bool:
    """Return whether the system is not a contender: the relevant documents themselves, chance, or a reordering that
    sees the judgements, with or without parameters, edited by hand or not."""
    system = system.partition(EDITED)[0]
    name = system.partition("-")[0]
    return name in REFERENCES and (system == name or "=" in system)


def is_contender(system: str) -> bool:
    """Return whether the system is tested by default: neither a reference nor a list edited by hand."""
    return not is_reference(system) and EDITED not in system
