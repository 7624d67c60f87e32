"""What follows the sliders of Trade-off and Overview while they are dragged: the content of their cards at each stop,
as numbers and texts for the script."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.comparison import system_table
from fairviz.comparison.compare import Comparison
from fairviz.comparison.cube import Cube
from fairviz.comparison.finding import Order, lines, orders
from fairviz.evaluation import questions
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.scores import exposures
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import fixed_texts
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import alpha_curve, bump, cutoff_curve, differences, measure_order, scatter, ternary
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import WEBGL_ABOVE, Styles, Theme, references_last, shortened
from fairviz.measures import Question
from fairviz.measures.cwex import mixed
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, tables
from fairviz.ui.kit.html import findings_html, lines_html
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.frames import (
    Frame,
    Moving,
    axes_of,
    edge_notes,
    edge_texts,
    filled,
    line_looks,
    mark_looks,
    plain,
)
from fairviz.ui.shell.live.sliders import sidebar
from fairviz.ui.state import pair
from fairviz.ui.tradeoff.cards import (
    OVER_ALPHA,
    TRIANGLE,
    TradeoffDeck,
    against_choice,
    at_cutoffs,
    chosen_measures,
    shown_curve,
)
from fairviz.ui.tradeoff.overview import IN_A_TABLE, Kept, as_now

CHARTS = ("tradeoff_order", "tradeoff_scatter", "tradeoff_ternary", "tradeoff_bump", "tradeoff_differences")
TABLE = "overview"
MARK, BASE = 10, 14  # sizes of marks in the card of differences
MOST_PARTED = 20  # ranges of cutoffs that are shaded
SYSTEM_WIDTH = 168  # of the Overview's table, with the box that selects a row


@dataclass(frozen=True, eq=False)
class SliderScores:
    """The scores at every stop of a slider: the cube of them, and its tables at the last stop that was asked for."""

    cube: Cube
    _held: dict[str, tuple[int, Any]] = field(default_factory=dict)

    def questions(self, stop: int) -> tuple[Question, ...]:
        """Return the measures with their parameters at this stop, in the page's order."""
        return self.cube.questions[stop]

    def summary(self, stop: int) -> pd.DataFrame:
        """Return the cube's summary, cached for one stop."""
        return self._at("summary", stop)

    def comparison(self, stop: int) -> Comparison:
        """Return the cube's comparison, cached for one stop."""
        return self._at("comparison", stop)

    def _at(self, name: str, stop: int) -> Any:
        if name not in self._held or self._held[name][0] != stop:
            self._held[name] = stop, getattr(self.cube, name)(stop)
        return self._held[name][1]


def scores_along_slider(
    study: Study, texts: Sequence[str], settings: Settings, slider: str, fixed: Collection[str] = ()
) -> SliderScores:
    """Return the scores at every stop of a slider, from the cache where the changed settings do not count.

    fixed: texts of measures that keep their own value of the slider's parameter.
    """
    return SliderScores(cache.cube(study, texts, settings, slider, fixed))


def follow_tradeoff(deck: TradeoffDeck) -> None:
    """Make the Trade-off page follow its sliders."""
    key = shown_curve(deck)[1]
    fixed_charts = {"alpha": ("tradeoff_ternary", bias.KEY)}
    sliders = sidebar(deck.study, deck.settings, "tradeoff", partial(_tradeoff, deck), fixed_charts)
    component.follow(component.Page("tradeoff", (*CHARTS, key), sliders))


