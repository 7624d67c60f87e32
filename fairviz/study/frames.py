"""Tables of a study from objects of other libraries: frames, rows of datasets, runs and judgements.

Read are pandas frames, objects with `to_pandas` (Hugging Face datasets, Arrow, Polars), `to_dataframe` (ranx) or
`to_df` (LensKit), {query: {document: number}}, and for runs several of these, by system or each with a `name`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fairviz.errors import UsageError, value_text
from fairviz.normal_form import normal_form
from fairviz.study.tables import SCHEMAS

METHODS = ("to_pandas", "to_dataframe", "to_df")
QUERY = ("query_id", "qid", "q_id", "query-id", "user_id")
DOCUMENT = ("doc_id", "docno", "docid", "corpus-id", "item_id")
NAMES: dict[str, dict[str, tuple[str, ...]]] = {  # columns of other libraries, the first of a row that is there
    "queries": {"query_id": (*QUERY, "_id", "id"), "text": ("text", "query")},
    "documents": {"doc_id": (*DOCUMENT, "_id", "id"), "text": ("text", "body", "contents")},
    "runs": {"query_id": QUERY, "doc_id": DOCUMENT},
    "qrels": {"query_id": QUERY, "doc_id": DOCUMENT, "relevance": ("relevance", "label", "score", "rating")},
    "labels": {"doc_id": (*DOCUMENT, "_id", "id")},
}
SYSTEM = "run"  # of a run without a name


def table_of(part: str, value: Any) -> pd.DataFrame:
    """Return the value as a frame with this part's columns. Raises UsageError, with the part's name, for no table."""
    return _with_ranks(_runs(value)) if part == "runs" else _frame(part, value)


def _runs(value: Any) -> pd.DataFrame:
    """Return the runs of one system or of several, which keep their order here."""
    if isinstance(value, Mapping) and value and not _is_results(value):
        names = [normal_form(str(name)) for name in value]
        if repeated := [name for place, name in enumerate(names) if name in names[:place]]:
            raise UsageError(f"two runs are called {repeated[0]!r}", "Give each run a name of its own.")
        frames = [_frame("runs", run).assign(system=name) for name, run in zip(names, value.values(), strict=True)]
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        frames = [_named(run) for run in value]
    else:
        return _named(value)
    runs = pd.concat(frames)
    systems = runs["system"].astype("str")
    return runs.assign(system=pd.Categorical(systems, systems.unique()))


def _named(run: Any) -> pd.DataFrame:
    """Return a run with a system: its own column, or its name."""
    frame = _frame("runs", run)
    return frame if "system" in frame else frame.assign(system=str(getattr(run, "name", None) or SYSTEM))


def _with_ranks(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with a rank and a score: without a rank by falling score, tied rows in their order; without a score,
    minus the rank."""
    if "rank" not in runs and {"system", "query_id", "score"} <= set(runs):
        order = runs.reset_index(drop=True)
        order = order.sort_values("score", ascending=False, kind="stable")
        rank = order.groupby(["system", "query_id"], sort=False, observed=True).cumcount() + 1
        return order.assign(rank=rank).sort_index()
    return runs.assign(score=-runs["rank"].astype(float)) if "rank" in runs and "score" not in runs else runs


def _frame(part: str, value: Any) -> pd.DataFrame:
    columns = ", ".join(SCHEMAS[part].column_names)
    if _is_results(value):
        rows = [(query, name, number) for query, numbers in value.items() for name, number in numbers.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance" if part == "qrels" else "score"])
    method = next((name for name in METHODS if callable(getattr(value, name, None))), "")
    frame = value if isinstance(value, pd.DataFrame) else getattr(value, method)() if method else None
    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"{part} is {value_text(value)}", f"Give a pandas DataFrame with the columns {columns}.")
    return frame.rename(columns=_renamed(part, frame))


def _renamed(part: str, frame: pd.DataFrame) -> dict[str, str]:
    """Return the names of columns to change: for each of the part's columns that the frame lacks, the first there."""
    names: dict[str, str] = {}
    for column, others in NAMES[part].items():
        old_name = next((name for name in others if name in frame.columns), column)
        if column not in frame.columns and old_name not in SCHEMAS[part].column_names:
            names[old_name] = column
    return names


def _is_results(value: Any) -> bool:
    """Return whether this is {query: {document: number}}."""
    return (
        isinstance(value, Mapping)
        and all(isinstance(numbers, Mapping) for numbers in value.values())
        and all(
            not isinstance(number, Mapping) and not hasattr(number, "columns")
            for numbers in value.values()
            for number in list(numbers.values())[:1]
        )
    )
