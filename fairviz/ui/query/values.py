"""The values of a query as HTML, which a browser redraws faster than a chart: the calculation step by step, the bars
beside the lists, and the query among all in every measure."""

import base64
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from fairviz.evaluation.contributions import Anatomy
from fairviz.figures.cutoff_curve import CHANCE
from fairviz.figures.strip import Strip, marks
from fairviz.figures.style import SMALL, SystemStyle, Theme, path_of
from fairviz.figures.waterfall import FALLING, MOST_BARS, RISING
from fairviz.statistics.orders import largest_first
from fairviz.ui.kit.html import escape
from fairviz.ui.kit.side_by_side import Margin
from fairviz.words.sentences import counted, decimal
from fairviz.words.sentences import significant as number

WORDS = 3  # words of a document that are shown; the table contains all
NAME_CHARACTERS = 24


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
    table, column = anatomy.table, anatomy.column
    if "word" in table:
        by_rank = table.assign(rank=table["rank"].fillna(0)).groupby("rank", sort=True)
        parts = [_document_step(words, column) for _, words in by_rank]
    elif anatomy.query is None:
        parts = [_query_step(row) for _, row in table.dropna(subset=[column]).iterrows()]
    else:
        parts = [_rank_step(row, column) for _, row in table.iterrows()]
    if len(parts) <= MOST_BARS:
        return parts
    places = sorted(largest_first(np.array([abs(step.value) for step in parts]))[: MOST_BARS - 1].tolist())
    rest_value = sum(step.value for place, step in enumerate(parts) if place not in set(places))
    rest_step = Step(f"{len(parts) - len(places):,} others", "the rest, together", rest_value)
    return [*(parts[place] for place in places), rest_step]


def _document_step(words: pd.DataFrame, column: str) -> Step:
    """Return the step of a document: the words of the largest contributions, each with its calculation."""
    first, value = words.iloc[0], float(words[column].sum())
    if not first["rank"]:
        return Step("constant", str(first["formula"]), value)
    largest = words.iloc[largest_first(words[column].abs().to_numpy())[:WORDS]]
    texts = [
        f"“{row['word']}” {row['formula']}" if isinstance(row["word"], str) else str(row["formula"])
        for _, row in largest.iterrows()
    ]
    if len(words) > WORDS:
        texts.append(f"and {counted(len(words) - WORDS, 'more word')}")
    return Step(f"{int(first['rank'])} {_name(first['doc_id'])}", "\n".join(texts), value)


def _query_step(row: pd.Series) -> Step:
    against = f" minus {number(row['value_against'])}" if "value_against" in row else ""
    name = str(row["query_id"])
    return Step(name, f"{number(row['value'])}{against}", float(row["contribution"]), name)


def _rank_step(row: pd.Series, column: str) -> Step:
    name = "constant" if pd.isna(row["rank"]) else f"{int(row['rank'])} {_name(row['doc_id'])}"
    text = str(row.get("formula", ""))
    if "doc_id_against" in row:
        text = f"{number(row['value'])} minus {number(row['value_against'])} of {_name(row['doc_id_against'])}"
    return Step(name, text, float(row[column]))


def _name(document: object) -> str:
    return document if isinstance(document, str) else "no document"


def steps_html(anatomy: Anatomy, theme: Theme, queries: Sequence[str] = ()) -> str:
    """Return the formula, and a row for each part with its numbers inserted and a bar that begins at the end of the
    one above, as HTML with escaped data. queries: those that a click can open, identified by their positions here."""
    terms = ", ".join(
        f"{escape(name)} = {number(value)}" for name, value in anatomy.terms.items() if not np.isnan(value)
    )
    formula = f'<div class="fv-formula">{escape(anatomy.formula)}{f"<br>{terms}" if terms else ""}</div>'
    head = f"<b>{escape(anatomy.heading)}</b>{formula}"
    parts, table = steps(anatomy), anatomy.table
    if not parts:
        reason = str(table["formula"].iloc[0]) if "formula" in table and len(table) else "undefined"
        return f'<div>{head}<p class="fv-quiet">{escape(reason)}</p></div>'
    places = {name: place for place, name in enumerate(queries)}
    sums = np.cumsum([0.0, *(step.value for step in parts)]).tolist()
    total = Step("the difference" if len(anatomy.systems) > 1 else "the value", "", anatomy.total)
    rows = []
    for step, before in [*zip(parts, sums[:-1], strict=True), (total, 0.0)]:
        place = places.get(step.query)
        attribute = "" if place is None else f' data-query="{place}"'
        name = escape(step.name) if place is None else f'<button type="button">{escape(step.name)}</button>'
        text = "<br>".join(escape(line) for line in step.text.split("\n"))
        bar = bar_html(before, step.value, min(sums), max(sums))
        value = f'<td data-value="{step.value!r}">{signed(step.value)}</td>'
        rows.append(f"<tr{attribute}><td>{name}</td><td>{text}</td><td>{bar}</td>{value}</tr>")
    kind = "fv-steps fv-worded" if "word" in table else "fv-steps"
    return f'<div style="{bar_colours(theme)}">{head}<table class="{kind}">{"".join(rows)}</table></div>'


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