def _tradeoff(deck: TradeoffDeck, slider: str) -> list[Moving]:
    """Return the moving parts of the Trade-off page, the finding first."""
    scores = scores_along_slider(deck.study, deck.texts, deck.settings, slider)
    measures = range(len(deck.texts))
    parts = moving_order("tradeoff", scores, measures, deck.styles, deck.theme, deck.settings.system)
    if kept := deck.kept:
        parts.append(moving_kept(scores, kept))
    if len(scores.cube.systems) <= WEBGL_ABOVE:
        x, y = (str(st.session_state[name]) for name in ("tradeoff_x", "tradeoff_y"))
        parts.append(moving_scatter(deck, scores_of_axes(deck, scores, slider, x, y), x, y))
    groups = 1 + len(grouping_of(deck.study, deck.settings.crossed_with).groups)
    per_query = bool(st.session_state.get("tradeoff_per_query"))
    if slider != "alpha" and deck.labelled and groups == TRIANGLE and not per_query:
        parts.append(moving_ternary(deck, scores))
    parts.append(moving_bump(deck, scores))
    kind, key = shown_curve(deck)
    if kind == OVER_ALPHA:
        parts.append(moving_alpha(deck, scores, key))
    elif slider == "cutoff":  # else every line changes at each stop
        parts.append(moving_cutoff(deck, scores, key))
    parts += moving_differences(deck, scores, str(st.session_state.get(pair.BASELINE) or ""))
    if slider != "alpha":
        parts.append(bias.moving_bias(scores.cube.stops, deck.theme))
    return parts


def scores_of_axes(deck: TradeoffDeck, scores: SliderScores, slider: str, x: str, y: str) -> SliderScores:
    """Return the page's scores along the slider, or those of the axes if one of them is no measure of the page."""
    if {x, y} <= deck.questions.keys():
        return scores
    return scores_along_slider(deck.study, [deck.axes[name].text for name in (x, y)], deck.settings, slider)


def follow_overview(study: Study, settings: Settings, request: Asked, then: Kept | None) -> None:
    """Make the Overview follow its sliders."""
    make = partial(_overview, study, settings, request, then)
    sliders = sidebar(study, settings, "overview", make, {"alpha": (bias.KEY,)})
    component.follow(component.Page("overview", ("overview_order", TABLE), sliders))


def _overview(study: Study, settings: Settings, request: Asked, then: Kept | None, slider: str) -> list[Moving]:
    """Return the moving parts of the Overview."""
    fixed = fixed_texts(study, settings, slider)
    scores = scores_along_slider(study, request.texts, settings, slider, fixed)
    places = [request.questions.index(question) for question in questions.headline(request, settings)]
    parts = moving_order("overview", scores, places, charts.styles(study), charts.theme(), settings.system)
    if then:
        parts.append(moving_kept(scores, then, IN_A_TABLE))
    intervals = bool(st.session_state.get(f"{TABLE}_intervals"))
    parts.append(moving_table(scores, TABLE, settings.system, intervals=intervals, then=then))
    if slider != "alpha":
        parts.append(bias.moving_bias(scores.cube.stops, charts.theme()))
    return parts


def moving_kept(scores: SliderScores, then: Kept, look: str = "") -> Moving:
    """Return the sentences on the kept settings: the changes since, and whether the finding has changed. look: what the
    page has of the kept picture."""

    def frame(stop: int) -> Frame:
        now = scores.cube.stops[stop], scores.questions(stop), scores.comparison(stop)
        return Frame(texts={"html": [lines_html(*then.sentences(*now, look))]})

    return Moving("pinned", "html", {}, frame)


def moving_order(
    page: str, scores: SliderScores, places: Sequence[int], styles: Styles, theme: Theme, selected: str = ""
) -> list[Moving]:
    """Return the words and the figure of the order of systems at each stop. places: positions of the measures among
    those of the page."""
    systems = references_last(scores.cube.systems)

    def orders_at(stop: int) -> list[Order]:
        questions = scores.questions(stop)
        return orders(scores.summary(stop), [questions[place] for place in places], scores.comparison(stop))

    def words(stop: int) -> Frame:
        return Frame(texts={"html": [findings_html(*lines(orders_at(stop)))]})

    def frame(stop: int) -> Frame:
        return _order_frame(measure_order.info(orders_at(stop), ranks=ranked), systems, len(places))

    ranked = bool(st.session_state.get(f"{page}_ranks"))
    hidden = [name for name in ("groups", "ranks") if not st.session_state.get(f"{page}_{name}")]
    layers = _order_layers(systems, len(places), styles, theme, selected)
    layers = [layer for layer in layers if layer["name"] not in hidden]
    still = {"layers": layers, "notes": True}
    return [Moving("finding", "html", {}, words), Moving(f"{page}_order", "plot", still, frame)]


