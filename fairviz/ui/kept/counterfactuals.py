"""The cache of the Gender swap page: results under the settings, and swapped collections."""

from collections.abc import Sequence
from operator import attrgetter

from fairviz.analyses.counterfactuals import experiment as experiments
from fairviz.analyses.counterfactuals.answer import Counterfactual, answer
from fairviz.analyses.counterfactuals.experiment import Collection, Experiment, Plan, substituted
from fairviz.evaluation.settings import Settings
from fairviz.rankers.grammar import Choice
from fairviz.rankers.reading import reads
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.tables import ALL_SYSTEMS, of_all_systems

MOST_DOCUMENTS = 3_000  # of a study whose placebos are made for an estimate


@kept(
    Entries("counterfactuals", session=10),
    ALL_SYSTEMS,
    by={"experiment": id},
    owner=attrgetter("study"),
)
def answered(experiment: Experiment, key: tuple, settings: Settings) -> Counterfactual:
    """The results of the experiment of this key under the settings."""
    return answer(experiment, of_all_systems(settings))


@kept(Entries("swapped", session=10), by={"plan": lambda plan: plan.counterparts.only(plan.substitute)})
def swapped(study: Study, plan: Plan) -> Collection:
    """The study with genders swapped. Raises FairvizError where nothing changes."""
    return substituted(study, plan.counterparts.only(plan.substitute))


@kept(Entries("placebos", spinner="Counting the texts to read …"))
def placebo_texts(study: Study, plan: Plan) -> list[str]:
    """The changed texts of all placebos. Raises FairvizError where a swap changes nothing."""
    return experiments.placebo_texts(study, plan, swapped(study, plan))


def run_seconds(study: Study, choices: Sequence[Choice], plan: Plan) -> float | None:
    """Return the seconds of a run; None if a model's time is unknown. Raises FairvizError where a swap changes nothing,
    and without MiniLM.

    The placebos' texts are made only where a model has read the swapped ones; else they are unread too.
    """
    swap, texts = swapped(study, plan), None
    if not any(map(reads, choices)):
        texts = []
    elif len(study.documents) <= MOST_DOCUMENTS and experiments.are_swapped_read(study, choices, swap):
        texts = placebo_texts(study, plan)
    return experiments.run_seconds(study, choices, plan, swap, texts)
