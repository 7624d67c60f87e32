"""The tables of an audit by authors' names as the page shows them, as texts."""

import pandas as pd

from fairviz.analyses.audit.judging import LOG_ODDS
from fairviz.ui.audit.pair_cells import NO_TEST
from fairviz.words.sentences import p_cell, with_interval

TEXTS = {
    "preference": "female version first", "gap": "gap", "size": "size, |gap|", "places": "places",
    "places_size": "size, |places|",
}  # fmt: skip
UNITS = {LOG_ODDS: "log-odds", "standard deviations": "sd", "share": "share", "places": "places"}
ENDS = ("", "_low", "_high")


def name_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A row a ranker and quantity as texts; without quantities that a ranker has no value of."""
    return pd.DataFrame(
        [
            {
                "ranker": row["system"],
                "quantity": TEXTS[row["quantity"]],
                "unit": UNITS[row["unit"]],
                "between genders": _interval(row, "value"),
                "placebo": _interval(row, "placebo"),
                "beyond": _interval(row, "beyond"),
                "p": p_cell(row["p_corrected"], NO_TEST),
                "queries": row["queries"],
                "sets of names": row["sets"],
                "pairs": row["pairs"],
            }
            for row in table[table["value"].notna()].to_dict("records")
        ]
    )


def unnamed_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A row a ranker and gender of the names as texts."""
    return pd.DataFrame(
        [
            {
                "ranker": row["system"],
                "names": row["gender"],
                "named version first": _interval(row, "named_first"),
                "gap": f"{_interval(row, 'gap')} {UNITS[row['unit']]}",
                "places": _interval(row, "places"),
            }
            for row in table.to_dict("records")
        ]
    )


def _interval(row: dict, name: str) -> str:
    return with_interval(*(row[f"{name}{end}"] for end in ENDS))
