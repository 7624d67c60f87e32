"""fairviz: gender fairness in ranked search results, measure by measure.

>>> import fairviz
>>> study = fairviz.open_study("football")
>>> scores = fairviz.evaluate(study, ["TExFAIR@4", "RR@4"])
>>> fairviz.summarise(scores)[["system", "measure", "value"]].round(3).to_numpy().tolist()
[['left', 'TExFAIR@4', 0.836], ['right', 'TExFAIR@4', 0.0], ['left', 'RR@4', 1.0], ['right', 'RR@4', 1.0]]

`open_study` opens a study folder or a built-in or fetched study, `make_study` makes one of pandas frames, `evaluate`
gives scores, `summarise` their means, `contributions` what a value is made of, `ties` how far it rests on the order of
equal scores, `robustness` how far two systems' order rests on what was chosen, `counterfactual` what becomes of
rankings when genders are swapped in every text, and `audit` which group's documents a ranker prefers; `annotate`
labels documents by code and by language models, and `fairviz.plot` draws scores. Settings holds every choice, and any
of its fields can be given to `evaluate` by name.
equal scores, `robustness` how far two systems' order rests on what was chosen, and `counterfactual` what becomes of
rankings when genders are swapped in every text; `read_trec_fair` makes a study of the TREC Fair Ranking track's files,
and `track_scores` gives the track's own scores of it; `mitigation_bench` sets mitigations against what they mend,
and `mend` trains an encoder to put neither gender's wording first; `annotate` labels documents by code and by
language models, and `fairviz.plot` draws scores. Settings holds every choice, and any of its fields can be given to
`evaluate` by name.
rankings when genders are swapped in every text, and `steer` what the weight of a Backpack's gender senses does to
them; `annotate` labels documents by code and by language models, and `fairviz.plot` draws scores. Settings holds every
choice, and any of its fields can be given to `evaluate` by name.
What a person can mend is raised as a FairvizError.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairviz import plot as plot
    from fairviz.annotation.annotators.annotating import annotate as annotate
    from fairviz.audits.auditing import audit as audit
    from fairviz.audits.mitigations_bench import mitigation_bench as mitigation_bench
    from fairviz.combinations.mapping import robustness as robustness
    from fairviz.counterfactuals.answer import counterfactual as counterfactual
    from fairviz.datasets import open_study as open_study
    from fairviz.datasets.trec_fair import read_trec_fair as read_trec_fair
    from fairviz.errors import FairvizError as FairvizError
    from fairviz.evaluation.atlas import atlas as atlas
    from fairviz.evaluation.compare import compare
    from fairviz.evaluation.contributions import contributions as contributions
    from fairviz.evaluation.scores import evaluate as evaluate
    from fairviz.evaluation.scores import summarise as summarise
    from fairviz.evaluation.settings import Settings as Settings
    from fairviz.evaluation.ties import ties as ties
    from fairviz.evaluation.track import track_scores as track_scores
    from fairviz.mending.mended import mend as mend
    from fairviz.steering.answer import steer as steer
    from fairviz.study.study import make_study as make_study
    from fairviz.study.study import save_study as save_study

__version__ = "0.1.0"

_PLACES = {
    "FairvizError": "fairviz.errors",
    "Settings": "fairviz.evaluation.settings",
    "annotate": "fairviz.annotation.annotators.annotating",
    "atlas": "fairviz.evaluation.atlas",
    "audit": "fairviz.audits.auditing",
    "compare": "fairviz.evaluation.compare",
    "contributions": "fairviz.evaluation.contributions",
    "counterfactual": "fairviz.counterfactuals.answer",
    "evaluate": "fairviz.evaluation.scores",
    "make_study": "fairviz.study.study",
    "mend": "fairviz.mending.mended",
    "mitigation_bench": "fairviz.audits.mitigations_bench",
    "open_study": "fairviz.datasets",
    "read_trec_fair": "fairviz.datasets.trec_fair",
    "robustness": "fairviz.combinations.mapping",
    "save_study": "fairviz.study.study",
    "steer": "fairviz.steering.answer",
    "summarise": "fairviz.evaluation.scores",
    "ties": "fairviz.evaluation.ties",
    "track_scores": "fairviz.evaluation.track",
}
__all__ = [
    "FairvizError",
    "Settings",
    "__version__",
    "annotate",
    "atlas",
    "audit",
    "compare",
    "contributions",
    "counterfactual",
    "evaluate",
    "make_study",
    "mend",
    "mitigation_bench",
    "open_study",
    "plot",
    "read_trec_fair",
    "robustness",
    "save_study",
    "steer",
    "summarise",
    "ties",
    "track_scores",
]


def __getattr__(name: str) -> object:
    """Imports what is asked for when it is asked for: `import fairviz` alone loads neither pandas nor numpy."""
    if name == "plot":
        return import_module("fairviz.plot")
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'fairviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for tab completion and help, whether they are imported already or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
