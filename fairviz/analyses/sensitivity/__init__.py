"""Would another defensible choice lead to another conclusion? Two systems under every combination of choices.

May import what analyses may.
"""
