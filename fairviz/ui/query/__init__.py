"""The page Query: one query, the lists that systems give to it, and what their values are made of.

May import shell, kept, state, kit and everything below the interface.
"""
