"""The tables of audits as their figures take them."""

import numpy as np
import pandas as pd

from fairviz.extensions.ranker_audits import judging
from fairviz.extensions.ranker_audits.listwise import ARM, ListwiseAudit, low_confidence_reason
from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit
from fairviz.extensions.ranker_audits.rankers.listwise import NAME as LISTED
from fairviz.extensions.ranker_audits.rankers.pairwise import NAME as ASKED

COLUMNS = ("system", "pairs", "pairs_low", "pairs_high", "lists", "lists_low", "lists_high", "doubt")
ENDS = ("", "_low", "_high")
SHARES = ("line", "group", "share", "low", "high")
GAPS = ("line", "what", "gap", "gap_low", "gap_high", "size", "unit")
NAMES = ("line", "what", "share", "low", "high")
BETWEEN, WITHIN = "female before male", "names of one gender (placebo)"
RATIOS = ("system", "attribute", "value", "low", "high")


def pairs_and_lists(pairwise: PairwiseAudit, listwise: ListwiseAudit) -> pd.DataFrame:
    """Return COLUMNS, a row for each ranker of both audits.

    pairs: the share of queries that prefer the protected group's document, of those that prefer either, over the first
    kind of pairs; lists: the share of queries whose neutral lists have the protected group's documents higher on
    average, both with the interval of their sign test. doubt: the reason, from their integrity, for which one of them
    is not a preference; empty for none, and with one the values are NaN.
    """
    neutral = listwise.by_attribute().merge(listwise.integrity, on=list(ARM))
    neutral = neutral[neutral["attribute"] == "neutral"].set_index("system")
    rows = []
    for system in pairwise.systems:
        name = system.replace(ASKED, LISTED, 1)
        if name in neutral.index:
            rows.append(_row_of_both(system, pairwise, neutral.loc[name].to_dict() | {"system": name}))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row_of_both(system: str, pairwise: PairwiseAudit, lists: dict) -> dict[str, object]:
    """Return a ranker's row of `pairs_and_lists`. lists: its row in the audit of lists, with its integrity."""
    table, integrity = pairwise.table, pairwise.integrity
    is_protected = table["group"] == pairwise.study.protected
    pairs = table[(table["system"] == system) & is_protected].iloc[0]
    checked = integrity[integrity["system"] == system].to_dict("records")[0]
    reason = judging.low_confidence_reason(checked) or low_confidence_reason(lists)
    row: dict[str, object] = {"system": system, "doubt": reason}
    for end in ENDS:
        row[f"pairs{end}"] = np.nan if reason else pairs[f"preferred{end}"]
        row[f"lists{end}"] = np.nan if reason else lists[f"preferred{end}"]
    return row


def line_name(row: dict) -> str:
    """Return a comparison of one ranker as the figures name it."""
    return f"{row['group']} / {row['other']}, {row['system']}"


def share_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Return SHARES: two rows a row of the pairwise table, one for either group, under a name for the comparison."""
    rows = []
    for row in table.to_dict("records"):
        for group, name in ((row["group"], "first"), (row["other"], "other_first")):
            share, low, high = (row[f"{name}{end}"] for end in ENDS)
            rows.append((line_name(row), group, share, low, high))
    return pd.DataFrame(rows, columns=list(SHARES))


def gap_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Return GAPS: a row a row of the pairwise table."""
    named = table.assign(line=[line_name(row) for row in table.to_dict("records")], what="gap")
    return named[list(GAPS)].reset_index(drop=True)


def name_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Return NAMES: two rows a ranker of the table by authors' names, the share in which the female version is first,
    and that of the placebo."""
    rows = []
    for row in table[table["quantity"] == "preference"].to_dict("records"):
        for what, name in ((BETWEEN, "value"), (WITHIN, "placebo")):
            rows.append((row["system"], what, *(row[f"{name}{end}"] for end in ENDS)))
    return pd.DataFrame(rows, columns=list(NAMES))


def ratio_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Return RATIOS: a row for each ranker and attribute of the table of lists, with its ratio of means."""
    columns = {"ratio_of_means": "value", "ratio_of_means_low": "low", "ratio_of_means_high": "high"}
    return table.rename(columns=columns)[list(RATIOS)]
