"""Would the lists be the same if every text told of the other gender? And do they stand any other edit better?

May import evaluation, datasets, figures, rankers and what lies below them, and its neighbours laboratory and effects.
"""

from fairviz.counterfactuals.answer import Counterfactual, counterfactual
from fairviz.counterfactuals.experiment import Experiment, Plan, experiment

__all__ = ["Counterfactual", "Experiment", "Plan", "counterfactual", "experiment"]
