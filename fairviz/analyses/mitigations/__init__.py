"""Every mitigation on the same held-out queries: the mitigations, their runs, the bench and its sentences.

May import what analyses may.
"""
