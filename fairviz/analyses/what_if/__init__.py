"""Experiments on one list: manual edits, the fewest swaps to a value, and reorderings by fairness and effectiveness.

May import what analyses may.
"""
