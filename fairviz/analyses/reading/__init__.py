"""Documents and their annotators: catalogues, filters, comparisons of annotators, and positions in lists.

May import what analyses may.
"""
