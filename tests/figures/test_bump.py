import numpy as np
import pandas as pd

from fairviz.figures import bump
from fairviz.figures.style import system_styles
from fairviz.measures import parse

CWEX, TED, COUNT, NDCG = (parse(text) for text in ("CWEx@10", "TED@10", "Exposure(group='female')@10", "nDCG@10"))


def summary(**measures):
    questions = {"cwex": CWEX, "ted": TED, "count": COUNT, "ndcg": NDCG}
    rows = [
        (name, questions[key].text, value)
        for key, values in measures.items()
        for name, value in zip("abc", values, strict=False)
    ]
    return pd.DataFrame(rows, columns=["system", "measure", "value"])


def test_ranks_follow_each_measures_own_direction_and_ties_share_one():
    drawn = bump.info(summary(cwex=(0.1, 0.3, 0.2), ted=(0.1, 0.3, 0.2), count=(0.3, 0.3, 0.2)), [CWEX, TED, COUNT])
    assert drawn == bump.Bump(("CWEx", "TED"), {"a": (3, 1), "b": (1, 3), "c": (2, 2)}), "one measure only describes"
    drawn = bump.info(summary(cwex=(0.3, 0.3, 0.2), ted=(0.1, np.nan, 0.2)), [CWEX, TED])
    assert drawn.ranks == {"a": (1, 1), "b": (1, None), "c": (3, 2)}
    assert drawn.alt == "Ranks of 3 systems; first by CWEx: a, b; by TED: a."


def test_references_take_no_rank_and_stand_between_those_who_do():
    rows = [(name, CWEX.text, value) for name, value in (("perfect", 0.9), ("a", 0.3), ("random", 0.2), ("b", 0.1))]
    table = pd.DataFrame(rows, columns=["system", "measure", "value"])
    drawn = bump.info(table, [CWEX], "b")
    assert drawn.ranks == {"a": (1,), "b": (2,)}
    assert drawn.references == {"perfect": (0.5,), "random": (1.5,)}
    figure = bump.draw(drawn, system_styles(["perfect", "a", "random", "b"]))
    assert [trace.name for trace in figure.data] == ["a", "<b>b</b>", "perfect", "random"]
    assert figure.layout.yaxis.range[1] < 0.5
    assert bump.info(table[table["system"] == "perfect"], [CWEX]).ranks == {"perfect": (1,)}


def test_rank_one_is_at_the_top_and_every_line_has_its_marker():
    styles = system_styles("abc")
    figure = bump.draw(bump.info(summary(cwex=(0.1, 0.3, 0.2), ndcg=(1, 2, 3)), [CWEX, NDCG]), styles)
    low, high = figure.layout.yaxis.range
    assert low > high
    assert [trace.marker.symbol for trace in figure.data] == [styles[name].symbol for name in "abc"]
    assert list(figure.data[0].x) == ["CWEx", "nDCG<br>(effectiveness)"]
