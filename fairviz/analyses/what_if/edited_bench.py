"""The bench of an experiment's list, so that swaps and fronts start from the edited list."""

from dataclasses import replace

import numpy as np

from fairviz.analyses.what_if.bench import Bench, bench_of
from fairviz.analyses.what_if.experiment import Experiment
from fairviz.analyses.what_if.outcome import changed, restricted
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study

MOST_SEARCHED = 100  # ranks: every swap of a list of a thousand takes minutes to look at


def edited_bench(
    study: Study, settings: Settings, experiment: Experiment, measure: str, effect: str, places: AlignedRankings
) -> Bench:
    """Return the bench of the experiment's list with its order, labels and words.

    Long lists are truncated to the first ranks, at least to the measure's cutoff. Raises: see `bench_of`.
    """
    bench = bench_of(study, settings, measure, experiment.system, experiment.query, effect, places)
    background = bench.question.parameters.get("background")
    column = np.array([places.rankings.queries.index(experiment.query)])
    edited_places = changed(study, settings, restricted(places, column, background == "collection"), experiment)
    system = edited_places.rankings.systems.index(experiment.system)
    reach = max(MOST_SEARCHED, bench.question.cutoff or settings.cutoff)
    return replace(
        bench,
        places=edited_places,
        documents=edited_places.rankings.documents[: min(len(experiment.order), reach), system, 0],
        background=None if background is None else edited_places.background(background)[0],
    )
