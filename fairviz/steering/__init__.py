"""What a weight of senses does to lists: every measure over the weight, beside a placebo, other seeds and references.

May import evaluation, datasets, rankers and what lies below them, and its neighbour counterfactuals.
"""
