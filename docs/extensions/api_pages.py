"""A page for each public name of Python, from its docstring."""

import inspect
from types import ModuleType

import fairviz
from fairviz import plot
from fairviz.study.record import Study

INTRODUCTION = """# Python

Everything public. What the user can correct is raised as ``fairviz.FairvizError``, with the remedy.

```{toctree}
:maxdepth: 1

"""
PLOT = """# fairviz.plot

A function for every figure, from scores or a study to a Plotly figure. The [gallery](../../../gallery/index) has each
with its code.

"""


def pages() -> dict[str, str]:
    """Return the pages of this kind by file."""
    names = [name for name in fairviz.__all__ if name != "__version__" and not _is_module(name)]
    listed = "\n".join(["Study", *names, "plot"])
    return {
        "api/index.md": f"{INTRODUCTION}{listed}\n```\n",
        "api/plot.md": PLOT + "".join(_directive("autofunction", f"fairviz.plot.{name}") for name in plot.__all__),
        "api/Study.md": f"# Study\n\n{_directive('autoclass', f'{Study.__module__}.Study', members=True)}",
        **{f"api/{name}.md": f"# fairviz.{name}\n\n{_page(name)}" for name in names},
    }


def _is_module(name: str) -> bool:
    return isinstance(getattr(fairviz, name), ModuleType)


def _page(name: str) -> str:
    kind = "autoclass" if inspect.isclass(getattr(fairviz, name)) else "autofunction"
    return _directive(kind, f"fairviz.{name}")


def _directive(kind: str, target: str, *, members: bool = False) -> str:
    options = "   :members:\n" if members else ""
    return f"```{{eval-rst}}\n.. {kind}:: {target}\n{options}```\n\n"
