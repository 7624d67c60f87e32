"""Two or more systems: differences, tests, equivalence, slices, gates, curves, and sentences about them.

May import evaluation, rankers and the rooms below them.
"""
