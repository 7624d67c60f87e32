"""A value worked out on the page: the formula, and a row for each part with its numbers put in, as one would by hand.

Beside the numbers stands the waterfall: each bar begins where the one above it ends. HTML and no chart: from one query
to the next a browser redraws it at once.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from fairviz.evaluation.contributions import Anatomy
from fairviz.figures.style import Theme
from fairviz.figures.waterfall import FALLING, MOST_BARS, RISING
from fairviz.measures.contributions import number
from fairviz.ui.kit.html import escape

WORDS = 3  # of a document that are written out; the table holds all


class Step(NamedTuple):
    """One bar: what it is called, its numbers, what it adds, and the query that a click opens."""

    name: str
    said: str
    value: float
    query: str = ""


def steps(found: Anatomy) -> list[Step]:
    """The parts in the table's order; a document's words together. Of more than MOST_BARS those that add or take most,
    and the rest as one. Empty where the value is undefined."""
    if np.isnan(found.total):
        return []
    if "word" in found.table:
        made = [_of_document(words, found.column) for _, words in _by_rank(found.table)]
    elif found.query is None:
        made = [_of_query(row) for _, row in found.table.dropna(subset=[found.column]).iterrows()]
    else:
        made = [_of_rank(row, found.column) for _, row in found.table.iterrows()]
    if len(made) <= MOST_BARS:
        return made
    kept = sorted(np.argsort([-abs(step.value) for step in made], kind="stable")[: MOST_BARS - 1].tolist())
    rest = sum(step.value for place, step in enumerate(made) if place not in set(kept))
    others = Step(f"{len(made) - len(kept):,} others", "the rest, together", rest)
    return [*(made[place] for place in kept), others]


def _by_rank(table: pd.DataFrame):
    return table.assign(rank=table["rank"].fillna(0)).groupby("rank", sort=True)


def _of_document(words: pd.DataFrame, column: str) -> Step:
    """The words that add or take most, each with its numbers."""
    first = words.iloc[0]
    value = float(words[column].sum())
    if not first["rank"]:
        return Step("constant", str(first["formula"]), value)
    most = words.iloc[np.argsort(-words[column].abs().to_numpy(), kind="stable")[:WORDS]]
    said = [
        f"“{row['word']}” {row['formula']}" if isinstance(row["word"], str) else str(row["formula"])
        for _, row in most.iterrows()
    ]
    more = [_more(len(words) - WORDS)] if len(words) > WORDS else []
    return Step(f"{int(first['rank'])} {_name(first['doc_id'])}", "\n".join([*said, *more]), value)


def _more(count: int) -> str:
    return f"and {count:,} more word{'' if count == 1 else 's'}"


def _of_query(row: pd.Series) -> Step:
    against = f" less {number(row['value_against'])}" if "value_against" in row else ""
    name = str(row["query_id"])
    return Step(name, f"{number(row['value'])}{against}", float(row["contribution"]), name)


def _of_rank(row: pd.Series, column: str) -> Step:
    named = "constant" if pd.isna(row["rank"]) else f"{int(row['rank'])} {_name(row['doc_id'])}"
    said = str(row.get("formula", ""))
    if "doc_id_against" in row:
        said = f"{number(row['value'])} less {number(row['value_against'])} of {_name(row['doc_id_against'])}"
    return Step(named, said, float(row[column]))


def _name(document: object) -> str:
    return document if isinstance(document, str) else "no document"


def steps_html(found: Anatomy, theme: Theme, queries: Sequence[str] = ()) -> str:
    """The sum written out and drawn as HTML, everything from data escaped. queries: those that a click can open, which
    are called by their places here."""
    terms = ", ".join(f"{escape(name)} = {number(value)}" for name, value in found.terms.items() if not np.isnan(value))
    said = f'<div class="fv-formula">{escape(found.formula)}{f"<br>{terms}" if terms else ""}</div>'
    head = f"<b>{escape(found.heading)}</b>{said}"
    made = steps(found)
    if not made:
        why = str(found.table["formula"].iloc[0]) if "formula" in found.table and len(found.table) else "undefined"
        return f'<div>{head}<p class="fv-quiet">{escape(why)}</p></div>'
    known = {name: place for place, name in enumerate(queries)}
    sums = np.cumsum([0.0, *(step.value for step in made)])
    low, high = float(sums.min()), float(sums.max())
    rows = [
        _row(step, float(before), low, high, known.get(step.query))
        for step, before in zip(made, sums[:-1], strict=True)
    ]  # fmt: skip
    name = "the difference" if len(found.systems) > 1 else "the value"
    rows.append(_row(Step(name, "", found.total), 0.0, low, high, None))
    style = f"--muted:{theme.muted};--up:{RISING[theme.dark]};--down:{FALLING[theme.dark]};--line:{theme.grid}"
    kind = "fv-steps fv-worded" if "word" in found.table else "fv-steps"
    return f'<div style="{style}">{head}<table class="{kind}">{"".join(rows)}</table></div>'


def _row(step: Step, before: float, low: float, high: float, place: int | None) -> str:
    """A bar from the sum before it to the sum after it, between the ends of all."""
    span = high - low or 1.0
    ends = sorted((before, before + step.value))
    left, right = (100 * (end - low) / span for end in ends)
    kind = "up" if step.value > 0 else "down" if step.value < 0 else "none"
    zero = 100 * (0 - low) / span
    bar = (
        f'<div class="fv-bar"><i style="left:{zero:.2f}%"></i>'
        f'<b class="fv-{kind}" style="left:{left:.2f}%;width:{right - left:.2f}%"></b></div>'
    )
    opens = "" if place is None else f' data-query="{place}"'
    name = escape(step.name) if place is None else f'<button type="button">{escape(step.name)}</button>'
    said = "<br>".join(escape(line) for line in step.said.split("\n"))
    value = f'<td data-value="{step.value!r}">{_signed(step.value)}</td>'
    return f"<tr{opens}><td>{name}</td><td>{said}</td><td>{bar}</td>{value}</tr>"


def _signed(value: float) -> str:
    return number(value) if value <= 0 else f"+{number(value)}"
