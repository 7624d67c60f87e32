"""Steering by a weight of senses: every measure over the weight, compared with placebos, other seeds and references.

May import evaluation, datasets, rankers and what lies below them, and its neighbour counterfactuals.
"""
