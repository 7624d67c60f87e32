"""Effects of labels on measures: of single labels, of label noise, and of annotators.

May import what analyses may.
"""
