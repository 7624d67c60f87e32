"""The page Agreement: how far annotators agree.

May import shell, kept, state, kit and everything below the interface.
"""
