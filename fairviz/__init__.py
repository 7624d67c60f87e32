"""fairviz: gender fairness in ranked search results, measure by measure.

>>> import fairviz
>>> study = fairviz.open_study("football")
>>> scores = fairviz.evaluate(study, ["TExFAIR@4", "RR@4"])
>>> fairviz.summarise(scores)[["system", "measure", "value"]].round(3).to_numpy().tolist()
[['left', 'TExFAIR@4', 0.836], ['right', 'TExFAIR@4', 0.0], ['left', 'RR@4', 1.0], ['right', 'RR@4', 1.0]]
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairviz.datasets import open_study as open_study
    from fairviz.evaluation.scores import evaluate as evaluate
    from fairviz.evaluation.scores import summarise as summarise
    from fairviz.evaluation.settings import Settings as Settings
    from fairviz.study.study import save_study as save_study

__version__ = "0.1.0"

_PLACES = {
    "open_study": "fairviz.datasets",
    "evaluate": "fairviz.evaluation.scores",
    "summarise": "fairviz.evaluation.scores",
    "Settings": "fairviz.evaluation.settings",
    "save_study": "fairviz.study.study",
}
__all__ = ["Settings", "__version__", "evaluate", "open_study", "save_study", "summarise"]


def __getattr__(name: str) -> object:
    """Imports what is asked for when it is asked for: `import fairviz` alone loads neither pandas nor numpy."""
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'fairviz' has no attribute {name!r}")


class _Package(ModuleType):
    """Keeps `fairviz.evaluate` the function: importing the module of that name would put the module in its place."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name == "evaluate" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
