"""Documents and their annotators: catalogues, filters, comparisons of annotators, and positions in lists.

May import evaluation, datasets, figures and what lies below them, and its neighbours effects and validity.
"""
