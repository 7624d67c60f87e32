"""Studies opened, made of frames, extended and saved: everything loaded, nothing chosen."""

import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, expect, use_one_of
from fairviz.study.attributes import REMEDY, SHARE, check_attributes, in_one_row, share_defects
from fairviz.study.collection_counts import FOLDER as COUNTS_FOLDER
from fairviz.study.loaders.changes import changing, locked_for_reading, mend
from fairviz.study.loaders.finding import find_files
from fairviz.study.loaders.folder import Content, read_folder
from fairviz.study.loaders.labels import DEFAULT_ANNOTATOR
from fairviz.study.loaders.metadata import FILE, Metadata
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.loaders.writing import (
    check_name,
    check_reads_back,
    write_lexicon,
    write_metadata,
    write_qrels,
    write_runs,
    write_table,
)
from fairviz.study.record import PARTS, Annotator, Study, annotator_columns, table_hash, with_fingerprint
from fairviz.study.tables import (
    DOCUMENTS,
    LABELS,
    QRELS,
    QUERIES,
    RUNS,
    SCHEMAS,
    Schema,
    conform,
    settled,
    system_of_run,
)
from fairviz.study.validation import check_fields, drop_empty_categories, map_to_groups, table_of
from fairviz.words.counting import Lexicon

_SHARED = (  # fields of Study and of Metadata
    "title", "description", "licence", "citation", "groups", "neutral", "protected", "targets", "scale", "notices",
    "drafts", "tested", "not_tested", "cards", "attributes", "muted", "claim",
)  # fmt: skip


def open_study_folder(path: str | Path) -> Study:
    """Return the study in the folder.

    Raises DataError with every bad line of every file, FairvizError for a folder without a study.
    """
    folder = Path(path)
    with locked_for_reading(folder):
        return _study_of(folder, read_folder(folder))


def _study_of(folder: Path, content: Content) -> Study:
    metadata = content.metadata
    labelling = dict.fromkeys(content.tables["labels"]["annotator"]) if "labels" in content.tables else {}
    described = {
        name: Annotator(name, *entry, columns=metadata.annotator_columns.get(name, ()))  # type: ignore[arg-type]
        for name, entry in metadata.annotators.items()
    }
    warnings = list(content.warnings)
    if metadata.annotator and metadata.annotator not in labelling and labelling:
        warnings.append(f"{FILE}: annotator names {metadata.annotator!r}, who gave no label.")
    parts: dict[str, Any] = {name: getattr(metadata, name) for name in _SHARED} | content.tables
    if content.stored_runs is not None:
        parts["runs"] = content.stored_runs
    return Study(
        name=os.fsencode(folder.resolve().name).decode("utf-8", "replace"),  # a folder's name may not be UTF-8
        **parts,
        lexicon=content.lexicon,
        word_counts=content.word_counts,
        label_kind="other" if metadata.labels == "other" else "gender",
        annotator=metadata.annotator,
        annotators={name: described.get(name, Annotator(name)) for name in [*described, *labelling]},
        warnings=tuple(warnings),
        folder=folder,
        fingerprint=content.fingerprint,
    )


