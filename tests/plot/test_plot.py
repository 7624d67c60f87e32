"""fairviz.plot: the same figures as the app draws, and what cannot be drawn said in one line."""

import inspect
import json
import pydoc
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

import fairviz
from fairviz import figures, plot
from fairviz.comparison.compare import comparison, starred
from fairviz.comparison.finding import orders
from fairviz.errors import FairvizError
from fairviz.figures.style import DARK, LIGHT, Theme, system_styles
from fairviz.installed import bundled
from fairviz.measures import MEASURES, parse
from fairviz.plot.drawing import NAMES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.figures.test_registry import NOTHING
from tests.pages.conftest import first_run
from tests.pages.conftest import quick as quick

STUDY = "occupations"


@pytest.fixture(scope="module")
def study():
    return fairviz.open_study(STUDY)


def data(figure: go.Figure) -> list[dict]:
    return json.loads(figure.to_json())["data"]


def on_page(page: str, *titles: str, **query) -> list[list[dict]]:
    """The traces of the figures of these titles on a page of the app; what a click on a point does is left out, as a
    figure for a notebook takes none."""
    figures = [json.loads(element.proto.spec) for element in first_run(page, study=STUDY, **query).get("plotly_chart")]
    (*found,) = (each for title in titles for each in figures if title in str(each["layout"].get("title")))
    assert len(found) == len(titles)
    return [json.loads(json.dumps(each["data"]).replace("<br><i>Click: its lists on Query</i>", "")) for each in found]


def test_the_pages_draw_the_same(study):
    measures = ["CWEx", "NFaiRR", "TExFAIR", "nDCG"]
    drawn = plot.tradeoff(fairviz.evaluate(study, measures, cutoff=5))
    shown = on_page("tradeoff.py", "Fairness against effectiveness", "Exposure by gender", cutoff="5")
    assert [data(drawn), data(plot.exposure(study, cutoff=5))] == shown
    assert drawn.layout.yaxis.title.text.startswith("CWEx(alpha=0.5)@5")
    assert drawn.layout.xaxis.title.text.startswith("nDCG@5")
    curve = plot.alpha(study, cutoff=5)
    assert [data(curve)] == on_page("tradeoff.py", "All of α", cutoff="5", tradeoff_tab="Over α or k")
    assert curve.layout.font.color != plot.alpha(study, dark=True).layout.font.color
    words = plot.words({"my words": "nurse, hairdresser", "set against": ["carpenter", "engineer"]})
    asked = {"words": "nurse, hairdresser", "against": "carpenter engineer"}
    assert [data(words)] == on_page("words.py", "Words between male and female", **asked)
    slopes = data(plot.gsr(study))
    (page,) = on_page("gsr.py", "the slope of the line is GSR")
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


# Every figure of the pages: its name, help, signature, and of the same arguments the same JSON


FOLDER = Path(figures.__file__).parent
WRITTEN = {"alpha", "cutoff", "exposure", "gsr", "order", "tradeoff", "words"}  # functions with arguments of their own
EXTRA = {"styles": {}, "texts": {}}  # what `draw` takes beside
NDCG, CWEX = parse("nDCG@10"), parse("CWEx@10")


def modules() -> dict[str, ModuleType]:
    """The modules of figures found on disk."""
    every = {path.stem: import_module(f"{figures.__name__}.{path.stem}") for path in FOLDER.glob("[!_]*.py")}
    return {name: module for name, module in every.items() if hasattr(module, "info") and hasattr(module, "draw")}


every_figure = pytest.mark.parametrize("name", sorted(modules()))


@every_figure
def test_every_figure_on_disk_has_a_function_with_its_help(name: str) -> None:
    function, module = getattr(fairviz.plot, name), modules()[name]
    assert function is getattr(fairviz.plot, name)
    assert (function.__name__, function.__qualname__, function.__module__) == (name, name, "fairviz.plot")
    assert name in dir(fairviz.plot)
    of_info = inspect.signature(module.info).parameters
    _, *of_draw = inspect.signature(module.draw).parameters.values()
    shared = {each.name for each in of_draw} - {"styles", "theme"}
    own = {"dark", *(["study_systems"] if "styles" in {each.name for each in of_draw} else [])}
    parameters = inspect.signature(function).parameters
    assert list(parameters)[: len(of_info)] == list(of_info)
    assert set(parameters) == {*of_info, *shared, *own}
    assert all(parameters[each].default == parameter.default for each, parameter in of_info.items())
    text = pydoc.plain(pydoc.render_doc(function))
    for part in (module.info, module.draw):
        assert (inspect.getdoc(part) or "-").split("\n")[0] in text
    assert all(f"{each}: " in text for each in own)


