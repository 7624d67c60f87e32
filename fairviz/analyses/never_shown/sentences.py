"""Sentences on the documents that are never shown."""

from collections.abc import Sequence

import pandas as pd

from fairviz.analyses.never_shown.answer import NeverShown
from fairviz.analyses.never_shown.pools import NOUNS
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.words.sentences import counted, first_listed

MOST_NAMES = 3


def sentences(answer: NeverShown) -> list[str]:
    """Return a sentence for each two gender groups: the systems whose shares of never shown documents differ."""
    noun = NOUNS[answer.documents]
    table = answer.differences[answer.differences["other"] != answer.study.neutral]
    if not len(table):
        return [f"Fewer than two gender groups have {noun}: no shares are compared."]
    return [
        _sentence(f"{group} − {other}", rows, noun, answer.pool.cutoff)
        for (group, other), rows in table.groupby(["group", "other"], sort=False)
    ]


def _sentence(pair: str, rows: pd.DataFrame, noun: str, cutoff: int) -> str:
    queries = int(rows["queries"].max())
    if queries < FEWEST_QUERIES:
        needed = f"a comparison needs {FEWEST_QUERIES}"
        return f"{pair}: only {counted(queries, 'query has', 'queries have')} {noun} of the rarer group, {needed}."
    above, below = (_named(rows.loc[flags, "system"].tolist()) for flags in (rows["ci_low"] > 0, rows["ci_high"] < 0))
    start = f"{noun.capitalize()} never shown within {cutoff}, {pair}"
    return f"{start}: above 0 for {above}, below 0 for {below} ({counted(len(rows), 'system')})."


def _named(names: Sequence[str]) -> str:
    return first_listed(names, MOST_NAMES) if names else "none"


def notes(answer: NeverShown) -> list[str]:
    """Return notes on the documents without a label, and on the intervals."""
    noun, total = NOUNS[answer.documents], len(answer.pool.doc_ids)
    lines = []
    if answer.unlabelled:
        lines.append(f"Without a label, and in no group: {answer.unlabelled:,} of {total:,} {noun}.")
    return [*lines, "Each interval is of one system and uncorrected; documents of a query are one cluster."]
