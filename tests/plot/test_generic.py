"""Every figure of the pages from fairviz.plot: its name, help, signature, and of the same arguments the same JSON."""

import inspect
import pydoc
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import fairviz
from fairviz import figures
from fairviz.comparison.compare import comparison, starred
from fairviz.comparison.finding import orders
from fairviz.errors import FairvizError
from fairviz.figures.style import DARK, LIGHT, Theme, system_styles
from fairviz.installed import bundled
from fairviz.measures import parse
from fairviz.plot.drawing import NAMES
from fairviz.study.record import Study
from tests.figures.test_registry import NOTHING

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
    light, dark = (module.draw(data, theme=look, **options).to_json() for look in (LIGHT, DARK))
    assert light != dark
    of_info = inspect.signature(info).bind(*arguments, **keywords).arguments
    further = {key: value for key, value in options.items() if key not in ("styles", *of_info)}
    for is_dark, drawn in ((False, light), (True, dark)):
        assert getattr(fairviz.plot, name)(*arguments, **keywords, **further, dark=is_dark).to_json() == drawn


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
