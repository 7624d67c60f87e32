"""The cache of the Gender swap page: experiments, and their results under the settings.

An experiment is run when a reader starts it, and is stored here when it is complete.
"""

from collections.abc import Sequence
from operator import attrgetter

from fairviz.analyses.counterfactuals.answer import Counterfactual, answer
from fairviz.analyses.counterfactuals.collection import Collection, substituted
from fairviz.analyses.counterfactuals.experiment import Experiment, Plan
from fairviz.evaluation.settings import Settings
from fairviz.rankers.grammar import Choice
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, Shelf, kept, vectors_stamp
from fairviz.ui.kept.tables import ALL_SYSTEMS, of_all_systems


def key_of(study: Study, choices: Sequence[Choice], plan: Plan, settings: Settings) -> tuple:
    """All that an experiment depends on; of word vectors in a file also the state of the file."""
    rankers = tuple((choice.ranker.name, tuple(sorted(choice.parameters.items()))) for choice in choices)
    return study.fingerprint, rankers, plan, vectors_stamp(settings)


def cached_experiment(study: Study, key: tuple) -> Experiment | None:
    """The experiment of this key, where it was run."""
    return _shelf(study).value_of(key)


def put(study: Study, key: tuple, experiment: Experiment) -> None:
    """Store an experiment."""
    _shelf(study).put(key, experiment)


@kept(Entries("experiments", server=1), by={"study": lambda _: ""})
def _shelf(study: Study) -> Shelf[Experiment]:
    return Shelf(12)


@kept(
    Entries("counterfactuals", server=20, session=10),
    ALL_SYSTEMS,
    by={"experiment": lambda _: ""},
    owner=attrgetter("study"),
)
def answered(experiment: Experiment, key: tuple, settings: Settings) -> Counterfactual:
    """The results of the experiment of this key under the settings."""
    return answer(experiment, of_all_systems(settings))


@kept(Entries("swapped", server=20, session=10), by={"plan": lambda plan: plan.counterparts.only(plan.substitute)})
def swapped(study: Study, plan: Plan) -> Collection:
    """The study with genders swapped. Raises FairvizError where nothing changes."""
    return substituted(study, plan.counterparts.only(plan.substitute))
