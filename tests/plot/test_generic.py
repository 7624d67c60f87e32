"""Every figure of the pages from fairviz.plot: its name, help and signature, and on the pages' arguments their JSON."""

import inspect
import pydoc
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import plotly.graph_objects as go
import pytest

import fairviz
from fairviz import figures
from fairviz.errors import FairvizError
from fairviz.figures.style import DARK, LIGHT, Theme, system_styles
from fairviz.installed import bundled
from fairviz.measures import parse
from fairviz.plot.drawing import NAMES
from fairviz.study.record import Study
from tests.figures.test_registry import NOTHING
from tests.fresh import forget
from tests.pages.conftest import first_run, settled

FOLDER = Path(figures.__file__).parent
WRITTEN = {"alpha", "cutoff", "exposure", "gsr", "order", "tradeoff", "words"}  # functions with arguments of their own
EXTRA = {"styles": {}, "texts": {}}  # what `draw` takes beside
RUNS: list[tuple[str, str, dict[str, str]]] = [  # page, button, address
    ("overview.py", "", {}),
    ("tradeoff.py", "", {}),
    ("tradeoff.py", "", {"tradeoff_tab": "Over α or k"}),
    ("tradeoff.py", "", {"tradeoff_tab": "Ranks", "system": "bm25"}),
    ("tradeoff.py", "", {"tradeoff_tab": "Chance and range", "chance": "run"}),
    ("compare.py", "", {}),
    ("measures.py", "", {}),
    ("what_if.py", "", {}),
    ("sensitivity.py", "", {}),
    ("agreement.py", "", {"agreement_tab": "Pairs"}),
    ("annotate.py", "", {}),
    ("gsr.py", "", {"debias": "regular"}),
    ("words.py", "", {}),
    ("gender_swap.py", "counterfactual_run", {"study": "football", "counterfactual_seeds": "1"}),
]
ON_PAGES = {
    "alpha_curve", "annotator_values", "bias_curve", "bump", "choice_map", "confusion", "crbo", "crbo_queries",
    "cutoff_curve", "differences", "explained_variance", "gendered_axis", "gsr_scatter", "intervals", "kappa_matrix",
    "leave_out_curve", "list_front", "measure_matrix", "measure_order", "query_differences", "reordering", "scatter",
    "specification_curve", "ternary", "value_scale", "word_plane",
}  # fmt: skip


def modules() -> dict[str, ModuleType]:
    """The modules of figures found on disk."""
    every = {path.stem: import_module(f"{figures.__name__}.{path.stem}") for path in FOLDER.glob("[!_]*.py")}
    return {name: module for name, module in every.items() if hasattr(module, "info") and hasattr(module, "draw")}


every_figure = pytest.mark.parametrize("name", sorted(modules()))


class Drawing(NamedTuple):
    """One call of `draw`: its figure as JSON, its other arguments, and the arguments of `info` for its data."""

    name: str
    figure: str
    options: dict[str, Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]

    def again(self, *, by_default: bool = False) -> go.Figure:
        """Draw it by `fairviz.plot`. by_default: with the systems of the data alone."""
        of_info = inspect.signature(modules()[self.name].info).bind(*self.arguments, **self.keywords).arguments
        left_out = {"theme", "styles", *of_info}
        options = {name: value for name, value in self.options.items() if name not in left_out}
        options["dark"] = self.options.get("theme", LIGHT).dark
        if "styles" in self.options and not by_default:
            shown = self.options["styles"]
            systems = fairviz.open_study("newswire").systems
            of_pair = set(shown) < set(systems)  # some figures have the styles of two systems alone
            options["study_systems"] = list(systems if of_pair else shown)
        return getattr(fairviz.plot, self.name)(*self.arguments, **{**options, **self.keywords})


def recorded(patch: pytest.MonkeyPatch) -> list[Drawing]:
    """Every drawing from now on, of the data of `info`."""
    drawings: list[Drawing] = []
    made: dict[int, tuple[object, tuple, dict]] = {}

    def noting_info(info: Callable) -> Callable:
        @wraps(info)
        def noted(*arguments: Any, **keywords: Any) -> Any:
            data = info(*arguments, **keywords)
            made[id(data)] = data, arguments, keywords
            return data

        return noted

    def noting_draw(name: str, draw: Callable) -> Callable:
        @wraps(draw)
        def noted(data: Any, *arguments: Any, **keywords: Any) -> go.Figure:
            figure = draw(data, *arguments, **keywords)
            call = inspect.signature(draw).bind(data, *arguments, **keywords)
            if id(data) in made:
                options = dict(list(call.arguments.items())[1:])
                drawings.append(Drawing(name, figure.to_json(), options, *made[id(data)][1:]))
            return figure

        return noted

    for name, module in modules().items():
        patch.setattr(module, "info", noting_info(module.info))
        patch.setattr(module, "draw", noting_draw(name, module.draw))
    return drawings


@every_figure
def test_every_figure_on_disk_has_a_function_with_its_help(name: str) -> None:
    function, module = getattr(fairviz.plot, name), modules()[name]
    assert function is getattr(fairviz.plot, name)
    assert (function.__name__, function.__qualname__, function.__module__) == (name, name, "fairviz.plot")
    assert name in dir(fairviz.plot)
    assert name in fairviz.plot.__all__
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
def test_every_figure_is_drawn_as_info_and_draw_do_it(name: str) -> None:
    module = modules()[name]
    with pytest.MonkeyPatch.context() as patch:
        drawings = recorded(patch)
        options = {key: value for key, value in EXTRA.items() if key in inspect.signature(module.draw).parameters}
        for look in (LIGHT, DARK):
            module.draw(NOTHING[name](module), theme=look, **options)
    light, dark = drawings
    assert light.figure != dark.figure
    for drawing in (light, dark):
        assert drawing.again(by_default=True).to_json() == drawing.figure


@pytest.mark.parametrize(
    ("runs", "figures_there"),
    [
        (RUNS[1:4], {"alpha_curve", "bump", "scatter", "ternary"}),
        pytest.param(RUNS, ON_PAGES, marks=[pytest.mark.slow, pytest.mark.lengthy]),
    ],
    ids=["trade-off", "every page"],
)
def test_every_figure_of_the_pages_is_drawn_from_their_arguments(runs, figures_there: set[str]) -> None:
    forget()
    with pytest.MonkeyPatch.context() as patch:
        drawings = recorded(patch)
        for page, button, query in runs:
            test = first_run(page, **{"study": "newswire"} | query)
            if button and not test.button(key=button).disabled:  # short work begins without it
                test.button(key=button).click().run()
            assert not settled(test).exception
    assert {drawing.name for drawing in drawings} >= figures_there
    for drawing in drawings:
        assert drawing.again().to_json() == drawing.figure, drawing.name
        assert len(drawing.again(by_default=True).data) == len(drawing.again().data), drawing.name


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_systems_have_their_look_in_the_study_though_one_is_hidden(newswire: Study, look: Theme) -> None:
    scores = fairviz.evaluate(newswire, ["CWEx", "nDCG"], systems=newswire.systems[1:])
    arguments = fairviz.summarise(scores), parse("nDCG@10"), parse("CWEx@10")
    looks = []
    for options in ({"study_systems": newswire.systems}, {}):
        figure = fairviz.plot.scatter(*arguments, dark=look.dark, **options)
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
