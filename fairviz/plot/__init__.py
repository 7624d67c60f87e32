"""Figures in one call, for notebooks: from scores or a study to a Plotly figure, as in the app.

alpha, cutoff, exposure, gsr, order, tradeoff and words take a study, scores or words. Each other function has the name
of a module of `fairviz.figures` and takes the tables of its `info`.

May import comparison, figures and the rooms below them.
"""

from fairviz.installed import absent
from fairviz.plot.drawing import NAMES, alpha, cutoff, exposure, function_of, gsr, order, tradeoff, words

__all__ = ["alpha", "cutoff", "exposure", "gsr", "order", "tradeoff", "words"]
__all__.extend(NAMES)


def __getattr__(name: str) -> object:
    """Make the function of a figure on its first use."""
    if name in NAMES:
        return function_of(name)
    if error := absent("fairviz.figures", name, f"{__name__}.{name} is"):
        raise AttributeError(str(error))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, for tab completion and help."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
