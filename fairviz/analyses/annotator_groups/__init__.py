"""Groups of annotators, by a column of annotators.csv: their agreement, and what would change if one alone labelled.

May import what analyses may.
"""
