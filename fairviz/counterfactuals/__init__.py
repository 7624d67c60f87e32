"""Would the lists be the same if every text told of the other gender? Substitution, re-ranking, and a placebo beside it.

May import evaluation, datasets, figures, rankers and what lies below them, and its neighbours laboratory and effects.
"""

from fairviz.counterfactuals.answer import Counterfactual, counterfactual
from fairviz.counterfactuals.experiment import Experiment, Plan, experiment

__all__ = ["Counterfactual", "Experiment", "Plan", "counterfactual", "experiment"]
