"""A report: one page of HTML that needs nothing else.

May import evaluation, datasets, figures and what lies below them, and its neighbours capsule, effects and plot.
"""
