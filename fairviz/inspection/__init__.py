"""Reading documents one by one: which there are, which part annotators, who can be compared, where words stand.

May import evaluation, datasets, figures and what lies below them, and its neighbours effects and validity.
"""
