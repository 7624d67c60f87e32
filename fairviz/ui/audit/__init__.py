"""The page Model audit: which group's documents a ranker prefers, in pairs and in whole lists.

May import shell, kept, state, kit and everything below the interface.
"""
