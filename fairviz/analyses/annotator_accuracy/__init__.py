"""Annotators against a reference: accuracy, agreement of raters, and what labels cost.

May import what analyses may.
"""
