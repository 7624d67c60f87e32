"""Experiments on one list: manual edits, the fewest swaps to a value, and reorderings by fairness and effectiveness.

May import what analyses may.
"""

from fairviz.analyses.what_if.experiment import Experiment, Step
from fairviz.analyses.what_if.front import Front, pareto_front
from fairviz.analyses.what_if.swaps import Swaps, fewest_swaps

__all__ = ["Experiment", "Front", "Step", "Swaps", "fewest_swaps", "pareto_front"]
