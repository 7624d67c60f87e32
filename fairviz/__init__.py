"""Gender fairness in ranked search results: load a study, compute measures, compare systems.

`dir(fairviz)` has the names of the extensions too.

FairvizError: an error that the user can correct; its message names the remedy
Settings: cutoff, alpha, position bias, systems, labels, word list and tests of a question
achievable_front: what orders of the candidates reach in effectiveness and fairness
annotate: label documents by word counts or a language model
annotator_groups: whether groups of annotators agree, and what changes if one alone labelled
atlas: correlate measures, and find the queries on which they disagree
chance: the mean and the band of each measure under random orders of the candidates
check_against: where a function of yours differs from a measure, on toy lists
check_claims: what would change a conclusion, with codes, reasons and remedies
compare: test differences between systems
contributions: the share of each rank, or of each query, in a value
corrected: means from a machine's labels, corrected by people's labels of a sample
counterfactual: rank again with every gendered word swapped
declare: a study with the claim that one system is fairer than others, dated
draw_sample: what people label to correct a machine, drawn at random
evaluate: the value of each measure for each system and query
explore: the report's findings in a notebook, as text or as a page
from_experiment: a study of the runs of PyTerrier's pipelines
front_distances: the distance of each system from the achievable front, with intervals
make_study: a study from pandas tables
mitigation_bench: compare mitigations on held-out queries
open_capsule: open a capsule: its settings, scores and figures
open_study: open a built-in, fetched or saved study, or a study folder
plot: Plotly figures of scores
ranges: the worst and best value over all orders of the candidates
rank: a study with the runs of rankers, also of functions of a query and texts
replace_people: whether the labels of a rule or model may take the place of people's
robustness: the sensitivity of a comparison to each choice
save_study: save a study as a folder
summarise: means over queries with 95 % intervals
tails: quantiles of two systems' values over queries, with paired intervals
ties: the smallest and largest value over all orders of tied documents
"""

from importlib import import_module

TYPE_CHECKING = False  # true for type checkers; typing takes most of the time in which Ctrl-C cannot be handled yet
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from typing import Any

    from fairviz import plot as plot
    from fairviz.analyses.annotator_groups.answer import annotator_groups as annotator_groups
    from fairviz.analyses.gender_swap.answer import counterfactual as counterfactual
    from fairviz.analyses.mitigations.bench import mitigation_bench as mitigation_bench
    from fairviz.analyses.replace_people.answer import replace_people as replace_people
    from fairviz.analyses.sensitivity.mapping import robustness as robustness
    from fairviz.annotation.annotators.annotating import annotate as annotate
    from fairviz.checks.declare import declare as declare
    from fairviz.checks.running import check_claims as check_claims
    from fairviz.comparison.atlas import atlas as atlas
    from fairviz.comparison.compare import compare as compare
    from fairviz.comparison.pareto_front import achievable_front as achievable_front
    from fairviz.comparison.pareto_front import front_distances as front_distances
    from fairviz.comparison.tails import tails as tails
    from fairviz.correction.corrected import corrected as corrected
    from fairviz.correction.sampling import draw_sample as draw_sample
    from fairviz.errors import FairvizError as FairvizError
    from fairviz.evaluation.check_function import check_against as check_against
    from fairviz.evaluation.contributions import contributions as contributions
    from fairviz.evaluation.opening import open_study as open_study
    from fairviz.evaluation.scores import evaluate as evaluate
    from fairviz.evaluation.scores import summarise as summarise
    from fairviz.evaluation.settings import Settings as Settings
    from fairviz.home import __version__ as __version__
    from fairviz.orders.chance import chance as chance
    from fairviz.orders.ranges import ranges as ranges
    from fairviz.orders.ties import ties as ties
    from fairviz.output.capsule import open_capsule as open_capsule
    from fairviz.output.experiments import from_experiment as from_experiment
    from fairviz.output.report import explore as explore
    from fairviz.rankers.adding import rank as rank
    from fairviz.study.study import make_study as make_study
    from fairviz.study.study import save_study as save_study

_PLACES = {
    "FairvizError": "fairviz.errors",
    "Settings": "fairviz.evaluation.settings",
    "__version__": "fairviz.home",
    "achievable_front": "fairviz.comparison.pareto_front",
    "annotate": "fairviz.annotation.annotators.annotating",
    "annotator_groups": "fairviz.analyses.annotator_groups.answer",
    "atlas": "fairviz.comparison.atlas",
    "chance": "fairviz.orders.chance",
    "check_against": "fairviz.evaluation.check_function",
    "check_claims": "fairviz.checks.running",
    "compare": "fairviz.comparison.compare",
    "contributions": "fairviz.evaluation.contributions",
    "corrected": "fairviz.correction.corrected",
    "counterfactual": "fairviz.analyses.gender_swap.answer",
    "declare": "fairviz.checks.declare",
    "draw_sample": "fairviz.correction.sampling",
    "evaluate": "fairviz.evaluation.scores",
    "explore": "fairviz.output.report",
    "from_experiment": "fairviz.output.experiments",
    "front_distances": "fairviz.comparison.pareto_front",
    "make_study": "fairviz.study.study",
    "mitigation_bench": "fairviz.analyses.mitigations.bench",
    "open_capsule": "fairviz.output.capsule",
    "open_study": "fairviz.evaluation.opening",
    "rank": "fairviz.rankers.adding",
    "ranges": "fairviz.orders.ranges",
    "replace_people": "fairviz.analyses.replace_people.answer",
    "robustness": "fairviz.analyses.sensitivity.mapping",
    "save_study": "fairviz.study.study",
    "summarise": "fairviz.evaluation.scores",
    "tails": "fairviz.comparison.tails",
    "ties": "fairviz.orders.ties",
}
_NAMES = "fairviz.names"  # the group of entry points
_CORE = [
    "FairvizError",
    "Settings",
    "__version__",
    "achievable_front",
    "annotate",
    "annotator_groups",
    "atlas",
    "chance",
    "check_against",
    "check_claims",
    "compare",
    "contributions",
    "corrected",
    "counterfactual",
    "declare",
    "draw_sample",
    "evaluate",
    "explore",
    "from_experiment",
    "front_distances",
    "make_study",
    "mitigation_bench",
    "open_capsule",
    "open_study",
    "plot",
    "ranges",
    "rank",
    "replace_people",
    "robustness",
    "save_study",
    "summarise",
    "tails",
    "ties",
]


def __getattr__(name: str) -> "Any":
    """Import a public name on first use: `import fairviz` alone loads neither pandas nor numpy."""
    if name in ("plot", "ir_measures", "lenskit", "pyterrier", "ranx"):
        return import_module(f"fairviz.{name}")
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    if name == "__all__":
        return sorted([*_CORE, *_of_extensions()])
    if name.startswith("_"):
        raise AttributeError(f"module 'fairviz' has no attribute {name!r}")
    if name in (entries := _of_extensions()):
        return entries[name].load()
    if error := import_module("fairviz.installed").absent(_NAMES, name, f"fairviz.{name} is"):
        raise AttributeError(str(error))
    raise AttributeError(f"module 'fairviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, imported or not, for tab completion and help."""
    return sorted({*_CORE, *_of_extensions(), *(name for name in globals() if name.startswith("__"))})


def _of_extensions() -> "dict[str, EntryPoint]":
    """Return the entry points of the extensions' public names."""
    return import_module("fairviz.installed").bundled(_NAMES)
