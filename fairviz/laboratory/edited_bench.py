"""The list of an experiment on the bench, so that swaps and fronts start from what a person has made of it."""

from dataclasses import replace

import numpy as np

from fairviz.evaluation.settings import Settings
from fairviz.laboratory.bench import Bench, bench_of
from fairviz.laboratory.experiment import Experiment
from fairviz.laboratory.outcome import changed, restricted
from fairviz.measures.sums import Places
from fairviz.study.study import Study

MOST_SEARCHED = 100  # ranks: every swap of a list of a thousand takes minutes to look at


def edited_bench(
    study: Study, settings: Settings, experiment: Experiment, measure: str, effect: str, places: Places
) -> Bench:
    """The experiment's list in its order, with its labels and words; of a long one the first ranks, at least as many as
    the measure looks at. Raises as `bench_of`."""
    bench = bench_of(study, settings, measure, experiment.system, experiment.query, effect, places)
    background = bench.question.parameters.get("background")
    column = np.array([places.rankings.queries.index(experiment.query)])
    now = changed(study, settings, restricted(places, column, background == "collection"), experiment)
    system = now.rankings.systems.index(experiment.system)
    reach = max(MOST_SEARCHED, bench.question.cutoff or settings.cutoff)
    return replace(
        bench,
        places=now,
        documents=now.rankings.documents[: min(len(experiment.order), reach), system, 0],
        background=None if background is None else now.background(background)[0],
    )
