"""The tables of an audit by pairs as the page shows them: a row a ranker, or a ranker and comparison, as texts."""

import numpy as np
import pandas as pd

from fairviz.analyses.audit.judging import LOG_ODDS, NO_ORDER
from fairviz.words.sentences import number, p_cell, with_interval

TWICE = "in both orders"
NO_TEST = "not tested"


def integrity_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A row a ranker: what can be read, what cannot and why, and position bias."""
    rows = []
    for row in table.to_dict("records"):
        lost = [f"{row[name]:,} {name.replace('_', ' ')}" for name in
                ("unparsed", "refused", "empty", "too_long", "unanswered", "not_found") if row[name]]  # fmt: skip
        sees_order = row["verdict"] != NO_ORDER
        rows.append(
            {
                "ranker": row["system"],
                "pairs": row["pairs"],
                "answers read": f"{row['read']:,} of {row['answers']:,}" if sees_order else "scores",
                "lost or not found": ", ".join(lost) or "none",
                "named first": _percent(row, "first_named"),
                "position, log-odds": number(row["position_log_odds"]) if sees_order else "–",
                "consistent": _percent(row, "consistent"),
                "verdict": row["verdict"],
                "questions sent": row["asked_now"],
            }
        )
    return pd.DataFrame(rows)


def _percent(row: dict, name: str) -> str:
    if pd.isna(row[name]):
        return "–"
    bounds = "" if pd.isna(row[f"{name}_low"]) else f" ({row[f'{name}_low']:.0%} to {row[f'{name}_high']:.0%})"
    return f"{row[name]:.0%}{bounds}"


def share_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A row a ranker and comparison as texts."""
    rows = []
    for row in table.to_dict("records"):
        unit = "" if np.isnan(row["gap"]) else " log-odds" if row["unit"] == LOG_ODDS else " sd"
        rows.append(
            {
                "ranker": row["system"],
                "first / second": f"{row['group']} / {row['other']}",
                "prefer first": _prefer(row),
                "ratio": ratio_text(*(float(row[f"ratio{end}"]) for end in ("", "_low", "_high"))),
                "p": p_cell(row["p_shares_corrected"], NO_TEST),
                "first wins": _percent(row, "first"),
                "second wins": _percent(row, "other_first"),
                "ties": f"{row['tied_pairs']:,} of {row['judged_pairs']:,}",
                TWICE: _twice(row),
                "gap": f"{with_interval(*(row[f'gap{end}'] for end in ('', '_low', '_high')))}{unit}",
                "size": number(row["size"]),
                "p, gap (secondary)": p_cell(row["p_gap_corrected"], NO_TEST),
                "queries": row["queries"],
            }
        )
    cells = pd.DataFrame(rows)
    return cells.drop(columns=TWICE) if (cells[TWICE] == "–").all() else cells


def _prefer(row: dict) -> str:
    """Return the queries that prefer the first, of those that prefer either.

    >>> _prefer({"queries_first": 12, "queries_other": 30})
    '12 of 42'
    """
    return f"{row['queries_first']:,} of {row['queries_first'] + row['queries_other']:,}"


def _twice(row: dict) -> str:
    """Return the shares in which either document wins in both orders, and their ratio; a dash for a ranker with scores.

    >>> _twice({"unit": "log-odds", "first_twice": 0.2, "other_twice": 0.4, "ratio_twice": 0.5})
    '20% / 40% = 0.50'
    """
    if row["unit"] != LOG_ODDS or np.isnan(row["first_twice"]):
        return "–"
    shares, ratio = f"{row['first_twice']:.0%} / {row['other_twice']:.0%}", float(row["ratio_twice"])
    return shares if np.isnan(ratio) else f"{shares} = {ratio_text(ratio, np.nan, np.nan)}"


def ratio_text(value: float, low: float, high: float) -> str:
    """A ratio with its interval, either of which may be without end.

    >>> ratio_text(5.0, 1.0, float("inf")), ratio_text(float("nan"), float("nan"), float("nan"))
    ('5.00 [1.00, ∞]', 'undefined')
    """
    texts = ["undefined" if np.isnan(one) else "∞" if np.isinf(one) else f"{one:.2f}" for one in (value, low, high)]
    return texts[0] if np.isnan(low) else f"{texts[0]} [{texts[1]}, {texts[2]}]"
