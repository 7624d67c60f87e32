"""Runs of PyTerrier's pipelines as a study; PyTerrier itself is not imported."""

from collections.abc import Mapping, Sequence
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
    remedy = "Give a list of pipelines or frames of results, or a table of them by name."
    expect("systems", systems, (list, tuple, Mapping), remedy)
    every = list(systems.values() if isinstance(systems, Mapping) else systems)
    if not every or not all(
        isinstance(one, pd.DataFrame) or callable(getattr(one, "transform", None)) for one in every
    ):
        raise UsageError(f"systems is {value_text(systems)}", remedy)
    frame = "Give a pandas DataFrame with the columns qid, query."
    expect("topics", topics, pd.DataFrame, frame)
    if not {"qid", "query"} <= set(topics.columns):
        raise UsageError("topics lacks the column qid or query", frame)
    expect("names", names, (list, tuple), "Give a list of texts.")
    expect("study", study, (Study, type(None)), A_STUDY)
    texts = list(names) or [
        f"system {place}" if isinstance(one, pd.DataFrame) else str(one) for place, one in enumerate(every, start=1)
    ]
    if isinstance(systems, Mapping):
        texts = list(systems)
    elif len(texts) != len(every) or len(set(texts)) < len(texts):
        raise UsageError(f"names is {value_text(texts)}", f"Give {len(every)} different names.")
    results = [one if isinstance(one, pd.DataFrame) else one.transform(topics) for one in every]
    runs = {name: table[["qid", "docno", "score"]] for name, table in zip(texts, results, strict=True)}
    base = study
    if base is None:
        with_text = [table[["docno", "text"]] for table in results if "text" in table.columns]
        documents = pd.concat(with_text).drop_duplicates("docno") if with_text else None
        base = make_study("experiment", documents=documents)
    parts: dict[str, Any] = {"queries": topics[["qid", "query"]], "runs": runs, "qrels": qrels}
    tables: dict[str, Any] = {
        part: conform(table_of(part, table), SCHEMAS[part]) for part, table in parts.items() if table is not None
    }
    return with_fingerprint(replace(base, **tables, drafts=(), folder=None))
