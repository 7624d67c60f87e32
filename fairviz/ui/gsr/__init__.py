"""The page GSR: GSR, the queries that carry it, and its validity.

May import shell, kept, state, kit and everything below the interface.
"""