def make_study(
    name: str,
    *,
    queries: Any = None,
    documents: Any = None,
    runs: Any = None,
    qrels: Any = None,
    labels: Any = None,
    lexicon: Lexicon | None = None,
    **metadata: Any,
) -> Study:
    """Return a study of tables.

    Each table is a pandas frame with the columns of its part, or what ranx, LensKit, PyTerrier, Hugging Face's datasets
    or pytrec_eval have in its place: see `fairviz.study.validation`.

    Parameters
    ----------
    name : str
        Of the study.
    queries : DataFrame, optional
        query_id, text.
    documents : DataFrame, optional
        doc_id, text, and title if there are titles.
    runs : DataFrame, sequence or mapping, optional
        system, query_id, doc_id, rank, score; several runs as a list, or as a table by system.
    qrels : DataFrame, optional
        query_id, doc_id, relevance.
    labels : DataFrame, optional
        doc_id, annotator, label.
    lexicon : Lexicon, optional
        Words with their groups; the built-in list if None.
    **metadata
        Other fields of Study, such as groups or title.

    Returns
    -------
    Study
        Of these tables.

    Raises
    ------
    FairvizError
        For a table that does not conform, an invalid field, and a label outside the groups.

    Examples
    --------
    >>> import pandas as pd
    >>> import fairviz
    >>> queries = pd.DataFrame({"query_id": ["1"], "text": ["nurse"]})
    >>> fairviz.make_study("mine", queries=queries)
    Study('mine', queries=1, documents=0, runs=0, qrels=0, labels=0)
    """
    expect("name", name, str, "Give the study a name, as text.")
    if lexicon is not None:
        expect("lexicon", lexicon, Lexicon, "Give a Lexicon, as fairviz.words.counting.parse_lexicon makes.")
    metadata = check_fields(metadata)
    value_by_part = {"queries": queries, "documents": documents, "runs": runs, "qrels": qrels, "labels": labels}
    frames = {part: table_of(part, value) for part, value in value_by_part.items() if value is not None}
    tables: dict[str, Any] = {part: conform(frame, SCHEMAS[part]) for part, frame in frames.items() if part != "labels"}
    if "runs" in tables:
        tables["runs"] = drop_empty_categories(tables["runs"])
    study = Study(name, lexicon=lexicon, **metadata)
    if "labels" in frames:
        tables["labels"] = _labels_of(study, frames["labels"])
    tables, notices = settled(tables)
    changes: dict[str, Any] = {**tables, "warnings": (*study.warnings, *notices)}
    study = replace(study, **changes)
    check_attributes(study.documents, study.attributes)
    annotators = {who: Annotator(who) for who in dict.fromkeys(study.labels["annotator"])}
    return with_fingerprint(replace(study, annotators=annotators | dict(study.annotators)))


def _labels_of(study: Study, labels: pd.DataFrame) -> pd.DataFrame:
    """Return a table of labels with the study's groups, one row for each document and annotator."""
    groups = (study.neutral, *study.groups)
    if study.label_kind != "gender":
        return conform(labels, LABELS)
    if SHARE in labels and {"doc_id", "label"} <= set(labels):  # `conform` names a missing column
        if "annotator" not in labels:
            labels = labels.assign(annotator=DEFAULT_ANNOTATOR)
        labels = map_to_groups(labels.astype(dict.fromkeys(LABELS.column_names, "str")), groups)
        for row, defect in share_defects(labels):
            document = labels["doc_id"].iloc[row]
            raise FairvizError(f"document {document!r} in the labels table: {defect}", REMEDY)
        labels = in_one_row(labels, groups)
    return map_to_groups(conform(labels, LABELS), groups)


def _settled_beside(study: Study, part: str, added: pd.DataFrame) -> tuple[pd.DataFrame, Study]:
    """Return rows for a part of the study with their ids settled, and the study with notices of that."""
    tables, notices = settled({part: added}, [getattr(study, name) for name in PARTS])
    return tables[part], replace(study, warnings=(*study.warnings, *notices)) if notices else study


def _changed(study: Study, change: str, **fields: Any) -> Study:
    """Return the study with other fields, and a fingerprint updated by the change."""
    fingerprint = hashlib.sha256(f"{study.fingerprint} + {change}".encode()).hexdigest()
    return replace(study, **fields, fingerprint=fingerprint)


def add_documents(study: Study, documents: pd.DataFrame) -> Study:
    """Return the study with more documents. Raises FairvizError for another text of an existing id."""
    remedy = "Give the new documents other ids, or open them as a study of their own."
    return _with_new_rows(study, documents, DOCUMENTS, "text for document {doc_id!r}", "documents", remedy)


def add_queries(study: Study, queries: pd.DataFrame) -> Study:
    """Return the study with more queries. Raises FairvizError for another text of an existing id."""
    remedy = "Give the new queries other ids, or open them as a study of their own."
    return _with_new_rows(study, queries, QUERIES, "text for query {query_id!r}", "queries", remedy)


def add_qrels(study: Study, qrels: pd.DataFrame) -> Study:
    """Return the study with more judgements. Raises FairvizError for another relevance of a judged document."""
    what = "relevance of document {doc_id!r} for query {query_id!r}"
    remedy = "Keep one judgement of each document for a query, or open the file in a study of its own."
    return _with_new_rows(study, qrels, QRELS, what, "judgements", remedy)


