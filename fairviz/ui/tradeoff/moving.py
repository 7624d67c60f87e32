"""Moving parts of the Trade-off page while a slider is dragged: the content of its cards at each stop, as numbers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.comparison.compare import Comparison
from fairviz.comparison.cube import Cube
from fairviz.evaluation.scores import exposures
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import bump, scatter, ternary
from fairviz.figures.style import references_last
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.shell.live.frames import Frame, Moving
from fairviz.ui.shell.live.looks import line_looks, mark_looks, plain
from fairviz.ui.tradeoff.deck import Deck


@dataclass(frozen=True, eq=False)
class SliderScores:
    """The scores at every stop of a slider: the cube of them, and the page's measures at each stop."""

    study: Study
    cube: Cube
    _summaries: dict[int, pd.DataFrame] = field(default_factory=dict)
    _comparisons: dict[int, Comparison] = field(default_factory=dict)

    def questions(self, stop: int) -> tuple[Question, ...]:
        """Return the measures with their parameters at this stop, in the page's order."""
        return self.cube.questions[stop]

    def summary(self, stop: int) -> pd.DataFrame:
        """Return the cube's summary, cached for one stop."""
        if stop not in self._summaries:
            self._summaries.clear()
            self._summaries[stop] = self.cube.summary(stop)
        return self._summaries[stop]

    def comparison(self, stop: int) -> Comparison:
        """Return the cube's comparison, cached for one stop."""
        if stop not in self._comparisons:
            self._comparisons.clear()
            self._comparisons[stop] = self.cube.comparison(stop)
        return self._comparisons[stop]


def scores_along_slider(
    study: Study, texts: Sequence[str], settings: Settings, slider: str, fixed: Collection[str] = ()
) -> SliderScores:
    """Return the scores at every stop of a slider, from the cache where the changed settings do not count.

    fixed: texts of measures that keep their own value of the slider's parameter.
    """
    return SliderScores(study, cache.cube(study, texts, settings, slider, fixed))


def moving_scatter(deck: Deck, scores: SliderScores, x: str, y: str) -> Moving:
    """Return the points with their intervals, and the Pareto front."""
    names = [question.name for question in scores.questions(0)]
    places = [names.index(name) for name in (x, y)]
    systems = references_last(map(str, dict.fromkeys(deck.summary["system"])))
    target_shares = grouping_of(deck.study, deck.settings.crossed_with).targets.tolist()
    ghost = _pinned_points(deck, x, y)
    front = {"colour": deck.theme.muted, "dash": "dot", "width": 1.5, "name": "Pareto front"}
    still = {
        "layers": [
            {"draw": "lines", "name": "front", "looks": [front], "clip": True},
            {
                "draw": "marks",
                "name": "points",
                "looks": mark_looks(systems, deck.styles, deck.theme, deck.settings.system),
                "edges": "named",
            },
        ]
    }

    def frame(stop: int) -> Frame:
        questions = scores.questions(stop)
        across, up = (questions[place] for place in places)
        info = scatter.with_room(
            scatter.info(scores.summary(stop), across, up, deck.settings.system, target_shares, deck.untested), ghost
        )
        points = {point.system: point for point in info.points}
        current_points = [points.get(name) for name in systems]
        front = [points[name] for name in info.front] if len(info.front) > 1 else []
        numbers = {
            "points x": [one.x if one else np.nan for one in current_points],
            "points y": [one.y if one else np.nan for one in current_points],
            "front x": _padded([one.x for one in front], len(systems)),
            "front y": _padded([one.y for one in front], len(systems)),
            "range xaxis": info.across,
            "range yaxis": info.up,
        }
        for axis, ends in (("x", "x_interval"), ("y", "y_interval")):
            for side, name in enumerate(("low", "high")):
                numbers[f"points {axis} {name}"] = [
                    getattr(one, ends)[side] if one else np.nan for one in current_points
                ]
        texts = {"x title": [plain(info.x_title)], "y title": [plain(info.y_title)]}
        return Frame(numbers, texts | {"empty": ["" if info.points else scatter.NO_POINT]})

    return Moving("tradeoff_scatter", "plot", still, frame)


def _pinned_points(deck: Deck, x: str, y: str) -> scatter.Scatter | None:
    """Return the pinned points, which the ranges of the axes contain."""
    then = deck.then_with(x, y)
    if then is None:
        return None
    shares = grouping_of(deck.study, deck.settings.crossed_with).targets.tolist()
    return scatter.info(then.means(x, y), then.axes[x], then.axes[y], "", shares, then.untested)


def moving_ternary(deck: Deck, scores: SliderScores) -> Moving:
    """Return shares of exposure, a point for each system."""
    systems = references_last(map(str, dict.fromkeys(deck.summary["system"])))
    looks = mark_looks(systems, deck.styles, deck.theme, deck.settings.system)
    still = {"layers": [{"draw": "triangle", "name": "points", "looks": looks}]}
    places = cache.places(deck.study, cache.plain(deck.settings))

    def frame(stop: int) -> Frame:
        shares = exposures(deck.study, scores.cube.stops[stop], places=places)
        info = ternary.info(shares, deck.settings.system)
        shares_by_system = {point.system: point.shares for point in info.points}
        numbers = [shares_by_system.get(name, (np.nan,) * len(info.groups)) for name in systems]
        return Frame({"points shares": numbers})

    return Moving("tradeoff_ternary", "plot", still, frame)


def moving_bump(deck: Deck, scores: SliderScores) -> Moving:
    """Return the ranks of each system by each measure."""
    names = list(dict.fromkeys(map(str, deck.summary["system"])))
    now = bump.info(deck.summary, scores.questions(scores.cube.present), deck.settings.system, deck.untested)
    systems = [*now.ranks, *now.references] or names
    marks = mark_looks(systems, deck.styles, deck.theme, deck.settings.system, 10)
    looks = [
        {**mark, **look}
        for mark, look in zip(marks, line_looks(systems, deck.styles, deck.settings.system), strict=True)
    ]
    still = {"layers": [{"draw": "lines", "name": "ranks", "looks": looks}]}

    def frame(stop: int) -> Frame:
        info = bump.info(scores.summary(stop), scores.questions(stop), deck.settings.system, deck.untested)
        ranks = {**info.ranks, **info.references}
        missing = (None,) * len(info.measures)
        numbers = [[np.nan if rank is None else rank for rank in ranks.get(name, missing)] for name in systems]
        return Frame({"ranks x": list(range(len(info.measures))), "ranks y": numbers})

    return Moving("tradeoff_bump", "plot", still, frame)


def _padded(values: Sequence[float], length: int) -> list[float]:
    """Return the values padded with NaN to this length."""
    return [*values, *[np.nan] * (length - len(values))]
