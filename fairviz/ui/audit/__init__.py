"""The page Audit: which group's documents a ranker prefers, in pairs and in lists, and what mitigations change.

May import shell, kept, state, kit and everything below the interface.
"""
