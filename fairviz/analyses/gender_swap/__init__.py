"""Counterfactual lists: changes of rankings when every text is about the other gender, against other edits of equal
size.

May import what analyses may.
"""
