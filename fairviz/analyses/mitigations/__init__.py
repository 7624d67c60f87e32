"""Every mitigation on the same held-out queries: which there are, their runs, the bench and its sentences.

May import what analyses may.
"""
