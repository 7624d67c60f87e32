"""Pairs against lists: what each ranker prefers in the one audit and in the other, a row a ranker."""

import numpy as np
import pandas as pd

from fairviz.analyses.audit import integrity
from fairviz.analyses.audit.list_integrity import ARM, low_confidence_reason
from fairviz.analyses.audit.listwise import ListwiseAudit
from fairviz.analyses.audit.pairwise import PairwiseAudit
from fairviz.rankers.llm_listwise import NAME as LISTED
from fairviz.rankers.llm_pairwise import NAME as ASKED

COLUMNS = ("system", "pairs", "pairs_low", "pairs_high", "lists", "lists_low", "lists_high", "doubt")
ENDS = ("", "_low", "_high")


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
            rows.append(_row(system, pairwise, neutral.loc[name].to_dict() | {"system": name}))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row(system: str, pairwise: PairwiseAudit, lists: dict) -> dict[str, object]:
    own = pairwise.table[(pairwise.table["system"] == system) & (pairwise.table["group"] == pairwise.study.protected)]
    first = own.iloc[0]
    checked = pairwise.integrity[pairwise.integrity["system"] == system].to_dict("records")[0]
    why = integrity.low_confidence_reason(checked) or low_confidence_reason(lists)
    row: dict[str, object] = {"system": system, "doubt": why}
    row |= {f"pairs{end}": np.nan if why else first[f"preferred{end}"] for end in ENDS}
    return row | {f"lists{end}": np.nan if why else lists[f"preferred{end}"] for end in ENDS}