def margin(anatomy: Anatomy, measure: str, ranks: int, theme: Theme) -> Margin:
    """Return a bar for each of the first ranks, all from the same 0, and below them the other parts and the sum."""
    title = escape(f"{measure}: {' minus '.join(anatomy.systems)}")
    head = f'<span title="{title}">{title}</span>'
    place = len(anatomy.systems)
    if np.isnan(anatomy.total):
        return Margin(head, {}, "<b>undefined</b>", place)
    ranks_or_0 = anatomy.table["rank"].fillna(0).astype("int64")
    sums = anatomy.table[anatomy.column].groupby(ranks_or_0).sum()
    values = dict(zip(sums.index.tolist(), sums.astype("float64").tolist(), strict=True))
    ends = min(0.0, *values.values()), max(0.0, *values.values())
    bars = {rank: _part_html(value, *ends, theme) for rank, value in values.items() if 0 < rank <= ranks}
    rest = {
        "constant": values.get(0, 0.0),
        f"ranks from {ranks + 1:,}": sum(value for rank, value in values.items() if rank > ranks),
    }
    lines = [f"<div>{name} {decimal(value, sign='+')}</div>" for name, value in rest.items() if value]
    return Margin(head, bars, f"{''.join(lines)}<b>sum {decimal(anatomy.total, sign='+')}</b>", place)


def _part_html(value: float, low: float, high: float, theme: Theme) -> str:
    """Return the bar of one rank with its value. low, high: the ends of all bars."""
    text = decimal(value, sign="+") if value else "0"
    bar = bar_html(0.0, value, low, high)
    return f'<div class="fv-part" style="{bar_colours(theme)}">{bar}<span>{text}</span></div>'


def strip_html(strip: Strip, styles: Mapping[str, SystemStyle], theme: Theme) -> str:
    """Return a row a measure as HTML with escaped data: name and direction, the lower end, faint marks of all queries
    with the query's own and the band of random orders, the upper end."""
    if not strip.rows:
        return "<i>No measure has a value for this query.</i>"
    images = {name: _symbol_image(styles[name], theme) for name in strip.rows[0].own}
    rows = []
    for row in strip.rows:
        own = ""
        for name, value in row.own.items():
            if not np.isnan(value):
                label = escape(f"{name} {decimal(value)}")
                left = f"left:{100 * row.across(value):.2f}%"
                own += f'<img alt="{label}" title="{label}" src="{images[name]}" style="{left}">'
        band = ""
        if row.band is not None:
            low, high = row.band
            title = f"{CHANCE}: {decimal(row.chance[0])} to {decimal(row.chance[1])}"
            band = f'<i title="{title}" style="left:{100 * low:.2f}%;width:{max(100 * (high - low), 0.3):.2f}%"></i>'
        undefined = [name for name, value in row.own.items() if np.isnan(value)]
        note = f"<small>undefined in {escape(', '.join(undefined))}</small>" if undefined else ""
        short = row.measure if len(row.measure) <= NAME_CHARACTERS else row.measure[: NAME_CHARACTERS - 1] + "…"
        heading = f"{escape(short)}<small>{row.pointer}</small>{note}"
        others = f'<img alt="" src="{_marks_image(row.others, row.low, row.high, theme.muted)}">'
        rows.append(
            f'<div class="fv-named" title="{escape(row.measure)}">{heading}</div><span>{decimal(row.low)}</span>'
            f"<div>{others}{own}{band}</div><span>{decimal(row.high)}</span>"
        )
    legend = "".join(f'<span><img alt="" src="{images[name]}">{escape(name)}</span>' for name in strip.rows[0].own)
    legend_html = f'<div class="fv-own">{legend}</div>'
    return f'<div style="--muted:{theme.muted}">{legend_html}<div class="fv-strip">{"".join(rows)}</div></div>'


@lru_cache(maxsize=256)
def _marks_image(others: tuple[float, ...], low: float, high: float, colour: str) -> str:
    """Return the image of the faint marks of all queries, stretched over the row; a browser caches it, as it is equal
    for every query."""
    lines = "".join(f"M{1000 * x:.1f} 0V10" for x in marks(others, low, high))
    return _image(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 10" preserveAspectRatio="none" width="1000" '
        f'height="10"><path d="{lines}" stroke="{colour}" stroke-opacity=".5" stroke-width="1.2" '
        'vector-effect="non-scaling-stroke"/>'
        "</svg>"
    )


def _symbol_image(style: SystemStyle, theme: Theme) -> str:
    """Return the image of a system's symbol, ringed."""
    fill = "none" if style.reference else style.colour
    return _image(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-9 -9 18 18" width="18" height="18">'
        f'<path d="{path_of(style.symbol)}" transform="scale({SMALL})" vector-effect="non-scaling-stroke" '
        f'fill="{fill}" stroke="{theme.text}" stroke-width="1.4"/></svg>'
    )


def _image(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
