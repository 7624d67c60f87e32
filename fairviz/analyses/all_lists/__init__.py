"""All lists of a few ranks, ordered by each measure, and the pairs of lists that two measures order oppositely.

May import figures, comparison and the rooms below them.
"""
