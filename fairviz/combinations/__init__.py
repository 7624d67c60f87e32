"""Would another defensible choice lead to another conclusion? Two systems under every combination of choices.

May import evaluation, datasets, figures and what lies below them, and its neighbour effects.
"""
