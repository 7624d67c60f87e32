"""Moving parts of the card of differences while a slider is dragged: marks, intervals, stars and headings."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from fairviz.figures import differences
from fairviz.figures.differences import Differences, Row
from fairviz.figures.style import shortened
from fairviz.ui.shell.live.frames import Frame, Moving
from fairviz.ui.shell.live.looks import mark_looks
from fairviz.ui.tradeoff import comparing
from fairviz.ui.tradeoff.deck import Deck
from fairviz.ui.tradeoff.moving import SliderScores

MARK, BASE = 10, 14  # sizes


def moving_differences(deck: Deck, scores: SliderScores, baseline: str) -> tuple[Moving, ...]:
    """Return the panels, measure by measure; none if no panel or not every system is drawn. along: has the comparisons
    of the card."""
    now = _differences(deck, scores, scores.cube.present, baseline)
    if not now.panels or len(now.systems) < 2 or now.hidden:
        return ()
    systems, panels = tuple(sorted(now.systems)), len(now.panels)

    def frame(stop: int) -> Frame:
        return _frame(_differences(deck, scores, stop, baseline), systems, panels)

    still = {"notes": True, "panels": [_axes(place) for place in range(panels)]}
    layers = [layer for place in range(panels) for layer in _layers(deck, systems, place, now.references)]
    return (Moving("tradeoff_differences", "plot", still | {"layers": layers}, frame),)


def _differences(deck: Deck, scores: SliderScores, stop: int, baseline: str) -> Differences:
    comparison, stars = comparing.against_choice(scores.comparison(stop), baseline)
    return differences.info(comparison, stars, deck.settings.system)


def _axes(place: int) -> tuple[str, str]:
    number = str(place + 1) if place else ""
    return f"xaxis{number}", f"yaxis{number}"


def _layers(deck: Deck, systems: Sequence[str], place: int, untested: Collection[str]) -> list[dict]:
    """Return marks, the baseline's mark, stars, notes on undefined values, and the title of one panel."""
    muted, chosen = deck.theme.muted, deck.settings.system
    looks = []
    for name, look in zip(systems, mark_looks(systems, deck.styles, deck.theme, ""), strict=True):
        colour = muted if name in untested else look["colour"]
        size = BASE if name == chosen else MARK
        plain = {"colour": colour, "ringColour": colour, "ring": 1.6, "size": size}
        looks.append(look | plain | {"bar": muted, "barWidth": 1.3, "cap": 3})
    base = [look | {"symbol": "line-ns", "size": BASE, "ring": 2.5} for look in looks]
    words = {"draw": "words", "panel": place, "colour": muted, "size": 11}
    return [
        {"draw": "marks", "name": f"marks{place}", "panel": place, "looks": looks, "edges": "bare"},
        {"draw": "marks", "name": f"base{place}", "panel": place, "looks": base},
        words | {"name": f"stars{place}", "across": 1 - 0.035, "colour": deck.theme.text, "size": 14},
        words | {"name": f"undefined{place}", "across": 0.5},
        {"draw": "heading", "name": f"heading{place}", "panel": place},
    ]


def _frame(info: Differences, systems: Sequence[str], panels: int) -> Frame:
    numbers: dict = {}
    texts: dict = {}
    rows = {name: row for row, name in enumerate(info.systems)}
    down = [rows.get(name, np.nan) for name in systems]
    for place in range(panels):
        panel = info.panels[place] if place < len(info.panels) else None
        points = {row.system: row for row in panel.rows} if panel else {}
        across = _axes(place)[0]
        numbers |= {f"range {across}": panel.reach if panel else (0.0, 1.0), f"stars{place} y": down}
        numbers |= {f"undefined{place} y": down} | _marks(points, systems, down, place)
        starred = [differences.STAR if name in points and points[name].starred else "" for name in systems]
        heading = [shortened(panel.measure, 28), f" − {shortened(panel.baseline)}"] if panel else ["", ""]
        lacking = ["undefined" if name in points and np.isnan(points[name].difference) else "" for name in systems]
        texts |= {f"stars{place}": starred, f"undefined{place}": lacking, f"heading{place}": heading}
        if place % differences.MOST_COLUMNS == 0:
            texts[f"names {_axes(place)[1]}"] = differences.row_names(info)
    return Frame(numbers, texts)


def _marks(points: Mapping[str, Row], systems: Sequence[str], down: Sequence[float], place: int) -> dict:
    """Return the positions of the marks of a panel; the baseline has a layer of its own."""
    rows = [points[name] if name in points and not points[name].baseline else None for name in systems]
    return {
        f"marks{place} x": [row.difference if row else np.nan for row in rows],
        f"marks{place} x low": [row.low if row else np.nan for row in rows],
        f"marks{place} x high": [row.high if row else np.nan for row in rows],
        f"marks{place} y": down,
        f"marks{place} full": [bool(row and row.significant) for row in rows],
        f"base{place} x": [0.0 if name in points and points[name].baseline else np.nan for name in systems],
        f"base{place} y": down,
    }
