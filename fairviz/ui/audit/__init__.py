"""The page Model audit: which group's documents rankers prefer, and what mitigations do to it.

May import shell, kept, state, kit and everything below the interface.
"""
