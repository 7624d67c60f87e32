"""Experiments on one list: manual edits, the fewest swaps to a value, and reorderings by fairness and effectiveness.

May import evaluation, datasets, figures and what lies below them, and its neighbours effects, validity and inspection.
"""

from fairviz.laboratory.experiment import Experiment, Step
from fairviz.laboratory.front import Front, pareto_front
from fairviz.laboratory.swaps import Swaps, fewest_swaps

__all__ = ["Experiment", "Front", "Step", "Swaps", "fewest_swaps", "pareto_front"]
