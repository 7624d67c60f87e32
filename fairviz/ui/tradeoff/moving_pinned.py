"""What is said of the pinned picture while a slider is dragged: what has changed since, and whether the answer has."""

from collections.abc import Collection

from fairviz.comparison.compare import Comparison
from fairviz.evaluation.settings import Settings
from fairviz.ui.kit.html import lines_html
from fairviz.ui.shell.live.frames import Frame, Moving
from fairviz.ui.tradeoff import pinned
from fairviz.ui.tradeoff.moving import Way


def moving_pinned(along: Way, then: Settings, asked: Collection[str], held: Comparison, look: str) -> Moving:
    """then: the pinned settings. asked: names of the measures that were asked for with them, and held what their tests
    say. look: how the page shows what is pinned."""

    def frame(stop: int) -> Frame:
        lacking = pinned.lacking((question.name for question in along.questions(stop)), asked)
        line = pinned.line(then, along.cube.stops[stop], lacking, look)
        return Frame(texts={"html": [lines_html(line, pinned.answer(held, along.comparison(stop)))]})

    return Moving("pinned", "html", {}, frame)
