"""The tables of an audit of lists as the page shows them: numbers with intervals, a row a ranker and condition."""

import numpy as np
import pandas as pd

from fairviz.analyses.audit.listwise import ARM, ListwiseAudit, low_confidence_reason, unplaced
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.rankers.permutations import UNREAD
from fairviz.words.sentences import counted, number, p_cell, with_interval

NONE = "–"
COUNTS = {
    "answers": "answers",
    "as requested": "exact",
    "repaired": "repaired",
    "no order": "unread",
    "as shown": "identity",
    "left out": "missing",
    "twice": "double",
    "invented": "invented",
}
HEADS = {
    "P@10": "P@10",
    "P@20": "P@20",
    "ratio": "exposure ratio",
    "ratio_of_means": "ratio of means",
    "rank_gap": "ranks higher",
    "rise": "ranks risen",
    "ratio_shift": "ratio − neutral",
}


def table_cells(table: pd.DataFrame, *, windows: bool = False) -> pd.DataFrame:
    """Tables 1 and 2: a row a ranker and the attribute that its queries name, or a row a window and step."""
    rows = []
    for row in table.to_dict("records"):
        cells = {name: row[name] for name in ("value",) if name in row} | {"ranker": row["system"]}
        cells |= {"window": f"{row['window']}", "step": f"{row['step']}"} if windows else {"queries": row["attribute"]}
        columns = [name for name in HEADS if not (windows and name == "ratio_shift")]
        cells |= {"higher": _higher(row), "p": p_cell(row["p_shares_corrected"], NONE)}
        cells |= {HEADS[name]: _cell(row, name) for name in columns}
        rows.append(cells)
    return pd.DataFrame(rows)


def family_note(table: pd.DataFrame) -> str:
    """Return the family of the sign tests of a table, or that there are too few queries."""
    family = table["family"].max()
    if not family > 0:
        return f"No preference is tested: a verdict needs {FEWEST_QUERIES} queries."
    return f"{counted(int(family), 'exact sign test')}, Bonferroni."


def _higher(row: dict) -> str:
    """Return the queries on which the protected group ranks higher, of those that are not even."""
    if np.isnan(row["queries_first"]):
        return NONE
    return f"{int(row['queries_first']):,} of {int(row['queries_first'] + row['queries_other']):,}"


def _cell(row: dict, name: str) -> str:
    if np.isnan(row[name]):
        return NONE
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])


def integrity_cells(audit: ListwiseAudit) -> pd.DataFrame:
    """A row a ranker and condition: what a model's answers came to, what other rankers leave open, and for both how far
    the order at first shows in the order that came of it."""
    return pd.DataFrame([_integrity_row(row) for row in audit.integrity.to_dict("records")])


def _integrity_row(row: dict) -> dict[str, str]:
    has_answers = bool(row["answers"])
    bias = (row["position_bias"], row["position_bias_low"], row["position_bias_high"])
    cells = {"ranker": row["system"], "queries": row["attribute"]}
    cells["τ"] = NONE if np.isnan(bias[0]) else with_interval(*bias)
    cells["window"] = f"{row['window']} / {row['step']}" if has_answers else NONE
    cells |= {head: f"{row[name]:,}" if has_answers else NONE for head, name in COUNTS.items()}
    cells["first kept"] = f"{row['first_kept']:.0%} ({row['chance']:.0%})" if row["first_kept"] >= 0 else NONE
    shares = {"no place": "unranked", "tied": "tied"}
    return cells | {head: NONE if has_answers else f"{row[name]:.0%}" for head, name in shares.items()}


def reasons(audit: ListwiseAudit) -> str:
    """Why answers name no order, counted; empty where all do."""
    counts = {name: int(audit.integrity[name].sum()) for name in UNREAD}
    reasons_found = [f"{name} {count:,}" for name, count in counts.items() if count]
    return f"Answers that name no order: {', '.join(reasons_found)}." if reasons_found else ""


def doubts(audit: ListwiseAudit) -> tuple[str, ...]:
    """Return a line for each ranker and condition whose lists show little or no preference, with the reason."""
    rows = ((row, low_confidence_reason(row) or unplaced(row)) for row in audit.integrity.to_dict("records"))
    return tuple(f"{row['system']}, {row['attribute']} queries: {reason}" for row, reason in rows if reason)


def answers_of(audit: ListwiseAudit, arm: dict, query: str) -> list[dict]:
    """Return the windows of one list, in the order of requests, with the parsed answer of each."""
    answers = audit.answers[audit.answers["query_id"] == query]
    for name in ARM:
        answers = answers[answers[name] == arm[name]]
    return answers.to_dict("records")


def answer_text(row: dict) -> str:
    """Return the outcome of one answer, on one line."""
    first, last = row["start"] + 1, row["start"] + len(row["shown"])
    parts = [f"{row[name]:,} {head}" for name, head in (("missing", "left out"), ("double", "named twice"),
             ("invented", "invented")) if row[name]]  # fmt: skip
    parts += ["words around the list"] if row["around"] else []
    parts += ["the order that was shown"] if row["identity"] else []
    more = f" ({', '.join(parts)})" if parts else ""
    return f"Window {row['number']}, ranks {first} to {last}: {row['outcome']}{more}"


def by_movement(audit: ListwiseAudit, arm: dict) -> pd.DataFrame:
    """The lists of one arm, those in which the protected group moved most first: query_id, moved (mean ranks up)."""
    ranks = audit.ranks
    for name in ARM:
        ranks = ranks[ranks[name] == arm[name]]
    ours = ranks[ranks["protected"]]
    moved = (ours["before"] - ours["after"]).groupby(ours["query_id"]).mean()
    order = moved.abs().sort_values(ascending=False, kind="stable").index
    return pd.DataFrame({"query_id": order, "moved": moved.reindex(order).to_numpy()})


def move_text(moved: float) -> str:
    """`2.50 up`, `1.00 down` or `unmoved`."""
    return f"{number(abs(moved))} {'up' if moved > 0 else 'down'}" if moved else "unmoved"
