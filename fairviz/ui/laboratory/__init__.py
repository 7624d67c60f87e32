"""The page Laboratory: one list, moved about by hand, and what that does to every measure.

May import shell, kept, state, kit and everything below the interface.
"""
