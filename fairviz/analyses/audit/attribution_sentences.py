"""Findings of an audit by authors' names, for each system: integrity first, then preference beyond the placebo."""

from typing import Any

import numpy as np
import pandas as pd

from fairviz.analyses.audit.attribution_tables import ANY, FEWEST_SETS, GAP, PREFERENCE, RANKS, SIZE
from fairviz.analyses.audit.integrity import NO_ORDER, readable
from fairviz.analyses.audit.judging import LOG_ODDS
from fairviz.analyses.audit.pairwise_sentences import integrity_sentence
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.evaluation.formats import one_line
from fairviz.words.sentences import counted, decimal, out_of, p_value

ERRORS_ARE_CLUSTERED = (
    "Errors are clustered by query and by set of names, as both repeat. The preference decides; gap, size and places "
    "are secondary."
)
SURE = 0.05
Row = dict[Any, Any]


def family_note(table: pd.DataFrame) -> str:
    """Return the families of the tests of the table."""
    family = int(table["family"].max()) if len(table) else 0
    if not family and ((table["queries"] >= FEWEST_QUERIES) & (table["sets"] >= FEWEST_SETS)).any():
        return "No difference is tested: the reference is alone."
    if not family:
        return f"No difference is tested: a verdict needs {FEWEST_QUERIES} queries and {FEWEST_SETS} sets of names."
    return f"Tests of each quantity: {counted(family, 'difference')}, Bonferroni."


def sentences_of(integrity: pd.DataFrame, table: pd.DataFrame, unnamed: pd.DataFrame) -> tuple[str, ...]:
    """Return the sentences, in the order of the systems."""
    sentences = []
    for row in integrity.to_dict("records"):
        name = row["system"]
        sentences.append(_integrity(row))
        if readable(row):
            sentences += [_preference(_row(table, name, PREFERENCE)), _magnitude(table, name), _unnamed(unnamed, name)]
    return tuple(filter(None, sentences))


def short_sentences(integrity: pd.DataFrame, table: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence or two for each system, without the numbers of the figure next to them."""
    sentences = []
    for row in integrity.to_dict("records"):
        phrase = _verdict(_row(table, row["system"], PREFERENCE)) if readable(row) else ""
        sentences += [_integrity(row), f"{one_line(str(row['system']))}: {phrase}" if phrase else ""]
    return tuple(filter(None, sentences))


def _integrity(row: Row) -> str:
    """Return a system's row of the integrity table in words; empty for a ranker that finds every version."""
    if row["verdict"] != NO_ORDER:
        return integrity_sentence(row)
    lost, name = row["not_found"], one_line(str(row["system"]))
    text = f"{name} finds neither version in {out_of(lost, row['pairs'], 'comparison')}; these are ties."
    return text if lost else ""


def _row(table: pd.DataFrame, system: object, quantity: str) -> Row:
    row: Row = table[(table["system"] == system) & (table["quantity"] == quantity)].to_dict("records")[0]
    return row


def _verdict(row: Row) -> str:
    """Return what the test of the preference beyond the placebo shows."""
    if np.isnan(row["p_corrected"]):
        return f"{_untested(row)}."
    if not row["p_corrected"] <= SURE:
        return "neither gender's names are significantly preferred."
    return f"{'female' if row['beyond'] > 0 else 'male'} names are preferred beyond the placebo."


def _untested(row: Row) -> str:
    """Return why a row has no test."""
    if row["queries"] < FEWEST_QUERIES:
        noun = counted(row["queries"], "query is", "queries are")
        return f"{noun} too few for a verdict, which needs {FEWEST_QUERIES}"
    if row["sets"] >= FEWEST_SETS:
        return "it is the reference, which is not tested"
    noun = counted(row["sets"], "set of names is", "sets of names are")
    return f"{noun} too few for a verdict, which needs {FEWEST_SETS}"


def _preference(row: Row) -> str:
    name = one_line(str(row["system"]))
    if not row["pairs"]:
        return f"{name}: no version has an answer."
    p = "" if np.isnan(row["p_corrected"]) else f", {p_value(row['p_corrected'])}"
    beyond = f"{100 * row['beyond']:+.1f} points{_bounds(row, 'beyond', lambda end: f'{100 * end:+.1f}')}"
    return (
        f"{name}: the female version is first in {_share(row, 'value')} of pairs. Between names of one gender it is "
        f"{_share(row, 'placebo')}. Difference: {beyond.replace('-', '−')}{p}: {_verdict(row)}"
    )


def _magnitude(table: pd.DataFrame, name: str) -> str:
    """Return by how much: the signed gap, its size against the placebo's, and places."""
    gap, size, places = (_row(table, name, quantity) for quantity in (GAP, SIZE, RANKS))
    if np.isnan(gap["value"]):
        return ""
    certain = ", not significantly different" if size["p_corrected"] > SURE else ""
    text = (
        f"{one_line(name)}: mean gap {_number(gap, 'value')} {_unit(gap)}, placebo {_number(gap, 'placebo')}; without "
        f"sign {decimal(size['value'])} against {decimal(size['placebo'])}{certain} (secondary)"
    )
    return f"{text}; {_number(places, 'value', 2)} places." if not np.isnan(places["value"]) else f"{text}."


def _unnamed(unnamed: pd.DataFrame, name: str) -> str:
    row: Row = unnamed[(unnamed["system"] == name) & (unnamed["gender"] == ANY)].to_dict("records")[0]
    if np.isnan(row["gap"]):
        return ""
    text = f"{one_line(name)}: any name against none, gap {_number(row, 'gap')} {_unit(row)}"
    return f"{text}, {_number(row, 'places', 2)} places." if not np.isnan(row["places"]) else f"{text}."


def _unit(row: Row) -> str:
    return "log-odds" if row["unit"] == LOG_ODDS else "standard deviations"


def _share(row: Row, name: str) -> str:
    return f"{row[name]:.0%}{_bounds(row, name, lambda end: f'{end:.0%}')}"


def _number(row: Row, name: str, digits: int = 3) -> str:
    value = decimal(row[name], digits, "+")
    return f"{value}{_bounds(row, name, lambda end: decimal(end, digits, '+'))}"


def _bounds(row: Row, name: str, form: Any) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if np.isnan(low) else f" ({form(low)} to {form(high)})"
