"""Runs of PyTerrier's pipelines as a study; PyTerrier itself is not imported."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from fairviz.errors import UsageError, expect, value_text
from fairviz.study.record import A_STUDY, Study, with_fingerprint
from fairviz.study.study import make_study
from fairviz.study.tables import SCHEMAS, conform
from fairviz.study.validation import table_of


def from_experiment(
    systems: Sequence[Any] | Mapping[str, Any],
    topics: pd.DataFrame,
    qrels: pd.DataFrame | None = None,
    *,
    names: Sequence[str] = (),
    study: Study | None = None,
) -> Study:
    """Return a study of the runs of pipelines, as pt.Experiment takes them: transformers, or frames of results.

    Parameters
    ----------
    systems : sequence or mapping
        Transformers or frames of results (qid, docno, rank, score), in a list or by name.
    topics : DataFrame
        With the columns qid and query.
    qrels : DataFrame, optional
        With the columns qid, docno and label.
    names : sequence of str
        Of the systems in a list; by default their own texts.
    study : Study, optional
        Whose labels, documents and other fields are kept; by default the new study has the documents' `text` that the
        results have.

    Returns
    -------
    Study
        With a run for each system.

    Raises
    ------
    UsageError
        For names that are not one for each system.
    FairvizError
        For results without documents.

    Examples
    --------
    >>> import fairviz
    >>> parts = fairviz.open_study("football").to_pyterrier()
    >>> fairviz.from_experiment([parts.runs["left"]], parts.topics, names=["mine"]).systems
    ('mine',)
    """
    _check(systems, topics, names, study)
    named = dict(systems) if isinstance(systems, Mapping) else _with_names(systems, names)
    results = {name: one if isinstance(one, pd.DataFrame) else one.transform(topics) for name, one in named.items()}
    runs = {name: table[["qid", "docno", "score"]] for name, table in results.items()}
    base = study if study is not None else make_study("experiment", documents=_texts(results.values()))
    parts: dict[str, Any] = {"queries": topics[["qid", "query"]], "runs": runs, "qrels": qrels}
    tables: dict[str, Any] = {
        part: conform(table_of(part, table), SCHEMAS[part]) for part, table in parts.items() if table is not None
    }
    return with_fingerprint(replace(base, **tables, drafts=(), folder=None))


def _check(systems: Any, topics: Any, names: object, study: object) -> None:
    """Raise UsageError for arguments of another kind."""
    remedy = "Give a list of pipelines or frames of results, or a table of them by name."
    expect("systems", systems, (list, tuple, Mapping), remedy)
    every = list(systems.values() if isinstance(systems, Mapping) else systems)
    if not every or not all(map(_is_system, every)):
        raise UsageError(f"systems is {value_text(systems)}", remedy)
    frame = "Give a pandas DataFrame with the columns qid, query."
    expect("topics", topics, pd.DataFrame, frame)
    if not {"qid", "query"} <= set(topics.columns):
        raise UsageError("topics lacks the column qid or query", frame)
    expect("names", names, (list, tuple), "Give a list of texts.")
    expect("study", study, (Study, type(None)), A_STUDY)


def _is_system(one: object) -> bool:
    return isinstance(one, pd.DataFrame) or callable(getattr(one, "transform", None))


def _with_names(systems: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the systems by name. Raises UsageError for too few names and for one that is given twice."""
    texts = list(names) or [_name(system, place) for place, system in enumerate(systems, start=1)]
    if len(texts) != len(systems) or len(set(texts)) < len(texts):
        raise UsageError(f"names is {value_text(texts)}", f"Give {len(systems)} different names.")
    return dict(zip(texts, systems, strict=True))


def _name(system: Any, place: int) -> str:
    return f"system {place}" if isinstance(system, pd.DataFrame) else str(system)


def _texts(results: Iterable[pd.DataFrame]) -> pd.DataFrame | None:
    """Return the documents of results that have their text; None without any."""
    parts = [table[["docno", "text"]] for table in results if "text" in table.columns]
    return pd.concat(parts).drop_duplicates("docno") if parts else None
