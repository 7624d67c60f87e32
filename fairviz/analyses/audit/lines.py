"""The tables of an audit as its figures take them: a line a comparison, with what is drawn on it."""

import pandas as pd

SHARES = ("line", "group", "share", "low", "high")
GAPS = ("line", "what", "gap", "gap_low", "gap_high", "size", "unit")
RATIOS = ("system", "attribute", "value", "low", "high")


def line_name(row: dict) -> str:
    """A comparison of one ranker as the figures name it."""
    return f"{row['group']} / {row['other']}, {row['system']}"


def share_lines(table: pd.DataFrame) -> pd.DataFrame:
    """SHARES: two rows a row of the pairwise table, one for either group, under a name for the comparison."""
    rows = []
    for row in table.to_dict("records"):
        for group, name in ((row["group"], "first"), (row["other"], "other_first")):
            share, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
            rows.append((line_name(row), group, share, low, high))
    return pd.DataFrame(rows, columns=list(SHARES))


def gap_lines(table: pd.DataFrame) -> pd.DataFrame:
    """GAPS: a row a row of the pairwise table."""
    named = table.assign(line=[line_name(row) for row in table.to_dict("records")], what="gap")
    return named[list(GAPS)].reset_index(drop=True)


def ratio_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Return RATIOS: a row for each ranker and attribute of the table of lists, with its ratio of means."""
    columns = {"ratio_of_means": "value", "ratio_of_means_low": "low", "ratio_of_means_high": "high"}
    return table.rename(columns=columns)[list(RATIOS)]
