"""The page Stereotypes: GSR, the queries that carry it, and its validity.

May import shell, kept, state, kit and everything below the interface.
"""
