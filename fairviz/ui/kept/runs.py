"""The cache of what jobs compute: maps of choices, and for the pages Gender swap and Mitigations their results under
the settings."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from fairviz.analyses.gender_swap import answer as swap_answers
from fairviz.analyses.gender_swap import experiment as experiments
from fairviz.analyses.gender_swap.experiment import Collection, Experiment, SwapPlan, substituted
from fairviz.analyses.sensitivity.grid import Grid
from fairviz.analyses.sensitivity.mapping import result_of
from fairviz.analyses.sensitivity.result import Robustness
from fairviz.analyses.sensitivity.work import Work
from fairviz.evaluation.settings import Settings
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import both_wordings_of, reading_seconds, reads
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import Entries, kept, vectors_stamp
from fairviz.ui.kept.tables import ALL_SYSTEMS, of_all_systems

LATEST = "robustness_made"  # the map that a session has looked at last, for its report
MOST_DOCUMENTS = 3_000  # of a study whose placebos are made for an estimate


class Kept:
    """A map's work, with the result of what is computed so far. Holds state: the result is made anew when there is
    more, and estimate is measured once. name: of this work alone, for the key of its job."""

    def __init__(self, grid: Grid) -> None:
        self.name, self.work = uuid.uuid4().hex, Work(grid)
        self._found: Robustness | None = None
        self._estimate: float | None = None

    def result(self, grid: Grid) -> Robustness:
        """Return the combinations computed so far, under these settings, which equal the work's in all that it
        reads."""
        if self._found is None or int(self._found.done.sum()) < self.work.finished:
            self._found = result_of(self.work)
        if self._found.grid.settings == grid.settings:
            return self._found
        self._found = replace(self._found, grid=grid)
        return self._found

    def estimate(self) -> float:
        """Seconds that all of it takes."""
        if self._estimate is None:
            self._estimate = self.work.estimate()
        return self._estimate


def _grid_key(grid: Grid) -> tuple:
    settings = tables.plain(grid.settings)
    unread = {name: getattr(Settings, name) for name in (*grid.choices, "systems", "effectiveness")}
    read = tuple(
        (branch.text, branch.question.text if not branch.axes else "", branch.axes) for branch in grid.branches
    )
    resting = repr(settings.changed(**unread))
    return grid.study.fingerprint, grid.pair, grid.systems, grid.how, read, resting, vectors_stamp(settings)


@kept(Entries("combinations", session=6, number=12), by={"grid": _grid_key}, owner=attrgetter("study"))
def work_of(grid: Grid) -> Kept:
    """The work of the grid: one for all settings within it."""
    return Kept(grid)


@kept(
    Entries("gender_swap", session=10),
    ALL_SYSTEMS,
    by={"experiment": id},
    owner=attrgetter("study"),
)
def gender_swap(experiment: Experiment, key: tuple, settings: Settings) -> swap_answers.Counterfactual:
    """The results of the experiment of this key under the settings."""
    return swap_answers.answer(experiment, of_all_systems(settings))


@kept(Entries("swapped", session=10), by={"plan": lambda plan: plan.counterparts.only(plan.substitute)})
def swapped(study: Study, plan: SwapPlan) -> Collection:
    """The study with genders swapped. Raises FairvizError where nothing changes."""
    return substituted(study, plan.counterparts.only(plan.substitute))


@kept(Entries("placebos", spinner="Counting the texts to read …"))
def placebo_texts(study: Study, plan: SwapPlan) -> list[str]:
    """The changed texts of all placebos. Raises FairvizError where a swap changes nothing."""
    return experiments.placebo_texts(study, plan, swapped(study, plan))


def run_seconds(study: Study, choices: Sequence[RankerChoice], plan: SwapPlan) -> float | None:
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


both_wordings = kept(Entries("texts to read", spinner="Counting the texts to read …"))(both_wordings_of)


def mitigation_seconds(study: Study, choices: Sequence[RankerChoice]) -> float | None:
    """Return the seconds in which these rankers read what they have not read yet; None where one is unknown."""
    wordings = both_wordings(study) if any(map(reads, choices)) else ()
    return reading_seconds(study, choices, wordings)