def _order_layers(systems: Sequence[str], rows: int, styles: Styles, theme: Theme, selected: str) -> list[dict]:
    """Return the layers of the script, from the lowest: axes, groups, rings, markers and words."""
    looks = mark_looks(systems, styles, theme, selected, measure_order.SIZE) * rows
    ring = {
        "colour": faded(theme.muted, 0.18), "symbol": "circle", "size": measure_order.RING, "ring": 1.5,
        "ringColour": theme.text,
    }  # fmt: skip
    bar = {"colour": theme.muted, "barWidth": 3, "cap": 0}
    small = mark_looks(systems, styles, theme, selected, measure_order.WHISKER_MARK) * rows
    whiskers = [look | {"barWidth": 2, "cap": 0} for look in small]
    axis = {"colour": theme.grid, "width": 2, "dash": "solid", "name": ""}
    side, near = measure_order.SIDE, measure_order.RING / 2 + 4
    captions = [
        {"draw": "captions", "name": name, "size": size, "across": across, "shift": shift, "align": align,
         "colour": theme.muted}
        for name, size, across, shift, align in (
            ("heads", 13, 0, -side, "left"), ("tails", 12, 1, side, "right"),
            ("lefts", 11, 0, -near, "right"), ("rights", 11, 1, near, "left"),
        )
    ]  # fmt: skip
    return [
        {"draw": "lines", "name": "axes", "looks": [axis] * rows},
        {"draw": "marks", "name": "groups", "looks": [bar] * len(looks), "line": True},
        {"draw": "marks", "name": "ranks", "looks": whiskers, "line": True},
        {"draw": "marks", "name": "rings", "looks": [look | ring for look in looks]},
        {"draw": "marks", "name": "marks", "looks": looks},
        *captions,
    ]


def _order_frame(order: measure_order.MeasureOrder, systems: Sequence[str], rows: int) -> Frame:
    """Return the numbers and texts of the layers. rows: of the figure, of which the last may be empty."""
    marks = [{mark.system: mark for mark in strip.marks} for strip in order.strips]
    cells = [marks[row].get(name) if row < len(marks) else None for row in range(rows) for name in systems]
    ringed = [mark if mark is not None and mark.look == "ringed" else None for mark in cells]
    line, pitch = measure_order.LINE, order.pitch
    whiskers = np.array([measure_order.NO_RANKS if mark is None else mark.ranks for mark in cells]).reshape(-1, 3)
    numbers: dict[str, Any] = {
        "axes x": [0, 1],
        "axes y": [[row * pitch + line] * 2 if row < len(marks) else [np.nan] * 2 for row in range(rows)],
        **_group_numbers(order, len(systems), rows),
        "ranks x": [np.nan if mark is None or np.isnan(mark.ranks[0]) else mark.x for mark in cells],
        "ranks x low": whiskers[:, 0] - measure_order.WHISKER_END,
        "ranks x high": whiskers[:, 1] + measure_order.WHISKER_END,
        "ranks y": whiskers[:, 2],
        "marks alpha": [measure_order.PALE if mark is not None and mark.look == "pale" else 1 for mark in cells],
    }
    for layer, held in (("marks", cells), ("rings", ringed)):
        numbers[f"{layer} x"] = [np.nan if mark is None else mark.x for mark in held]
        numbers[f"{layer} y"] = [np.nan if mark is None else mark.y for mark in held]
    texts: dict[str, list[str]] = {}
    for name, height, bold, rest in (
        ("heads", measure_order.HEADING, "measure", "direction"), ("tails", measure_order.HEADING, "leader", "lead"),
        ("lefts", line, "", "left"), ("rights", line, "", "right"),
    ):  # fmt: skip
        numbers[f"{name} y"] = [row * pitch + height for row in range(rows)]
        for part, attribute in (("bold", bold), ("rest", rest)):
            strip_texts = [plain(getattr(strip, attribute)) if attribute else "" for strip in order.strips]
            texts[f"{name} {part}"] = filled(strip_texts, rows)
    return Frame(numbers, texts | {"empty": ["" if order.strips else measure_order.NOTHING]})


