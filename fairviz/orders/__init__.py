"""What other orders of the same candidates give: chance, ranges, ties and fronts.

May import evaluation and the rooms below it.
"""
