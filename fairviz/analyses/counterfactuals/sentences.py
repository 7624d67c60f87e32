"""Findings of an experiment: one sentence for each system, and one on triples of wordings."""

import numpy as np
import pandas as pd

from fairviz.comparison.pairs import no_verdict
from fairviz.evaluation.formats import one_line
from fairviz.words.sentences import counted

_PLACEBO = " Placebo edits: RBO {any} (primary), {spared} with query words spared (second)."
_PRIMARY = "as many other edits (primary placebo, RBO {any})"
_MATTERS = "{system}: gender matters. Swaps move its lists more (CRBO {crbo}) than " + _PRIMARY + "."
_LESS = "{system}: gender swaps move its lists less (CRBO {crbo}) than " + _PRIMARY + "."
_APART = "{system}: gender swaps (CRBO {crbo}) and " + _PRIMARY + " are not significantly different."
_SECOND = " Second placebo, query words spared (RBO {spared}): {second}."
_FEW = "{system}: gender swaps, CRBO {crbo}; {why}." + _PLACEBO
_FIXED = "{system}: CRBO is 1 by construction: it reads only query words, which are not swapped." + _PLACEBO
_PARTLY_FIXED = " CRBO is 1 by construction for {fixed} of {queries} queries, without swapped words."
_NOTHING = "{system}: it found no document for any query, before or after."
_DECIDED = {"gender disturbs more": _MATTERS, "gender disturbs less": _LESS, "not significantly different": _APART}


def sentence(system: str, rows: pd.DataFrame) -> str:
    """The sentence of one system from its rows of `Counterfactual.table`: the corrected paired test against the primary
    placebo decides, and the second is named beside it."""
    swap, first, second = rows.iloc[:3].to_dict("records")
    values = {
        "system": one_line(system),
        "crbo": _number(swap["value"]),
        "any": _number(first["value"]),
        "spared": _number(second["value"]),
        "queries": swap["queries"],
        "fixed": swap.get("by_construction", 0),
        "why": no_verdict(swap["queries"]),
    }
    verdicts = first["verdict"], second["verdict"]
    if np.isnan(swap["value"]):
        return _NOTHING.format(**values)
    if 0 < values["fixed"] == values["queries"]:
        return _FIXED.format(**values)
    return _compared(values, verdicts) + (_PARTLY_FIXED.format(**values) if values["fixed"] else "")


def _compared(row: dict, verdicts: tuple[str, str]) -> str:
    """Return the result of the test against the primary placebo in words, with that against the second."""
    first, second = verdicts
    if first not in _DECIDED:
        return _FEW.format(**row)
    return (_DECIDED[first] + _SECOND).format(**row, second=second if second in _DECIDED else f"no verdict, {second}")


def triples_sentence(system: str, rows: pd.DataFrame) -> str:
    """Return the wording of a document that a system prefers, in words; empty where no triple was found."""
    rows_with_share = rows[rows["share"].notna() & (rows["judged"] == "all")]
    if rows_with_share.empty:
        return ""
    shares = ", ".join(f"{row['wording']} in {_share(row)}" for row in rows_with_share.to_dict("records"))
    significant_rows = rows_with_share[(rows_with_share["p_corrected"] <= 0.05) & (rows_with_share["difference"] > 0)]
    preferred_wordings = " and the ".join(significant_rows["wording"])
    tail = (
        f"On average it scores the {preferred_wordings} one higher."
        if preferred_wordings
        else "On average it scores none significantly higher."
    )
    if rows_with_share["p_corrected"].isna().all():
        tail = f"{no_verdict(int(rows_with_share['queries'].max()))}."
    triples = int(rows_with_share["triples"].iloc[0])
    counted = "the one document" if triples == 1 else f"{triples:,} documents"
    among = rows[
        (rows["judged"] == "relevant") & (rows["wording"] == rows_with_share["wording"].iloc[0]) & rows["share"].notna()
    ]
    relevant = "".join(
        f" ({row['wording']} in {row['share']:.0%} of the relevant ones)" for row in among.to_dict("records")
    )
    return (
        f"{one_line(system)}, {counted} in three wordings, each against the mean of the others: preferred are "
        f"{shares}{relevant}. {tail}"
    )


def _share(row: dict) -> str:
    bounds = f" ({row['share_low']:.0%} to {row['share_high']:.0%})" if not np.isnan(row["share_low"]) else ""
    return f"{row['share']:.0%}{bounds}"


def replacements(counts: tuple[int, int, int], short: float) -> list[str]:
    """Return a sentence on the replacements, and one on those that the placebos lack for want of content words.

    counts: documents with text, changed documents, and words replaced.
    """
    documents, changed_documents, words = counts
    sentences = [f"{words:,} words and names replaced in {changed_documents:,} of {documents:,} documents."]
    if count := round(short):
        sentences.append(f"The placebos lack {counted(count, 'replacement')}, for want of content words.")
    return sentences


def _number(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.2f}"
