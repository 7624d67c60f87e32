"""The columns of tables of what moved most between two systems, and the parts of their rows."""

from collections.abc import Iterable

import numpy as np

from fairviz.measures.rankings import Rankings

QUERY_COLUMNS = ("condition", "query_id", "text", "cutoff", "baseline_value", "value", "difference", "share")
DOCUMENT_COLUMNS = ("condition", "query_id", "doc_id", "rank_before", "rank_after", "attention", "label", "text")
SNIPPET = 160  # characters of a document


def has_one_list_each(rankings: Rankings, systems: Iterable[str]) -> bool:
    """Return whether each system has one list a query; a stochastic one has as many as draws."""
    return all(len(rankings.rows_of(name)) == 1 for name in systems)


def ranks_of(rankings: Rankings, system: str, query: str) -> dict[int, int]:
    """The rank of each document, by its place in doc_ids."""
    if query not in rankings.queries:
        return {}
    listed = rankings.documents[:, rankings.row_of(system), rankings.queries.index(query)]
    return {int(code): rank for rank, code in enumerate(listed, start=1) if code >= 0}


def attention(weights: np.ndarray, rank: int | None) -> float:
    """Return the weight of a rank, 0 beyond the last of the weights and without a rank."""
    return float(weights[rank - 1]) if rank is not None and rank <= len(weights) else 0.0


def snippet(text: object) -> str:
    """Return the beginning of a document's text, empty for what is not a text."""
    if not isinstance(text, str):
        return ""
    return text if len(text) <= SNIPPET else f"{text[: SNIPPET - 1]}…"
