"""Means of measures from a machine's labels, corrected by a sample of human labels.

May import evaluation and the rooms below it.
"""