def _group_numbers(order: measure_order.MeasureOrder, systems: int, rows: int) -> dict[str, np.ndarray]:
    """Return the bars of the groups: as many in each row at every stop, as many as systems, the unused undefined."""
    unused = [(np.nan, np.nan, np.nan)] * systems
    spans = [[*strip.groups, *unused[len(strip.groups) :]] for strip in order.strips]
    groups = np.array([*spans, *[unused] * (rows - len(spans))]).reshape(-1, 3)
    row_of_group = np.repeat(np.arange(rows), systems)
    y = row_of_group * order.pitch + measure_order.LINE + measure_order.GROUPS + measure_order.GROUP_STEP * groups[:, 2]
    return {"groups x": groups[:, 0], "groups x low": groups[:, 0], "groups x high": groups[:, 1], "groups y": y}


def moving_scatter(deck: TradeoffDeck, scores: SliderScores, x: str, y: str) -> Moving:
    """Return the points with their intervals, and the Pareto front."""
    names = [question.name for question in scores.questions(0)]
    places = [names.index(name) for name in (x, y)]
    systems = references_last(map(str, dict.fromkeys(deck.summary["system"])))
    shares, chosen = deck.target_shares, deck.settings.system
    front_look = {"colour": deck.theme.muted, "dash": "dot", "width": 1.5, "name": "Pareto front"}
    looks = mark_looks(systems, deck.styles, deck.theme, chosen)
    layers = [
        {"draw": "lines", "name": "front", "looks": [front_look], "clip": True},
        {"draw": "marks", "name": "points", "looks": looks, "edges": "named"},
    ]

    def frame(stop: int) -> Frame:
        questions = scores.questions(stop)
        across, up = (questions[place] for place in places)
        info = scatter.info(scores.summary(stop), across, up, chosen, shares, deck.untested)
        points = {point.system: (point.x, point.y, *point.x_interval, *point.y_interval) for point in info.points}
        rows = np.array([points.get(name, (np.nan,) * 6) for name in systems]).T
        columns = ("points x", "points y", "points x low", "points x high", "points y low", "points y high")
        front = np.full((2, len(systems)), np.nan)
        if len(info.front) > 1:
            front[:, : len(info.front)] = np.array([points[name][:2] for name in info.front]).T
        numbers = {**dict(zip(columns, rows, strict=True)), "front x": front[0], "front y": front[1]}
        numbers |= {"range xaxis": info.across, "range yaxis": info.up}
        texts = {"x title": [plain(info.x_title)], "y title": [plain(info.y_title)]}
        return Frame(numbers, texts | {"empty": ["" if info.points else scatter.NO_POINT]})

    return Moving("tradeoff_scatter", "plot", {"layers": layers}, frame)


def moving_ternary(deck: TradeoffDeck, scores: SliderScores) -> Moving:
    """Return shares of exposure, a point for each system."""
    systems = references_last(map(str, dict.fromkeys(deck.summary["system"])))
    looks = mark_looks(systems, deck.styles, deck.theme, deck.settings.system)
    rankings = cache.aligned(deck.study, cache.plain(deck.settings))

    def frame(stop: int) -> Frame:
        info = ternary.info(exposures(deck.study, scores.cube.stops[stop], rankings=rankings), deck.settings.system)
        shares = {point.system: point.shares for point in info.points}
        return Frame({"points shares": [shares.get(name, (np.nan,) * len(info.groups)) for name in systems]})

    layers = [{"draw": "triangle", "name": "points", "looks": looks}]
    return Moving("tradeoff_ternary", "plot", {"layers": layers}, frame)


