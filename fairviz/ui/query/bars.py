"""The parts of the chosen measure next to the lists: a bar for each rank, the sum, and which system is fairer."""

from collections.abc import Mapping

import numpy as np

from fairviz.errors import FairvizError
from fairviz.evaluation.contributions import Anatomy
from fairviz.figures.style import Theme
from fairviz.measures import unfairness
from fairviz.statistics.contrasts import is_equal
from fairviz.ui.kept import reading as kept
from fairviz.ui.kit.html import escape
from fairviz.ui.kit.side_by_side import Margin
from fairviz.ui.query.state import Desk
from fairviz.ui.query.steps import bar_colours, bar_html
from fairviz.words.sentences import decimal


def margin_of(desk: Desk, ranks: int, theme: Theme) -> Margin | None:
    """Return the bars of the system's value, or of the difference of two; None for a measure without parts, and where a
    system has no list."""
    system, *others = desk.systems
    baseline = others[0] if others else None
    try:
        anatomy = kept.anatomy(desk.study, desk.settings, desk.question, system, desk.query, baseline)
    except FairvizError:
        return None
    return margin(anatomy, desk.question.name, ranks, theme)


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
    bars = {rank: _bar(value, *ends, theme) for rank, value in values.items() if 0 < rank <= ranks}
    rest = {
        "constant": values.get(0, 0.0),
        f"ranks from {ranks + 1:,}": sum(value for rank, value in values.items() if rank > ranks),
    }
    lines = [f"<div>{name} {decimal(value, sign='+')}</div>" for name, value in rest.items() if value]
    return Margin(head, bars, f"{''.join(lines)}<b>sum {decimal(anatomy.total, sign='+')}</b>", place)


def _bar(value: float, low: float, high: float, theme: Theme) -> str:
    text = decimal(value, sign="+") if value else "0"
    return (
        f'<div class="fv-part" style="{bar_colours(theme)}">{bar_html(0.0, value, low, high)}<span>{text}</span></div>'
    )


def notes(desk: Desk) -> Mapping[str, str]:
    """Return the query's value of the chosen measure of each system, and the mark of the fairer one, as HTML."""
    rows = desk.scores[(desk.scores["query_id"] == desk.query) & (desk.scores["measure"] == desk.question.text)]
    values = rows.set_index("system")["value"].reindex(list(desk.systems))
    distances = unfairness(desk.question, values.to_numpy())
    word = "more effective" if desk.question.measure is None else "fairer"
    best = is_equal(distances, distances.min())
    is_known = desk.question.per_query and len(best) > 1 and not best.all()
    return {
        str(name): f' <span class="fv-value">{escape(desk.question.name)} {decimal(value)}</span>'
        + (f' <span class="fv-fairer">{word}</span>' if is_known and is_best else "")
        for (name, value), is_best in zip(values.items(), best.tolist(), strict=True)
    }