@every_figure
def test_every_figure_is_drawn_as_info_and_draw_do_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, info = modules()[name], modules()[name].info
    given: list[tuple[tuple, dict]] = []

    @wraps(info)
    def noted(*arguments: Any, **keywords: Any) -> Any:
        given.append((arguments, keywords))
        return info(*arguments, **keywords)

    monkeypatch.setattr(module, "info", noted)
    data = NOTHING[name](module)
    arguments, keywords = given[0]
    options = {key: value for key, value in EXTRA.items() if key in inspect.signature(module.draw).parameters}
    dark = module.draw(data, theme=DARK, **options).to_json()
    of_info = inspect.signature(info).bind(*arguments, **keywords).arguments
    further = {key: value for key, value in options.items() if key not in ("styles", *of_info)}
    function = getattr(fairviz.plot, name)
    assert function(*arguments, **keywords, **further, dark=True).to_json() == dark
    assert function(*arguments, **keywords, **further).to_json() != dark


def test_systems_are_those_of_tables_comparisons_orders_and_pairs(newswire: Study) -> None:
    scores = fairviz.evaluate(newswire, ["CWEx", "nDCG"])
    summary, found = fairviz.summarise(scores), comparison(scores)
    differing = pd.DataFrame({"query_id": ["q1"], "value": [0.1], "baseline_value": [0.2], "difference": [-0.1]})
    pair, made = ("rrf", "bm25"), orders(summary, [CWEX, NDCG], found)
    for name, arguments, options, systems in (
        ("scatter", (summary, NDCG, CWEX), {"height": 300}, newswire.systems),
        ("differences", (found, starred(found)), {}, newswire.systems),
        ("measure_order", (made,), {"groups": True}, [placed.system for placed in made[0].systems]),
        ("query_differences", (differing, CWEX, pair, {}), {}, pair),
    ):
        module, function = modules()[name], getattr(fairviz.plot, name)
        for shown, more in ((systems, {}), (newswire.systems, {"study_systems": newswire.systems})):
            drawn = module.draw(module.info(*arguments), styles=system_styles(shown), theme=LIGHT, **options)
            assert function(*arguments, **options, **more).to_json() == drawn.to_json(), name


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_systems_have_their_look_in_the_study_though_one_is_hidden(newswire: Study, look: Theme) -> None:
    scores = fairviz.evaluate(newswire, ["CWEx", "nDCG"], systems=newswire.systems[1:])
    looks = []
    for options in ({"study_systems": newswire.systems}, {}):
        figure = fairviz.plot.scatter(fairviz.summarise(scores), NDCG, CWEX, dark=look.dark, **options)
        marks = [trace for trace in figure.data if trace.customdata is not None]
        looks.append({trace.customdata[0]: trace.marker.color for trace in marks})
    expected = {name: style.colour for name, style in system_styles(newswire.systems, look).items()}
    assert looks[0] == {name: expected[name] for name in newswire.systems[1:]}
    assert looks[1]["tfidf"] == expected[newswire.systems[0]]


def test_names_are_the_figures_on_disk_and_wrong_arguments_are_told() -> None:
    assert set(NAMES) == {*modules(), *bundled("fairviz.figures")}
    assert not WRITTEN & set(NAMES)
    assert set(fairviz.plot.__all__) == WRITTEN | set(NAMES)
    with pytest.raises(AttributeError, match=r"^module 'fairviz\.plot' has no attribute 'style'$"):
        _ = fairviz.plot.style
    with pytest.raises(FairvizError, match=r"^dark is 'no'\nUse True or False\.$"):
        fairviz.plot.explained_variance([0.5], dark="no")
    with pytest.raises(FairvizError, match=r"^study_systems is 3\nGive a list of systems"):
        fairviz.plot.measure_order([], study_systems=3)
    with pytest.raises(TypeError, match=r"missing a required argument: 'y'"):
        fairviz.plot.scatter(None, None)
