"""The calculation of a value: the formula, and a row for each part with its numbers inserted.

Next to the numbers is the waterfall: each bar begins at the end of the one above. It is HTML, which a browser redraws
faster than a chart.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from fairviz.evaluation.contributions import Anatomy
from fairviz.figures.style import Theme
from fairviz.figures.waterfall import FALLING, MOST_BARS, RISING
from fairviz.ui.kit.html import escape
from fairviz.words.sentences import counted
from fairviz.words.sentences import significant as number

WORDS = 3  # words of a document that are shown; the table contains all


class Step(NamedTuple):
    """One bar: its name, its calculation, its contribution, and the query that a click opens."""

    name: str
    text: str
    value: float
    query: str = ""


def steps(anatomy: Anatomy) -> list[Step]:
    """Return the parts in the table's order, the words of a document as one. Of more than MOST_BARS the largest in
    size, and the rest as one. Empty for an undefined value."""
    if np.isnan(anatomy.total):
        return []
    if "word" in anatomy.table:
        parts = [_document_step(words, anatomy.column) for _, words in _by_rank(anatomy.table)]
    elif anatomy.query is None:
        parts = [_query_step(row) for _, row in anatomy.table.dropna(subset=[anatomy.column]).iterrows()]
    else:
        parts = [_rank_step(row, anatomy.column) for _, row in anatomy.table.iterrows()]
    if len(parts) <= MOST_BARS:
        return parts
    places = sorted(np.argsort([-abs(step.value) for step in parts], kind="stable")[: MOST_BARS - 1].tolist())
    rest_value = sum(step.value for place, step in enumerate(parts) if place not in set(places))
    rest_step = Step(f"{len(parts) - len(places):,} others", "the rest, together", rest_value)
    return [*(parts[place] for place in places), rest_step]


def _by_rank(table: pd.DataFrame):
    return table.assign(rank=table["rank"].fillna(0)).groupby("rank", sort=True)


def _document_step(words: pd.DataFrame, column: str) -> Step:
    """Return the step of a document: the words of the largest contributions, each with its calculation."""
    first = words.iloc[0]
    value = float(words[column].sum())
    if not first["rank"]:
        return Step("constant", str(first["formula"]), value)
    largest = words.iloc[np.argsort(-words[column].abs().to_numpy(), kind="stable")[:WORDS]]
    word_texts = [
        f"“{row['word']}” {row['formula']}" if isinstance(row["word"], str) else str(row["formula"])
        for _, row in largest.iterrows()
    ]
    rest_texts = [f"and {counted(len(words) - WORDS, 'more word')}"] if len(words) > WORDS else []
    return Step(f"{int(first['rank'])} {_name(first['doc_id'])}", "\n".join([*word_texts, *rest_texts]), value)


def _query_step(row: pd.Series) -> Step:
    baseline_text = f" minus {number(row['value_against'])}" if "value_against" in row else ""
    name = str(row["query_id"])
    return Step(name, f"{number(row['value'])}{baseline_text}", float(row["contribution"]), name)


def _rank_step(row: pd.Series, column: str) -> Step:
    name = "constant" if pd.isna(row["rank"]) else f"{int(row['rank'])} {_name(row['doc_id'])}"
    text = str(row.get("formula", ""))
    if "doc_id_against" in row:
        text = f"{number(row['value'])} minus {number(row['value_against'])} of {_name(row['doc_id_against'])}"
    return Step(name, text, float(row[column]))


def _name(document: object) -> str:
    return document if isinstance(document, str) else "no document"


def steps_html(anatomy: Anatomy, theme: Theme, queries: Sequence[str] = ()) -> str:
    """Return the sum as HTML with escaped data. queries: those that a click can open, identified by their positions
    here."""
    terms = ", ".join(
        f"{escape(name)} = {number(value)}" for name, value in anatomy.terms.items() if not np.isnan(value)
    )
    formula_html = f'<div class="fv-formula">{escape(anatomy.formula)}{f"<br>{terms}" if terms else ""}</div>'
    head = f"<b>{escape(anatomy.heading)}</b>{formula_html}"
    parts = steps(anatomy)
    if not parts:
        reason = (
            str(anatomy.table["formula"].iloc[0]) if "formula" in anatomy.table and len(anatomy.table) else "undefined"
        )
        return f'<div>{head}<p class="fv-quiet">{escape(reason)}</p></div>'
    places = {name: place for place, name in enumerate(queries)}
    sums = np.cumsum([0.0, *(step.value for step in parts)])
    low, high = float(sums.min()), float(sums.max())
    rows = [
        _row(step, float(before), low, high, places.get(step.query))
        for step, before in zip(parts, sums[:-1], strict=True)
    ]  # fmt: skip
    name = "the difference" if len(anatomy.systems) > 1 else "the value"
    rows.append(_row(Step(name, "", anatomy.total), 0.0, low, high, None))
    kind = "fv-steps fv-worded" if "word" in anatomy.table else "fv-steps"
    return f'<div style="{bar_colours(theme)}">{head}<table class="{kind}">{"".join(rows)}</table></div>'


def _row(step: Step, before: float, low: float, high: float, place: int | None) -> str:
    """Return a row with a bar from the sum before it to the sum after it. low, high: the ends of all bars."""
    bar = bar_html(before, step.value, low, high)
    attribute = "" if place is None else f' data-query="{place}"'
    name = escape(step.name) if place is None else f'<button type="button">{escape(step.name)}</button>'
    text = "<br>".join(escape(line) for line in step.text.split("\n"))
    value = f'<td data-value="{step.value!r}">{signed(step.value)}</td>'
    return f"<tr{attribute}><td>{name}</td><td>{text}</td><td>{bar}</td>{value}</tr>"


def bar_html(before: float, value: float, low: float, high: float) -> str:
    """Return the bar of a value that is added to the sum before it, with the line at 0. low, high: the ends of all
    bars."""
    span = high - low or 1.0
    left, right = (100 * (end - low) / span for end in sorted((before, before + value)))
    kind = "up" if value > 0 else "down" if value < 0 else "none"
    zero = 100 * (0 - low) / span
    return (
        f'<div class="fv-bar"><i style="left:{zero:.2f}%"></i>'
        f'<b class="fv-{kind}" style="left:{left:.2f}%;width:{right - left:.2f}%"></b></div>'
    )


def bar_colours(theme: Theme) -> str:
    """Return the CSS variables of the bars' colours."""
    return f"--muted:{theme.muted};--up:{RISING[theme.dark]};--down:{FALLING[theme.dark]};--line:{theme.grid}"


def signed(value: float) -> str:
    """Return a number for formulas with its sign."""
    return f"+{number(value)}" if value > 0 and number(value) != "0" else number(value)
