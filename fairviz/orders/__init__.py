"""Values of other orders of the same candidates: chance, ranges, ties and fronts.

May import evaluation and the rooms below it.
"""
