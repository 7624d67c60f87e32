"""Would the lists be the same if every text told of the other gender? And do they stand any other edit better?

May import what analyses may.
"""

from fairviz.analyses.counterfactuals.answer import Counterfactual, counterfactual
from fairviz.analyses.counterfactuals.experiment import Experiment, Plan, experiment

__all__ = ["Counterfactual", "Experiment", "Plan", "counterfactual", "experiment"]
