"""A function for every figure of the pages: from the arguments of its `info` and `draw` to a Plotly figure.

Figures that take a look for each system choose it by the system's place in the study, as pages do.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from fairviz import figures
from fairviz.comparison.compare import Comparison
from fairviz.comparison.finding import Order
from fairviz.errors import expect
from fairviz.figures.style import system_styles
from fairviz.plot.systems import theme

HELPERS = {"axes", "best_achievable", "frame", "gender_colour", "style"}  # modules that are not a figure
NAMES = tuple(sorted(module.name for module in iter_modules(figures.__path__) if module.name not in HELPERS))
DARK, SYSTEMS = "dark", "study_systems"
OWN_PARAMETERS = {
    SYSTEMS: Parameter(SYSTEMS, Parameter.KEYWORD_ONLY, default=(), annotation=Sequence[str]),
    DARK: Parameter(DARK, Parameter.KEYWORD_ONLY, default=False, annotation=bool),
}
DOCS = {
    SYSTEMS: "all systems of the study, in its order, by which each has its colour and marker; by default those of "
    "the data.",
    DARK: "whether the figure is for a dark page.",
    "height": "in pixels.",
}
SYSTEM_COLUMNS = ("system", "ranker")  # of tables
SYSTEM_ARGUMENTS = ("system", "systems", "pair")  # of `info`


@cache
def function_of(name: str) -> Callable[..., go.Figure]:
    """Return the function that draws the figure of this module of `fairviz.figures`."""
    module = import_module(f"{figures.__name__}.{name}")
    signature, of_info, of_draw = _signature(module)
    takes_styles = "styles" in of_draw

    def plot(*arguments: Any, **keywords: Any) -> go.Figure:
        call = signature.bind(*arguments, **keywords)
        call.apply_defaults()
        values: dict[str, Any] = call.arguments
        look = theme(values[DARK])
        data = module.info(**{each: values[each] for each in of_info})
        options = {each: values[each] for each in of_draw if each in values}
        if takes_styles:
            expect(SYSTEMS, values[SYSTEMS], Sequence, "Give a list of systems, such as study.systems.")
            systems = values[SYSTEMS] or _systems({each: values[each] for each in of_info})
            options["styles"] = system_styles(tuple(systems), look)
        return module.draw(data, theme=look, **options)

    plot.__name__ = plot.__qualname__ = name
    plot.__module__ = __name__.rpartition(".")[0]
    plot.__doc__ = _docstring(module, signature)
    vars(plot)["__signature__"] = signature
    return plot


def _signature(module: ModuleType) -> tuple[Signature, Mapping[str, Parameter], Mapping[str, Parameter]]:
    """Return the signature of a figure's function, and the parameters of its `info` and its `draw` without the data.

    The parameters of `info` come first, then by keyword those of `draw`, with `dark` for `theme` and the systems for
    `styles`. A parameter of both, such as a height, is passed to both.
    """
    of_info = inspect.signature(module.info).parameters
    _, *rest = inspect.signature(module.draw).parameters.values()
    of_draw = {each.name: each for each in rest}
    further = [
        each.replace(kind=Parameter.KEYWORD_ONLY)
        for name, each in of_draw.items()
        if name not in of_info and name not in ("theme", "styles")
    ]
    own = [each for name, each in OWN_PARAMETERS.items() if name != SYSTEMS or "styles" in of_draw]
    signature = Signature([*of_info.values(), *further, *own], return_annotation=go.Figure)
    return signature, of_info, of_draw


def _docstring(module: ModuleType, signature: Signature) -> str:
    """Return the docstring of `draw`, then that of `info`, then the parameters that both lack."""
    drawing, data = (inspect.getdoc(each) or "" for each in (module.draw, module.info))
    parts = [drawing, f"The data, by `{module.__name__}.info`:\n{data}"]
    added = [f"{name}: {text}" for name, text in DOCS.items() if name in signature.parameters]
    return "\n\n".join([*parts, "\n".join(added)])


def _systems(values: Mapping[str, Any]) -> list[str]:
    """Return the systems in the arguments of `info`, each once, in order of appearance."""
    return list(dict.fromkeys(name for parameter, value in values.items() for name in _names(value, parameter)))


def _names(value: Any, parameter: str = "") -> Iterator[str]:
    """Yield the systems in an argument: of a table, a comparison, orders, or the argument itself."""
    if isinstance(value, pd.DataFrame):
        for column in SYSTEM_COLUMNS:
            yield from value[column].astype("str").unique() if column in value else ()
    elif isinstance(value, Comparison):
        for pairs in value.pairs:
            yield from map(str, pairs.points.systems)
    elif isinstance(value, Order):
        yield from (placed.system for placed in value.systems)
    elif parameter in SYSTEM_ARGUMENTS:
        yield from filter(None, [value] if isinstance(value, str) else value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _names(item)
