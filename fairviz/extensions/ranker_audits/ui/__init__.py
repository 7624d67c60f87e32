"""The page Audit: which group's documents a ranker prefers, in pairs, in lists and by authors' names.

May import shell, kept, state, kit and everything below the interface.
"""