def moving_bump(deck: TradeoffDeck, scores: SliderScores) -> Moving:
    """Return the ranks of each system by each measure."""
    selected, outside = deck.settings.system, deck.untested
    now = bump.info(deck.summary, scores.questions(scores.cube.present), selected, outside)
    systems = [*now.ranks, *now.references] or list(dict.fromkeys(map(str, deck.summary["system"])))
    marks = mark_looks(systems, deck.styles, deck.theme, selected, 10)
    looks = [mark | look for mark, look in zip(marks, line_looks(systems, deck.styles, selected), strict=True)]

    def frame(stop: int) -> Frame:
        info = bump.info(scores.summary(stop), scores.questions(stop), selected, outside)
        ranks, missing = {**info.ranks, **info.references}, (None,) * len(info.measures)
        numbers = [[np.nan if rank is None else rank for rank in ranks.get(name, missing)] for name in systems]
        return Frame({"ranks x": list(range(len(info.measures))), "ranks y": numbers})

    layers = [{"draw": "lines", "name": "ranks", "looks": looks}]
    return Moving("tradeoff_bump", "plot", {"layers": layers}, frame)


def moving_alpha(deck: TradeoffDeck, scores: SliderScores, key: str) -> Moving:
    """Return lines over alpha and the cursor at the current one; along another slider the lines move."""
    present, outside = deck.settings, deck.untested
    now = cache.alpha_curves(deck.study, present)
    systems, alphas = [str(name) for name in dict.fromkeys(now["system"])], np.unique(now["alpha"])
    baseline = str(st.session_state.get("tradeoff_baseline", ""))
    first = alpha_curve.info(now, present.alpha, present.cutoff, baseline, outside=outside)
    ends = None
    if scores.cube.slider != "alpha":  # CWEx at both ends of alpha, of which every other alpha is a mixture
        texts = [f"CWEx(alpha={alpha})@{present.cutoff}" for alpha in (0, 1)]
        ends = scores_along_slider(deck.study, texts, present, scores.cube.slider)

    def frame(stop: int) -> Frame:
        settings = scores.cube.stops[stop]
        if ends is None:
            info = replace(first, alpha=settings.alpha)
        else:
            means = ends.cube.columns["value"][stop]
            values = mixed(alphas[:, None], means[1], -means[0])  # (A, S)
            lines = {name: values[:, place] for place, name in enumerate(ends.cube.systems)}
            info = alpha_curve.of_lines(alphas, lines, settings.alpha, settings.cutoff, baseline, outside=outside)
        here = int(np.argmin(np.abs(alphas - info.alpha)))
        rows = [info.differences.get(name, [np.nan] * len(alphas)) for name in systems]
        numbers = {"lines x": alphas, "lines y": rows, "here x": [info.alpha], "range yaxis": info.up}
        current = {name: values[here] for name, values in info.differences.items()}
        texts = {
            "here label": [f"α = {info.alpha:g}"],
            **edge_texts("", current, info.up, len(systems)),
            "y title": [plain(alpha_curve.y_title(info))],
            "empty": ["" if info.differences else alpha_curve.NO_VALUE],
        }
        return Frame(numbers, texts)

    looks, muted = line_looks(systems, deck.styles, present.system), deck.theme.muted
    lines = {"draw": "lines", "name": "lines", "looks": looks, "clip": True}
    here = {"draw": "cursor", "name": "here", "colour": muted}
    return Moving(key, "plot", {"notes": True, "layers": [lines, here, *edge_notes("", muted)]}, frame)


