"""The page Data: the content of a study, additions, fetching, ranking and downloads.

May import shell, kept, state, kit and everything below the interface.
"""
