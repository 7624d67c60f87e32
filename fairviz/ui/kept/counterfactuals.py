"""The cache of the Gender swap page: results under the settings, and swapped collections."""

from operator import attrgetter

from fairviz.analyses.counterfactuals.answer import Counterfactual, answer
from fairviz.analyses.counterfactuals.collection import Collection, substituted
from fairviz.analyses.counterfactuals.experiment import Experiment, Plan
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.tables import ALL_SYSTEMS, of_all_systems


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
