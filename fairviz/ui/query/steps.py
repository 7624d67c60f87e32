"""A value worked out on the page: the formula, and below it each rank with its numbers put in, as one would by hand."""

import numpy as np
import pandas as pd

from fairviz.evaluation.contributions import Anatomy
from fairviz.figures.style import Theme
from fairviz.measures.contributions import number
from fairviz.ui.kit.html import escape

MOST = 12  # rows that are written out; the table holds all
RANK, QUERY = "rank", "query_id"


def steps_html(found: Anatomy, theme: Theme) -> str:
    """The sum written out as HTML, everything from data escaped."""
    rows = _rows(found)
    told = "".join(f"<tr><td>{a}</td><td>{b}</td><td>{c}</td></tr>" for a, b, c in rows[:MOST])
    more = (
        f"<tr><td></td><td>and {len(rows) - MOST:,} more, in the table</td><td></td></tr>" if len(rows) > MOST else ""
    )
    terms = ", ".join(f"{escape(name)} = {number(value)}" for name, value in found.terms.items() if not np.isnan(value))
    total = "undefined" if np.isnan(found.total) else number(found.total)
    said = f'<div class="fv-formula"><b>{escape(found.formula)}</b>{f" &nbsp; {terms}" if terms else ""}</div>'
    name = f"{found.measure}{' difference' if len(found.systems) > 1 else ''}"
    last = f"<tr><td></td><td>{escape(name)}</td><td>{total}</td></tr>"
    return f'<div style="--muted:{theme.muted}">{said}<table class="fv-steps">{told}{more}{last}</table></div>'


def _rows(found: Anatomy) -> list[tuple[str, str, str]]:
    """What each part is called, its numbers, and what it adds, as HTML."""
    if "word" in found.table:
        order = np.argsort(-found.table[found.column].abs().to_numpy(), kind="stable")
        return [_of_word(row) for _, row in found.table.iloc[order].iterrows()]
    if found.query is None:
        return [_of_query(row) for _, row in found.table.dropna(subset=[found.column]).iterrows()]
    return [_of_rank(row, found.column) for _, row in found.table.iterrows()]


def _of_rank(row: pd.Series, column: str) -> tuple[str, str, str]:
    named = "constant" if pd.isna(row[RANK]) else f"{int(row[RANK])} {escape(_name(row['doc_id']))}"
    if "doc_id_against" in row:
        said = f"{number(row['value'])} less {number(row['value_against'])} of {escape(_name(row['doc_id_against']))}"
        return named, said, number(row[column])
    return named, escape(row["formula"]), number(row[column])


def _of_word(row: pd.Series) -> tuple[str, str, str]:
    if pd.isna(row[RANK]):
        return "constant", escape(row["formula"]), number(row["value"])
    word = f"“{escape(row['word'])}”" if isinstance(row["word"], str) else "no word"
    return f"{int(row[RANK])} {escape(_name(row['doc_id']))} {word}", escape(row["formula"]), number(row["value"])


def _of_query(row: pd.Series) -> tuple[str, str, str]:
    against = f" less {number(row['value_against'])}" if "value_against" in row else ""
    return escape(row[QUERY]), f"{number(row['value'])}{against}", number(row["contribution"])


def _name(document: object) -> str:
    return document if isinstance(document, str) else "no document"
