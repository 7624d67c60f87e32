"""Experiments on one list: manual edits, the fewest swaps to a value, and reorderings by fairness and effectiveness.

May import what analyses may.
"""

from fairviz.analyses.what_if.bench import fewest_swaps, pareto_front

__all__ = ["fewest_swaps", "pareto_front"]