def moving_cutoff(deck: TradeoffDeck, scores: SliderScores, key: str) -> Moving:
    """Return the cursor, which alone moves along the cutoff, with the notes on lines beyond the axes."""
    muted, info = deck.theme.muted, at_cutoffs(deck, chosen_measures(deck))[1]
    systems = [str(name) for name in dict.fromkeys(name for panel in info.panels for name in panel.lines)]
    has_chance = any(panel.chance for panel in info.panels)  # then the first line of each panel
    looks = line_looks(systems, deck.styles, deck.settings.system, bands=True)
    if has_chance:
        band = {"name": cutoff_curve.CHANCE, "colour": faded(muted, 0), "dash": "solid", "width": 1}
        looks = [band | {"band": faded(muted, cutoff_curve.CHANCE_BAND)}, *looks]
    shaded = [tuple(map(math.log10, pair)) for pair in cutoff_curve.shaded_ranges(info)][:MOST_PARTED]
    still_numbers: dict[str, Any] = {"parted": [end for pair in shaded for end in pair] or [np.nan, np.nan]}
    layers: list[dict] = [{"draw": "shades", "name": "parted", "colour": faded(muted, cutoff_curve.SHADE)}]
    for place, panel in enumerate(info.panels):
        lines = [*([panel.chance] if has_chance else []), *map(panel.lines.get, systems)]
        for name, column in (("y", "values"), ("low", "low"), ("high", "high")):
            empty = [np.nan] * len(info.cutoffs)
            still_numbers[f"lines{place} {name}"] = [getattr(one, column) if one else empty for one in lines]
        still_numbers[f"lines{place} x"] = [math.log10(k) for k in info.cutoffs]
        still_numbers[f"range {axes_of(place)[1]}"] = panel.up
        layers.append({"draw": "lines", "name": f"lines{place}", "looks": looks, "panel": place, "clip": True})
        layers += edge_notes(str(place), muted, place)
    layers.append({"draw": "cursor", "name": "here", "colour": muted})

    def frame(stop: int) -> Frame:
        curve = replace(info, cutoff=scores.cube.stops[stop].cutoff)
        here = math.log10(curve.cutoff) if curve.cutoff <= curve.cutoffs[-1] else np.nan
        texts = {"here label": [f"k = {curve.cutoff}"]}
        for place, panel in enumerate(curve.panels):
            texts |= edge_texts(str(place), cutoff_curve.current_values(curve, panel), panel.up, len(systems))
        return Frame(still_numbers | {"here x": [here]}, texts)

    panels = [axes_of(place) for place in range(len(info.panels))]
    return Moving(key, "plot", {"notes": True, "panels": panels, "layers": layers}, frame)


def moving_differences(deck: TradeoffDeck, scores: SliderScores, baseline: str) -> tuple[Moving, ...]:
    """Return the panels of the card of differences, measure by measure: marks, intervals, stars and headings; none if
    no panel or not every system is drawn."""

    def info_at(stop: int) -> differences.Differences:
        comparison, stars = against_choice(scores.comparison(stop), baseline)
        return differences.info(comparison, stars, deck.settings.system)

    now = info_at(scores.cube.present)
    if not now.panels or len(now.systems) < 2 or now.hidden:
        return ()
    systems, count = sorted(now.systems), len(now.panels)

    def frame(stop: int) -> Frame:
        return _differences_frame(info_at(stop), systems, count)

    layers = [layer for place in range(count) for layer in _differences_layers(deck, systems, place, now.references)]
    still = {"notes": True, "panels": [axes_of(place) for place in range(count)], "layers": layers}
    return (Moving("tradeoff_differences", "plot", still, frame),)


def _differences_layers(
    deck: TradeoffDeck, systems: Sequence[str], place: int, references: Collection[str]
) -> list[dict]:
    """Return a panel's marks, the baseline's mark, stars, notes on undefined values, and heading."""
    muted, chosen = deck.theme.muted, deck.settings.system
    looks = []
    for name, look in zip(systems, mark_looks(systems, deck.styles, deck.theme, ""), strict=True):
        colour = muted if name in references else look["colour"]
        size = BASE if name == chosen else MARK
        mark = {"colour": colour, "ringColour": colour, "ring": 1.6, "size": size}
        bar = {"bar": muted, "barWidth": 1.3, "cap": 3}
        looks.append(look | mark | bar)
    base = [look | {"symbol": "line-ns", "size": BASE, "ring": 2.5} for look in looks]
    words = {"draw": "words", "panel": place, "colour": muted, "size": 11}
    return [
        {"draw": "marks", "name": f"marks{place}", "panel": place, "looks": looks, "edges": "bare"},
        {"draw": "marks", "name": f"base{place}", "panel": place, "looks": base},
        words | {"name": f"stars{place}", "across": 1 - 0.035, "colour": deck.theme.text, "size": 14},
        words | {"name": f"undefined{place}", "across": 0.5},
        {"draw": "heading", "name": f"heading{place}", "panel": place},
    ]


