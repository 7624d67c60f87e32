"""Counterfactual lists: changes of rankings when every text is about the other gender, against other edits of equal
size.

May import what analyses may.
"""

from fairviz.analyses.counterfactuals.answer import Counterfactual, counterfactual
from fairviz.analyses.counterfactuals.experiment import Experiment, Plan, experiment

__all__ = ["Counterfactual", "Experiment", "Plan", "counterfactual", "experiment"]