def _with_new_rows(study: Study, frame: pd.DataFrame, schema: Schema, what: str, such: str, remedy: str) -> Study:
    """Return the study with the rows whose keys it lacks. Raises FairvizError for a key that has other values there.

    what: the value of a key, whose columns stand in braces. such: the rows, in plural.
    """
    part, keys = schema.name, list(schema.key)
    added, study = _settled_beside(study, part, conform(frame, schema))
    table = getattr(study, part)
    values = [name for name in added.columns if name not in keys]
    present = table.reindex(columns=[*table.columns, *added.columns.difference(table.columns, sort=False)])
    both = added[[*keys, *values]].merge(present, on=keys, how="left", suffixes=("", "_before"), indicator=True)
    is_known = (both["_merge"] == "both").to_numpy()
    is_equal = np.ones(len(both), dtype=bool)
    for name in values:
        before, after = both[f"{name}_before"], both[name]
        is_equal &= ((before == after) | (before.isna() & after.isna())).fillna(False).to_numpy(dtype=bool)
    changed = added.loc[is_known & ~is_equal, keys]
    if len(changed):
        first = what.format(**changed.iloc[0])
        raise FairvizError(f"{study.name} has another {first} already ({len(changed):,} such {such})", remedy)
    table = pd.concat([table, added[~is_known]], ignore_index=True)
    return _changed(study, f"{part} {table_hash(added)}", **{part: table})


def add_runs(study: Study, runs: pd.DataFrame) -> Study:
    """Return the study with more systems, which are drafts: they move no value of the runs that it has of its own.

    Raises FairvizError for the name of an existing system.
    """
    added, study = _settled_beside(study, "runs", drop_empty_categories(conform(runs, RUNS)))
    names, taken = added["system"].cat.categories, {*study.systems, *study.run_names}
    existing = [run for run in names if run in taken or (system_of_run(run) in taken - set(study.draws))]
    if existing:
        raise FairvizError(
            f"{study.name} has a run {existing[0]!r} already", "Rename the file: the system takes its name."
        )
    table = stack_runs([study.runs, added]) if study.has("runs") else added
    drafts = tuple(dict.fromkeys([*study.drafts, *map(system_of_run, names)]))
    return _changed(study, f"runs {table_hash(added)}", runs=table, drafts=drafts)


def with_tested(study: Study, tested: Collection[str]) -> Study:
    """Return the study with exactly these of its systems in its tests by default."""
    usual = replace(study, tested=(), not_tested=()).contenders
    joining = tuple(name for name in study.systems if name in tested and name not in usual)
    leaving = tuple(name for name in usual if name not in tested)
    if (study.tested, study.not_tested) == (joining, leaving):
        return study
    return _changed(study, f"{joining} {leaving}", tested=joining, not_tested=leaving)


def add_labels(study: Study, labels: pd.DataFrame) -> Study:
    """Return the study with more labels. Raises FairvizError for a document that its annotator labelled before."""
    added, study = _settled_beside(study, "labels", _labels_of(study, labels))
    table = pd.concat([study.labels, added], ignore_index=True)
    repeated = table.duplicated(["doc_id", "annotator"])
    if repeated.any():
        row = table[repeated].iloc[0]
        raise FairvizError(
            f"{study.name} has a label of document {row['doc_id']!r} by {row['annotator']!r} already "
            f"({int(repeated.sum()):,} such labels)",
            "Give the new labels another name in the column annotator.",
        )
    annotators = {who: Annotator(who) for who in dict.fromkeys(added["annotator"])} | dict(study.annotators)
    return _changed(study, f"labels {table_hash(added)}", labels=table, annotators=annotators)


