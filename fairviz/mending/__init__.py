"""An encoder trained to put neither gender's wording of a text first, and everything measured before and after.

May import evaluation, datasets, figures, rankers and what lies below them, and its neighbour counterfactuals.
"""
