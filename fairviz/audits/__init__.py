"""Does a ranker prefer one gender's documents? Asked about pairs of documents, and about whole lists.

May import evaluation, measures, annotation, rankers and what lies below them, and its neighbours effects and
counterfactuals.
"""