def _differences_frame(info: differences.Differences, systems: Sequence[str], count: int) -> Frame:
    """Return the numbers and texts of the layers of this number of panels, of which the last may be empty."""
    rows = {name: row for row, name in enumerate(info.systems)}
    down = [rows.get(name, np.nan) for name in systems]
    numbers: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}
    for place in range(count):
        panel = info.panels[place] if place < len(info.panels) else None
        points = {row.system: row for row in panel.rows} if panel else {}
        held = [points.get(name) for name in systems]
        numbers[f"range {axes_of(place)[0]}"] = panel.reach if panel else (0.0, 1.0)
        numbers |= {f"{name}{place} y": down for name in ("stars", "undefined", "marks", "base")}
        numbers |= _differences_marks(held, place)
        heading = [shortened(panel.measure, 28), f" − {shortened(panel.baseline)}"] if panel else ["", ""]
        texts |= {
            f"stars{place}": [differences.STAR if row and row.starred else "" for row in held],
            f"undefined{place}": ["undefined" if row and np.isnan(row.difference) else "" for row in held],
            f"heading{place}": heading,
        }
        if place % differences.MOST_COLUMNS == 0:
            texts[f"names {axes_of(place)[1]}"] = differences.row_names(info)
    return Frame(numbers, texts)


def _differences_marks(rows: Sequence[differences.Row | None], place: int) -> dict[str, list]:
    """Return the marks of a panel; the baseline has a layer of its own."""
    own = [row if row and not row.baseline else None for row in rows]
    return {
        f"marks{place} x": [row.difference if row else np.nan for row in own],
        f"marks{place} x low": [row.low if row else np.nan for row in own],
        f"marks{place} x high": [row.high if row else np.nan for row in own],
        f"marks{place} full": [bool(row and row.significant) for row in own],
        f"base{place} x": [0.0 if row and row.baseline else np.nan for row in rows],
    }


def moving_table(scores: SliderScores, key: str, selected: str, *, intervals: bool, then: Kept | None) -> Moving:
    """Return the cells of the Overview's table `key`: values, stars, intervals, changes since the pin."""
    how = scores.cube.how
    systems = system_table.ordered(scores.cube.systems, how)

    def grid(stop: int) -> pd.DataFrame:
        questions = scores.questions(stop)
        before = as_now(then.summary, then.questions, questions) if then else None
        return system_table.grid(scores.summary(stop), questions, how, intervals=intervals, pinned=before)

    def frame(stop: int) -> Frame:
        questions, table = scores.questions(stop), grid(stop)
        marks = system_table.marks_by_column(system_table.marks(scores.comparison(stop)), questions, systems)
        cells = [text for row in system_table.cells(table, questions, marks) for text in row]
        values = table[[system_table.header(question) for question in questions]].to_numpy(dtype=float)
        stars = [
            [name in marks and marks[name][row] == system_table.STAR for name in table.columns]
            for row in range(len(table))
        ]
        return Frame({"values": values, "stars": stars}, {"cells": cells})

    heads, widths = list(grid(scores.cube.present).columns), [SYSTEM_WIDTH]
    for head in heads[1:]:
        usual = tables.INTERVAL_WIDTH if head.endswith("95 %") else tables.COLUMN_WIDTH
        widths.append(tables.CHANGE_WIDTH if head.startswith("Δ") else usual)
    still = {
        "heads": heads,
        "rows": systems,
        "widths": widths,
        "grey": [row for row, name in enumerate(systems) if not how.is_tested(name)],
        "chosen": systems.index(selected) if selected in systems else -1,
    }
    return Moving(key, "table", still, frame)
