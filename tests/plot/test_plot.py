"""Figures in one call: the same as the app draws, and what cannot be drawn said in one line."""

import json

import pandas as pd
import plotly.graph_objects as go
import pytest

import fairviz
from fairviz import plot
from fairviz.measures import MEASURES
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.pages.conftest import first_run

STUDY = "occupations"


@pytest.fixture(scope="module")
def study():
    return fairviz.open_study(STUDY)


def data(figure: go.Figure) -> list[dict]:
    return json.loads(figure.to_json())["data"]


def on_page(page: str, title: str, **query) -> list[dict]:
    """The traces of the figure of this title on a page of the app; what a click on a point does is left out, as a
    figure for a notebook takes none."""
    figures = [json.loads(element.proto.spec) for element in first_run(page, study=STUDY, **query).get("plotly_chart")]
    (found,) = [each for each in figures if title in str(each["layout"].get("title"))]
    return json.loads(json.dumps(found["data"]).replace("<br><i>Click: its lists on Query</i>", ""))


def test_the_pages_draw_the_same(study):
    measures = ["CWEx", "NFaiRR", "TExFAIR", "nDCG"]
    drawn = plot.tradeoff(fairviz.evaluate(study, measures, cutoff=5))
    assert data(drawn) == on_page("tradeoff.py", "Fairness against effectiveness", cutoff="5")
    assert drawn.layout.yaxis.title.text.startswith("CWEx(alpha=0.5)@5")
    assert drawn.layout.xaxis.title.text.startswith("nDCG@5")
    curve = plot.alpha(study, cutoff=5)
    assert data(curve) == on_page("tradeoff.py", "All of α", cutoff="5", tradeoff_tab="Over α or k")
    assert curve.layout.font.color != plot.alpha(study, dark=True).layout.font.color
    assert data(plot.exposure(study, cutoff=5)) == on_page("tradeoff.py", "Exposure by gender", cutoff="5")
    words = plot.words({"my words": "nurse, hairdresser", "set against": ["carpenter", "engineer"]})
    asked = {"words": "nurse, hairdresser", "against": "carpenter engineer"}
    assert data(words) == on_page("words.py", "Words between male and female", **asked)
    slopes = data(plot.gsr(study))
    page = on_page("gsr.py", "the slope of the line is GSR")
    for trace, other in zip(page, slopes, strict=True):  # the page rings the query that it shows below
        if "marker" in trace:
            trace["marker"] |= {name: other["marker"][name] for name in ("size", "line")}
    assert slopes == page


def test_a_curve_over_cutoffs_marks_its_own_and_gsr_keeps_the_line_of_the_perfect_system(newswire):
    drawn = plot.cutoff(newswire, "TExFAIR@3")
    assert [trace["name"] for trace in data(drawn) if "name" in trace] == list(newswire.systems)
    assert "k = 3" in str(drawn.layout.annotations)
    assert "k = 7" in str(plot.cutoff(newswire, cutoff=7).layout.annotations)
    assert drawn.layout.title.text == "TExFAIR at every cutoff"
    alone = data(plot.gsr(newswire, systems=["bm25"], left_out=2))
    assert len([trace for trace in alone if trace.get("line", {}).get("dash") == "dash"]) == 1
    assert any("left out" in trace.get("hovertemplate", "") for trace in alone)


def test_which_measures_are_set_against_each_other_can_be_said(study):
    scores = fairviz.evaluate(study, ["CWEx@5", "TExFAIR@5", "nDCG@5"])
    drawn = plot.tradeoff(scores, "TExFAIR", "CWEx(alpha=0.50)@5")
    assert drawn.layout.yaxis.title.text.startswith("TExFAIR@5")
    assert drawn.layout.xaxis.title.text.startswith("CWEx(alpha=0.5)@5")
    assert data(plot.tradeoff(fairviz.summarise(scores))) == data(plot.tradeoff(scores))
    assert plot.tradeoff(scores[scores["measure"] != "nDCG@5"]).layout.xaxis.title.text.startswith("TExFAIR@5")


def test_words_without_a_vector_are_warned_of_and_debiased_ones_lie_in_the_middle():
    with pytest.warns(UserWarning, match=r"^glove has no vector of fnordly, grmpf$"):
        drawn = plot.words("nurse fnordly, grmpf")
    assert [trace["text"] for trace in data(drawn) if trace["mode"] == "markers"] == [["nurse"]]
    with pytest.warns(UserWarning, match="no vector of fnordly"):
        assert "None of these words has a vector." in str(plot.words(["fnordly"]).layout.annotations)
    assert "None of these words has a vector." in str(plot.words([]).layout.annotations)
    (values,) = [trace["x"] for trace in data(plot.words(["nurse"], debias="strong")) if trace["mode"] == "markers"]
    assert values == pytest.approx([0], abs=1e-6)


BARE = make_study(
    "bare", runs=pd.DataFrame({"system": ["a"], "query_id": ["1"], "doc_id": ["d"], "rank": [1], "score": [1.0]})
)
CURVES = ", ".join(name for name in MEASURES if name != "GSR")
NO_LABELS = "it has no gender labels. Add labels.csv with the columns doc_id, annotator, label."


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda study: plot.alpha(BARE), f"CWEx(alpha=0.5)@10 cannot be computed for the study 'bare': {NO_LABELS}"),
        (lambda study: plot.exposure(BARE), f"Exposure@10 cannot be computed for the study 'bare': {NO_LABELS}"),
        (lambda study: plot.cutoff(BARE), f"CWEx(alpha=0.5)@10 cannot be computed for the study 'bare': {NO_LABELS}"),
        (
            lambda study: plot.gsr(BARE),
            "GSR cannot be computed for the study 'bare': it has no text of queries. Add queries.tsv with the columns "
            "query_id and text.",
        ),
        (
            lambda study: plot.alpha(study, baseline="bm25"),
            "baseline is 'bm25', which is not among the systems\nUse one of S, N, CS.",
        ),
        (
            lambda study: plot.tradeoff(fairviz.evaluate(study, "CWEx@5")),
            "the scores hold one measure, CWEx(alpha=0.5)@5\nEvaluate two, as in ['CWEx@10', 'nDCG@10'].",
        ),
        (
            lambda study: plot.tradeoff(fairviz.evaluate(study, [])),
            "the scores hold no measure\nEvaluate two, as in ['CWEx@10', 'nDCG@10'].",
        ),
        (
            lambda study: plot.tradeoff(fairviz.evaluate(study, ["CWEx@5", "RR@5"]), "TExFAIR"),
            "up is 'TExFAIR', which the scores do not hold\nUse one of CWEx(alpha=0.5)@5, RR@5.",
        ),
        (lambda study: plot.cutoff(study, "nDCG@5"), f"nDCG@5 has no curve over cutoffs\nUse one of {CURVES}."),
        (lambda study: plot.cutoff(study, "GSR@5"), f"GSR@5 has no curve over cutoffs\nUse one of {CURVES}."),
        (lambda study: plot.words([3]), "words holds 3\nGive a list of words, or a dict of lists by name."),
    ],
)
def test_what_cannot_be_drawn(study, draw, message):
    with refused(message):
        draw(study)
