"""The page Compare: two systems query by query, all systems against a baseline, and where measures disagree.

May import shell, kept, state, kit and everything below the interface.
"""