def with_kinds(study: Study, kinds: Mapping[str, str]) -> Study:
    """Return the study with the declared kinds of annotators, in the words of `KINDS` or `KIND_NAMES`.

    Raises FairvizError for an annotator without labels, UsageError for another kind.
    """
    names = tuple(study.labels["annotator"].drop_duplicates())
    if unknown := [name for name in kinds if name not in names]:
        remedy = use_one_of(names, unknown[0]) if names else "Add labels first."
        raise FairvizError(f"the study {study.name!r} has no annotator {unknown[0]!r}", remedy)
    declared = {name: replace(study.annotators.get(name, Annotator(name)), kind=kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    change = f"kinds {sorted((name, who.kind) for name, who in declared.items())}"
    return _changed(study, change, annotators={**study.annotators, **declared})


def with_annotators(study: Study, declared: Mapping[str, tuple[str | None, str, tuple[tuple[str, str], ...]]]) -> Study:
    """Return the study with the kinds and columns of a file of annotators, as `read_annotators` returns them; a kind
    that the file leaves open stays. Raises FairvizError where none of them gave a label."""
    names = tuple(study.labels["annotator"].drop_duplicates())
    found = {name: entry for name, entry in declared.items() if name in names}
    if not found:
        remedy = use_one_of(names, next(iter(declared), "")) if names else "Add labels first."
        raise FairvizError(f"no annotator of the file gave a label in the study {study.name!r}", remedy)
    annotators = {
        name: replace(who, columns=columns, kind=kind or who.kind)  # type: ignore[arg-type]
        for name, (kind, _, columns) in found.items()
        for who in [study.annotators.get(name, Annotator(name))]
    }
    change = f"annotators {sorted((name, who.kind, who.columns) for name, who in annotators.items())}"
    return _changed(study, change, annotators={**study.annotators, **annotators})


def save_study(study: Study, folder: str | Path) -> Path:
    """Write the study as a study folder and return its path: whole, or not at all.

    Parameters
    ----------
    study : Study
        Any study.
    folder : str or Path
        An existing folder is replaced only if this study was opened from it; its other files are kept.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    FairvizError
        For another existing folder, and for content that the files cannot represent.

    Examples
    --------
    >>> import tempfile
    >>> import fairviz
    >>> folder = fairviz.save_study(fairviz.open_study("football"), tempfile.mkdtemp() + "/mine")
    >>> fairviz.open_study(folder).systems
    ('left', 'right')
    """
    expect("study", study, Study, "Give a Study, as fairviz.open_study opens and fairviz.make_study makes.")
    expect("folder", folder, (str, Path), "Give the path of a folder.")
    folder = Path(folder)
    check_name(folder.name, "study")
    mend(folder)
    if folder.exists() and not _is_same(study, folder):
        raise FairvizError(f"{folder} exists already, and is not this study", "Save under another name, or remove it.")
    if not any(study.has(part) for part in PARTS):
        raise FairvizError(f"{study.name} is empty", "Add queries, documents, runs, qrels or labels first.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with changing(folder, lambda: find_files(folder).all) as filled:
            _write_parts(study, filled)
    except OSError as error:
        raise FairvizError(
            f"{folder} cannot be written ({error.strerror or error})", "Choose a folder that you can write, with room."
        ) from error
    return folder


def _write_parts(study: Study, folder: Path) -> None:
    """Write every part into the folder, and compare what it reads back."""
    for part in ("queries", "documents", "labels"):
        if study.has(part):
            write_table(getattr(study, part), folder, part)
    write_runs(study.runs, folder)
    write_qrels(study.qrels, folder)
    lexicon = write_lexicon(study.lexicon, folder) if study.lexicon is not None else ""
    metadata = Metadata(
        **{name: getattr(study, name) for name in _SHARED},
        lexicon="" if lexicon == "lexicon.csv" else lexicon,
        labels=study.label_kind,
        annotator=study.annotator,
        word_counts=_counts_path(study),
        annotators={
            name: (who.kind, who.description)
            for name, who in study.annotators.items()
            if who != Annotator(name) or name not in set(study.labels["annotator"])
        },
        annotator_columns=annotator_columns(study),
        systems=study.systems if list(study.systems) != sorted(study.systems) else (),
    )
    write_metadata(metadata, folder)
    check_reads_back(folder, metadata, study.lexicon, {part: getattr(study, part) for part in PARTS})


def _counts_path(study: Study) -> str:
    """Return the folder of the study's word counts for study.toml; empty without any, and for its own, which stay in
    place."""
    counts = study.word_counts
    if counts is None or counts.folder == Path(study.folder or "") / COUNTS_FOLDER:
        return ""
    return str(counts.folder.resolve())


def _is_same(study: Study, folder: Path) -> bool:
    """Return whether the study was opened from this folder, or equals its content."""
    if study.read_only or not folder.is_dir():
        return False
    if study.folder is not None and study.folder.resolve() == folder.resolve():
        return True
    try:
        return bool(study.fingerprint) and open_study_folder(folder).fingerprint == study.fingerprint
    except FairvizError:
        return False
