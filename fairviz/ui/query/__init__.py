"""The page Query: one query, the systems' lists for it, and the parts of their values.

May import shell, kept, state, kit and everything below the interface.
"""
